#include "run/traces.hpp"

#include <set>

#include "run/predict.hpp"
#include "run/rows.hpp"
#include "validate/compare.hpp"

namespace forelap::run {

void Traces::add(const validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                 const std::map<std::size_t, core::Timeline>& measured) {
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    const auto landmarks = validate::landmarks_of(set, i);
    // Where a policy orders there is no plan to draw.
    if (!landmarks || !set.rows[landmarks->best].policy.empty()) continue;
    for (const auto row : std::set<std::size_t>{landmarks->best, landmarks->median, landmarks->worst}) {
      std::string name = set.scenario + " ";
      if (!set.cases[i].name.empty()) name += set.cases[i].name + " ";
      name += validate::order_text(set, set.rows[row]);
      if (!set.engine.empty()) {
        add_row("predicted: " + name, set, row, scenario,
                predict_timeline(set, set.rows[row], scenario, machine, set.engine));
      }
      const auto found = measured.find(row);
      if (found != measured.end()) add_row("measured: " + name, set, row, scenario, found->second);
    }
  }
}

void Traces::add_row(const std::string& name, const validate::RunSet& set, std::size_t row,
                     const scenarios::Scenario& scenario, core::Timeline timeline) {
  plans_.push_back(plan_of(scenario, set, set.rows[row]));
  timelines_.push_back(std::move(timeline));
  processes_.push_back({name, &plans_.back(), &timelines_.back(), step_labels(scenario, set, set.rows[row])});
}

std::string Traces::json() const {
  return validate::chrome_trace(processes_);
}

}  // namespace forelap::run
