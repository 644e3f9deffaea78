#include "app/show_study.hpp"

#include <algorithm>
#include <span>

#include "app/table.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "validate/study.hpp"

namespace forelap::app {
namespace {

std::string ms(double seconds) {
  return core::fixed(1e3 * seconds, 3);
}

std::string share(const validate::Share& s) {
  return core::fixed(100 * s.value, 1) + " (" + core::fixed(100 * s.low, 1) + " .. " + core::fixed(100 * s.high, 1) +
         ")";
}

std::string cost(const validate::RunSet& set, const std::string& case_name, const std::string& label) {
  for (const auto& record : set.cases) {
    const auto at = record.scheduling.find(label);
    if (record.name == case_name && at != record.scheduling.end()) return core::fixed(1e6 * at->second, 0);
  }
  return "-";
}

}  // namespace

std::string study_text(const validate::RunSet& set, const Output& output) {
  const auto studied = validate::study_figures(set);
  if (studied.empty()) return {};
  Table table({{"case", Align::left, true},
               {"orders"},
               {"worst ms"},
               {"mean"},
               {"best"},
               {"heuristic"},
               {"chosen"},
               {"heuristic % of gain"},
               {"chosen % of gain"},
               {"choosing us"}});
  for (const auto& f : studied) {
    table.add({f.case_name + (f.tuned ? " *" : ""), std::to_string(f.orders), ms(f.worst), ms(f.mean), ms(f.best),
               ms(f.heuristic), ms(f.chosen), share(f.share_heuristic), share(f.share_chosen),
               cost(set, f.case_name, validate::kChosenLabel)});
  }
  const std::span<const validate::RunSet> one(&set, 1);
  std::string text = table.render(output.width(), output.colours());
  text += wrap("mean share of the best order's gain, of " + std::to_string(studied.size()) +
                   (studied.size() == 1 ? " case" : " cases") + " (90 % interval): chosen " +
                   share(validate::mean_share(one, validate::kChosenLabel)) + " %, the paper's heuristic " +
                   share(validate::mean_share(one, validate::kHeuristicLabel)) + " %",
               output.width(), 2) +
          "\n";
  const bool any_tuned = std::any_of(studied.begin(), studied.end(), [](const auto& f) { return f.tuned; });
  if (any_tuned) {
    text += wrap("* the way of handing kernels over that the model prefers; mean share of those cases: " +
                     share(validate::mean_share(one, validate::kTunedLabel)) + " %",
                 output.width(), 2) +
            "\n";
  }
  return text;
}

}  // namespace forelap::app
