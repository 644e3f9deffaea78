#pragma once
// Searches over arrangements (order and device of each task) of a group that the order engine does not take, for a
// given number of kernel lanes: every arrangement where there are few, else insertion and iterated greedy.

#include <cstdint>
#include <vector>

#include "core/statistics.hpp"
#include "tune/group_evaluator.hpp"
#include "tune/order/clock.hpp"

namespace forelap::tune {

/// Which orders keep `after`.
class Precedence {
 public:
  /// Throws core::Error (bad_input) naming the tasks where some wait for each other in a circle.
  explicit Precedence(const std::vector<scenarios::TaskSpec>& tasks);

  [[nodiscard]] bool is_free() const { return free_; }
  /// Whether `task` must come after `other`, directly or by others between them.
  [[nodiscard]] bool is_after(std::uint32_t task, std::uint32_t other) const { return after_[task][other]; }
  /// Places [first, last] of `order`, which keeps `after`, where `task` may be inserted.
  struct Places {
    std::size_t first = 0, last = 0;
  };
  [[nodiscard]] Places places(const std::vector<std::uint32_t>& order, std::uint32_t task) const;
  /// The order that comes nearest: each time the first task of `order` that may come next.
  [[nodiscard]] std::vector<std::uint32_t> repaired(const std::vector<std::uint32_t>& order) const;
  /// A random order, every one of which may come up; uniform where nothing comes after anything.
  [[nodiscard]] std::vector<std::uint32_t> random_order(core::Random& random) const;

 private:
  const std::vector<scenarios::TaskSpec>& tasks_;
  std::vector<std::vector<bool>> after_;
  bool free_ = true;
};

struct SearchOutcome {
  Arrangement best;
  double time = 0;
  bool all_tried = false;  ///< every arrangement was evaluated, so `best` is the best
  bool out_of_time = false;
};

/// Arrangements of one number of kernel lanes.
class GroupSearch {
 public:
  /// Refers to both. With `free_devices` tasks may go to any device that can run them, else they stay where
  /// `evaluator.tuning()` puts them.
  GroupSearch(GroupEvaluator& evaluator, const Precedence& precedence, bool free_devices, std::uint32_t kernel_lanes);

  /// Number of arrangements that differ by more than an exchange of tasks that are alike, or limit + 1 where there are
  /// more than `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) const;
  /// Evaluates all of those.
  SearchOutcome exhaustive(order::Deadline& deadline);
  /// Tasks by decreasing least total time, each inserted where, and on the device on which, the time is least.
  SearchOutcome insertion(order::Deadline& deadline);
  /// From `start`: takes tasks out and inserts them where they are best, until the deadline, until `rounds` are done (0
  /// = no limit), or until the time is within `target`.
  SearchOutcome iterated_greedy(const SearchOutcome& start, order::Deadline& deadline, core::Random& random,
                                std::uint64_t rounds, double target);

 private:
  [[nodiscard]] bool expired(order::Deadline& deadline) const;
  [[nodiscard]] std::vector<std::uint32_t> devices_of(std::uint32_t task) const;
  [[nodiscard]] double least_total(std::uint32_t task) const;
  double insert_best(Arrangement& arrangement, std::uint32_t task, order::Deadline& deadline);
  double descend(Arrangement& arrangement, double time, order::Deadline& deadline, core::Random& random);
  [[nodiscard]] bool may_come(std::uint32_t task, const std::vector<bool>& placed) const;
  void count_orders(std::vector<bool>& placed, std::size_t left, std::size_t limit, std::size_t& number) const;
  void try_orders(Arrangement& arrangement, std::vector<bool>& placed, order::Deadline& deadline,
                  SearchOutcome& outcome);

  GroupEvaluator& evaluator_;
  const Precedence& precedence_;
  bool free_devices_;
  std::uint32_t kernel_lanes_;
  std::vector<std::uint32_t> before_;  ///< of each task: the one before it that it is like, or itself
};

}  // namespace forelap::tune
