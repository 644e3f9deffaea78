#pragma once
// Traces of the best, median and worst order of each case: predicted and measured side by side.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/plan.hpp"
#include "core/timeline.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"
#include "validate/trace.hpp"

namespace forelap::run {

/// Collects timelines and writes them as one Chrome trace.
class Traces {
 public:
  /// Adds the predicted timelines of the set's best, median and worst rows, and of the measured ones that are there.
  void add(const validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
           const std::map<std::size_t, core::Timeline>& measured);
  [[nodiscard]] std::string json() const;

 private:
  void add_row(const std::string& name, const validate::RunSet& set, std::size_t row,
               const scenarios::Scenario& scenario, core::Timeline timeline);

  std::deque<core::Plan> plans_;  // processes point into these
  std::deque<core::Timeline> timelines_;
  std::vector<validate::TraceProcess> processes_;
};

}  // namespace forelap::run
