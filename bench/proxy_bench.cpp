// The online proxy against the same commands submitted directly on the same kinds of queues, interleaved in one run:
// tasks whose host memory is pinned. And what choosing an order adds to the device's critical path.
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

constexpr std::size_t kRounds = 15;
constexpr double kRoundSeconds = 0.3;

/// Who submits what.
struct Load {
  std::size_t workers;
  std::size_t outstanding;  ///< tasks that a worker has submitted and not yet collected
  double task_seconds;
};
/// Short tasks in a stream, for the cost of a task; and the ordering paper's T = 8, N = 1, for the cost of an order.
constexpr Load kStream = {4, 16, 100e-6};
constexpr Load kEight = {8, 1, 5e-3};

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

  void resize(const Size& size, std::size_t slots) {
    size_ = size;
    slots_.clear();
    for (std::size_t i = 0; i < slots; ++i) {
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
Size calibrated(Direct& direct, const Load& load) {
  Size size;
  const std::size_t slots = load.workers * load.outstanding;
  const std::size_t tasks = std::max<std::size_t>(slots, static_cast<std::size_t>(0.02 / load.task_seconds));
  const auto task_seconds = [&] {
    direct.resize(size, slots);
    direct.seconds_for(tasks);
    return std::min(direct.seconds_for(tasks), direct.seconds_for(tasks)) / static_cast<double>(tasks);
  };
  while (size.items > 1024 && task_seconds() > load.task_seconds) size.items /= 2;
  while (size.repeat < (1 << 24) && task_seconds() < load.task_seconds / 1.5) size.repeat *= 2;
  return size;
}

class Through {
 public:
  Through(const hw::proxy::DeviceFactory& open, std::unique_ptr<core::Policy> policy)
      : proxy_({}, open, std::move(policy)) {}

  double seconds_for(std::size_t tasks, const Size& size, const Load& load) {
    std::vector<std::thread> workers;
    const Clock::time_point begin = Clock::now();
    for (std::size_t w = 0; w < load.workers; ++w) {
      workers.emplace_back([&] { work(tasks / load.workers, size, load.outstanding); });
    }
    for (std::thread& worker : workers) worker.join();
    return seconds_since(begin);
  }

  [[nodiscard]] hw::proxy::Statistics statistics() const { return proxy_.statistics(); }

 private:
  void work(std::size_t tasks, const Size& size, std::size_t most) {
    std::vector<hw::proxy::HostBuffer> buffers;
    for (std::size_t i = 0; i < most; ++i) buffers.push_back(proxy_.allocate(size.bytes()));
    std::deque<hw::proxy::Future> outstanding;
    for (std::size_t i = 0; i < tasks; ++i) {
      if (outstanding.size() == most) {
        outstanding.front().get();
        outstanding.pop_front();
      }
      outstanding.push_back(
          proxy_.submit({.kernel = "synthetic",
                         .arguments = {inout(buffers[i % most]), size.items, size.repeat, std::int32_t{3}},
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

Figures compare(Direct& direct, Through& proxy, const Size& size, const Load& load, std::size_t tasks) {
  Figures figures;
  direct.seconds_for(tasks / 4);
  proxy.seconds_for(tasks / 4, size, load);
  for (std::size_t i = 0; i < kRounds; ++i) {
    // Which goes first changes, so that neither always meets the warmer machine.
    double alone = i % 2 == 0 ? direct.seconds_for(tasks) : 0;
    const hw::proxy::Statistics before = proxy.statistics();
    const double through = proxy.seconds_for(tasks, size, load);
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

void run_load(const hw::ChosenDevice& chosen, const Load& load, const std::string& machine) {
  Direct direct(*chosen.device);
  const hw::DeviceInfo& info = chosen.device->info();
  const Size size = calibrated(direct, load);
  const std::size_t trial = 2 * load.workers * load.outstanding;
  const double task = direct.seconds_for(trial) / static_cast<double>(trial);
  const auto wished = static_cast<std::size_t>(std::clamp(kRoundSeconds / task, 64.0, 20'000.0));
  const std::size_t tasks = wished / load.workers * load.workers;
  const std::string what = info.identity.name + " (" + info.identity.backend + "), " + std::to_string(load.workers) +
                           " workers with " + std::to_string(load.outstanding) + " tasks of " +
                           core::significant(task * 1e6, 3) + " us";
  const auto open = [&] { return hw::open_device(chosen.spec).device; };
  {
    Through proxy(open, nullptr);
    report(what + ", policy arrival", compare(direct, proxy, size, load, tasks));
  }
  if (machine.empty()) return;
  Through proxy(open, profiled_policy(machine, info));
  report(what + ", policy auto", compare(direct, proxy, size, load, tasks));
}

void run(const std::string& spec, const std::string& machine) {
  const hw::ChosenDevice chosen = hw::open_device(spec);
  run_load(chosen, kStream, machine);
  run_load(chosen, kEight, machine);
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
