#include "models/interference.hpp"

#include <algorithm>

namespace forelap::models {

RateTable::RateTable() {
  for (auto& row : rate_) row.fill(1);
  capacity_.fill(std::numeric_limits<double>::infinity());
}

RateTable::RateTable(std::span<const core::InterferenceRow> rows) : RateTable() {
  for (std::size_t set = 0; set < core::kActivitySets; ++set) {
    for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
      const auto activity = static_cast<core::ActivityClass>(c);
      const core::InterferenceRow* exact = nullptr;
      double smallest = 1;
      for (const core::InterferenceRow& row : rows) {
        if ((row.active & ~set) != 0) continue;
        if (row.active == set) exact = &row;
        const auto at = row.rates.find(activity);
        if (at != row.rates.end()) smallest = std::min(smallest, at->second.value);
      }
      double& rate = rate_[set][c];
      rate = smallest;
      // What was measured for the very set stands, even where a subset slowed the class more.
      if (exact != nullptr) {
        const auto at = exact->rates.find(activity);
        rate = at == exact->rates.end() ? 1 : std::min(1.0, at->second.value);
      }
    }
  }
}

bool RateTable::is_trivial() const {
  for (const auto& row : rate_) {
    if (std::any_of(row.begin(), row.end(), [](double r) { return r != 1; })) return false;
  }
  return std::all_of(capacity_.begin(), capacity_.end(),
                     [](double c) { return c == std::numeric_limits<double>::infinity(); });
}

}  // namespace forelap::models
