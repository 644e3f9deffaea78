#include <algorithm>
#include <nlohmann/json.hpp>

#include "validate/json.hpp"
#include "validate/study.hpp"

namespace forelap::validate {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json transfers_json(const std::vector<scenarios::SizedTransfer>& transfers) {
  Json list = Json::array();
  for (const auto& transfer : transfers) {
    Json entry{{"bytes", transfer.bytes}};
    if (transfer.duration != core::kModelled) entry["duration_ps"] = transfer.duration;
    list.push_back(std::move(entry));
  }
  return list;
}

Json task_json(const scenarios::SizedTask& task, const std::string& name, std::uint32_t device) {
  Json kernels = Json::array();
  for (const auto& kernel : task.kernels) {
    Json entry{{"kernel", kernel.kernel}, {"repeat", kernel.repeat}};
    if (kernel.bytes != 0) entry["bytes"] = kernel.bytes;
    if (kernel.duration != core::kModelled) entry["duration_ps"] = kernel.duration;
    kernels.push_back(std::move(entry));
  }
  return Json{{"name", name},
              {"device", device},
              {"buffer_bytes", task.buffer_bytes},
              {"htod", transfers_json(task.htod)},
              {"kernels", std::move(kernels)},
              {"dtoh", transfers_json(task.dtoh)}};
}

std::string submission_name(scenarios::Submission submission) {
  switch (submission) {
    case scenarios::Submission::by_task:
      return "by_task";
    case scenarios::Submission::by_type:
      return "by_type";
    case scenarios::Submission::automatic:
      break;
  }
  return "auto";
}

std::string transfers_name(scenarios::TransferMode mode) {
  return mode == scenarios::TransferMode::serial ? "serial" : "concurrent";
}

Json partition_json(const scenarios::PartitionTuning& tuning) {
  Json devices = Json::array();
  for (const auto& device : tuning.devices) {
    Json entry{{"name", device.name}, {"in_place", device.in_place}, {"engines", device.engines}};
    if (!device.profile.cumulative.empty()) entry["profile"] = device.profile.cumulative;
    devices.push_back(std::move(entry));
  }
  return Json{
      {"transfers", transfers_name(tuning.transfers)}, {"memory", memory_name(tuning.memory)}, {"devices", devices}};
}

Json division_json(const DivisionOfRow& division) {
  return Json{{"weights", division.weights},
              {"shares", division.shares},
              {"chunks", division.chunks},
              {"slots", division.slots},
              {"chosen", division.chosen}};
}

Json summary_json(const Summary& summary) {
  return Json{{"runs", summary.runs},
              {"mean_abs_error_pct", optional_json(summary.mean_abs_error_pct)},
              {"max_abs_error_pct", optional_json(summary.max_abs_error_pct)},
              {"max_error_beyond_spread_pct", optional_json(summary.max_error_beyond_spread_pct)},
              {"spread_pct", optional_json(summary.spread_pct)},
              {"within_noise", optional_json(summary.within_noise)},
              {"kendall_tau", optional_json(summary.kendall_tau)},
              {"regret_pct", optional_json(summary.regret_pct)},
              {"interval_coverage_pct", optional_json(summary.interval_coverage_pct)}};
}

Json case_json(const RunSet& set, std::size_t index) {
  const auto& record = set.cases[index];
  if (record.partition) {
    return Json{{"name", record.name},
                {"partition", partition_json(*record.partition)},
                {"summary", summary_json(summarize_case(set, index))}};
  }
  Json tasks = Json::array();
  for (std::size_t i = 0; i < record.tuning.tasks.size(); ++i) {
    tasks.push_back(task_json(record.tuning.tasks[i], record.tasks.at(i), record.tuning.device.at(i)));
  }
  const auto& tuning = record.tuning;
  Json document{{"name", record.name},
                {"scenario_case", tuning.case_index},
                {"device_count", tuning.device_count},
                {"engines", tuning.engines},
                {"submission", submission_name(tuning.submission)},
                {"kernel_lanes", tuning.kernel_lanes},
                {"memory", memory_name(tuning.memory)},
                {"tasks", std::move(tasks)},
                {"summary", summary_json(summarize_case(set, index))}};
  if (!record.scheduling.empty()) {
    Json costs = Json::array();
    for (const auto& [method, seconds] : record.scheduling) {
      costs.push_back(Json{{"method", method}, {"seconds", seconds}});
    }
    document["scheduling_s"] = std::move(costs);
  }
  return document;
}

Json figures_json(const RowFigures& figures) {
  Json out{{"median_s", figures.median},
           {"p10_s", figures.p10},
           {"p90_s", figures.p90},
           {"median_low_s", figures.median_low},
           {"median_high_s", figures.median_high},
           {"spread_pct", figures.spread_pct}};
  if (figures.error_pct) {
    out["error_pct"] = *figures.error_pct;
    out["error_beyond_spread_pct"] = *figures.beyond_spread_pct;
    out["within_noise"] = *figures.within_noise;
    out["inside_interval"] = *figures.covered;
  }
  return out;
}

Json online_json(const OnlineFigures& figures) {
  return Json{{"mean_latency_s", figures.mean_latency},
              {"p95_latency_s", figures.p95_latency},
              {"tasks_per_second", figures.tasks_per_second},
              {"groups", figures.groups}};
}

Json row_json(const RunSet& set, const Row& row) {
  Json out{{"case", row.case_index}, {"order", row.order}};
  // A study has thousands of rows; the names stand in its cases.
  if (row.labels.empty()) {
    Json tasks = Json::array();
    for (const auto position : row.order) tasks.push_back(set.cases.at(row.case_index).tasks.at(position));
    out["tasks"] = std::move(tasks);
  } else {
    out["labels"] = row.labels;
  }
  if (!row.policy.empty()) out["policy"] = row.policy;
  if (row.division) out["division"] = division_json(*row.division);
  if (row.predicted_online) out["predicted_online"] = online_json(*row.predicted_online);
  if (row.measured_online) out["measured_online"] = online_json(*row.measured_online);
  if (row.predicted) {
    out["predicted_s"] = row.predicted->seconds;
    out["predicted_low_s"] = row.predicted->low;
    out["predicted_high_s"] = row.predicted->high;
  }
  if (!row.samples.empty()) out["samples_s"] = row.samples;
  if (!row.final_samples.empty()) out["final_samples_s"] = row.final_samples;
  if (row.cold) out["cold_s"] = *row.cold;
  out["extrapolated"] = row.extrapolated;
  out["partial"] = row.partial;
  const auto figures = row.labels.empty() ? figures_of(row) : std::nullopt;
  if (figures) out["figures"] = figures_json(*figures);
  return out;
}

Json devices_json(const RunSet& set) {
  Json devices = Json::array();
  for (std::size_t i = 0; i < set.devices.size(); ++i) {
    const auto& device = set.devices[i];
    devices.push_back(Json{{"backend", device.backend},
                           {"name", device.name},
                           {"driver", device.driver},
                           {"platform", device.platform},
                           {"compute_units", device.compute_units},
                           {"link", i < set.links.size() ? set.links[i] : ""}});
  }
  return devices;
}

Json share_json(const Share& share) {
  return Json{{"value", share.value}, {"low", share.low}, {"high", share.high}};
}

Json study_json(const StudyFigures& figures) {
  return Json{{"case", figures.case_name},
              {"orders", figures.orders},
              {"worst_s", figures.worst},
              {"mean_s", figures.mean},
              {"best_s", figures.best},
              {"chosen_s", figures.chosen},
              {"heuristic_s", figures.heuristic},
              {"tuned", figures.tuned},
              {"share_chosen", share_json(figures.share_chosen)},
              {"share_heuristic", share_json(figures.share_heuristic)}};
}

Json set_json(const RunSet& set) {
  Json document{{"schema", kResultSchema},
                {"forelap", forelap_version()},
                {"scenario", set.scenario},
                {"machine", set.machine},
                {"engine", set.engine},
                {"interference", set.interference},
                {"memory", set.memory},
                {"devices", devices_json(set)},
                {"host_cores", set.host_cores},
                {"seed", set.seed},
                {"repetitions", set.repetitions},
                {"tolerance_pct", set.tolerance_pct},
                {"when", set.when},
                {"notes", set.notes},
                {"summary", summary_json(summarize(set))}};
  const auto study = study_figures(set);
  if (!study.empty()) {
    Json list = Json::array();
    for (const auto& figures : study) list.push_back(study_json(figures));
    document["study"] = std::move(list);
  }
  Json cases = Json::array();
  for (std::size_t i = 0; i < set.cases.size(); ++i) cases.push_back(case_json(set, i));
  Json rows = Json::array();
  for (const auto& row : set.rows) rows.push_back(row_json(set, row));
  document["cases"] = std::move(cases);
  document["rows"] = std::move(rows);
  document["scenario_text"] = set.scenario_text;
  return document;
}

/// Drivers' names may hold bytes that are no UTF-8: they are replaced, not thrown over.
std::string text_of(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A study's rows stand on a line each: there are thousands.
std::string text_by_rows(Json document) {
  const Json rows = std::move(document["rows"]);
  document.erase("rows");
  std::string text = text_of(document);
  text.resize(text.size() - 3);  // the end of the object
  text += ",\n \"rows\": [";
  const char* separator = "\n";
  for (const Json& row : rows) {
    text += separator + ("  " + row.dump(-1, ' ', false, Json::error_handler_t::replace));
    separator = ",\n";
  }
  return text + "\n ]\n}\n";
}

}  // namespace

std::string to_json(const RunSet& set) {
  const bool study = std::any_of(set.rows.begin(), set.rows.end(), [](const Row& row) { return !row.labels.empty(); });
  return study ? text_by_rows(set_json(set)) : text_of(set_json(set));
}

std::string to_json(std::span<const RunSet> sets) {
  Json list = Json::array();
  for (const auto& set : sets) list.push_back(set_json(set));
  Json document{{"schema", kResultListSchema},
                {"forelap", forelap_version()},
                {"machine", sets.empty() ? Json() : Json(sets.front().machine)},
                {"seed", sets.empty() ? Json() : Json(sets.front().seed)},
                {"summary", summary_json(summarize(sets))},
                {"sets", std::move(list)}};
  return text_of(document);
}

}  // namespace forelap::validate
