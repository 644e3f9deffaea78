#pragma once
// Insertion moves on an order, evaluated by the engine.

#include "tune/order/clock.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune::order {

/// An order under change, with its time. The engine is referred to.
class Workbench {
 public:
  /// The first `fixed` places of the order stay as they are.
  Workbench(sim::fast::OrderEngine& engine, Order order, std::size_t fixed);

  [[nodiscard]] const Order& order() const { return order_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

  void assign(Order order);
  void remove_at(std::size_t place) { order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place)); }
  /// Inserts `task` where the time is least (of equals, the first place) and takes that time.
  void insert_best(std::uint32_t task);
  /// Takes tasks out and inserts them where they are best, one after the other, until none gains or the deadline is
  /// reached; `turns` says in which order tasks are tried. True where something was gained.
  bool descend(const Order& turns, Deadline& deadline);

 private:
  sim::fast::OrderEngine& engine_;
  std::size_t fixed_;
  Order order_;
  double time_ = 0;
  std::uint64_t evaluations_ = 0;
};

}  // namespace forelap::tune::order
