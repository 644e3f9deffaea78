#include "calibrate/campaign.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "calibrate/bench.hpp"
#include "calibrate/campaign_points.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class T>
void shuffle(std::vector<T>& items, core::Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(i))]);
  }
}

class Campaign {
 public:
  Campaign(core::Executor& executor, const CampaignOptions& options, FilledBuffers& filled, Clock::time_point begin)
      : executor_(executor), options_(options), filled_(filled), random_(options.seed), begin_(begin) {}

  void run(std::vector<Block> blocks, const FixedParts& fixed, CampaignResult& result) {
    fixed_ = fixed;
    first_round_ = Clock::now();
    planned_ = options_.least_rounds;
    for (std::uint32_t round = 1; round <= planned_; ++round) {
      shuffle(blocks, random_);
      for (Block& block : blocks) {
        if (options_.stop.stop_requested()) {
          result.complete = round > options_.least_rounds;
          return;
        }
        if (out_of_time(round, result)) return;
        measure(block, round, blocks.size(), result);
      }
      result.rounds = round;
      planned_ = planned_rounds(round, seconds_since(first_round_) / round);
    }
  }

 private:
  [[nodiscard]] std::uint32_t planned_rounds(std::uint32_t done, double each) const {
    const double left = options_.budget_seconds - seconds_since(begin_);
    const double more = each > 0 ? std::floor(left / each) : 0;
    const double most = std::min(static_cast<double>(options_.most_rounds), done + std::max(0.0, more));
    return std::max({options_.least_rounds, done, static_cast<std::uint32_t>(most)});
  }

  /// Later rounds may be cut short, as their points come in random order; the first holds each point at least once,
  /// since a model that lacks a part serves nobody.
  bool out_of_time(std::uint32_t round, CampaignResult& result) {
    if (round == 1 || seconds_since(begin_) < 1.33 * options_.budget_seconds) return false;
    result.notes.push_back("the time budget of " + core::significant(options_.budget_seconds, 3) +
                           " s was spent in round " + std::to_string(round) + " of " + std::to_string(planned_) +
                           ": spreads are less certain; give more time");
    return true;
  }

  /// Runs of a point in this round: one where the rounds asked for would not fit into the time that is left.
  [[nodiscard]] std::uint32_t repeats_now(std::size_t blocks) const {
    if (blocks_done_ == 0) return options_.repeats;
    const double each = seconds_since(first_round_) / static_cast<double>(blocks_done_);
    const double wanted = each * static_cast<double>(options_.least_rounds * blocks);
    const double given = options_.budget_seconds - std::chrono::duration<double>(first_round_ - begin_).count();
    return wanted > given ? 1 : options_.repeats;
  }

  void measure(Block& block, std::uint32_t round, std::size_t blocks, CampaignResult& result) {
    if (options_.progress) {
      options_.progress("calibrating", (round - 1) * blocks + blocks_done_ % blocks, std::size_t{planned_} * blocks);
    }
    shuffle(block, random_);
    const std::uint32_t repeats = repeats_now(blocks);
    for (Experiment& experiment : block) visit(experiment, round, repeats, result);
    ++blocks_done_;
  }

  void visit(Experiment& experiment, std::uint32_t round, std::uint32_t repeats, CampaignResult& result) {
    try {
      Prepared prepared(executor_, experiment.load, filled_);
      const Timed first = prepared.time(fixed_);
      if (!experiment.warm) record(experiment, first, 0, result);
      experiment.warm = true;
      for (std::uint32_t i = 0; i < repeats && !options_.stop.stop_requested(); ++i) {
        record(experiment, prepared.time(fixed_), round, result);
      }
    } catch (const core::Error& error) {
      const std::string note = describe(experiment.sample) + " failed: " + error.what();
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) {
        result.notes.push_back(note);
      }
    }
  }

  static void record(const Experiment& experiment, const Timed& timed, std::uint32_t round, CampaignResult& result) {
    Sample sample = experiment.sample;
    sample.seconds = timed.seconds;
    sample.outside = timed.outside;
    sample.round = round;
    result.samples.push_back(std::move(sample));
  }

  core::Executor& executor_;
  const CampaignOptions& options_;
  FilledBuffers& filled_;
  core::Random random_;
  Clock::time_point begin_;
  Clock::time_point first_round_;
  std::uint32_t planned_ = 0;
  std::size_t blocks_done_ = 0;
  FixedParts fixed_{};
};

}  // namespace

CampaignResult run_campaign(core::Executor& executor, const hw::DeviceInfo& device, std::span<const KernelProbe> probes,
                            const CampaignOptions& options) {
  if (!(options.budget_seconds >= 1)) {
    core::throw_bad_input("the time budget of a calibration is at least 1 s; found " +
                          core::significant(options.budget_seconds, 3) + " s");
  }
  const Clock::time_point begin = Clock::now();
  CampaignResult result;
  if (options.progress) options.progress("looking for sizes", 0, 0);
  FilledBuffers filled;
  PointFinder finder(executor, device, probes, options, filled, result.notes);
  std::vector<Block> blocks = finder.find();
  Campaign campaign(executor, options, filled, begin);
  campaign.run(std::move(blocks), finder.fixed_parts(), result);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace forelap::calibrate
