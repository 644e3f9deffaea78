#include "machine_under_test.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate::testing {
namespace {

using core::ActivityClass;

core::Parameter exact(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

core::InterferenceRow row(std::initializer_list<std::pair<ActivityClass, double>> rates) {
  core::InterferenceRow result;
  unsigned set = 0;
  for (const auto& [activity, rate] : rates) {
    set |= core::bit(activity);
    result.rates[activity] = exact(rate);
  }
  result.active = static_cast<core::ActivitySet>(set);
  return result;
}

core::TransferModel transfer(core::Direction direction, core::MemoryKind memory, double fixed, double rate) {
  return {direction, memory, {{4, 1e9, exact(fixed), exact(1 / rate)}}};
}

/// What a noisy run makes of a timeline.
class NoisyPlan final : public core::PreparedPlan {
 public:
  NoisyPlan(std::unique_ptr<core::PreparedPlan> inner, double noise, double factor, core::Random& random)
      : inner_(std::move(inner)), noise_(noise), factor_(factor), random_(random) {}

  core::Timeline run(const core::RunOptions& options) override {
    core::Timeline timeline = inner_->run(options);
    const double scale = factor_ * (1 + noise_ * random_.normal());
    const auto scaled = [&](core::Tick t) { return core::round_to_tick(static_cast<double>(t) * scale); };
    timeline.makespan = scaled(timeline.makespan);
    for (core::Interval& i : timeline.intervals) i = {i.step, i.lane, scaled(i.begin), scaled(i.end)};
    return timeline;
  }
  [[nodiscard]] std::span<const std::byte> host_memory(core::BufferId buffer) const override {
    return inner_->host_memory(buffer);
  }

 private:
  std::unique_ptr<core::PreparedPlan> inner_;
  double noise_, factor_;
  core::Random& random_;
};

}  // namespace

core::Machine known_machine() {
  core::DeviceModel device;
  device.name = "gpu0";
  device.identity = {"model", "known", "1", "", 132};
  device.copy_engines = exact(2);
  device.run_overhead = exact(6e-6);
  device.hop = exact(4e-6);
  const double bend = 1e6, early = 1 / 40e9, late = 1 / 55e9;
  core::TransferModel up{core::Direction::host_to_device, core::MemoryKind::pinned, {}};
  up.pieces.push_back({4, bend, exact(5e-6), exact(early)});
  up.pieces.push_back({bend, 1e9, exact(5e-6 + bend * (early - late)), exact(late)});
  device.transfers = {up, transfer(core::Direction::device_to_host, core::MemoryKind::pinned, 8e-6, 50e9),
                      transfer(core::Direction::host_to_device, core::MemoryKind::pageable, 15e-6, 9e9),
                      transfer(core::Direction::device_to_host, core::MemoryKind::pageable, 18e-6, 16e9)};
  core::KernelModel kernel;
  kernel.kernel = "synthetic";
  kernel.fill = exact(1);
  kernel.pieces.push_back({0, 1e15, 0, 1e18, exact(3e-6), exact(7e-14), exact(5e-12)});
  device.kernels = {kernel};
  device.interference = {
      row({{ActivityClass::htod, 0.79}, {ActivityClass::dtoh, 0.94}}),
      row({{ActivityClass::htod, 0.98}, {ActivityClass::kernel, 0.97}}),
      row({{ActivityClass::dtoh, 0.99}, {ActivityClass::kernel, 0.96}}),
      row({{ActivityClass::htod, 0.76}, {ActivityClass::dtoh, 0.92}, {ActivityClass::kernel, 0.93}})};
  core::Machine machine;
  machine.name = "known";
  machine.devices = {device};
  return machine;
}

KernelProbe known_probe() {
  KernelProbe probe;
  probe.name = "synthetic";
  probe.launch = [](core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat) {
    ProbeLaunch launch;
    launch.call.global_size = {bytes / 4, 1, 1};
    launch.items = static_cast<double>(bytes / 4);
    launch.work = launch.items * static_cast<double>(repeat);
    launch.arguments = {buffer, static_cast<std::int32_t>(bytes / 4), static_cast<std::int32_t>(repeat),
                        std::int32_t{3}};
    return launch;
  };
  return probe;
}

KernelProbe probe_in_passes() {
  KernelProbe probe;
  probe.name = "floyd_warshall";
  probe.launch = [](core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat) {
    const double side = std::floor(std::sqrt(static_cast<double>(bytes) / 12));
    ProbeLaunch launch;
    launch.items = side * side;
    launch.work = launch.items;
    launch.passes = static_cast<std::uint32_t>(side * static_cast<double>(repeat));
    launch.call.global_size = {static_cast<std::uint64_t>(launch.items), 1, 1};
    launch.call.pass_argument = 2;
    launch.arguments = {buffer, static_cast<std::int32_t>(side), std::int32_t{0}};
    return launch;
  };
  return probe;
}

void step_by_waves(core::Machine& machine) {
  constexpr double kWave = 2048 * 132, kWaves = 40, kCells = 250;
  core::KernelModel& model = machine.devices.at(0).kernels.at(0);
  const core::KernelPiece plain = model.pieces.at(0);
  model.pieces.clear();
  // Stretches so narrow that their middle stands for all of one.
  for (double wave = 0; wave < kWaves; ++wave) {
    for (double cell = 0; cell < kCells; ++cell) {
      core::KernelPiece piece = plain;
      piece.from_items = kWave * (wave + cell / kCells);
      piece.to_items = kWave * (wave + (cell + 1) / kCells);
      const double factor = (wave + 1) / (wave + (cell + 0.5) / kCells);
      piece.per_work.value *= factor;
      piece.per_item.value *= factor;
      model.pieces.push_back(piece);
    }
  }
  core::KernelPiece rest = plain;
  rest.from_items = kWave * kWaves;
  model.pieces.push_back(rest);
}

hw::DeviceInfo known_device() {
  hw::DeviceInfo info;
  info.identity = known_machine().devices[0].identity;
  info.memory_bytes = std::uint64_t{80} << 30;
  return info;
}

std::vector<double> log_spaced(double low, double high, int count) {
  std::vector<double> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(std::round(low * std::pow(high / low, i / (count - 1.0))));
  return sizes;
}

void SampleMaker::add(Sample sample, double seconds) {
  for (std::uint32_t round = 1; round <= rounds_; ++round) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      sample.round = round;
      sample.seconds = seconds * (1 + noise_ * random_.normal());
      samples.push_back(sample);
    }
  }
}

void SampleMaker::latencies() {
  const double overhead = device_.run_overhead.value;
  const double kernel = models::kernel_seconds(device_.kernels[0], 1403, 1403);
  const double up = models::transfer_seconds(device_.transfers[0], 68);
  const double down = models::transfer_seconds(device_.transfers[1], 68);
  for (const std::uint32_t count : {1U, 2U, 4U, 8U, 16U}) {
    Sample s;
    s.part = Part::latency;
    s.count = count;
    s.bytes = 68;
    add(s, overhead + count * up);
    s.subject = Subject::dtoh;
    add(s, overhead + count * down);
    s.subject = Subject::kernel;
    s.kernel = "synthetic";
    s.bytes = 5612;
    s.work = s.items = 1403;
    add(s, overhead + count * kernel);
    s.subject = Subject::chain;
    s.count = 3 * count;
    add(s, overhead + count * (up + down + kernel) + (s.count - 1) * device_.hop.value);
  }
}

void SampleMaker::transfers(core::Direction direction, const std::vector<double>& sizes) {
  const core::TransferModel& model = *core::find_transfer(device_, direction, core::MemoryKind::pinned);
  for (const double bytes : sizes) {
    for (const std::uint32_t count : {1U, 8U}) {
      Sample s;
      s.subject = direction == core::Direction::host_to_device ? Subject::htod : Subject::dtoh;
      s.bytes = bytes;
      s.count = count;
      add(s, device_.run_overhead.value + count * models::transfer_seconds(model, bytes));
    }
  }
}

void SampleMaker::kernels(const std::vector<double>& items, const std::vector<double>& repeats) {
  for (const double n : items) {
    for (const double repeat : repeats) {
      Sample s;
      s.part = Part::kernel;
      s.subject = Subject::kernel;
      s.kernel = "synthetic";
      s.bytes = 4 * n;
      s.items = n;
      s.work = n * repeat;
      add(s, device_.run_overhead.value + models::kernel_seconds(device_.kernels[0], s.work, n));
    }
  }
}

void SampleMaker::side_by_side(double items, const std::vector<std::uint32_t>& lanes) {
  const core::KernelModel& model = device_.kernels[0];
  const double launch = models::kernel_piece(model, items).launch.value;
  const double work = items * std::round(models::kernel_work(model, 1e-3, items) / items);
  const double alone = models::kernel_seconds(model, work, items) - launch;
  for (const std::uint32_t n : lanes) {
    Sample s;
    s.part = Part::fill;
    s.subject = Subject::kernel;
    s.kernel = "synthetic";
    s.bytes = 4 * items;
    s.items = items;
    s.work = work;
    s.count = n;
    const double stretch = models::side_by_side_stretch(models::kernel_fill(model, items), n);
    add(s, device_.run_overhead.value + launch + alone * stretch);
  }
}

void SampleMaker::interference(double seconds) {
  for (const core::InterferenceRow& known : device_.interference) {
    for (const auto& [activity, rate] : known.rates) {
      Sample s;
      s.part = Part::interference;
      s.subject = static_cast<Subject>(activity);
      double fixed = 0;
      if (s.subject == Subject::kernel) {
        s.kernel = "synthetic";
        s.items = 4e6;
        s.bytes = 16e6;
        s.work = models::kernel_work(device_.kernels[0], seconds, s.items);
        fixed = device_.kernels[0].pieces[0].launch.value;
      } else {
        const core::TransferModel& model = device_.transfers[static_cast<std::size_t>(s.subject)];
        s.bytes = models::transfer_bytes(model, seconds);
        fixed = models::transfer_piece(model, s.bytes).fixed.value;
      }
      s.active = core::bit(activity);
      const bool is_first =
          std::none_of(samples.begin(), samples.end(), [&](const Sample& o) { return same_point(o, s); });
      if (is_first) add(s, seconds);
      // A tenth of a millisecond goes by before the others are there.
      s.active = known.active;
      s.outside = 1e-4;
      add(s, fixed + s.outside + (seconds - fixed - s.outside) / rate.value);
    }
  }
}

void SampleMaker::engines(double overlap) {
  Sample s;
  s.part = Part::engines;
  s.bytes = 2e8;
  const double each = 4e-3, overhead = device_.run_overhead.value;
  add(s, overhead + each);
  s.subject = Subject::dtoh;
  add(s, overhead + each);
  s.active = 3;
  add(s, overhead + each * (2 - overlap));
}

std::unique_ptr<core::PreparedPlan> NoisyExecutor::prepare(const core::Plan& plan, const core::Bindings& bindings) {
  return std::make_unique<NoisyPlan>(inner_.prepare(plan, bindings), noise_, factor_, random_);
}

std::unique_ptr<core::Session> NoisyExecutor::open_session(const core::Plan& frame, const core::Bindings& bindings) {
  return inner_.open_session(frame, bindings);
}

}  // namespace forelap::calibrate::testing
