#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "calibrate/bench.hpp"
#include "calibrate/calibrate.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"
#include "core/statistics.hpp"
#include "models/interference.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

constexpr int kRuns = 7;
constexpr double kLeastDrift = 0.02;
constexpr double kSpreads = 3;
constexpr std::uint32_t kCycles = 4;
constexpr std::uint64_t kTinyBytes = 68;
constexpr std::uint64_t kTinyBuffer = 5612;
/// What small commands scatter beyond their model's spread, relative.
constexpr double kTinySpread = 0.05;
constexpr std::uint64_t kBuffer = 13'370'004;
constexpr std::array<double, 3> kTransferSeconds = {0.3e-3, 1.7e-3, 5.3e-3};
constexpr double kKernelSeconds = 3.1e-3;

double relative(const core::Parameter& p) {
  return p.value > 0 ? p.spread / p.value : 0;
}

class Checker {
 public:
  Checker(core::Executor& executor, const core::DeviceModel& profile, std::span<const KernelProbe> probes,
          const CampaignOptions& options)
      : executor_(executor), profile_(profile), options_(options) {
    for (const KernelProbe& probe : probes) {
      if (core::find_kernel(profile, probe.name) != nullptr) probes_.push_back(&probe);
    }
  }

  DriftReport run() {
    check_latency();
    check_transfers();
    check_kernels();
    check_interference();
    return std::move(report_);
  }

 private:
  void add(Part part, const std::string& what, double expected, double measured, double spread) {
    DriftRow row{part, what, expected, measured, spread, measured / expected - 1, false};
    row.drifted = std::abs(row.deviation) > std::max(kSpreads * spread, kLeastDrift);
    report_.rows.push_back(row);
  }

  std::vector<Timed> time_all(const Workload& workload) {
    refuse_when_stopped();
    if (options_.progress) options_.progress("checking", report_.rows.size(), 0);
    Prepared prepared(executor_, workload, filled_);
    prepared.time(fixed_);
    std::vector<Timed> times;
    for (int i = 0; i < kRuns; ++i) {
      refuse_when_stopped();
      times.push_back(prepared.time(fixed_));
    }
    return times;
  }

  void refuse_when_stopped() const {
    if (options_.stop.stop_requested()) core::throw_device_failed("the check was stopped before its end");
  }

  double median_seconds(const Workload& workload) {
    std::vector<double> seconds;
    for (const Timed& t : time_all(workload)) seconds.push_back(t.seconds);
    return core::median(seconds);
  }

  [[nodiscard]] const core::TransferModel* pinned(Subject subject) const {
    return core::find_transfer(
        profile_, subject == Subject::htod ? core::Direction::host_to_device : core::Direction::device_to_host,
        core::MemoryKind::pinned);
  }

  /// A transfer that the profile says takes about `seconds`, within its range.
  static Command transfer_of(Subject subject, const core::TransferModel& model, double seconds) {
    const double wish = models::transfer_bytes(model, seconds);
    const double bytes = std::clamp(wish, model.pieces.front().from_bytes, model.pieces.back().to_bytes);
    return {subject, static_cast<std::uint64_t>(bytes / 4) * 4, 1, model.memory, 1};
  }

  /// A chain over the three lanes: launches, small transfers and hops at once.
  void check_latency() {
    const core::TransferModel* up = pinned(Subject::htod);
    const core::TransferModel* down = pinned(Subject::dtoh);
    if (probes_.empty() || up == nullptr || down == nullptr) return;
    const KernelProbe& probe = *probes_.front();
    const Command in{Subject::htod, kTinyBytes, 1, core::MemoryKind::pinned, kCycles};
    const Command out{Subject::dtoh, kTinyBytes, 1, core::MemoryKind::pinned, kCycles};
    const Command kernel{Subject::kernel, kTinyBuffer, 1, core::MemoryKind::pinned, kCycles};
    const ProbeLaunch launch = launch_of(probe, kernel);
    const double cycle = models::transfer_seconds(*up, kTinyBytes) + models::transfer_seconds(*down, kTinyBytes) +
                         launch_seconds(*core::find_kernel(profile_, probe.name), launch);
    constexpr double kHops = 3 * kCycles - 1;
    const double expected = profile_.run_overhead.value + kCycles * cycle + kHops * profile_.hop.value;
    const double spread =
        std::hypot(profile_.run_overhead.spread, kHops * profile_.hop.spread, kCycles * kTinySpread * cycle) / expected;
    const double measured = median_seconds({&probe, {in, kernel, out}, true, -1});
    add(Part::latency, "chain of " + std::to_string(3 * kCycles) + " smallest commands over three lanes", expected,
        measured, spread);
  }

  void check_transfers() {
    for (const core::TransferModel& model : profile_.transfers) {
      const Subject subject = model.direction == core::Direction::host_to_device ? Subject::htod : Subject::dtoh;
      std::uint64_t before = 0;
      for (const double seconds : kTransferSeconds) {
        const Command command = transfer_of(subject, model, seconds);
        if (command.bytes == 0 || command.bytes == before) continue;
        before = command.bytes;
        const auto bytes = static_cast<double>(command.bytes);
        const double expected = profile_.run_overhead.value + models::transfer_seconds(model, bytes);
        const double spread = std::hypot(profile_.run_overhead.spread / expected,
                                         relative(models::transfer_piece(model, bytes).per_byte));
        const double measured = median_seconds({nullptr, {command}, false, -1});
        add(Part::transfer, describe(sample_of(Part::transfer, command, nullptr)), expected, measured, spread);
      }
    }
  }

  /// All passes of a kernel, by its model.
  static double launch_seconds(const core::KernelModel& model, const ProbeLaunch& launch) {
    return models::kernel_seconds(model, launch.work, launch.items) * launch.passes;
  }

  /// A launch of `probe` that the profile says takes about `seconds`.
  Command launch_of_length(const KernelProbe& probe, double seconds) {
    const core::KernelModel& model = *core::find_kernel(profile_, probe.name);
    Command command{Subject::kernel, kBuffer, 1, core::MemoryKind::pinned, 1};
    command.bytes = std::min(command.bytes, options_.most_bytes / 4 * 4);
    ProbeLaunch once = launch_of(probe, command);
    double wish = models::kernel_work(model, seconds, once.items);
    // One pass over the whole buffer may take seconds on a slow device.
    while ((once.work > wish || launch_seconds(model, once) > seconds) && command.bytes > kTinyBuffer) {
      command.bytes = std::max(kTinyBuffer, command.bytes / 8 * 4);
      once = launch_of(probe, command);
      wish = models::kernel_work(model, seconds, once.items);
    }
    // Work grows in proportion to repeats, of one launch or by more of them; where it does not, one has to do.
    const double repeats = once.passes > 1 ? seconds / launch_seconds(model, once) : wish / std::max(once.work, 1.0);
    command.repeat = static_cast<std::uint64_t>(std::max(1.0, std::round(repeats)));
    return command;
  }

  void check_kernels() {
    for (const KernelProbe* probe : probes_) {
      const core::KernelModel& model = *core::find_kernel(profile_, probe->name);
      for (const double seconds : {kKernelSeconds / 4, kKernelSeconds}) {
        const Command command = launch_of_length(*probe, seconds);
        const ProbeLaunch launch = launch_of(*probe, command);
        const double expected = profile_.run_overhead.value + launch_seconds(model, launch);
        const core::KernelPiece& piece = models::kernel_piece(model, launch.items);
        const double slope = std::max(relative(piece.per_work), relative(piece.per_item));
        const double spread = std::hypot(profile_.run_overhead.spread / expected, slope);
        const double measured = median_seconds({probe, {command}, false, -1});
        add(Part::kernel, describe(sample_of(Part::kernel, command, probe)), expected, measured, spread);
      }
    }
  }

  /// The command of class `subject` for interference, or nothing where the profile has no model of it.
  std::optional<Command> busy_command(Subject subject) {
    if (subject == Subject::kernel) {
      if (probes_.empty()) return std::nullopt;
      return launch_of_length(*probes_.front(), kKernelSeconds);
    }
    const core::TransferModel* model = pinned(subject);
    if (model == nullptr) return std::nullopt;
    return transfer_of(subject, *model, kKernelSeconds);
  }

  double fixed_of(const Command& command) {
    if (command.subject != Subject::kernel) {
      return models::transfer_piece(*pinned(command.subject), static_cast<double>(command.bytes)).fixed.value;
    }
    const ProbeLaunch launch = launch_of(*probes_.front(), command);
    return models::kernel_piece(*core::find_kernel(profile_, probes_.front()->name), launch.items).launch.value *
           launch.passes;
  }

  void check_interference() {
    for (const core::InterferenceRow& row : profile_.interference) {
      if (std::popcount(row.active) != 2 || row.active >= 8) continue;
      for (const auto& [activity, rate] : row.rates) check_rate(row.active, activity, rate);
    }
  }

  void check_rate(core::ActivitySet set, core::ActivityClass activity, const core::Parameter& rate) {
    Workload workload{probes_.empty() ? nullptr : probes_.front(), {}, false, 0};
    const std::optional<Command> own = busy_command(static_cast<Subject>(activity));
    const auto other_bits = static_cast<core::ActivitySet>(set & ~core::bit(activity));
    std::optional<Command> other = busy_command(static_cast<Subject>(std::countr_zero(other_bits)));
    if (!own || !other) return;
    const double own_fixed = fixed_of(*own);
    fixed_[static_cast<std::size_t>(own->subject)] = own_fixed;
    fixed_[static_cast<std::size_t>(other->subject)] = fixed_of(*other);
    workload.lanes = {*own};
    std::vector<double> alone;
    for (const Timed& t : time_all(workload)) alone.push_back(t.seconds);
    const double work = core::median(alone) - own_fixed;
    other->count = static_cast<std::uint32_t>(std::ceil(1.6 / std::max(0.1, rate.value))) + 1;
    workload.lanes.push_back(*other);
    std::vector<double> rates;
    for (const Timed& t : time_all(workload)) {
      const double inside = t.seconds - own_fixed - t.outside;
      if (inside > 0 && t.outside < 0.5 * work) rates.push_back((work - t.outside) / inside);
    }
    if (rates.empty()) return;
    const double measured = std::min(1.0, core::median(rates));
    const std::string what = std::string(core::name_of(activity)) + " with " + name_of(set) + " busy (rate)";
    add(Part::interference, what, rate.value, measured, relative(rate));
  }

  core::Executor& executor_;
  const core::DeviceModel& profile_;
  const CampaignOptions& options_;
  std::vector<const KernelProbe*> probes_;
  FilledBuffers filled_;
  FixedParts fixed_{};
  DriftReport report_;
};

}  // namespace

bool DriftReport::drifted() const {
  return std::any_of(rows.begin(), rows.end(), [](const DriftRow& row) { return row.drifted; });
}

DriftReport check(core::Executor& executor, const core::DeviceModel& profile, std::span<const KernelProbe> probes,
                  const CampaignOptions& options) {
  return Checker(executor, profile, probes, options).run();
}

}  // namespace forelap::calibrate
