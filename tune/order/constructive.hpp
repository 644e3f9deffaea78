#pragma once
// Orders built in one go.

#include "tune/order/problem.hpp"

namespace forelap::tune::order {

/// The batch reordering heuristic of the ordering paper (its algorithm 1), which is given in words; this is the
/// definition used here. Times are solo times; t_htod, t_kernel, t_dtoh are the ends of the last command of each kind
/// when the ordered tasks are simulated on the full model.
///   First: of the tasks whose kernel - htod is within 5 % (of the longest task's total) of the largest, the one with
///   the longest dtoh.
///   While more than two remain: the task that leaves the least idle: |htod - (t_kernel - t_htod)|, how badly its htod
///   fits under the kernels that are left, plus |kernel - (t_dtoh - t_kernel)|, how badly its kernel fits under the
///   dtohs that are left; of equals, the one whose simulated end is first.
///   Last two: both orders are simulated; of equals, the shorter dtoh comes last.
Order heuristic_order(const Problem& problem);

/// Johnson's rule for two machines (S. M. Johnson, 1954) on (htod + kernel, kernel + dtoh), exact for three machines
/// where the middle one never matters; ties by position.
Order johnson_order(const Problem& problem);

/// Nawaz, Enscore and Ham (1983): tasks by decreasing total time, each inserted where the simulated time is least (of
/// equals, the first place).
Order neh_order(const Problem& problem);

}  // namespace forelap::tune::order
