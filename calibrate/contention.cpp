#include "calibrate/contention.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "calibrate/bench.hpp"
#include "core/statistics.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

using core::ActivityClass;

/// Slowing below this is taken for none.
constexpr double kNoSlowdown = 0.01;
constexpr std::uint64_t kSmallestCopy = 65'540;

/// A class of work on one device.
struct Worker {
  std::size_t device = 0;
  ActivityClass activity = ActivityClass::htod;
  auto operator<=>(const Worker&) const = default;
};
using Team = std::vector<Worker>;

/// Lengths of the commands of each worker, seconds.
using Lengths = std::vector<double>;

/// One team at work: a plan and what its runs say.
class TeamRun {
 public:
  TeamRun(core::Executor& executor, std::span<const ContentionDevice> devices, const KernelProbe* probe,
          const Team& team, const std::map<Worker, std::uint64_t>& sizes, std::uint32_t commands) {
    for (const Worker& worker : team) {
      const std::uint64_t bytes = sizes.at(worker);
      worker.activity == ActivityClass::kernel
          ? add_kernels(worker, *probe, devices[worker.device].in_place, bytes, commands)
          : add_copies(worker, bytes, commands);
    }
    plan_ = builder_.build();
    if (probe != nullptr && !probe->source.text.empty()) bindings_.kernels[probe->name] = probe->source;
    bindings_.fill = [this, probe](core::BufferId buffer, std::span<std::byte> bytes) {
      filled_.fill(buffer, bytes, probe);
    };
    prepared_ = executor.prepare(plan_, bindings_);
    prepared_->run({});
  }

  /// Medians over the commands that ran while all lanes were at work; 0 for a lane without one.
  Lengths run() {
    core::RunOptions options;
    options.intervals = true;
    const core::Timeline timeline = prepared_->run(options);
    core::Tick from = 0;
    core::Tick to = core::Tick{1} << 62;
    for (const auto& steps : steps_) {
      from = std::max(from, timeline.intervals.at(core::index(steps.front())).begin);
      to = std::min(to, timeline.intervals.at(core::index(steps.back())).end);
    }
    Lengths lengths;
    for (const auto& steps : steps_) {
      std::vector<double> inside;
      for (const core::StepId step : steps) {
        const core::Interval& i = timeline.intervals.at(core::index(step));
        if (i.begin >= from && i.end <= to) inside.push_back(core::seconds_from_ticks(i.end - i.begin));
      }
      lengths.push_back(inside.empty() ? 0 : core::median(inside));
    }
    return lengths;
  }

 private:
  core::LaneId add_lane(const Worker& worker) {
    const bool kernel = worker.activity == ActivityClass::kernel;
    return builder_.add_lane({kernel ? core::LaneKind::kernel : core::LaneKind::copy,
                              core::make_id<core::DeviceId>(worker.device), core::RankId{},
                              std::string(core::name_of(worker.activity)) + " " + std::to_string(worker.device)});
  }

  void add_copies(const Worker& worker, std::uint64_t bytes, std::uint32_t commands) {
    core::Buffer buffer;
    buffer.bytes = bytes;
    buffer.device = core::make_id<core::DeviceId>(worker.device);
    core::CopyStep step;
    step.buffer = builder_.add_buffer(buffer);
    step.lane = add_lane(worker);
    step.device = buffer.device;
    step.direction =
        worker.activity == ActivityClass::htod ? core::Direction::host_to_device : core::Direction::device_to_host;
    step.bytes = bytes;
    steps_.emplace_back();
    for (std::uint32_t i = 0; i < commands; ++i) steps_.back().push_back(builder_.add(step));
  }

  void add_kernels(const Worker& worker, const KernelProbe& probe, bool in_place, std::uint64_t bytes,
                   std::uint32_t commands) {
    ProbeLaunch launch = probe.launch(core::BufferId{0}, bytes, 1);
    if (launch.buffers.empty()) launch.buffers = {bytes};
    std::vector<core::BufferId> buffers;
    for (const std::uint64_t size : launch.buffers) {
      core::Buffer buffer;
      buffer.bytes = size;
      buffer.device = core::make_id<core::DeviceId>(worker.device);
      if (in_place) {
        core::Buffer owner;
        owner.bytes = size;
        owner.device = core::none<core::DeviceId>();
        buffer.host_of = builder_.add_buffer(owner);
        buffer.in_place = true;
      }
      buffers.push_back(builder_.add_buffer(buffer));
    }
    for (core::Argument& argument : launch.arguments) {
      if (auto* named = std::get_if<core::BufferId>(&argument)) *named = buffers.at(core::index(*named));
    }
    core::KernelStep step;
    step.lane = add_lane(worker);
    step.device = core::make_id<core::DeviceId>(worker.device);
    step.call = launch.call;
    step.call.kernel = builder_.kernel(probe.name);
    step.work = launch.work;
    step.items = launch.items;
    step.count = launch.passes;
    steps_.emplace_back();
    for (std::uint32_t i = 0; i < commands; ++i) steps_.back().push_back(builder_.add(step, launch.arguments));
  }

  core::PlanBuilder builder_;
  core::Plan plan_;
  core::Bindings bindings_;
  FilledBuffers filled_;
  std::vector<std::vector<core::StepId>> steps_;  ///< by worker
  std::unique_ptr<core::PreparedPlan> prepared_;
};

/// Rates of each worker in a team, by round.
struct Rates {
  Team team;
  std::vector<std::vector<double>> of;

  /// The median over rounds and workers of a class, and its spread.
  [[nodiscard]] std::optional<core::Parameter> of_class(ActivityClass c, const std::string& how) const {
    std::vector<double> all;
    for (std::size_t w = 0; w < team.size(); ++w) {
      if (team[w].activity == c) all.insert(all.end(), of[w].begin(), of[w].end());
    }
    if (all.empty()) return std::nullopt;
    core::Parameter rate;
    rate.value = core::median(all);
    rate.spread = all.size() > 1 ? core::robust_deviation(all) / std::sqrt(static_cast<double>(all.size())) : 0.1;
    rate.samples = static_cast<std::uint32_t>(all.size());
    rate.how = how;
    return rate;
  }
};

bool is_slowing(const core::Parameter& rate) {
  return 1 - rate.value > std::max(kNoSlowdown, 2 * rate.spread);
}

class ContentionCampaign {
 public:
  ContentionCampaign(core::Executor& executor, std::span<const ContentionDevice> devices,
                     const ContentionOptions& options)
      : executor_(executor), devices_(devices), options_(options) {
    for (std::size_t d = 0; d < devices.size(); ++d) (devices[d].in_place ? groups_ : copying_).push_back(d);
  }

  Contention run(std::span<const KernelProbe> probes) {
    size_copies();
    copies();
    for (const KernelProbe& probe : probes) {
      if (groups_.empty() || options_.stop.stop_requested()) break;
      if (size_kernels(probe)) kernels(probe);
    }
    result_.complete = !options_.stop.stop_requested();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Team team_of(const std::vector<std::size_t>& devices,
                             std::initializer_list<ActivityClass> classes) const {
    Team team;
    for (const std::size_t d : devices) {
      for (const ActivityClass c : classes) {
        if (sizes_.count({d, c}) != 0) team.push_back({d, c});
      }
    }
    return team;
  }

  void size_copies() {
    for (const std::size_t d : copying_) {
      for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
        const auto* model = core::find_transfer(*devices_[d].model, direction, core::MemoryKind::pinned);
        const bool in = direction == core::Direction::host_to_device;
        if (model == nullptr) continue;
        const double wish = models::transfer_bytes(*model, options_.seconds);
        const auto bytes = static_cast<std::uint64_t>(std::min(wish, static_cast<double>(options_.most_bytes)));
        sizes_[{d, in ? ActivityClass::htod : ActivityClass::dtoh}] = std::max(kSmallestCopy, bytes / 4 * 4);
      }
    }
  }

  /// Bytes at which the kernel takes the wished time on each group; false where one has no model of it.
  bool size_kernels(const KernelProbe& probe) {
    for (const std::size_t d : groups_) {
      const core::KernelModel* model = core::find_kernel(*devices_[d].model, probe.name);
      if (model == nullptr) {
        result_.notes.push_back("kernel \"" + probe.name + "\" has no model on device \"" + devices_[d].model->name +
                                "\": how it and copies slow each other is not measured");
        return false;
      }
      std::uint64_t bytes = 100'004;
      while (bytes < options_.most_bytes) {
        const ProbeLaunch launch = probe.launch(core::BufferId{0}, bytes, 1);
        if (models::kernel_seconds(*model, launch.work, launch.items) * launch.passes >= options_.seconds) break;
        bytes = bytes * 5 / 4 / 4 * 4;
      }
      sizes_[{d, ActivityClass::kernel}] = bytes;
    }
    return true;
  }

  /// A team against its members alone, in turn.
  Rates compare(const KernelProbe* probe, const Team& team) {
    Rates rates{team, std::vector<std::vector<double>>(team.size())};
    const auto make = [&](const Team& members) {
      return std::make_unique<TeamRun>(executor_, devices_, probe, members, sizes_, options_.commands);
    };
    std::vector<std::unique_ptr<TeamRun>> alone;
    for (const Worker& worker : team) alone.push_back(make({worker}));
    const auto all = make(team);
    for (std::uint32_t round = 0; round < options_.rounds && !options_.stop.stop_requested(); ++round) {
      Lengths solo;
      for (const auto& one : alone) solo.push_back(one->run().front());
      const Lengths together = all->run();
      for (std::size_t w = 0; w < team.size(); ++w) {
        if (together[w] > 0) rates.of[w].push_back(std::min(1.0, solo[w] / together[w]));
      }
      if (options_.progress) options_.progress("measuring devices together", ++done_, 0);
    }
    return rates;
  }

  /// How much of one class runs at full rate; 1 a device where they do not hinder each other.
  void add_capacity(const Rates& rates, ActivityClass c, const std::string& kernel) {
    auto rate = rates.of_class(c, options_.how);
    if (!rate || !is_slowing(*rate)) return;
    const auto count = static_cast<double>(rates.team.size());
    rate->value *= count;
    rate->spread *= count;
    result_.capacity.push_back({c, *rate, kernel});
  }

  /// The part of a measured rate that is not the sharing of a capacity.
  void add_row(const Rates& rates, const std::string& kernel) {
    core::InterferenceRow row;
    row.kernel = kernel;
    std::map<ActivityClass, double> demand;
    for (const Worker& worker : rates.team) {
      row.active = static_cast<core::ActivitySet>(row.active | core::bit(worker.activity));
      demand[worker.activity] += 1;
    }
    for (const auto& [c, count] : demand) {
      auto rate = rates.of_class(c, options_.how);
      if (!rate) continue;
      for (const core::HostCapacity& capacity : result_.capacity) {
        if (capacity.activity != c || (!capacity.kernel.empty() && capacity.kernel != kernel)) continue;
        rate->value = std::min(1.0, rate->value * std::max(1.0, count / capacity.capacity.value));
      }
      if (is_slowing(*rate)) row.rates[c] = *rate;
    }
    if (!row.rates.empty()) result_.rows.push_back(std::move(row));
  }

  void copies() {
    if (copying_.size() < 2) return;
    for (const ActivityClass c : {ActivityClass::htod, ActivityClass::dtoh}) {
      const Team team = team_of(copying_, {c});
      if (team.size() > 1) add_capacity(compare(nullptr, team), c, {});
    }
    // Opposite directions on two devices: within one they are the device's own matter.
    const Worker in{copying_[0], ActivityClass::htod};
    const Worker out{copying_[1], ActivityClass::dtoh};
    if (sizes_.count(in) != 0 && sizes_.count(out) != 0) add_row(compare(nullptr, {in, out}), {});
  }

  void kernels(const KernelProbe& probe) {
    const Team cores = team_of(groups_, {ActivityClass::kernel});
    if (cores.size() > 1) add_capacity(compare(&probe, cores), ActivityClass::kernel, probe.name);
    const auto with = [&](std::initializer_list<ActivityClass> classes) {
      Team team = team_of(copying_, classes);
      if (team.empty()) return;
      team.insert(team.end(), cores.begin(), cores.end());
      add_row(compare(&probe, team), probe.name);
    };
    with({ActivityClass::htod});
    with({ActivityClass::dtoh});
    with({ActivityClass::htod, ActivityClass::dtoh});
  }

  core::Executor& executor_;
  std::span<const ContentionDevice> devices_;
  const ContentionOptions& options_;
  std::vector<std::size_t> copying_, groups_;
  std::map<Worker, std::uint64_t> sizes_;  ///< bytes of a command
  Contention result_;
  std::size_t done_ = 0;
};

}  // namespace

Contention measure_contention(core::Executor& executor, std::span<const ContentionDevice> devices,
                              std::span<const KernelProbe> probes, const ContentionOptions& options) {
  return ContentionCampaign(executor, devices, options).run(probes);
}

}  // namespace forelap::calibrate
