#pragma once
// A device that only writes a log, blocks where a real one blocks, and fails where it is told to.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hw/device.hpp"

namespace forelap::hw::test {

/// Shared by the objects of a fake device.
class Script {
 public:
  /// Writes `line`, or throws where `call` is to fail now.
  void note(const std::string& call, const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    const auto at = failures_.find(call);
    if (at == failures_.end() || --at->second > 0) return;
    // Else once; a device that is full stays so.
    if (refuse_after_failure) at->second = 1;
    if (!refuse_after_failure) failures_.erase(at);
    throw core::Error(core::ErrorKind::device_failed, "injected failure of " + call);
  }
  /// The `nth` (from 1) call of that name fails.
  void fail(const std::string& call, int nth = 1) {
    const std::lock_guard lock(mutex_);
    failures_[call] = nth;
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  [[nodiscard]] std::size_t count(const std::string& prefix) const {
    const auto all = lines();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const std::string& line) { return line.compare(0, prefix.size(), prefix) == 0; }));
  }
  /// Position of the first line that begins so; the number of lines without one.
  [[nodiscard]] std::size_t position(const std::string& prefix) const {
    const auto all = lines();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const std::string& line) { return line.compare(0, prefix.size(), prefix) == 0; });
    return static_cast<std::size_t>(at - all.begin());
  }

  bool blocking_copies = false;                   ///< a copy returns only when the gate is open, as of pageable memory
  std::atomic<bool> refuse_after_failure{false};  ///< what failed once fails from then on
  std::atomic<long> live_memory{0};               ///< host and device memory that is there
  std::vector<Stamp> stamps;                      ///< what every queue returns, where not empty

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::map<std::string, int> failures_;
};

/// Open or shut; events of a held queue are done when it opens.
class Latch {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class FakeEvent : public Event {
 public:
  FakeEvent(std::shared_ptr<Script> script, std::shared_ptr<Latch> latch, std::string name)
      : script_(std::move(script)), latch_(std::move(latch)), name_(std::move(name)) {}
  void wait() override {
    if (latch_) latch_->wait();
    script_->note("event wait", "event wait " + name_);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::shared_ptr<Script> script_;
  std::shared_ptr<Latch> latch_;
  std::string name_;
};

class FakeHostMemory : public HostMemory {
 public:
  FakeHostMemory(std::uint64_t bytes, core::MemoryKind kind, std::shared_ptr<Script> script = nullptr)
      : bytes_(bytes), kind_(kind), script_(std::move(script)) {
    if (script_) ++script_->live_memory;
  }
  ~FakeHostMemory() override {
    if (script_) --script_->live_memory;
  }
  FakeHostMemory(const FakeHostMemory&) = delete;
  FakeHostMemory& operator=(const FakeHostMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return kind_; }

 private:
  std::vector<std::byte> bytes_;
  core::MemoryKind kind_;
  std::shared_ptr<Script> script_;
};

class FakeMemory : public DeviceMemory {
 public:
  explicit FakeMemory(std::uint64_t bytes, std::shared_ptr<Script> script = nullptr)
      : bytes_(bytes), script_(std::move(script)) {
    if (script_) ++script_->live_memory;
  }
  ~FakeMemory() override {
    if (script_) --script_->live_memory;
  }
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  [[nodiscard]] std::uint64_t size() const override { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::shared_ptr<Script> script_;
};

class FakeKernel : public Kernel {};

class FakeQueue : public Queue {
 public:
  FakeQueue(std::shared_ptr<Script> script, std::string name) : script_(std::move(script)), name_(std::move(name)) {}

  void wait_for(const EventPtr& event) override {
    script_->note("wait_for", name_ + " waits for " + dynamic_cast<FakeEvent&>(*event).name());
  }
  void copy(core::Direction direction, HostMemory&, DeviceMemory&, std::uint64_t bytes,
            std::uint64_t offset = 0) override {
    const bool in = direction == core::Direction::host_to_device;
    script_->note("copy", name_ + (in ? " copies in " : " copies out ") + std::to_string(bytes) +
                              (offset == 0 ? "" : " from " + std::to_string(offset)));
    command();
    if (script_->blocking_copies && latch_) latch_->wait();
  }
  void launch(Kernel&, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override {
    script_->note("launch", name_ + " launches " + std::to_string(shape.global_size[0]) + " items with " +
                                std::to_string(arguments.size()) + " arguments");
    command();
  }
  EventPtr record() override {
    const std::string event = name_ + "#" + std::to_string(++events_);
    script_->note("record", name_ + " records " + event);
    return std::make_shared<FakeEvent>(script_, latch_, event);
  }
  void set_stamping(bool on) override {
    stamping_ = on;
    commands_ = 0;
  }
  std::vector<Stamp> take_stamps() override {
    script_->note("take_stamps", name_ + " gives stamps");
    if (!script_->stamps.empty()) return script_->stamps;
    std::vector<Stamp> stamps;
    for (core::Tick i = 0; i < commands_; ++i) stamps.push_back({100 * i, 100 * i + 100});
    return stamps;
  }
  void flush() override { script_->note("flush", name_ + " flushes"); }

  void hold(std::shared_ptr<Latch> latch) { latch_ = std::move(latch); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void command() { commands_ += stamping_ ? 1 : 0; }

  std::shared_ptr<Script> script_;
  std::string name_;
  std::shared_ptr<Latch> latch_;
  bool stamping_ = false;
  core::Tick commands_ = 0;
  int events_ = 0;
};

class FakeGate : public Gate {
 public:
  explicit FakeGate(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  ~FakeGate() override { latch_->open(); }
  FakeGate(const FakeGate&) = delete;
  FakeGate& operator=(const FakeGate&) = delete;
  void expect(std::size_t commands, bool at_once) override {
    script_->note("expect",
                  "gate expects " + std::to_string(commands) + (at_once ? " commands" : " commands that may block"));
  }
  void hold(Queue& queue) override {
    auto& fake = dynamic_cast<FakeQueue&>(queue);
    script_->note("hold", "gate holds " + fake.name());
    fake.hold(latch_);
  }
  void open() override {
    latch_->open();
    script_->note("open", "gate opens");
  }
  void among_others() override { script_->note("among_others", "gate is among others"); }
  core::Tick finish() override {
    latch_->wait();
    script_->note("finish", "gate finishes");
    return 1000;
  }

 private:
  std::shared_ptr<Script> script_;
  std::shared_ptr<Latch> latch_ = std::make_shared<Latch>();
};

class FakeDevice : public Device {
 public:
  explicit FakeDevice(std::shared_ptr<Script> script, const std::string& backend = "fake")
      : script_(std::move(script)), backend_(backend) {
    info_.identity.backend = backend;
    info_.identity.name = "log";
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  void keep_call_order() { info_.keeps_call_order = true; }
  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) override {
    script_->note("allocate_host", "allocates " + std::to_string(bytes) + " host bytes");
    return std::make_unique<FakeHostMemory>(bytes, kind, script_);
  }
  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    script_->note("allocate", "allocates " + std::to_string(bytes) + " device bytes");
    return std::make_unique<FakeMemory>(bytes, script_);
  }
  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) override {
    script_->note("build", "builds " + name + (source.text.empty() ? "" : " from " + source.text));
    return std::make_unique<FakeKernel>();
  }
  std::unique_ptr<Queue> make_queue(core::LaneKind, core::Direction) override {
    const std::string name = backend_ + " q" + std::to_string(queues_++);
    script_->note("make_queue", "makes " + name);
    return std::make_unique<FakeQueue>(script_, name);
  }
  std::unique_ptr<Gate> make_gate() override {
    script_->note("make_gate", "makes a gate");
    return std::make_unique<FakeGate>(script_);
  }

 private:
  std::shared_ptr<Script> script_;
  std::string backend_;
  DeviceInfo info_;
  int queues_ = 0;
};

}  // namespace forelap::hw::test
