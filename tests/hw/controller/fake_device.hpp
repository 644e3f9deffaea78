#pragma once
// A device in the controller's sense with memory of its own: it runs the CPU form of a kernel with the arguments that a
// GPU would get, writes a log of what it is told in the order of the calls, and fails where it is told to.

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hw/controller/device_list.hpp"
#include "hw/controller/device_text.hpp"
#include "hw/controller/kernel.hpp"
#include "hw/cpu/queue.hpp"
#include "tests/hw/fake_backend.hpp"

namespace forelap::hw::controller::test {

/// What a test says to a fake device, and what it hears.
struct Stage {
  std::shared_ptr<hw::test::Script> script = std::make_shared<hw::test::Script>();
  std::shared_ptr<hw::test::Latch> open;                 ///< set: kernels wait for it on the device
  std::atomic<std::uint64_t> refuse_above = UINT64_MAX;  ///< bytes of one allocation
  std::atomic<std::int64_t> live_bytes = 0;              ///< allocated on the device
  std::atomic<bool> lost = false;                        ///< whatever runs on the device fails
  std::uint64_t memory_bytes = 1ULL << 30;
  /// The kernels that the device can run, by name.
  std::map<std::string, std::shared_ptr<KernelDefinition>> kernels;

  template <class... P>
  void knows(const Kernel<P...>& kernel) {
    kernels[kernel.name()] = kernel.definition();
  }
  [[nodiscard]] std::vector<std::string> log() const { return script->lines(); }
};

class FakeMemory : public DeviceMemory {
 public:
  /// Filled with what no test expects.
  FakeMemory(std::uint64_t bytes, Stage& stage)
      : bytes_(static_cast<std::size_t>(bytes), std::byte{0xA5}), stage_(stage) {
    stage_.live_bytes += static_cast<std::int64_t>(bytes);
  }
  ~FakeMemory() override { stage_.live_bytes -= static_cast<std::int64_t>(bytes_.size()); }
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::uint64_t native() const override { return reinterpret_cast<std::uintptr_t>(bytes_.data()); }
  [[nodiscard]] std::byte* data() { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
  Stage& stage_;
};

class FakeHost : public HostMemory {
 public:
  explicit FakeHost(std::uint64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pinned; }

 private:
  std::vector<std::byte> bytes_;
};

class FakeKernel : public hw::Kernel {
 public:
  explicit FakeKernel(std::shared_ptr<KernelDefinition> kernel) : definition(std::move(kernel)) {}
  std::shared_ptr<KernelDefinition> definition;
};

/// A launch's arguments, owned until it has run.
class FakeLaunch {
 public:
  FakeLaunch(std::shared_ptr<KernelDefinition> kernel, std::span<const ResolvedArgument> arguments)
      : kernel_(std::move(kernel)), arguments_(arguments.begin(), arguments.end()) {
    std::size_t at = 0;
    for (const Parameter& parameter : kernel_->parameters) at += read(parameter, at);
    slice_.first[0] = std::get<std::int64_t>(arguments_.at(at));
    slice_.last[0] = std::get<std::int64_t>(arguments_.at(at + 1));
    for (std::size_t d = 1; d < kernel_->indices.size(); ++d) {
      slice_.extents[d] = std::get<std::int64_t>(arguments_.at(at + 1 + d));
    }
    slice_.last[1] = slice_.extents[1];
    slice_.arguments = read_;
    if (at + 1 + kernel_->indices.size() != arguments_.size()) throw std::logic_error("too many arguments");
  }
  FakeLaunch(const FakeLaunch&) = delete;
  FakeLaunch& operator=(const FakeLaunch&) = delete;

  [[nodiscard]] std::string rows() const {
    return std::to_string(slice_.first[0]) + "-" + std::to_string(slice_.last[0]);
  }
  void run() const { kernel_->run_on_cpu(slice_); }

 private:
  /// How many of the arguments stand for the parameter.
  std::size_t read(const Parameter& parameter, std::size_t at) {
    if (parameter.role == Role::value) {
      const auto address = [](auto& value) -> void* { return &value; };
      read_.push_back({std::visit(address, arguments_.at(at)), {1, 1, 1}});
      return 1;
    }
    CpuArgument tile;
    auto dimensions = static_cast<std::size_t>(parameter.dimensions);
    std::uint64_t row_bytes = parameter.element_bytes;
    for (std::size_t d = 0; d < dimensions; ++d) {
      tile.extents[d] = std::get<std::int64_t>(arguments_.at(at + 2 + d));
      if (d > 0) row_bytes *= static_cast<std::uint64_t>(tile.extents[d]);
    }
    auto& memory = dynamic_cast<FakeMemory&>(*std::get<DeviceMemory*>(arguments_.at(at)));
    // As on a device the memory begins at a later row; by integers, since the pointer lies outside of it.
    const auto before = static_cast<std::uint64_t>(std::get<std::int64_t>(arguments_.at(at + 1))) * row_bytes;
    tile.data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory.data()) - before);
    read_.push_back(tile);
    return 2 + dimensions;
  }

  std::shared_ptr<KernelDefinition> kernel_;
  std::vector<ResolvedArgument> arguments_;
  std::vector<CpuArgument> read_;
  CpuSlice slice_;
};

class FakeEvent : public Event {
 public:
  FakeEvent(EventPtr inner, std::string name) : inner_(std::move(inner)), name_(std::move(name)) {}
  void wait() override { inner_->wait(); }
  [[nodiscard]] const EventPtr& inner() const { return inner_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  EventPtr inner_;
  std::string name_;
};

class FakeQueue : public Queue {
 public:
  FakeQueue(std::string name, Stage& stage) : name_(std::move(name)), stage_(stage), inner_(nullptr, {}) {}

  void wait_for(const EventPtr& event) override {
    const auto& theirs = dynamic_cast<const FakeEvent&>(*event);
    stage_.script->note("wait_for", name_ + " waits for " + theirs.name());
    inner_.wait_for(theirs.inner());
  }
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
            std::uint64_t offset) override {
    const bool in = direction == core::Direction::host_to_device;
    stage_.script->note(in ? "copy in" : "copy out",
                        name_ + " copies " + std::to_string(bytes) + " at " + std::to_string(offset));
    if (bytes + offset > host.bytes().size() || bytes + offset > device.size()) {
      throw std::logic_error("a copy of more than there is");
    }
    std::byte* theirs = host.bytes().data() + offset;
    std::byte* ours = dynamic_cast<FakeMemory&>(device).data() + offset;
    run([=] { in ? std::memcpy(ours, theirs, bytes) : std::memcpy(theirs, ours, bytes); });
  }
  void launch(hw::Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override {
    auto work = std::make_shared<FakeLaunch>(dynamic_cast<FakeKernel&>(kernel).definition, arguments);
    stage_.script->note("launch", name_ + " launches " + work->rows());
    groups = shape.group_size;
    run([work, open = stage_.open] {
      if (open) open->wait();
      work->run();
    });
  }
  void call_native(const std::function<void(void*)>& enqueue) override {
    stage_.script->note("native", name_ + " calls a library");
    enqueue(this);
  }
  EventPtr record() override {
    const std::string mark = name_ + std::to_string(++marks_);
    stage_.script->note("record", name_ + " marks " + mark);
    return std::make_shared<FakeEvent>(inner_.record(), mark);
  }
  void set_stamping(bool on) override { inner_.set_stamping(on), stamping_ = on; }
  std::vector<Stamp> take_stamps() override { return inner_.take_stamps(); }
  void flush() override {}

  std::array<std::uint32_t, 3> groups{};

 private:
  void run(std::function<void()> body) {
    inner_.enqueue({[body = std::move(body), &lost = stage_.lost] {
                      if (lost) core::throw_device_failed("the device fell off the bus");
                      body();
                    },
                    nullptr, true, stamping_});
  }

  std::string name_;
  Stage& stage_;
  cpu::CpuQueue inner_;
  bool stamping_ = false;
  int marks_ = 0;
};

class FakeDevice : public Device {
 public:
  explicit FakeDevice(Stage& stage) : stage_(stage) {
    info_.identity.backend = "cuda";
    info_.identity.name = "Fake";
    info_.memory_bytes = stage.memory_bytes;
    info_.largest_allocation = stage.memory_bytes;
    info_.is_gpu = true;
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind) override {
    stage_.script->note("allocate_host", "allocates " + std::to_string(bytes) + " host bytes");
    return std::make_unique<FakeHost>(bytes);
  }
  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    stage_.script->note("allocate", "allocates " + std::to_string(bytes));
    if (bytes > stage_.refuse_above) core::throw_device_failed("refused " + std::to_string(bytes) + " bytes");
    return std::make_unique<FakeMemory>(bytes, stage_);
  }
  std::unique_ptr<hw::Kernel> build(const std::string& name, const core::KernelSource& source) override {
    stage_.script->note("build", "builds " + name);
    const auto found = stage_.kernels.find(name);
    if (found == stage_.kernels.end() || source.text.empty()) core::throw_bad_input("does not compile: " + name);
    return std::make_unique<FakeKernel>(found->second);
  }
  std::unique_ptr<Queue> make_queue(core::LaneKind purpose, core::Direction direction) override {
    const bool in = direction == core::Direction::host_to_device;
    return std::make_unique<FakeQueue>(purpose == core::LaneKind::kernel ? "run" : in ? "in" : "out", stage_);
  }
  std::unique_ptr<Gate> make_gate() override { return std::make_unique<cpu::CpuGate>(); }

 private:
  Stage& stage_;
  DeviceInfo info_;
};

inline OpenedDevice fake(Stage& stage, const std::string& spec = "fake:0") {
  OpenedDevice opened;
  opened.spec = spec;
  opened.name = "Fake";
  opened.kind = DeviceKind::cuda;
  opened.device = std::make_shared<FakeDevice>(stage);
  return opened;
}

inline OpenedDevice cores(const std::string& spec, std::vector<unsigned> numbers) {
  OpenedDevice opened;
  opened.spec = spec;
  opened.name = "cores";
  opened.cores = std::move(numbers);
  return opened;
}

}  // namespace forelap::hw::controller::test
