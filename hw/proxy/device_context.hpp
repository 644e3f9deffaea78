#pragma once
// An open device with the proxy's queues and memory on it, and how a job's commands are put there. Internal to
// hw/proxy.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/proxy/device_pool.hpp"
#include "hw/proxy/job.hpp"
#include "hw/proxy/lane.hpp"

namespace forelap::hw::proxy {

/// The kinds of command, in the order in which a task runs them.
enum class Stage : std::size_t { htod, kernel, dtoh };
constexpr std::size_t kStages = 3;

/// Destroyed after every command has ended or the device is lost; jobs that hold its memory go afterwards.
struct DeviceContext {
  /// `engines`: 2 gives both directions of copies a queue of their own, 1 has them share one. Throws core::Error.
  DeviceContext(std::shared_ptr<Device> opened, unsigned engines, std::uint64_t memory_limit);

  [[nodiscard]] bool one_engine() const { return queues[0] == queues[2]; }
  [[nodiscard]] Queue& queue(Stage stage) { return *queues[static_cast<std::size_t>(stage)]; }

  std::shared_ptr<Device> device;
  std::shared_ptr<DevicePool> memory;
  std::array<std::shared_ptr<Queue>, kStages> queues;
};

/// Puts jobs that have their memory on the queues: task by task, or by type where copies share an engine or block the
/// thread that enqueues them. Used by one thread.
class Submission {
 public:
  /// `lanes` watch what ends with each stage: one for each stage even where two share a queue, because the end of a
  /// group's first stage is awaited apart.
  Submission(DeviceContext& context, std::array<Lane*, kStages> lanes, WatchSink& sink);

  /// A job of which nothing is on the device comes back, with its `failure` where it has one; every other job ends on a
  /// lane. `submitted` is the time to note.
  std::vector<JobPtr> submit(std::vector<JobPtr> jobs, core::Tick submitted);
  /// After the last of a group: watches for the end of the lane that began its work. False where the group has no
  /// command on the device.
  bool end_group();
  /// The device has refused something: it may be lost.
  void refused() { refused_ = true; }
  /// Where it has refused something since this was last called, a lane asks it whether it lives.
  void probe_if_refused();

 private:
  struct Entry {
    JobPtr job;
    EventPtr last;  ///< the end of what is enqueued of it, null: nothing
    Stage stage{};  ///< whose queue holds `last`
  };

  void enqueue(Entry& entry, Stage stage);
  void enqueue_copies(Entry& entry, Stage stage, const std::vector<Transfer>& transfers);
  void launch(Entry& entry);
  /// What was enqueued since the last event, after an error in the middle of a stage.
  void mark_rest(Entry& entry, Stage stage);
  void fail(Entry& entry, Stage stage);
  void finish(Entry entry, std::vector<JobPtr>& ended);

  DeviceContext& context_;
  std::array<Lane*, kStages> lanes_;
  WatchSink& sink_;
  std::array<std::vector<EventPtr>, kStages> of_group_;  ///< ends of the open group's stages, in order
  bool refused_ = false;
  std::vector<ResolvedArgument> arguments_;  ///< of the launch in progress
};

}  // namespace forelap::hw::proxy
