// Speed and memory of the engines of sim/fast: orders of 8 tasks from scratch, and plans of 10^4 to 10^6 steps on one
// and on eight devices. Figures: orders and steps a second, ns_per_step, and bytes_per_step (everything that the plan,
// the timeline and the engine hold at the peak of a simulation).

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <vector>

#include "core/machine.hpp"
#include "core/plan.hpp"
#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "sim/fast/executor.hpp"
#include "sim/fast/order_engine.hpp"

namespace {

std::size_t g_live_bytes = 0;
std::size_t g_peak_bytes = 0;

}  // namespace

// Not inlined, or the compiler takes malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  g_live_bytes += malloc_usable_size(memory);
  g_peak_bytes = std::max(g_peak_bytes, g_live_bytes);
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  g_live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace {

using namespace forelap;
using core::ActivityClass;
using core::Parameter;

constexpr std::size_t kTasks = 8;
constexpr std::size_t kOrders = 4096;  // more than a branch predictor remembers

Parameter parameter(double value) {
  Parameter p;
  p.value = value;
  return p;
}

core::InterferenceRow row(std::initializer_list<std::pair<ActivityClass, double>> rates) {
  core::InterferenceRow r;
  for (const auto& [c, rate] : rates) {
    r.active = static_cast<core::ActivitySet>(r.active | core::bit(c));
    r.rates[c] = parameter(rate);
  }
  return r;
}

/// The two directions as measured on one host with an H200: 1.26 and 1.06 times the solo time.
std::vector<core::InterferenceRow> copies_only() {
  return {row({{ActivityClass::htod, 1 / 1.26}, {ActivityClass::dtoh, 1 / 1.06}})};
}

std::vector<core::InterferenceRow> with_kernels() {
  std::vector<core::InterferenceRow> rows = copies_only();
  rows.push_back(row({{ActivityClass::htod, 0.97}, {ActivityClass::kernel, 0.98}}));
  rows.push_back(row({{ActivityClass::dtoh, 0.96}, {ActivityClass::kernel, 0.99}}));
  rows.push_back(row({{ActivityClass::htod, 0.75}, {ActivityClass::dtoh, 0.9}, {ActivityClass::kernel, 0.97}}));
  return rows;
}

std::vector<std::array<std::uint32_t, kTasks>> random_orders(core::Random& random) {
  std::vector<std::array<std::uint32_t, kTasks>> orders(kOrders);
  for (auto& order : orders) {
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = kTasks; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  return orders;
}

void evaluate_orders(benchmark::State& state, const std::vector<core::InterferenceRow>& rows, bool two_engines,
                     bool fixed_parts) {
  core::Random random(1);
  sim::fast::OrderDevice device;
  device.two_engines = two_engines;
  device.hop = fixed_parts ? 3e6 : 0;
  device.submit = fixed_parts ? 2e6 : 0;
  device.rates = models::RateTable(rows);
  std::vector<sim::fast::TaskCost> tasks(kTasks);
  for (auto& task : tasks) {
    for (auto* stage : {&task.htod, &task.kernel, &task.dtoh}) {
      *stage = {true, fixed_parts ? 5e6 + 5e6 * random.uniform() : 0, 1e9 + 8e9 * random.uniform()};
    }
  }
  sim::fast::OrderEngine engine(device, tasks);
  const auto orders = random_orders(random);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine.evaluate(orders[next]));
    next = (next + 1) % kOrders;
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["orders_per_s"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["s_per_step"] =
      benchmark::Counter(count * kTasks * 3, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(evaluate_orders, asymmetric_copies, copies_only(), true, false);
BENCHMARK_CAPTURE(evaluate_orders, asymmetric_copies_with_latencies, copies_only(), true, true);
BENCHMARK_CAPTURE(evaluate_orders, copies_and_kernels, with_kernels(), true, false);
BENCHMARK_CAPTURE(evaluate_orders, copies_and_kernels_with_latencies, with_kernels(), true, true);
BENCHMARK_CAPTURE(evaluate_orders, one_engine_with_latencies, copies_only(), false, true);

core::Machine machine_of(std::size_t devices) {
  core::Machine machine;
  machine.host.cores = 16;
  machine.host.interference = copies_only();
  core::DeviceModel device;
  device.interference = with_kernels();
  device.hop = parameter(3e-6);
  device.submit = parameter(2e-6);
  constexpr double kUnlimited = std::numeric_limits<double>::max();
  for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
    core::TransferModel model;
    model.direction = direction;
    model.pieces.push_back({0, kUnlimited, parameter(5e-6), parameter(1 / 55e9)});
    device.transfers.push_back(model);
  }
  core::KernelModel kernel;
  kernel.kernel = "k";
  kernel.fill = parameter(1);
  kernel.pieces.push_back({0, kUnlimited, 0, kUnlimited, parameter(5e-6), parameter(1e-9), {}});
  device.kernels.push_back(kernel);
  machine.devices.assign(devices, device);
  return machine;
}

/// Tasks of htod, kernel and dtoh, dealt to the devices in turn.
core::Plan plan_of(std::size_t steps, std::size_t devices) {
  core::Random random(2);
  core::PlanBuilder builder;
  builder.reserve(steps);
  for (std::size_t d = 0; d < devices; ++d) {
    for (const auto kind : {core::LaneKind::copy, core::LaneKind::kernel, core::LaneKind::copy}) {
      builder.add_lane({kind, core::make_id<core::DeviceId>(d), core::RankId{0}, "lane"});
    }
  }
  const core::KernelId kernel_id = builder.kernel("k");
  for (std::size_t i = 0; i + 3 <= steps; i += 3) {
    const std::size_t d = i / 3 % devices;
    core::CopyStep in;
    in.lane = core::make_id<core::LaneId>(3 * d);
    in.device = core::make_id<core::DeviceId>(d);
    in.bytes = 1'000'000 + random.below(100'000'000);
    const std::array<core::StepId, 1> after_in = {builder.add(in)};
    core::KernelStep kernel;
    kernel.lane = core::make_id<core::LaneId>(3 * d + 1);
    kernel.device = in.device;
    kernel.call.kernel = kernel_id;
    kernel.work = 1e6 * random.uniform();
    const std::array<core::StepId, 1> after_kernel = {builder.add(kernel, {}, after_in)};
    core::CopyStep out = in;
    out.lane = core::make_id<core::LaneId>(3 * d + 2);
    out.direction = core::Direction::device_to_host;
    out.bytes = 1'000'000 + random.below(100'000'000);
    builder.add(out, after_kernel);
  }
  return builder.build();
}

void simulate_plan(benchmark::State& state) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const auto devices = static_cast<std::size_t>(state.range(1));
  const core::Machine machine = machine_of(devices);
  const std::size_t before = g_live_bytes;
  const core::Plan plan = plan_of(steps, devices);
  const models::CostModel cost(machine, plan, core::InterferenceMode::partial);
  g_peak_bytes = g_live_bytes;
  for (auto _ : state) benchmark::DoNotOptimize(sim::fast::simulate(plan, cost).makespan);
  const auto count = static_cast<double>(plan.steps.size());
  state.counters["bytes_per_step"] = static_cast<double>(g_peak_bytes - before) / count;
  state.counters["s_per_step"] = benchmark::Counter(static_cast<double>(state.iterations()) * count,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(simulate_plan)
    ->ArgNames({"steps", "devices"})
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {1, 8}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
