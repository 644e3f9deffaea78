#include "hw/proxy/device_context.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/error.hpp"

namespace forelap::hw::proxy {
namespace {

/// Groups of so many commands of their first lane are told to near their end when this part of them is left.
constexpr std::size_t kWorthNearing = 6;

const char* name_of(Stage stage) {
  switch (stage) {
    case Stage::htod:
      return "copying to the device";
    case Stage::kernel:
      return "launching its kernel";
    case Stage::dtoh:
      return "copying from the device";
  }
  return "";
}

/// The exception being handled as the failure of `job`.
Failure failure_of(const Job& job, Stage stage) {
  const std::string where = "task " + job.name + ", " + name_of(stage) + ": ";
  try {
    throw;
  } catch (const core::Error& error) {
    return {error.kind(), where + error.what(), false};
  } catch (const std::exception& error) {
    return {core::ErrorKind::device_failed, where + error.what(), false};
  }
}

void append(const core::Argument& argument, const DeviceBuffers& memory, std::vector<ResolvedArgument>& resolved) {
  if (const auto* buffer = std::get_if<core::BufferId>(&argument)) {
    resolved.emplace_back(memory[core::index(*buffer)].get());
    return;
  }
  std::visit(
      [&](auto value) {
        if constexpr (!std::is_same_v<decltype(value), core::BufferId>) resolved.emplace_back(value);
      },
      argument);
}

}  // namespace

DeviceContext::DeviceContext(std::shared_ptr<Device> opened, unsigned engines, std::uint64_t memory_limit)
    : device(std::move(opened)), memory(std::make_shared<DevicePool>(device, memory_limit)) {
  queues[0] = device->make_queue(core::LaneKind::copy, core::Direction::host_to_device);
  queues[1] = device->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
  queues[2] = engines == 1 ? queues[0] : device->make_queue(core::LaneKind::copy, core::Direction::device_to_host);
}

Submission::Submission(DeviceContext& context, std::array<Lane*, kStages> lanes, WatchSink& sink)
    : context_(context), lanes_(lanes), sink_(sink) {}

std::vector<JobPtr> Submission::submit(std::vector<JobPtr> jobs, core::Tick submitted) {
  constexpr std::array kAll = {Stage::htod, Stage::kernel, Stage::dtoh};
  std::vector<JobPtr> ended;
  std::vector<Entry> entries;
  entries.reserve(jobs.size());
  for (JobPtr& job : jobs) {
    job->times.submitted = submitted;
    entries.push_back({std::move(job), nullptr, Stage::htod});
  }
  const bool by_type = context_.one_engine() || std::any_of(entries.begin(), entries.end(),
                                                            [](const Entry& entry) { return entry.job->blocks; });
  if (by_type) {
    for (const Stage stage : kAll) {
      for (Entry& entry : entries) enqueue(entry, stage);
    }
  }
  for (Entry& entry : entries) {
    if (!by_type) {
      for (const Stage stage : kAll) enqueue(entry, stage);
    }
    finish(std::move(entry), ended);
  }
  return ended;
}

void Submission::enqueue(Entry& entry, Stage stage) {
  Job& job = *entry.job;
  if (job.failure) return;
  try {
    switch (stage) {
      case Stage::htod:
        enqueue_copies(entry, stage, job.in);
        break;
      case Stage::kernel:
        launch(entry);
        break;
      case Stage::dtoh:
        enqueue_copies(entry, stage, job.out);
        break;
    }
  } catch (...) {
    fail(entry, stage);
  }
}

void Submission::enqueue_copies(Entry& entry, Stage stage, const std::vector<Transfer>& transfers) {
  if (transfers.empty()) return;
  Queue& queue = context_.queue(stage);
  if (entry.last && &context_.queue(entry.stage) != &queue) queue.wait_for(entry.last);
  const auto direction = stage == Stage::htod ? core::Direction::host_to_device : core::Direction::device_to_host;
  for (const Transfer& copy : transfers) {
    queue.copy(direction, *copy.host, *entry.job->memory[copy.buffer], copy.bytes);
  }
  mark_rest(entry, stage);
}

void Submission::launch(Entry& entry) {
  Job& job = *entry.job;
  if (!job.launches()) return;
  Queue& queue = context_.queue(Stage::kernel);
  if (entry.last) queue.wait_for(entry.last);
  arguments_.clear();
  for (const core::Argument& argument : job.arguments) append(argument, job.memory, arguments_);
  queue.launch(*job.kernel.kernel, arguments_, job.shape);
  mark_rest(entry, Stage::kernel);
}

void Submission::mark_rest(Entry& entry, Stage stage) {
  Queue& queue = context_.queue(stage);
  entry.last = queue.record();
  entry.stage = stage;
  of_group_[static_cast<std::size_t>(stage)].push_back(entry.last);
  queue.flush();
}

void Submission::fail(Entry& entry, Stage stage) {
  entry.job->failure = failure_of(*entry.job, stage);
  refused_ = refused_ || entry.job->failure->kind == core::ErrorKind::device_failed;
  if (stage == Stage::htod && entry.job->in.size() <= 1) return;  // nothing of it is there
  try {
    // Copies before the one that failed may be under way, and use the task's memory.
    mark_rest(entry, stage);
  } catch (const std::exception& error) {
    sink_.lost(error.what());
  }
}

void Submission::finish(Entry entry, std::vector<JobPtr>& ended) {
  if (!entry.last) {
    ended.push_back(std::move(entry.job));
    return;
  }
  lanes_[static_cast<std::size_t>(entry.stage)]->watch({std::move(entry.last), std::move(entry.job)});
}

bool Submission::end_group() {
  const auto first =
      std::find_if(of_group_.begin(), of_group_.end(), [](const auto& events) { return !events.empty(); });
  const bool any = first != of_group_.end();
  if (any) {
    Lane& lane = *lanes_[static_cast<std::size_t>(first - of_group_.begin())];
    const std::size_t n = first->size();
    if (n >= kWorthNearing) lane.watch({(*first)[n - 1 - n / kWorthNearing], nullptr, Mark::group_nears_end});
    lane.watch({first->back(), nullptr, Mark::group_end});
  }
  for (auto& events : of_group_) events.clear();
  return any;
}

void Submission::probe_if_refused() {
  if (!std::exchange(refused_, false)) return;
  Queue& queue = context_.queue(Stage::htod);
  try {
    EventPtr event = queue.record();
    queue.flush();
    lanes_[0]->watch({std::move(event), nullptr});
  } catch (const std::exception& error) {
    sink_.lost(error.what());
  }
}

}  // namespace forelap::hw::proxy
