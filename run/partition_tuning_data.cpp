// A tuning of a partition as JSON (schema forelap.tune_partition/1).

#include <cmath>
#include <nlohmann/json.hpp>

#include "run/partition_tuning.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

using Json = nlohmann::ordered_json;

/// Seconds; null for what cannot be.
Json seconds(double ticks) {
  return std::isfinite(ticks) ? Json(ticks / core::kTicksPerSecond) : Json();
}

Json devices_json(const TunedPartition& tuned) {
  Json list = Json::array();
  for (std::size_t d = 0; d < tuned.devices.size(); ++d) {
    const auto& figures = tuned.choice.devices[d];
    const auto& part = tuned.choice.tuning.devices[d];
    list.push_back(Json{{"name", tuned.devices[d]},
                        {"rows", part.rows},
                        {"weight", static_cast<double>(part.rows) / static_cast<double>(tuned.rows)},
                        {"chunks", part.chunks},
                        {"slots", part.slots},
                        {"end_s", seconds(figures.end)},
                        {"alone_s", seconds(figures.alone)},
                        {"htod_s", seconds(figures.htod)},
                        {"kernel_s", seconds(figures.kernel)},
                        {"dtoh_s", seconds(figures.dtoh)}});
  }
  return list;
}

Json candidates_json(const TunedPartition& tuned) {
  Json list = Json::array();
  for (const auto& candidate : tuned.candidates) {
    const auto& row = tuned.set.rows.at(candidate.row);
    Json entry{{"what", candidate.what},
               {"weights", row.division->weights},
               {"shares", row.division->shares},
               {"chunks", row.division->chunks}};
    for (const auto& other : tuned.choice.alternatives) {
      if (candidate.what.find(other.what) == std::string::npos) continue;
      entry["behind_low_pct"] = 100 * other.behind_low;
      entry["behind_high_pct"] = 100 * other.behind_high;
      entry["tie"] = other.tie;
      break;
    }
    if (row.predicted) {
      entry["predicted_s"] = row.predicted->seconds;
      entry["predicted_low_s"] = row.predicted->low;
      entry["predicted_high_s"] = row.predicted->high;
    }
    if (const auto figures = validate::figures_of(row)) {
      entry["samples_s"] = row.samples;
      entry["median_s"] = figures->median;
      entry["median_low_s"] = figures->median_low;
      entry["median_high_s"] = figures->median_high;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string verdict_name(Verdict verdict) {
  constexpr const char* kNames[] = {"not measured", "confirmed", "tie", "changed"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace

std::string tuning_json(const TunedPartition& tuned) {
  const auto& choice = tuned.choice;
  const Json document{{"schema", "forelap.tune_partition/1"},
                      {"forelap", validate::forelap_version()},
                      {"scenario", tuned.set.scenario},
                      {"machine", tuned.set.machine},
                      {"seed", tuned.set.seed},
                      {"when", tuned.set.when},
                      {"kernel", tuned.kernel},
                      {"rows", tuned.rows},
                      {"predicted_s", seconds(choice.time)},
                      {"bound_s", seconds(choice.bound)},
                      {"best_single", tuned.devices.at(choice.best_single)},
                      {"gain", choice.gain},
                      {"efficiency", choice.efficiency},
                      {"evaluations", choice.evaluations},
                      {"search_s", choice.search_seconds},
                      {"profile_s", tuned.profile_seconds},
                      {"devices", devices_json(tuned)},
                      {"candidates", candidates_json(tuned)},
                      {"taken", tuned.candidates.at(tuned.taken).what},
                      {"verdict", verdict_name(tuned.verdict)},
                      {"stopped", tuned.stopped},
                      {"notes", tuned.set.notes}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forelap::run
