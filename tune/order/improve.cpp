#include "tune/order/improve.hpp"

#include <algorithm>
#include <limits>

namespace forelap::tune::order {

Workbench::Workbench(sim::fast::OrderEngine& engine, Order order, std::size_t fixed) : engine_(engine), fixed_(fixed) {
  assign(std::move(order));
}

void Workbench::assign(Order order) {
  order_ = std::move(order);
  time_ = engine_.evaluate(order_);
  ++evaluations_;
}

void Workbench::insert_best(std::uint32_t task) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t best_place = 0;
  // From the last place to the first: the engine keeps the prefix before the place, and only what follows is pushed.
  engine_.evaluate(order_);
  for (std::size_t place = order_.size() + 1; place-- > fixed_;) {
    while (engine_.size() > place) engine_.pop();
    engine_.push(task);
    for (std::size_t i = place; i < order_.size(); ++i) engine_.push(order_[i]);
    const double time = engine_.makespan();
    if (time <= best) {
      best = time;
      best_place = place;
    }
  }
  evaluations_ += order_.size() + 1 - fixed_;
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(best_place), task);
  time_ = best;
}

bool Workbench::descend(const Order& turns, Deadline& deadline) {
  bool any = false;
  std::size_t since = 0;  // tasks tried since the last gain
  for (std::size_t t = 0; since < turns.size() && !deadline.look(); t = (t + 1) % turns.size()) {
    const Order before = order_;
    const double time = time_;
    remove_at(static_cast<std::size_t>(std::find(order_.begin(), order_.end(), turns[t]) - order_.begin()));
    insert_best(turns[t]);
    if (time_ < time) {
      any = true;
      since = 0;
      continue;
    }
    order_ = before;
    time_ = time;
    ++since;
  }
  return any;
}

}  // namespace forelap::tune::order
