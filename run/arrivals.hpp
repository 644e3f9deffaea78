#pragma once
// When the tasks of an online scenario come, and which they are.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/time.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::run {

/// One task that comes: the `number`-th of all (from 0), a copy of the case's task at `position`.
struct Coming {
  std::uint32_t number = 0;
  std::uint32_t position = 0;
  std::uint32_t worker = 0;
  core::Tick wished = 0;  ///< when it comes, from the start
};

/// Hands out the tasks of one run in the order of their times. The same scenario and seed give the same tasks at the
/// same times, whatever the policy; where closed, times follow from the ends of tasks.
class ArrivalSequence {
 public:
  ArrivalSequence(const scenarios::Online& online, std::size_t tasks_of_case, std::uint64_t seed);

  /// How many come in all.
  [[nodiscard]] std::size_t total() const { return positions_.size(); }
  /// The case's task that each of them is a copy of, by number.
  [[nodiscard]] const std::vector<std::uint32_t>& positions() const { return positions_; }
  /// When the next one comes; nothing where none is left, or none is known before another task ends.
  [[nodiscard]] std::optional<core::Tick> next_time() const;
  /// Takes that one; next_time() must be something.
  Coming take();
  /// A worker's task has ended: where closed, its next one comes after thinking.
  void ended(std::uint32_t worker, core::Tick now);

 private:
  void schedule_open(const scenarios::Online& online, std::uint64_t seed);

  std::vector<std::uint32_t> positions_;
  std::deque<Coming> scheduled_;  ///< ascending in time
  bool closed_ = false;
  std::uint32_t workers_ = 1;
  core::Tick think_ = 0;
  std::vector<std::uint32_t> sent_;  ///< of each worker, where closed
};

}  // namespace forelap::run
