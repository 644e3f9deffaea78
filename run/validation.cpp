#include "run/validation.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "run/library.hpp"
#include "run/rows.hpp"
#include "scenarios/catalogue.hpp"
#include "validate/recorded.hpp"

namespace forelap::run {
namespace {

/// ASCII only: names of scenarios that are looked for are shipped ones.
std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool wanted(const std::string& scenario, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&scenario](const std::string& name) {
           return lower_case(name) == lower_case(scenario);
         });
}

/// The names given, and for those that are files or shipped scenarios the name that stands in the file.
std::vector<std::string> with_inner_names(std::vector<std::string> names) {
  const auto given = names;
  for (const auto& name : given) {
    try {
      names.push_back(scenarios::read_scenario(scenarios::resolve_scenario(name)).name);
    } catch (const core::Error&) {
      continue;  // a recorded scenario that is not shipped: it goes by its recorded name
    }
  }
  return names;
}

PublishedOutcome predict_one(const validate::PublishedRow& row, const PredictOptions& options) {
  std::vector<scenarios::Override> overrides;
  for (const auto& [path, value] : row.overrides) overrides.push_back({path, value});
  auto scenario = scenarios::read_scenario(scenarios::resolve_scenario(row.scenario));
  // The published figures are over all orders, whatever the shipped scenario asks for.
  std::get<scenarios::TaskGroup>(scenario.body).order = scenarios::OrderMode::all;
  const auto machine =
      select_devices(scenarios::read_machine(scenarios::resolve_machine(row.machine), overrides), scenario);
  auto set = make_rows(scenario, machine);
  predict_rows(set, scenario, machine, options);
  std::vector<double> makespans;
  for (const auto& r : set.rows) {
    if (r.predicted) makespans.push_back(r.predicted->seconds);
  }
  PublishedOutcome outcome;
  outcome.row = row;
  if (makespans.empty()) return outcome;
  outcome.best = *std::min_element(makespans.begin(), makespans.end());
  outcome.worst = *std::max_element(makespans.begin(), makespans.end());
  outcome.geometric_mean = core::geometric_mean(makespans);
  const auto agrees = [&row](double value, const std::string& digits) {
    return digits.empty() || validate::equal_to_digits(value, digits, row.unit);
  };
  outcome.equal = agrees(outcome.best, row.best) && agrees(outcome.geometric_mean, row.geometric_mean) &&
                  agrees(outcome.worst, row.worst);
  return outcome;
}

}  // namespace

std::vector<Revalidated> predict_recorded(const RecordedOptions& options) {
  std::vector<Revalidated> done;
  std::vector<std::string> known;
  const auto names = with_inner_names(options.scenarios);
  for (auto& recorded : validate::load_recorded(options.folder)) {
    known.push_back(recorded.set.scenario);
    if (!wanted(recorded.set.scenario, names)) continue;
    Revalidated entry;
    entry.file = recorded.file;
    entry.set = std::move(recorded.set);
    entry.scenario = scenario_of(entry.set, entry.file.string(), options.scenario_overrides);
    const auto profile = options.machine.empty() ? recorded.machine : scenarios::resolve_machine(options.machine);
    entry.machine = select_devices(scenarios::read_machine(profile, options.machine_overrides), entry.scenario);
    for (auto& row : entry.set.rows) row.predicted.reset();
    entry.set.machine = entry.machine.name;
    predict_rows(entry.set, entry.scenario, entry.machine, options.predict);
    const bool stopped = options.predict.stop.stop_requested();
    if (stopped) entry.set.notes.emplace_back("partial: stopped by the user");
    done.push_back(std::move(entry));
    if (stopped) return done;
  }
  if (done.empty()) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    core::throw_bad_input(known.empty() ? "nothing is recorded under " + options.folder.string()
                                        : "nothing of that name is recorded; there are " + core::join_names(known));
  }
  return done;
}

std::vector<PublishedOutcome> predict_published(const std::vector<std::string>& scenario_names,
                                                const PredictOptions& options) {
  const auto rows = validate::load_published(published_folder() / "ordering.json");
  std::vector<PublishedOutcome> outcomes;
  std::vector<std::string> known;
  for (const auto& row : rows) {
    known.push_back(row.scenario);
    if (!wanted(row.scenario, scenario_names)) continue;
    auto outcome = predict_one(row, options);
    if (options.stop.stop_requested()) return outcomes;
    outcomes.push_back(std::move(outcome));
  }
  if (outcomes.empty()) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    core::throw_bad_input("no published figures of that name; there are some of " + core::join_names(known));
  }
  return outcomes;
}

}  // namespace forelap::run
