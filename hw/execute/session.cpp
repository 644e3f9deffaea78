#include "hw/execute/session.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "core/error.hpp"
#include "hw/execute/describe.hpp"
#include "hw/execute/lane_runner.hpp"
#include "hw/execute/shares.hpp"

namespace forelap::hw::execute {
namespace {

/// A step handed to a lane; keeps its fragment alive.
struct Task {
  std::shared_ptr<const core::Plan> fragment;
  std::size_t step = 0;
  [[nodiscard]] const core::Step& get() const { return fragment->steps[step]; }
  [[nodiscard]] std::size_t id() const { return fragment->first_id + step; }
};

/// A step whose end a lane's second thread waits for.
struct Pending {
  Task task;
  EventPtr event;
  core::Tick submitted = 0;
};

struct StepState {
  bool published = false;  ///< submitted; of a host lane: done
  std::size_t lane = 0;
  EventPtr event;  ///< null once it is done
  core::Tick end = 0;
  [[nodiscard]] bool finished() const { return published && !event; }
};

struct SessionLane {
  std::size_t device = kNoDevice;
  std::shared_ptr<Queue> queue;
  std::deque<Task> tasks;
  std::deque<Pending> pending;
  core::Tick last_end = 0;
  std::thread submitter;
  std::thread watcher;
};

class HardwareSession : public core::Session {
 public:
  HardwareSession(const core::Plan& frame, const core::Bindings& bindings, std::shared_ptr<Resources> resources)
      : frame_(frame), bindings_(bindings), resources_(std::move(resources)) {
    frame_.steps.clear();
    allocate();
    make_lanes();
    start();
  }

  ~HardwareSession() override { close(); }
  HardwareSession(const HardwareSession&) = delete;
  HardwareSession& operator=(const HardwareSession&) = delete;

  void submit(const core::Plan& fragment) override {
    auto kept = std::make_shared<const core::Plan>(fragment);
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    check(fragment);
    for (std::size_t i = 0; i < fragment.steps.size(); ++i) {
      const std::size_t lane = core::index(fragment.steps[i].lane);
      states_.emplace_back().lane = lane;
      lanes_[lane].tasks.push_back({kept, i});
    }
    outstanding_ += fragment.steps.size();
    changed_.notify_all();
  }

  std::optional<core::StepEvent> next_event() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !events_.empty() || error_ || outstanding_ == 0; });
    if (events_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    const core::StepEvent event = events_.front();
    events_.pop_front();
    return event;
  }

  [[nodiscard]] core::Tick now() const override { return host_ticks(opened_, HostClock::now()); }

 private:
  void allocate() {
    memory_.buffers.resize(frame_.buffers.size());
    const Shares shares(frame_, *resources_);
    for (std::size_t i = 0; i < frame_.buffers.size(); ++i) {
      const core::Buffer& buffer = frame_.buffers[i];
      if (shares.shares(core::make_id<core::BufferId>(i))) {
        core::throw_bad_input("a session's buffers share no memory, and buffer " + std::to_string(i) + " does");
      }
      memory_.buffers[i] = resources_->memory(i, device_index(buffer.device), buffer.bytes, buffer.memory);
    }
    fill_buffers(frame_, bindings_, memory_, *resources_);
    for (const auto& buffer : memory_.buffers) buffer->mark.untouched = false;
  }

  [[nodiscard]] std::size_t device_index(core::DeviceId device) const {
    if (core::index(device) >= resources_->device_count()) {
      core::throw_bad_input("the session needs device " + std::to_string(core::index(device)) +
                            " (counted from 0); devices open: " + std::to_string(resources_->device_count()));
    }
    return core::index(device);
  }

  void make_lanes() {
    std::map<std::pair<std::size_t, core::LaneKind>, std::size_t> count;
    lanes_.resize(frame_.lanes.size());
    for (std::size_t i = 0; i < frame_.lanes.size(); ++i) {
      const core::Lane& lane = frame_.lanes[i];
      if (lane.kind != core::LaneKind::copy && lane.kind != core::LaneKind::kernel) continue;
      lanes_[i].device = device_index(lane.device);
      const std::size_t ordinal = count[{lanes_[i].device, lane.kind}]++;
      // Copy lanes take turns between directions, so that in and out do not share an engine.
      const bool out = lane.kind == core::LaneKind::copy && ordinal % 2 == 1;
      lanes_[i].queue = resources_->queue(lanes_[i].device, lane.kind,
                                          out ? core::Direction::device_to_host : core::Direction::host_to_device,
                                          lane.kind == core::LaneKind::copy ? ordinal / 2 : ordinal);
      lanes_[i].queue->set_stamping(false);
      if (lane.kind == core::LaneKind::kernel) build_kernels(lanes_[i].device);
    }
  }

  void build_kernels(std::size_t device) {
    for (const std::string& name : frame_.kernels) {
      kernels_[{device, name}] = resources_->kernel(device, name, source_of(bindings_, name, device));
    }
  }

  void start() {
    opened_ = HostClock::now();
    try {
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        lanes_[i].submitter = std::thread([this, i] { run_submitter(lanes_[i]); });
        if (lanes_[i].queue) lanes_[i].watcher = std::thread([this, i] { run_watcher(lanes_[i]); });
      }
    } catch (...) {
      close();
      throw;
    }
  }

  /// Submitters first: watchers wait for what they have handed to the device.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (SessionLane& lane : lanes_) {
      if (lane.submitter.joinable()) lane.submitter.join();
    }
    {
      const std::lock_guard lock(mutex_);
      submitters_gone_ = true;
    }
    changed_.notify_all();
    for (SessionLane& lane : lanes_) {
      if (lane.watcher.joinable()) lane.watcher.join();
    }
  }

  void check(const core::Plan& fragment) const {
    if (fragment.first_id != states_.size()) {
      core::throw_bad_input("the fragment begins with step " + std::to_string(fragment.first_id) + ", but " +
                            std::to_string(states_.size()) + " steps were submitted before it");
    }
    for (std::size_t i = 0; i < fragment.steps.size(); ++i) {
      const core::Step& step = fragment.steps[i];
      const auto what = [&] { return "the session cannot run " + describe_step(fragment, i) + ": "; };
      if (core::index(step.lane) >= lanes_.size()) core::throw_bad_input(what() + "it has no such lane");
      if (step.kind == core::StepKind::send || step.kind == core::StepKind::receive) {
        core::throw_unavailable(what() + "messages need the MPI backend, which this executor does not have");
      }
      const bool on_host = step.kind == core::StepKind::host_work;
      if (on_host && !bindings_.host_work) core::throw_bad_input(what() + "no function is bound to host work");
      if (on_host == (lanes_[core::index(step.lane)].queue != nullptr)) {
        core::throw_bad_input(what() + "its lane is of another kind");
      }
    }
  }

  // ---- on the lanes' threads ----

  void run_submitter(SessionLane& lane) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ending() || !lane.tasks.empty(); });
      if (ending()) return;
      const Task task = std::move(lane.tasks.front());
      lane.tasks.pop_front();
      lock.unlock();
      try {
        lane.queue ? submit_task(lane, task) : perform(lane, task);
      } catch (...) {
        fail(std::make_exception_ptr(named_error(describe_step(*task.fragment, task.step))));
      }
      lock.lock();
    }
  }

  [[nodiscard]] bool ending() const { return closing_ || error_; }

  /// Waits until a dependency is submitted; its event, or null where it is done. False when the session ends.
  bool await_published(std::size_t id, EventPtr& event) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ending() || states_[id].published; });
    if (!states_[id].published) return false;
    event = states_[id].event;
    return true;
  }

  /// Waits until the end of a submitted step was seen by its lane's watcher; false after an error.
  bool await_finished(std::size_t id) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || states_[id].finished(); });
    return !error_;
  }

  /// False when the session ends.
  bool await_dependencies(const SessionLane& lane, const Task& task) {
    for (const core::StepId dependency : task.fragment->dependencies_of(task.get())) {
      const std::size_t id = core::index(dependency);
      EventPtr event;
      if (!await_published(id, event)) return false;
      const SessionLane& producer = lanes_[lane_of(id)];
      if (!event || &producer == &lane) continue;
      if (lane.queue && resources_->same_backend(producer.device, lane.device)) {
        lane.queue->wait_for(event);
      } else if (!await_finished(id)) {
        return false;
      }
    }
    return true;
  }

  std::size_t lane_of(std::size_t id) {
    const std::lock_guard lock(mutex_);
    return states_[id].lane;
  }

  void submit_task(SessionLane& lane, const Task& task) {
    if (!await_dependencies(lane, task)) return;
    std::vector<ResolvedArgument> arguments;
    const LaneStep step = resolve(lane, task, arguments);
    const core::Tick submitted = now();
    enqueue_step(task.get(), step, *task.fragment, arguments, *lane.queue);
    EventPtr event = lane.queue->record();
    lane.queue->flush();
    const std::lock_guard lock(mutex_);
    states_[task.id()].published = true;
    states_[task.id()].event = event;
    lane.pending.push_back({task, std::move(event), submitted});
    changed_.notify_all();
  }

  [[nodiscard]] BufferMemory& buffer(core::BufferId id) const {
    if (core::index(id) >= memory_.buffers.size()) core::throw_bad_input("the session has no such buffer");
    return *memory_.buffers[core::index(id)];
  }

  LaneStep resolve(const SessionLane& lane, const Task& task, std::vector<ResolvedArgument>& arguments) const {
    LaneStep step;
    const core::Step& wanted = task.get();
    step.commands = wanted.count;
    if (wanted.kind == core::StepKind::copy) {
      step.memory = &buffer(wanted.buffer);
      if (wanted.amount <= 0) step.commands = 0;
      return step;
    }
    const core::KernelCall& call = task.fragment->call_of(wanted);
    const auto kernel = kernels_.find({lane.device, task.fragment->kernels[core::index(call.kernel)]});
    if (kernel == kernels_.end()) core::throw_bad_input("the session was opened without this kernel");
    step.kernel = kernel->second.get();
    for (const core::Argument& argument : task.fragment->arguments_of(call)) {
      if (const auto* id = std::get_if<core::BufferId>(&argument)) {
        arguments.emplace_back(buffer(*id).device());
      } else {
        std::visit([&](auto value) { append(arguments, value); }, argument);
      }
    }
    if (std::any_of(call.global_size.begin(), call.global_size.end(), [](auto n) { return n == 0; })) step.commands = 0;
    return step;
  }

  static void append(std::vector<ResolvedArgument>&, core::BufferId) {}
  template <class T>
  static void append(std::vector<ResolvedArgument>& arguments, T value) {
    arguments.emplace_back(value);
  }

  void perform(SessionLane& lane, const Task& task) {
    if (!await_dependencies(lane, task)) return;
    const core::Tick begin = now();
    for (std::uint32_t i = 0; i < task.get().count; ++i) bindings_.host_work(task.get());
    finish(lane, task, begin);
  }

  void run_watcher(SessionLane& lane) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return submitters_gone_ || !lane.pending.empty(); });
      if (lane.pending.empty()) return;
      const Pending pending = std::move(lane.pending.front());
      lane.pending.pop_front();
      lock.unlock();
      try {
        pending.event->wait();
        // Other watchers may be later to see the end of what this step waited for: an end never stands before it.
        for (const core::StepId dependency : pending.task.fragment->dependencies_of(pending.task.get())) {
          await_finished(core::index(dependency));
        }
        finish(lane, pending.task, pending.submitted);
      } catch (...) {
        fail(std::make_exception_ptr(named_error(describe_step(*pending.task.fragment, pending.task.step))));
      }
      lock.lock();
    }
  }

  /// A step has ended: now.
  void finish(SessionLane& lane, const Task& task, core::Tick earliest) {
    const std::lock_guard lock(mutex_);
    const core::Tick end = std::max(now(), lane.last_end);
    core::Tick begin = std::max(earliest, lane.last_end);
    for (const core::StepId dependency : task.fragment->dependencies_of(task.get())) {
      begin = std::max(begin, states_[core::index(dependency)].end);
    }
    lane.last_end = end;
    StepState& state = states_[task.id()];
    state.published = true;
    state.event = nullptr;
    state.end = end;
    events_.push_back({core::make_id<core::StepId>(task.id()), std::min(begin, end), end});
    --outstanding_;
    changed_.notify_all();
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }

  core::Plan frame_;
  const core::Bindings& bindings_;
  std::shared_ptr<Resources> resources_;
  Program memory_;  ///< only its buffers
  std::map<std::pair<std::size_t, std::string>, std::shared_ptr<Kernel>> kernels_;
  HostClock::time_point opened_{};

  std::mutex mutex_;  ///< guards what follows and the lanes' queues of tasks
  std::condition_variable changed_;
  std::vector<SessionLane> lanes_;
  std::deque<StepState> states_;  ///< by step id
  std::deque<core::StepEvent> events_;
  std::size_t outstanding_ = 0;
  bool closing_ = false;
  bool submitters_gone_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings,
                                            std::shared_ptr<Resources> resources) {
  return std::make_unique<HardwareSession>(frame, bindings, std::move(resources));
}

}  // namespace forelap::hw::execute
