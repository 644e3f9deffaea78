#include "calibrate/campaign_points.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "core/quantity.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::uint64_t kTinyBytes = 68;
constexpr std::uint64_t kTinyBuffer = 5612;  // 1.37 * 4 KiB, no power of two
constexpr double kSizeStep = 2.3;

std::uint64_t host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t{4} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::vector<std::uint64_t> transfer_sizes(std::uint64_t most) {
  std::vector<std::uint64_t> sizes;
  double bytes = kTinyBuffer;
  for (; bytes <= static_cast<double>(most); bytes *= kSizeStep) sizes.push_back(whole_words(bytes));
  const std::uint64_t largest = whole_words(0.97 * static_cast<double>(most));
  if (sizes.empty() || static_cast<double>(largest) > 1.3 * static_cast<double>(sizes.back())) sizes.push_back(largest);
  return sizes;
}

}  // namespace

std::uint64_t whole_words(double bytes) {
  const std::uint64_t words = std::max<std::uint64_t>(4, static_cast<std::uint64_t>(bytes / 4) * 4);
  const bool is_round = words % 1'000'000 == 0 || words % (std::uint64_t{1} << 20) == 0 || std::has_single_bit(words);
  return is_round && words > 2048 ? words - 1012 : words;
}

std::uint64_t most_bytes(const hw::DeviceInfo& device, const CampaignOptions& options) {
  // Two pinned, two half-sized pageable buffers, one for kernels: four and a half of the largest, and change.
  const std::uint64_t host = options.host_bytes != 0 ? options.host_bytes : host_memory() / 4;
  std::uint64_t most = std::min(options.most_bytes, host / 5);
  if (device.memory_bytes != 0) most = std::min(most, device.memory_bytes / 8);
  if (device.largest_allocation != 0) most = std::min(most, device.largest_allocation);
  return std::max<std::uint64_t>(most, kTinyBuffer);
}

PointFinder::PointFinder(core::Executor& executor, const hw::DeviceInfo& device, std::span<const KernelProbe> probes,
                         const CampaignOptions& options, FilledBuffers& filled, std::vector<std::string>& notes)
    : executor_(executor),
      probes_(probes),
      options_(options),
      filled_(filled),
      notes_(notes),
      compute_units_(device.identity.compute_units),
      most_bytes_(most_bytes(device, options)),
      longest_run_(std::max(0.012, options.budget_seconds / 1000)),
      brief_(options.budget_seconds < 30) {}

bool PointFinder::attempt(const std::string& what, const std::function<void()>& run) {
  if (options_.stop.stop_requested()) return false;
  try {
    run();
    return true;
  } catch (const core::Error& error) {
    notes_.push_back(what + " is left out: " + error.what());
    return false;
  }
}

std::vector<Block> PointFinder::find() {
  measure_fixed_parts();
  if (wants(Part::latency)) add_latencies();
  if (wants(Part::transfer)) {
    for (const Subject subject : {Subject::htod, Subject::dtoh}) {
      add_transfers(subject, core::MemoryKind::pinned);
      if (options_.pageable) add_transfers(subject, core::MemoryKind::pageable);
    }
  }
  if (wants(Part::kernel) || wants(Part::fill)) {
    for (const KernelProbe& probe : probes_) add_kernel(probe);
  }
  if (wants(Part::engines)) attempt("the measurement of copy engines", [&] { add_engines(); });
  if (wants(Part::interference)) attempt("the measurement of interference", [&] { add_interference(); });
  if (probes_.empty()) notes_.push_back("no kernel was given: kernels, hops and their interference are not measured");
  return std::move(blocks_);
}

void PointFinder::measure_fixed_parts() {
  const KernelProbe* probe = probes_.empty() ? nullptr : &probes_.front();
  std::vector<double> overheads;
  for (const Subject subject : {Subject::htod, Subject::dtoh, Subject::kernel}) {
    if (subject == Subject::kernel && probe == nullptr) continue;
    Command command{subject, subject == Subject::kernel ? kTinyBuffer : kTinyBytes, 1, core::MemoryKind::pinned, 1};
    const double one = quick({probe, {command}, false, -1});
    command.count = 9;
    const double nine = quick({probe, {command}, false, -1});
    const double each = std::clamp((nine - one) / 8, 0.0, one);
    fixed_[static_cast<std::size_t>(subject)] = each;
    overheads.push_back(one - each);
  }
  overhead_ = *std::min_element(overheads.begin(), overheads.end());
}

void PointFinder::add_latencies() {
  const KernelProbe* probe = probes_.empty() ? nullptr : &probes_.front();
  Command up{Subject::htod, kTinyBytes, 1, core::MemoryKind::pinned, 1};
  Command down{Subject::dtoh, kTinyBytes, 1, core::MemoryKind::pinned, 1};
  Command kernel{Subject::kernel, kTinyBuffer, 1, core::MemoryKind::pinned, 1};
  for (const std::uint32_t count : {1U, 2U, 4U, 8U, 16U}) {
    for (Command* command : {&up, &down, &kernel}) {
      command->count = count;
      if (command == &kernel && probe == nullptr) continue;
      add({sample_of(Part::latency, *command, probe), {probe, {*command}, false, -1}});
    }
    if (probe == nullptr) continue;
    Sample chain = sample_of(Part::latency, kernel, probe);
    chain.subject = Subject::chain;
    chain.count = 3 * count;
    add({chain, {probe, {up, kernel, down}, true, -1}});
  }
}

void PointFinder::add_transfers(Subject subject, core::MemoryKind memory) {
  const bool pageable = memory == core::MemoryKind::pageable;
  const std::vector<std::uint64_t> sizes = transfer_sizes(pageable ? most_bytes_ / 2 : most_bytes_);
  for (std::size_t i = 0; i < sizes.size(); i += pageable ? 2 : 1) {
    Command command{subject, sizes[i], 1, memory, 1};
    double one = 0;
    const std::string what = describe(sample_of(Part::transfer, command, nullptr));
    if (!attempt(what, [&] { one = quick({nullptr, {command}, false, -1}); })) return;
    if (one > 2 * longest_run_) {
      notes_.push_back(what + " and larger are left out: one takes " +
                       core::display_quantity(one, core::Dimension::time) + ", too long for the time budget");
      return;
    }
    add({sample_of(Part::transfer, command, nullptr), {nullptr, {command}, false, -1}});
    if (brief_ && i % 2 == 1) continue;
    const double fit = std::floor(2 * longest_run_ / one);
    command.count = static_cast<std::uint32_t>(std::clamp(fit, 1.0, pageable || brief_ ? 4.0 : 8.0));
    if (command.count > 1) add({sample_of(Part::transfer, command, nullptr), {nullptr, {command}, false, -1}});
  }
}

double PointFinder::work_time(const Command& command, const KernelProbe* probe) {
  return std::max(1e-9, quick({probe, {command}, false, -1}) - overhead_);
}

Command PointFinder::transfer_of(Subject subject, double seconds) {
  const auto [at, is_new] = transfers_of_length_.try_emplace({subject, seconds});
  if (is_new) at->second = find_transfer(subject, seconds);
  return at->second;
}

std::optional<Command> PointFinder::launch_of_length(const KernelProbe& probe, std::uint64_t bytes, double seconds) {
  const auto [at, is_new] = launches_of_length_.try_emplace({probe.name, bytes, seconds});
  if (is_new) at->second = find_launch(probe, bytes, seconds);
  return at->second;
}

Command PointFinder::find_transfer(Subject subject, double seconds) {
  Command command{subject, whole_words(std::min(829'048.0, static_cast<double>(most_bytes_))), 1,
                  core::MemoryKind::pinned, 1};
  for (int tries = 0; tries < 5; ++tries) {
    const double ratio = seconds / work_time(command, nullptr);
    const auto wish = static_cast<double>(command.bytes) * std::clamp(ratio, 0.02, 40.0);
    const std::uint64_t next = whole_words(std::min(wish, 0.93 * static_cast<double>(most_bytes_)));
    const bool close = ratio > 0.8 && ratio < 1.25;
    if (close || next == command.bytes) break;
    command.bytes = next;
  }
  return command;
}

std::optional<Command> PointFinder::find_launch(const KernelProbe& probe, std::uint64_t bytes, double seconds) {
  Command command{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
  const double single = work_time(command, &probe);
  double time = single;
  std::uint64_t growths = 0;
  while (time < 0.8 * seconds && command.repeat < (std::uint64_t{1} << 24)) {
    const double factor = std::clamp(seconds / time, 1.3, 16.0);
    command.repeat = static_cast<std::uint64_t>(std::ceil(static_cast<double>(command.repeat) * factor));
    time = work_time(command, &probe);
    // A kernel without repetition never gets there.
    if (++growths >= 4 && time < 1.1 * single) return std::nullopt;
  }
  return command;
}

}  // namespace forelap::calibrate
