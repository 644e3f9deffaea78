// The online proxy against the same commands submitted directly on the same kinds of queues, interleaved in one run:
// tasks of about 100 us whose host memory is pinned, as many in flight as workers hold. And what choosing an order adds
// to the device's critical path.
//
//   proxy_bench [DEVICE [MACHINE]]     default: opencl; with a profile also for policy "auto"
//
// One JSON object a line: {figure, value, unit, spread, samples}; value is the median, spread from the 10th to the 90th
// percentile.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"
#include "hw/backends.hpp"
#include "hw/proxy/proxy.hpp"
#include "scenarios/read.hpp"
#include "tune/policy.hpp"

namespace {

using namespace forelap;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWorkers = 4;
constexpr std::size_t kOutstanding = 16;  // tasks that a worker has submitted and not yet collected
constexpr std::size_t kRounds = 15;
constexpr double kTaskSeconds = 100e-6;
constexpr double kRoundSeconds = 0.3;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void print(const std::string& figure, const std::string& unit, const std::vector<double>& samples) {
  const double spread = core::quantile(samples, 0.9) - core::quantile(samples, 0.1);
  const std::string line = "{\"figure\": \"" + figure +
                           "\", \"value\": " + core::significant(core::median(samples), 4) + ", \"unit\": \"" + unit +
                           "\", \"spread\": " + core::significant(spread, 3) +
                           ", \"samples\": " + std::to_string(samples.size()) + "}\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

/// The size of a task: `items` integers that are copied in, multiplied `repeat` times, copied out.
struct Size {
  std::int32_t items = 16 * 1024;
  std::int32_t repeat = 1;
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(items) * 4; }
};

/// The commands of the proxy's tasks, submitted by one thread as an application without a proxy would: three in-order
/// queues, task by task, dependencies by events, a buffer used again when its task has ended.
class Direct {
 public:
  explicit Direct(hw::Device& device) : device_(device), kernel_(device.build("synthetic", {})) {
    in_ = device.make_queue(core::LaneKind::copy, core::Direction::host_to_device);
    run_ = device.make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
    out_ = device.make_queue(core::LaneKind::copy, core::Direction::device_to_host);
  }

  void resize(const Size& size) {
    size_ = size;
    slots_.clear();
    for (std::size_t i = 0; i < kWorkers * kOutstanding; ++i) {
      slots_.push_back(
          {device_.allocate_host(size.bytes(), core::MemoryKind::pinned), device_.allocate(size.bytes()), nullptr});
    }
  }

  double seconds_for(std::size_t tasks) {
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < tasks; ++i) submit(slots_[i % slots_.size()]);
    for (Slot& slot : slots_) finish(slot);
    return seconds_since(begin);
  }

 private:
  struct Slot {
    std::unique_ptr<hw::HostMemory> host;
    std::unique_ptr<hw::DeviceMemory> device;
    hw::EventPtr end;
  };

  static void finish(Slot& slot) {
    if (slot.end) slot.end->wait();
    slot.end = nullptr;
  }

  void submit(Slot& slot) {
    finish(slot);
    in_->copy(core::Direction::host_to_device, *slot.host, *slot.device, size_.bytes());
    const hw::EventPtr copied = in_->record();
    in_->flush();
    run_->wait_for(copied);
    core::KernelCall call;
    call.global_size = {static_cast<std::uint64_t>(size_.items), 1, 1};
    const std::array<hw::ResolvedArgument, 4> arguments = {slot.device.get(), size_.items, size_.repeat,
                                                           std::int32_t{3}};
    run_->launch(*kernel_, arguments, call);
    const hw::EventPtr computed = run_->record();
    run_->flush();
    out_->wait_for(computed);
    out_->copy(core::Direction::device_to_host, *slot.host, *slot.device, size_.bytes());
    slot.end = out_->record();
    out_->flush();
  }

  hw::Device& device_;
  std::unique_ptr<hw::Kernel> kernel_;
  std::unique_ptr<hw::Queue> in_, run_, out_;
  Size size_;
  std::vector<Slot> slots_;
};

/// Doubles the kernel's work until a task takes about its time; where the copies alone take longer, makes them smaller.
Size calibrated(Direct& direct) {
  Size size;
  constexpr std::size_t kTasks = 200;
  const auto task_seconds = [&] {
    direct.resize(size);
    direct.seconds_for(kTasks);
    return std::min(direct.seconds_for(kTasks), direct.seconds_for(kTasks)) / kTasks;
  };
  while (size.items > 1024 && task_seconds() > kTaskSeconds) size.items /= 2;
  while (size.repeat < (1 << 24) && task_seconds() < kTaskSeconds / 1.5) size.repeat *= 2;
  return size;
}

class Through {
 public:
  Through(const hw::proxy::DeviceFactory& open, std::unique_ptr<core::Policy> policy)
      : proxy_({}, open, std::move(policy)) {}

  double seconds_for(std::size_t tasks, const Size& size) {
    std::vector<std::thread> workers;
    const Clock::time_point begin = Clock::now();
    for (std::size_t w = 0; w < kWorkers; ++w) {
      workers.emplace_back([&] { work(tasks / kWorkers, size); });
    }
    for (std::thread& worker : workers) worker.join();
    return seconds_since(begin);
  }

  [[nodiscard]] hw::proxy::Statistics statistics() const { return proxy_.statistics(); }

 private:
  void work(std::size_t tasks, const Size& size) {
    std::vector<hw::proxy::HostBuffer> buffers;
    for (std::size_t i = 0; i < kOutstanding; ++i) buffers.push_back(proxy_.allocate(size.bytes()));
    std::deque<hw::proxy::Future> outstanding;
    for (std::size_t i = 0; i < tasks; ++i) {
      if (outstanding.size() == kOutstanding) {
        outstanding.front().get();
        outstanding.pop_front();
      }
      outstanding.push_back(
          proxy_.submit({.kernel = "synthetic",
                         .arguments = {inout(buffers[i % kOutstanding]), size.items, size.repeat, std::int32_t{3}},
                         .items = size.items,
                         .work = static_cast<double>(size.items) * size.repeat}));
    }
    for (auto& future : outstanding) future.get();
  }

  hw::proxy::Proxy proxy_;
};

/// What rounds of one policy gave, in per cent.
struct Figures {
  std::vector<double> throughput, delay, handover, group;
};

Figures compare(Direct& direct, Through& proxy, const Size& size, std::size_t tasks) {
  Figures figures;
  direct.seconds_for(tasks / 4);
  proxy.seconds_for(tasks / 4, size);
  for (std::size_t i = 0; i < kRounds; ++i) {
    // Which goes first changes, so that neither always meets the warmer machine.
    double alone = i % 2 == 0 ? direct.seconds_for(tasks) : 0;
    const hw::proxy::Statistics before = proxy.statistics();
    const double through = proxy.seconds_for(tasks, size);
    const hw::proxy::Statistics after = proxy.statistics();
    if (i % 2 == 1) alone = direct.seconds_for(tasks);
    const double busy = after.busy_seconds - before.busy_seconds;
    figures.throughput.push_back(100 * alone / through);
    figures.delay.push_back(100 * (after.order_delay_seconds - before.order_delay_seconds) / busy);
    figures.handover.push_back(100 * (after.handover_seconds - before.handover_seconds) / busy);
    figures.group.push_back(static_cast<double>(after.submitted - before.submitted) /
                            static_cast<double>(after.groups - before.groups));
  }
  return figures;
}

void report(const std::string& what, const Figures& figures) {
  print("proxy throughput, " + what, "% of direct", figures.throughput);
  print("delay that ordering adds, " + what, "% of busy time", figures.delay);
  print("handover between groups, " + what, "% of busy time", figures.handover);
  print("tasks in a group, " + what, "tasks", figures.group);
}

std::unique_ptr<core::Policy> profiled_policy(const std::string& file, const hw::DeviceInfo& info) {
  const core::Machine machine = scenarios::read_machine(file);
  tune::PolicyOptions options;
  while (options.device < machine.devices.size() &&
         machine.devices[options.device].identity.name != info.identity.name) {
    ++options.device;
  }
  if (options.device == machine.devices.size()) core::throw_bad_input(file + " is not of " + info.identity.name);
  return tune::make_policy("auto", machine, options);
}

void run(const std::string& spec, const std::string& machine) {
  const hw::ChosenDevice chosen = hw::open_device(spec);
  Direct direct(*chosen.device);
  const Size size = calibrated(direct);
  direct.resize(size);
  const double task = direct.seconds_for(400) / 400;
  const auto tasks = static_cast<std::size_t>(std::clamp(kRoundSeconds / task, 200.0, 20'000.0)) / kWorkers * kWorkers;
  const std::string what = chosen.device->info().identity.name + " (" + chosen.device->info().identity.backend +
                           "), tasks of " + core::significant(task * 1e6, 3) + " us";
  const auto open = [&] { return hw::open_device(chosen.spec).device; };
  {
    Through proxy(open, nullptr);
    report(what + ", policy arrival", compare(direct, proxy, size, tasks));
  }
  if (machine.empty()) return;
  Through proxy(open, profiled_policy(machine, chosen.device->info()));
  report(what + ", policy auto", compare(direct, proxy, size, tasks));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "opencl", argc > 2 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
    return 3;
  }
}
