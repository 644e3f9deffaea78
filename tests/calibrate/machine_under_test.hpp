#pragma once
// A machine whose every parameter is known, samples made from its equations, and an executor that adds noise.

#include <memory>
#include <string>
#include <vector>

#include "calibrate/campaign.hpp"
#include "calibrate/samples.hpp"
#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate::testing {

/// Two copy engines; a bend at 1 MB to the device; asymmetric interference of every pair and of the three.
core::Machine known_machine();

/// The kernel "synthetic" of the machine: n = bytes / 4 items, n * repeat units of work.
KernelProbe known_probe();
/// The kernel "floyd_warshall": n vertices, a pass each, n = sqrt(bytes / 12); n^2 items and units of work a pass.
KernelProbe probe_in_passes();

/// Makes launches of the machine's first kernel take as long as their last wave of work-groups, however empty: their
/// work takes ceil(w) / w times as long, w = items / (2048 items of 132 compute units), up to 40 waves.
void step_by_waves(core::Machine& machine);

/// What a simulated device says of itself.
hw::DeviceInfo known_device();

/// Samples as a campaign on the machine would give them, by its equations, each off by a normal deviation of `noise`
/// (relative), in `rounds` rounds of three.
class SampleMaker {
 public:
  SampleMaker(const core::Machine& machine, double noise, std::uint32_t rounds = 5)
      : device_(machine.devices.at(0)), noise_(noise), rounds_(rounds) {}

  void latencies();
  void transfers(core::Direction direction, const std::vector<double>& sizes);
  void kernels(const std::vector<double>& items, const std::vector<double>& repeats);
  /// Launches of about a millisecond over `items`, on so many lanes at once.
  void side_by_side(double items, const std::vector<std::uint32_t>& lanes);
  void interference(double seconds);
  void engines(double overlap);
  std::vector<Sample> samples;

 private:
  void add(Sample sample, double seconds);
  core::DeviceModel device_;
  double noise_;
  std::uint32_t rounds_;
  core::Random random_{7};
};

/// Sizes from `low` to `high`, `count` of them, evenly spaced in the logarithm.
std::vector<double> log_spaced(double low, double high, int count);

/// Runs plans on `inner` and multiplies what comes out: by a normal deviation of `noise`, and by `factor`.
class NoisyExecutor final : public core::Executor {
 public:
  NoisyExecutor(core::Executor& inner, double noise, double factor = 1)
      : inner_(inner), noise_(noise), factor_(factor) {}
  [[nodiscard]] std::string name() const override { return "noisy " + inner_.name(); }
  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings) override;
  std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings) override;

 private:
  core::Executor& inner_;
  double noise_;
  double factor_;
  core::Random random_{11};
};

}  // namespace forelap::calibrate::testing
