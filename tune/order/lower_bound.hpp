#pragma once
// Bounds of one group: what is left of its tasks, kept while tasks are taken and given back.

#include <cstdint>
#include <vector>

#include "tune/order/bound.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune::order {

class GroupBound {
 public:
  GroupBound(const Problem& problem, const BoundTable& table);

  void take(std::uint32_t task);
  void give_back(std::uint32_t task);
  [[nodiscard]] bool is_left(std::uint32_t task) const { return (left_ >> task & 1U) != 0; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

  /// No order of the tasks left after `frontier` (the engine's, of the tasks taken) ends before, run overhead included.
  /// Needs an htod in every task.
  [[nodiscard]] double of(const sim::fast::Frontier& frontier) const;
  /// No order of all tasks ends before; any group.
  [[nodiscard]] double of_all() const;

 private:
  struct Sums {
    std::array<double, 3> work{}, fixed{};
  };
  /// The least of a value over the tasks left.
  struct Ranked {
    std::vector<std::uint32_t> tasks;  ///< ascending by value
    std::vector<double> value;         ///< by task
  };
  [[nodiscard]] double least(const Ranked& ranked) const;
  void rank(Ranked& ranked) const;
  [[nodiscard]] double flow_shop(const sim::fast::Frontier& frontier, double tail) const;

  const Problem& problem_;
  const BoundTable& table_;
  std::uint64_t left_ = 0;
  Sums sums_;
  Ranked before_dtoh_;    ///< htod and kernel of tasks with a dtoh
  Ranked before_kernel_;  ///< htod of tasks with a kernel
  Ranked after_htod_;     ///< kernel and dtoh
  Ranked after_kernel_;   ///< dtoh of tasks with a kernel
};

}  // namespace forelap::tune::order
