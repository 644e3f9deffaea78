#pragma once
// The pool of CPU threads behind a script: it computes as it is, fails where it is told to, and can be held.

#include <atomic>
#include <memory>
#include <string>

#include "hw/backends.hpp"
#include "hw/device.hpp"
#include "tests/hw/fake_backend.hpp"

namespace forelap::hw::test {

/// What a test does to the devices that are opened with it.
struct Stage {
  Stage() { open->open(); }
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<Latch> open = std::make_shared<Latch>();  ///< queues wait for it before each copy to the device
  std::atomic<std::uint64_t> refuse_above{UINT64_MAX};      ///< bytes of one device buffer

  std::atomic<int> opened{0};
  std::atomic<int> lost_below{0};  ///< events of devices with a smaller number fail

  /// Every device that is open now is lost: waiting for what is on it fails.
  void lose() { lost_below = opened.load(); }
  /// From here on what is submitted stays on the device until `release`.
  void hold() { open = std::make_shared<Latch>(); }
  void release() { open->open(); }
};

class ScriptedEvent : public Event {
 public:
  ScriptedEvent(EventPtr inner, const Stage& stage, int device)
      : inner_(std::move(inner)), stage_(stage), device_(device) {}
  void wait() override {
    inner_->wait();
    stage_.script->note("event wait", "event wait");
    if (device_ < stage_.lost_below) core::throw_device_failed("the device fell off the bus");
  }
  [[nodiscard]] const EventPtr& inner() const { return inner_; }

 private:
  EventPtr inner_;
  const Stage& stage_;
  int device_;
};

/// Done when a latch is open.
class LatchEvent : public Event {
 public:
  explicit LatchEvent(std::shared_ptr<Latch> latch) : latch_(std::move(latch)) {}
  void wait() override { latch_->wait(); }

 private:
  std::shared_ptr<Latch> latch_;
};

class ScriptedQueue : public Queue {
 public:
  ScriptedQueue(std::unique_ptr<Queue> inner, const Stage& stage, int device)
      : inner_(std::move(inner)), stage_(stage), device_(device) {}
  void wait_for(const EventPtr& event) override {
    stage_.script->note("wait_for", "waits");
    inner_->wait_for(dynamic_cast<ScriptedEvent&>(*event).inner());
  }
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
            std::uint64_t offset) override {
    const bool in = direction == core::Direction::host_to_device;
    stage_.script->note(in ? "copy in" : "copy out", (in ? "copies in " : "copies out ") + std::to_string(bytes));
    if (in) inner_->wait_for(std::make_shared<LatchEvent>(stage_.open));
    inner_->copy(direction, host, device, bytes, offset);
  }
  void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override {
    stage_.script->note("launch", "launches " + std::to_string(shape.global_size[0]));
    inner_->launch(kernel, arguments, shape);
  }
  EventPtr record() override {
    stage_.script->note("record", "records");
    return std::make_shared<ScriptedEvent>(inner_->record(), stage_, device_);
  }
  void set_stamping(bool on) override { inner_->set_stamping(on); }
  std::vector<Stamp> take_stamps() override { return inner_->take_stamps(); }
  void flush() override { inner_->flush(); }

 private:
  std::unique_ptr<Queue> inner_;
  const Stage& stage_;
  int device_;
};

class ScriptedDevice : public Device {
 public:
  explicit ScriptedDevice(Stage& stage) : stage_(stage), number_(stage.opened++) {
    stage_.script->note("open", "opens");
  }
  [[nodiscard]] const DeviceInfo& info() const override { return inner_->info(); }
  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) override {
    stage_.script->note("allocate_host", "allocates " + std::to_string(bytes) + " host bytes");
    return inner_->allocate_host(bytes, kind);
  }
  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    stage_.script->note("allocate", "allocates " + std::to_string(bytes) + " device bytes");
    if (bytes > stage_.refuse_above) core::throw_device_failed("no memory for " + std::to_string(bytes) + " bytes");
    return inner_->allocate(bytes);
  }
  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) override {
    stage_.script->note("build", "builds " + name);
    return inner_->build(name, source);
  }
  std::unique_ptr<Queue> make_queue(core::LaneKind purpose, core::Direction direction) override {
    return std::make_unique<ScriptedQueue>(inner_->make_queue(purpose, direction), stage_, number_);
  }
  std::unique_ptr<Gate> make_gate() override { return inner_->make_gate(); }

 private:
  std::shared_ptr<Device> inner_ = open_device("cpu:0").device;
  const Stage& stage_;
  int number_;
};

}  // namespace forelap::hw::test
