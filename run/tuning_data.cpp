// A tuning as data: JSON (schema forelap.tune/1) and CSV.

#include <nlohmann/json.hpp>

#include "core/number_text.hpp"
#include "run/tuning.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

using Json = nlohmann::ordered_json;

double seconds(double ticks) {
  return ticks / core::kTicksPerSecond;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json arrangement_json(const TunedCase& c, const tune::Arrangement& arrangement) {
  Json tasks = Json::array();
  for (const auto position : arrangement.order) tasks.push_back(c.tasks.at(position));
  return Json{{"order", arrangement.order},
              {"tasks", std::move(tasks)},
              {"device", arrangement.device},
              {"kernel_lanes", arrangement.kernel_lanes}};
}

Json timed_json(const TunedCase& c, const tune::Timed& timed) {
  Json out = arrangement_json(c, timed.arrangement);
  out["predicted_s"] = seconds(timed.time);
  out["share_of_gain"] = optional_json(tune::share_of_gain(c.choice, timed));
  return out;
}

Json timed_json(const TunedCase& c, const std::optional<tune::Timed>& timed) {
  return timed ? timed_json(c, *timed) : Json();
}

std::string stage_name(tune::StageKind kind) {
  constexpr const char* kNames[] = {"htod", "kernel", "dtoh"};
  return kNames[static_cast<std::size_t>(kind)];
}

double busy_pct(const tune::GroupChoice& choice, const tune::LaneUse& lane) {
  return choice.chosen.time > 0 ? 100 * lane.busy / choice.chosen.time : 0;
}

Json lanes_json(const Tuned& tuned, const tune::GroupChoice& choice) {
  Json lanes = Json::array();
  for (const auto& lane : choice.lanes) {
    lanes.push_back(
        Json{{"lane", lane.name}, {"device", tuned.devices.at(lane.device)}, {"busy_pct", busy_pct(choice, lane)}});
  }
  return lanes;
}

Json gains_json(const tune::GroupChoice& choice) {
  Json gains = Json::array();
  for (const auto& gain : choice.gains) {
    gains.push_back(Json{{"stage", stage_name(gain.kind)}, {"ten_pct_faster_saves_pct", 100 * gain.gain}});
  }
  return gains;
}

Json critical_json(const Tuned& tuned, const tune::GroupChoice& choice) {
  const auto lane = critical_lane(choice);
  if (!lane) return {};
  return Json{{"lane", choice.lanes[*lane].name},
              {"device", tuned.devices.at(choice.lanes[*lane].device)},
              {"busy_pct", busy_pct(choice, choice.lanes[*lane])}};
}

Json ties_json(const TunedCase& c) {
  Json ties = Json::array();
  for (const auto& tie : c.choice.ties) {
    Json entry = timed_json(c, tie.timed);
    entry["behind_low_pct"] = 100 * tie.behind_low;
    entry["behind_high_pct"] = 100 * tie.behind_high;
    ties.push_back(std::move(entry));
  }
  return ties;
}

Json candidates_json(const Tuned& tuned, const TunedCase& c) {
  Json list = Json::array();
  for (const auto& candidate : c.candidates) {
    const auto& row = tuned.set.rows.at(candidate.row);
    Json entry = arrangement_json(c, candidate.arrangement);
    entry["what"] = candidate.what;
    if (row.predicted) {
      entry["predicted_s"] = row.predicted->seconds;
      entry["predicted_low_s"] = row.predicted->low;
      entry["predicted_high_s"] = row.predicted->high;
      entry["extrapolated"] = row.extrapolated;
    }
    if (const auto figures = validate::figures_of(row)) {
      entry["samples_s"] = row.samples;
      entry["median_s"] = figures->median;
      entry["median_low_s"] = figures->median_low;
      entry["median_high_s"] = figures->median_high;
      entry["partial"] = row.partial;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string verdict_name(Verdict verdict) {
  constexpr const char* kNames[] = {"not measured", "confirmed", "tie", "changed"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Json case_json(const Tuned& tuned, const TunedCase& c) {
  const auto& choice = c.choice;
  Json out{{"name", c.name},
           {"tasks", c.tasks},
           {"how", choice.how},
           {"evaluations", choice.evaluations},
           {"search_s", choice.search_seconds},
           {"lower_bound_s", seconds(choice.lower_bound)},
           {"gap_pct", 100 * tune::gap_of(choice)},
           {"proven", choice.proven},
           {"out_of_time", choice.out_of_time},
           {"share_of_gain", optional_json(tune::share_of_gain(choice, choice.chosen))},
           {"chosen", timed_json(c, choice.chosen)},
           {"given", timed_json(c, choice.given)},
           {"heuristic", timed_json(c, choice.heuristic)},
           {"neh", timed_json(c, choice.neh)},
           {"johnson", timed_json(c, choice.johnson)},
           {"worst", timed_json(c, choice.worst)},
           {"mean_s", choice.mean ? Json(seconds(*choice.mean)) : Json()},
           {"orders", choice.orders},
           {"all_orders", choice.all_orders},
           {"figures_cut_short", choice.figures_cut_short},
           {"lanes", lanes_json(tuned, choice)},
           {"critical", critical_json(tuned, choice)},
           {"gains", gains_json(choice)},
           {"ties", ties_json(c)},
           {"tie_count", choice.tie_count},
           {"compared", choice.compared},
           {"candidates", candidates_json(tuned, c)},
           {"verdict", verdict_name(c.verdict)}};
  out["taken"] = arrangement_json(c, c.taken);
  return out;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"') out += '"';
    out += letter;
  }
  return out + "\"";
}

/// One line; empty numbers where there are none.
std::string csv_line(const TunedCase& c, const std::string& what, const tune::Arrangement* arrangement,
                     std::optional<double> predicted, std::optional<double> measured) {
  std::string order;
  std::string devices;
  for (std::size_t i = 0; arrangement != nullptr && i < arrangement->order.size(); ++i) {
    const std::uint32_t task = arrangement->order[i];
    order += (i == 0 ? "" : " ") + c.tasks[task];
    devices += (i == 0 ? "" : " ") + std::to_string(arrangement->device[task]);
  }
  const auto number = [](const std::optional<double>& value) { return value ? core::shortest(*value) : std::string(); };
  return (c.name.empty() ? "\"\"" : csv_field(c.name)) + "," + csv_field(what) + "," + csv_field(order) + "," +
         devices + "," + (arrangement == nullptr ? "" : std::to_string(arrangement->kernel_lanes)) + "," +
         number(predicted) + "," + number(measured) + "\n";
}

std::string case_csv(const Tuned& tuned, const TunedCase& c) {
  std::string text;
  for (const auto& candidate : c.candidates) {
    const auto& row = tuned.set.rows.at(candidate.row);
    const auto figures = validate::figures_of(row);
    text += csv_line(c, candidate.what, &candidate.arrangement,
                     row.predicted ? std::optional<double>(row.predicted->seconds) : std::nullopt,
                     figures ? std::optional<double>(figures->median) : std::nullopt);
  }
  const auto& choice = c.choice;
  const auto add = [&](const char* what, const std::optional<tune::Timed>& timed) {
    if (timed) text += csv_line(c, what, &timed->arrangement, seconds(timed->time), std::nullopt);
  };
  add("neh", choice.neh);
  add("johnson", choice.johnson);
  add("worst", choice.worst);
  if (choice.mean) text += csv_line(c, "mean", nullptr, seconds(*choice.mean), std::nullopt);
  text += csv_line(c, "lower bound", nullptr, seconds(choice.lower_bound), std::nullopt);
  return text;
}

}  // namespace

std::string tuning_json(const Tuned& tuned) {
  const auto& set = tuned.set;
  Json devices = Json::array();
  for (const auto& device : set.devices) {
    devices.push_back(Json{{"backend", device.backend}, {"name", device.name}, {"driver", device.driver}});
  }
  Json document{{"schema", "forelap.tune/1"},
                {"forelap", validate::forelap_version()},
                {"scenario", set.scenario},
                {"machine", set.machine},
                {"devices", tuned.devices},
                {"measured_on", std::move(devices)},
                {"interference", set.interference},
                {"seed", set.seed},
                {"repetitions", set.repetitions},
                {"method", tuned.method},
                {"time_limit_s", tuned.time_limit},
                {"wished_gap_pct", 100 * tuned.gap},
                {"stopped", tuned.stopped},
                {"when", set.when},
                {"notes", set.notes}};
  Json cases = Json::array();
  for (const auto& c : tuned.cases) cases.push_back(case_json(tuned, c));
  document["cases"] = std::move(cases);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tuning_csv(const Tuned& tuned) {
  std::string text = "case,what,order,devices,kernel_lanes,predicted_s,measured_median_s\n";
  for (const auto& c : tuned.cases) text += case_csv(tuned, c);
  return text;
}

}  // namespace forelap::run
