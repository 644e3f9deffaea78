#pragma once
// Which points a campaign measures, found by trying. Internal to calibrate/.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/campaign.hpp"

namespace forelap::calibrate {

/// One point: how it is run, and the sample that each run fills with a time.
struct Experiment {
  Sample sample;
  Workload load;
  bool warm = false;  ///< has been run before
};

/// Experiments that are compared with each other and so measured one right after the other.
using Block = std::vector<Experiment>;

/// Finds sizes and lengths by short runs. Points that cannot be run are left out with a note.
class PointFinder {
 public:
  PointFinder(core::Executor& executor, const hw::DeviceInfo& device, std::span<const KernelProbe> probes,
              const CampaignOptions& options, FilledBuffers& filled, std::vector<std::string>& notes);

  /// All blocks of the parts asked for.
  std::vector<Block> find();
  /// Fixed parts of the classes, from chains of smallest commands.
  [[nodiscard]] const FixedParts& fixed_parts() const { return fixed_; }

 private:
  void measure_fixed_parts();
  void add_latencies();
  void add_transfers(Subject subject, core::MemoryKind memory);
  void add_kernel(const KernelProbe& probe);
  void add_launches(const KernelProbe& probe, std::uint64_t bytes);
  void add_passes(const KernelProbe& probe, std::uint64_t bytes, double once);
  void add_fill(const KernelProbe& probe, std::uint64_t bytes);
  void add_large_fill(const KernelProbe& probe, std::span<const std::uint64_t> usable);
  void add_passes_fill(const KernelProbe& probe, std::span<const std::uint64_t> usable);
  void add_near(const KernelProbe& probe);
  void add_near_launches(const KernelProbe& probe, std::uint64_t bytes);
  void add_small(const KernelProbe& probe);
  void add_small_launches(const KernelProbe& probe, std::uint64_t bytes);
  std::optional<double> stretch_of(const KernelProbe& probe, std::uint64_t bytes);
  void add_engines();
  void add_interference();
  void add_company(std::size_t subject, const Command& measured, core::ActivitySet set, Block& block);
  void lengthen_company(Experiment& experiment);
  bool two_engines();

  Command transfer_of(Subject subject, double seconds);
  Command find_transfer(Subject subject, double seconds);
  std::optional<Command> launch_of_length(const KernelProbe& probe, std::uint64_t bytes, double seconds);
  std::optional<Command> find_launch(const KernelProbe& probe, std::uint64_t bytes, double seconds);
  double work_time(const Command& command, const KernelProbe* probe);
  double quick(const Workload& workload) { return quick_time(executor_, workload, filled_); }
  void add(Experiment experiment) { blocks_.push_back({std::move(experiment)}); }
  [[nodiscard]] bool wants(Part part) const { return (options_.parts & bit(part)) != 0; }
  /// Runs `run`; where the device refuses, a note says so and the answer is false.
  bool attempt(const std::string& what, const std::function<void()>& run);

  core::Executor& executor_;
  std::span<const KernelProbe> probes_;
  const CampaignOptions& options_;
  FilledBuffers& filled_;
  std::vector<std::string>& notes_;
  std::uint32_t compute_units_ = 0;
  std::uint64_t most_bytes_ = 0;
  double longest_run_ = 0;  ///< seconds
  bool brief_ = false;      ///< a small time budget: fewer points
  double overhead_ = 0;     ///< of a run, seconds
  FixedParts fixed_{};
  std::vector<Block> blocks_;
  std::map<std::pair<Subject, double>, Command> transfers_of_length_;
  std::map<std::tuple<std::string, std::uint64_t, double>, std::optional<Command>> launches_of_length_;
};

/// Whole words near `bytes` that no scenario is likely to use: no power of two, no whole megabytes.
std::uint64_t whole_words(double bytes);

/// Largest transfer or buffer that the device's and the host's memory allow, and the options.
std::uint64_t most_bytes(const hw::DeviceInfo& device, const CampaignOptions& options);

}  // namespace forelap::calibrate
