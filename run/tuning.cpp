#include "run/tuning.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "scenarios/read.hpp"
#include "tune/sizing.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

using tune::Arrangement;

/// Of the search's time limit, for the intervals of a case's candidates.
constexpr double kShareOfIntervals = 0.25;

const scenarios::TaskGroup& group_of(const scenarios::Scenario& scenario) {
  return std::get<scenarios::TaskGroup>(scenario.body);
}

/// Alike in all that is chosen.
bool same_arrangement(const Arrangement& a, const Arrangement& b) {
  return a == b;
}

void add_candidate(TunedCase& c, const std::string& what, const Arrangement& arrangement) {
  for (auto& other : c.candidates) {
    if (!same_arrangement(other.arrangement, arrangement)) continue;
    other.what += ", " + what;
    return;
  }
  c.candidates.push_back({what, arrangement, 0});
}

void collect_candidates(TunedCase& c) {
  add_candidate(c, "chosen", c.choice.chosen.arrangement);
  add_candidate(c, "given", c.choice.given.arrangement);
  if (c.choice.heuristic) add_candidate(c, "heuristic", c.choice.heuristic->arrangement);
  for (const auto& tie : c.choice.ties) add_candidate(c, "tie", tie.timed.arrangement);
}

/// A case of the set for each choice of devices and lanes: rows of one case are measured in turn.
void add_rows(validate::RunSet& set, TunedCase& c) {
  const std::size_t first = set.cases.size();
  for (auto& candidate : c.candidates) {
    const auto tuning = tune::tuning_with(c.sized, candidate.arrangement);
    const auto same = [&tuning](const validate::CaseRecord& record) {
      return record.tuning.device == tuning.device && record.tuning.kernel_lanes == tuning.kernel_lanes;
    };
    const auto begin = set.cases.begin() + static_cast<std::ptrdiff_t>(first);
    const auto at = static_cast<std::size_t>(std::find_if(begin, set.cases.end(), same) - set.cases.begin());
    if (at == set.cases.size()) {
      validate::CaseRecord record;
      record.name = c.name;
      if (at != first) record.name += (c.name.empty() ? "" : " ") + candidate.what;
      record.tasks = c.tasks;
      record.tuning = tuning;
      record.tuning.order.clear();
      set.cases.push_back(std::move(record));
    }
    candidate.row = set.rows.size();
    validate::Row row;
    row.case_index = at;
    row.order = candidate.arrangement.order;
    set.rows.push_back(std::move(row));
  }
}

TunedCase tune_case(const scenarios::Scenario& scenario, std::size_t index, const core::Machine& machine,
                    const core::Machine& sized_for, const tune::GroupOptions& options) {
  TunedCase c;
  c.case_index = index;
  const auto& spec = group_of(scenario).cases[index];
  c.name = spec.name;
  for (const auto& task : spec.tasks) c.tasks.push_back(task.name);
  c.sized = tune::size_case(scenario, index, machine, sized_for);
  if (!spec.orders.empty()) c.sized.order = spec.orders.front();
  c.choice = tune::tune_group(scenario, c.sized, machine, options);
  c.taken = c.choice.chosen.arrangement;
  collect_candidates(c);
  return c;
}

/// What a task is, by sizes in the place of durations.
void write_sizes(const scenarios::SizedTask& sized, scenarios::TaskSpec& task) {
  const auto transfers = [](const std::vector<scenarios::SizedTransfer>& from,
                            std::vector<scenarios::TransferSpec>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (from[i].duration != core::kModelled) continue;
      to[i].seconds.reset();
      to[i].bytes = from[i].bytes;
    }
  };
  transfers(sized.htod, task.htod);
  transfers(sized.dtoh, task.dtoh);
  for (std::size_t i = 0; i < task.kernels.size(); ++i) {
    if (sized.kernels[i].duration != core::kModelled) continue;
    task.kernels[i].seconds.reset();
    task.kernels[i].work.reset();
    task.kernels[i].repeat = sized.kernels[i].repeat;
    task.kernels[i].bytes.reset();
    if (sized.kernels[i].bytes != 0) task.kernels[i].bytes = sized.kernels[i].bytes;
  }
  task.buffer_bytes = sized.buffer_bytes;
}

/// Kernel lanes that all cases share are those of the group.
void settle_lanes(scenarios::TaskGroup& group) {
  const std::uint32_t first = group.cases.front().kernel_lanes;
  const bool shared = std::all_of(group.cases.begin(), group.cases.end(),
                                  [first](const scenarios::TaskCase& c) { return c.kernel_lanes == first; });
  if (!shared) return;
  group.kernel_lanes = first;
  group.kernel_lanes_given = true;
  for (auto& c : group.cases) c.kernel_lanes = 0;
}

double seconds(double ticks) {
  return ticks / core::kTicksPerSecond;
}

void predict_candidates(Tuned& tuned, const scenarios::Scenario& scenario, const core::Machine& machine,
                        const TuneOptions& options) {
  for (auto& c : tuned.cases) add_rows(tuned.set, c);
  PredictOptions predict;
  predict.stop = options.group.stop;
  predict.interval_seconds = kShareOfIntervals * options.group.seconds * static_cast<double>(tuned.cases.size());
  predict_rows(tuned.set, scenario, machine, predict);
  for (const auto& c : tuned.cases) {
    // Where the user stopped it, the search's own time stands.
    auto& row = tuned.set.rows[c.candidates.front().row];
    const double time = seconds(c.choice.chosen.time);
    if (!row.predicted) row.predicted = validate::Predicted{time, time, time};
  }
}

}  // namespace

Tuned tune_scenario(const scenarios::Scenario& scenario, const core::Machine& machine, const core::Machine& sized_for,
                    const TuneOptions& options) {
  if (group_of(scenario).online) {
    core::throw_bad_input("scenario \"" + scenario.name +
                          "\" is online: its tasks come one by one, and its policies order them; tune takes groups "
                          "whose tasks are all there, without `online`");
  }
  Tuned tuned;
  tuned.method = tune::order::method_name(options.group.method);
  tuned.time_limit = options.group.seconds;
  tuned.gap = options.group.gap;
  for (const auto& device : machine.devices) tuned.devices.push_back(device.name);
  const std::size_t count = group_of(scenario).cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && options.group.stop.stop_requested()) break;
    tuned.cases.push_back(tune_case(scenario, i, machine, sized_for, options.group));
    if (options.progress) options.progress("tuning", i + 1, count);
  }
  tuned.set = empty_set(scenario, machine);
  predict_candidates(tuned, scenario, machine, options);
  tuned.stopped = options.group.stop.stop_requested();
  if (tuned.stopped) {
    tuned.set.notes.push_back("partial: stopped by the user after " + std::to_string(tuned.cases.size()) + " of " +
                              std::to_string(count) + (count == 1 ? " case" : " cases"));
  }
  return tuned;
}

namespace {

/// Whether the intervals of the medians leave it open which of the two is faster.
bool noise_explains(const validate::RowFigures& a, const validate::RowFigures& b) {
  return a.median_low <= b.median_high && b.median_low <= a.median_high;
}

void judge_case(TunedCase& c, const validate::RunSet& set) {
  std::vector<std::optional<validate::RowFigures>> figures;
  for (const auto& candidate : c.candidates) figures.push_back(validate::figures_of(set.rows[candidate.row]));
  if (!figures.front()) return;
  std::size_t best = 0;
  for (std::size_t i = 1; i < figures.size(); ++i) {
    if (figures[i] && figures[i]->median < figures[best]->median) best = i;
  }
  std::size_t taken = 0;
  if (best != 0 && !noise_explains(*figures[0], *figures[best])) taken = best;
  c.taken = c.candidates[taken].arrangement;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i != taken && figures[i] && noise_explains(*figures[taken], *figures[i])) c.measured_ties.push_back(i);
  }
  if (taken != 0) {
    c.verdict = Verdict::changed;
  } else {
    c.verdict = c.measured_ties.empty() ? Verdict::confirmed : Verdict::tie;
  }
}

}  // namespace

void judge_measurements(Tuned& tuned) {
  for (auto& c : tuned.cases) judge_case(c, tuned.set);
}

scenarios::Scenario tuned_scenario(const scenarios::Scenario& scenario, const core::Machine& machine,
                                   const Tuned& tuned) {
  scenarios::Scenario written = scenario;
  auto& group = std::get<scenarios::TaskGroup>(written.body);
  group.order = scenarios::OrderMode::list;
  group.study.reset();  // it would choose orders of its own
  for (const auto& c : tuned.cases) {
    auto& tasks = group.cases.at(c.case_index).tasks;
    group.cases[c.case_index].orders = {c.taken.order};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::uint32_t device = c.taken.device[t];
      if (device == tasks[t].device) continue;
      tasks[t].device = device;
      if (!core::is_ideal(machine.devices.at(device))) write_sizes(c.sized.tasks[t], tasks[t]);
    }
    group.cases[c.case_index].kernel_lanes = c.taken.kernel_lanes;
  }
  if (tuned.cases.size() != group.cases.size()) {
    core::throw_bad_input("only " + std::to_string(tuned.cases.size()) + " of " + std::to_string(group.cases.size()) +
                          " cases were tuned before it was stopped; nothing is written");
  }
  settle_lanes(group);
  return written;
}

std::string arrangement_text(const Tuned& tuned, const TunedCase& c, const tune::Arrangement& arrangement) {
  std::string text;
  for (std::uint32_t d = 0; d < tuned.devices.size(); ++d) {
    std::string tasks;
    for (const std::uint32_t task : arrangement.order) {
      if (arrangement.device[task] != d) continue;
      if (!tasks.empty()) tasks += ' ';
      tasks += c.tasks[task];
    }
    if (tuned.devices.size() > 1) tasks = tuned.devices[d] + ": " + (tasks.empty() ? "-" : tasks);
    text += (text.empty() ? "" : "; ") + tasks;
  }
  return text;
}

std::optional<std::size_t> critical_lane(const tune::GroupChoice& choice) {
  std::optional<std::size_t> most;
  for (std::size_t i = 0; i < choice.lanes.size(); ++i) {
    if (choice.lanes[i].busy > (most ? choice.lanes[*most].busy : 0)) most = i;
  }
  return most;
}

}  // namespace forelap::run
