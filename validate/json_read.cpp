#include <algorithm>

#include "core/error.hpp"
#include "validate/json.hpp"
#include "validate/json_reader.hpp"

namespace forelap::validate {
namespace {

using scenarios::CostProfile;

// What scenarios may say at most, and machines have.
constexpr std::uint64_t kMostBytes = 1'000'000'000'000'000'000;
constexpr std::uint64_t kLongestStep = 1'000'000'000'000'000'000;  // ps
constexpr std::uint32_t kMostLanes = 64;
constexpr std::uint32_t kMostDevices = 1024;
constexpr std::uint32_t kMostRuns = 1'000'000;
constexpr std::uint32_t kMostUnits = 1'000'000'000;

core::Tick duration_of(const JsonView& view) {
  if (!view.has("duration_ps")) return core::kModelled;
  return static_cast<core::Tick>(view.at("duration_ps").within(0, kLongestStep));
}

/// A part of a task's buffer, bytes.
std::uint64_t part_of(std::uint64_t buffer, const JsonView& view) {
  const auto bytes = view.whole();
  if (bytes > buffer) {
    view.fail("found " + std::to_string(bytes) + " bytes, expected at most the task's buffer_bytes, " +
              std::to_string(buffer));
  }
  return bytes;
}

std::vector<scenarios::SizedTransfer> read_transfers(const JsonView& view, std::uint64_t buffer) {
  std::vector<scenarios::SizedTransfer> transfers;
  for (const auto& item : view.items()) {
    item.only({"bytes", "duration_ps"});
    transfers.push_back({part_of(buffer, item.at("bytes")), duration_of(item)});
  }
  return transfers;
}

scenarios::SizedTask read_task(const JsonView& view) {
  view.only({"name", "device", "buffer_bytes", "htod", "kernels", "dtoh"});
  scenarios::SizedTask task;
  task.buffer_bytes = view.at("buffer_bytes").within(0, kMostBytes);
  task.htod = read_transfers(view.at("htod"), task.buffer_bytes);
  task.dtoh = read_transfers(view.at("dtoh"), task.buffer_bytes);
  for (const auto& item : view.at("kernels").items()) {
    item.only({"kernel", "repeat", "bytes", "duration_ps"});
    scenarios::SizedKernel kernel;
    kernel.kernel = item.at("kernel").text();
    kernel.repeat = item.at("repeat").within(0, UINT32_MAX);
    if (item.has("bytes")) kernel.bytes = part_of(task.buffer_bytes, item.at("bytes"));
    kernel.duration = duration_of(item);
    task.kernels.push_back(std::move(kernel));
  }
  return task;
}

scenarios::Submission read_submission(const JsonView& view) {
  const auto name = view.text();
  if (name == "auto") return scenarios::Submission::automatic;
  if (name == "by_task") return scenarios::Submission::by_task;
  if (name == "by_type") return scenarios::Submission::by_type;
  view.fail("found '" + name + "', expected auto, by_task or by_type");
}

core::MemoryKind read_memory(const JsonView& view) {
  const auto name = view.text();
  if (name == "pinned") return core::MemoryKind::pinned;
  if (name == "pageable") return core::MemoryKind::pageable;
  view.fail("found '" + name + "', expected pinned or pageable");
}

CostProfile read_profile(const JsonView& view) {
  CostProfile profile;
  for (const auto& item : view.items()) {
    profile.cumulative.push_back(item.amount());
    const auto& points = profile.cumulative;
    if (points.size() > 1 && points.back() < points[points.size() - 2]) item.fail("expected work that only grows");
  }
  if (profile.cumulative.size() < 2) view.fail("expected two points at least");
  return profile;
}

scenarios::PartitionTuning read_partition(const JsonView& view) {
  view.only({"transfers", "memory", "devices"});
  scenarios::PartitionTuning tuning;
  const auto transfers = view.at("transfers").text();
  if (transfers != "concurrent" && transfers != "serial") {
    view.at("transfers").fail("found '" + transfers + "', expected concurrent or serial");
  }
  if (transfers == "serial") tuning.transfers = scenarios::TransferMode::serial;
  tuning.memory = read_memory(view.at("memory"));
  for (const auto& item : view.at("devices").items()) {
    item.only({"name", "in_place", "engines", "profile"});
    scenarios::DevicePart device;
    device.name = item.at("name").text();
    device.in_place = item.at("in_place").flag();
    device.engines = item.at("engines").small(1, 2);
    if (item.has("profile")) device.profile = read_profile(item.at("profile"));
    tuning.devices.push_back(std::move(device));
  }
  if (tuning.devices.empty()) view.at("devices").fail("expected a device at least");
  return tuning;
}

CaseRecord read_case(const JsonView& view) {
  if (view.has("partition")) {
    view.only({"name", "partition", "summary"});
    CaseRecord record;
    record.name = view.at("name").text();
    record.partition = read_partition(view.at("partition"));
    return record;
  }
  view.only({"name", "scenario_case", "device_count", "engines", "submission", "kernel_lanes", "memory", "tasks",
             "scheduling_s", "summary"});
  CaseRecord record;
  auto& tuning = record.tuning;
  record.name = view.at("name").text();
  tuning.case_index = view.at("scenario_case").small();
  tuning.device_count = view.at("device_count").small(1, kMostDevices);
  for (const auto& item : view.at("engines").items()) tuning.engines.push_back(item.small(1, 2));
  if (tuning.engines.size() != tuning.device_count) view.at("engines").fail("expected one number for each device");
  tuning.submission = read_submission(view.at("submission"));
  tuning.kernel_lanes = view.at("kernel_lanes").small(1, kMostLanes);
  tuning.memory = read_memory(view.at("memory"));
  for (const auto& item : view.at("tasks").items()) {
    tuning.tasks.push_back(read_task(item));
    record.tasks.push_back(item.at("name").text());
    tuning.device.push_back(item.at("device").small());
    if (tuning.device.back() >= tuning.device_count) item.at("device").fail("no such device in this case");
  }
  if (view.has("scheduling_s")) {
    for (const auto& item : view.at("scheduling_s").items()) {
      record.scheduling[item.at("method").text()] = item.at("seconds").seconds();
    }
  }
  return record;
}

void read_order(const JsonView& view, const RunSet& set, Row& row) {
  for (const auto& item : view.items()) row.order.push_back(item.small());
  std::vector<std::uint32_t> sorted = row.order;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == set.cases[row.case_index].tasks.size();
  for (std::size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == i;
  if (!permutation) view.fail("expected each task of the case once");
}

/// A number for each device.
template <class T, class Get>
std::vector<T> read_each(const JsonView& view, std::size_t devices, Get&& get) {
  std::vector<T> values;
  for (const auto& item : view.items()) values.push_back(get(item));
  if (values.size() != devices) view.fail("expected a number for each of the case's devices");
  return values;
}

DivisionOfRow read_division(const JsonView& view, const CaseRecord& record) {
  view.only({"weights", "shares", "chunks", "slots", "chosen"});
  if (!record.partition) view.fail("found the shares of a partition, but the case is a group of tasks");
  const std::size_t devices = record.partition->devices.size();
  DivisionOfRow division;
  const auto small = [](const JsonView& item) { return item.small(); };
  division.weights = read_each<double>(view.at("weights"), devices, [](const auto& item) { return item.amount(); });
  division.shares = read_each<std::uint64_t>(view.at("shares"), devices, [](const auto& item) { return item.whole(); });
  division.chunks = read_each<std::uint32_t>(view.at("chunks"), devices, small);
  division.slots = read_each<std::uint32_t>(view.at("slots"), devices, small);
  division.chosen = view.at("chosen").flag();
  for (const auto& item : view.at("chunks").items()) {
    if (item.small() == 0) item.fail("expected at least 1");
  }
  return division;
}

OnlineFigures read_online(const JsonView& view) {
  view.only({"mean_latency_s", "p95_latency_s", "tasks_per_second", "groups"});
  return {view.at("mean_latency_s").seconds(), view.at("p95_latency_s").seconds(), view.at("tasks_per_second").amount(),
          view.at("groups").amount()};
}

Row read_row(const JsonView& view, const RunSet& set) {
  view.only({"case", "order", "tasks", "predicted_s", "predicted_low_s", "predicted_high_s", "samples_s", "cold_s",
             "extrapolated", "partial", "figures", "policy", "predicted_online", "measured_online", "labels",
             "final_samples_s", "division"});
  Row row;
  row.case_index = view.at("case").small();
  if (row.case_index >= set.cases.size()) view.at("case").fail("no such case in this file");
  if (view.has("policy")) row.policy = view.at("policy").text();
  const CaseRecord& record = set.cases[row.case_index];
  if (view.has("division")) row.division = read_division(view.at("division"), record);
  if (record.partition && !row.division) view.fail("the key 'division' is missing: the shares of the devices");
  if (row.policy.empty() && !row.division) {
    read_order(view.at("order"), set, row);
  } else if (!view.at("order").items().empty()) {
    view.at("order").fail("expected no order where a policy orders or a kernel is divided");
  }
  if (view.has("predicted_online")) row.predicted_online = read_online(view.at("predicted_online"));
  if (view.has("measured_online")) row.measured_online = read_online(view.at("measured_online"));
  if (view.has("predicted_s")) {
    row.predicted = Predicted{view.at("predicted_s").seconds(), view.at("predicted_low_s").seconds(),
                              view.at("predicted_high_s").seconds()};
    if (row.predicted->low > row.predicted->seconds) view.at("predicted_low_s").fail("expected at most predicted_s");
    if (row.predicted->high < row.predicted->seconds) view.at("predicted_high_s").fail("expected at least predicted_s");
  }
  if (view.has("samples_s")) {
    for (const auto& item : view.at("samples_s").items()) row.samples.push_back(item.seconds());
  }
  if (view.has("labels")) {
    for (const auto& item : view.at("labels").items()) row.labels.push_back(item.text());
  }
  if (view.has("final_samples_s")) {
    for (const auto& item : view.at("final_samples_s").items()) row.final_samples.push_back(item.seconds());
  }
  if (view.has("cold_s")) row.cold = view.at("cold_s").seconds();
  row.extrapolated = view.at("extrapolated").flag();
  row.partial = view.at("partial").flag();
  return row;
}

void read_devices(const JsonView& view, RunSet& set) {
  for (const auto& item : view.items()) {
    item.only({"backend", "name", "driver", "platform", "compute_units", "link"});
    set.devices.push_back({item.at("backend").text(), item.at("name").text(), item.at("driver").text(),
                           item.at("platform").text(), item.at("compute_units").small(0, kMostUnits)});
    set.links.push_back(item.at("link").text());
  }
}

void read_head(const JsonView& view, RunSet& set) {
  set.scenario = view.at("scenario").text();
  set.scenario_text = view.at("scenario_text").text();
  set.machine = view.at("machine").text();
  set.engine = view.at("engine").one_of({"", "fast", "simgrid"});
  set.interference = view.at("interference").one_of({"", "none", "full", "partial"});
  set.memory = view.at("memory").one_of({"", "pinned", "pageable"});
  set.host_cores = view.at("host_cores").small(0, kMostRuns);
  set.seed = view.at("seed").whole();
  set.repetitions = view.at("repetitions").small(0, kMostRuns);
  set.tolerance_pct = view.at("tolerance_pct").amount();
  set.when = view.at("when").text();
  for (const auto& note : view.at("notes").items()) set.notes.push_back(note.text());
  read_devices(view.at("devices"), set);
}

}  // namespace

RunSet from_json(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  const JsonView view = document.root();
  const auto schema = view.at("schema").text();
  if (schema != kResultSchema) {
    view.at("schema").fail("found '" + schema + "', expected '" + std::string(kResultSchema) + "'");
  }
  view.only({"schema", "forelap", "scenario", "machine", "engine", "interference", "memory", "devices", "host_cores",
             "seed", "repetitions", "tolerance_pct", "when", "notes", "summary", "study", "cases", "rows",
             "scenario_text"});
  RunSet set;
  read_head(view, set);
  for (const auto& item : view.at("cases").items()) set.cases.push_back(read_case(item));
  for (const auto& item : view.at("rows").items()) set.rows.push_back(read_row(item, set));
  return set;
}

}  // namespace forelap::validate
