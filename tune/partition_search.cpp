#include "tune/partition_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace forelap::tune {
namespace {

using scenarios::DevicePart;
using scenarios::PartitionTuning;

/// Chunks that are tried; between them times differ little.
constexpr std::uint32_t kChunks[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
/// Less than so much faster is not worth another chunk: rounding of ticks and shares.
constexpr double kWorthIt = 1e-4;
/// The part of the rows by which shares are settled: a hundredth of a per cent.
constexpr std::uint64_t kFinest = 8192;
/// The same where a division is only to be compared, and how much slower one is then that need not be looked at again.
constexpr std::uint64_t kRough = 1024;
constexpr double kRoughly = 0.005;

std::size_t devices_with_rows(const PartitionTuning& tuning) {
  return static_cast<std::size_t>(
      std::count_if(tuning.devices.begin(), tuning.devices.end(), [](const DevicePart& d) { return d.rows > 0; }));
}

}  // namespace

/// The most rows from `first` on that take at most `limit`: by a secant in a bracket, since times are nearly affine.
template <class Time>
std::uint64_t PartitionSearch::rows_within(double limit, std::uint64_t first, double guess, Time&& time) {
  const std::uint64_t all = evaluator_.rows() - first;
  if (all == 0) return 0;
  const std::uint64_t slack = std::max<std::uint64_t>(1, evaluator_.rows() / (4 * kFinest));
  std::uint64_t low = 0;
  std::uint64_t high = all;
  double at_low = 0;
  double at_high = time(first, all);
  if (at_high <= limit) return all;
  auto next = static_cast<std::uint64_t>(std::clamp(guess, 0.0, static_cast<double>(all)));
  for (int tries = 0; high - low > slack; ++tries) {
    if (next <= low || next >= high) next = low + (high - low) / 2;
    const double at = time(first, next);
    (at <= limit ? low : high) = next;
    (at <= limit ? at_low : at_high) = at;
    const auto width = static_cast<double>(high - low);
    const double part = at_high > at_low && at_high < kImpossible ? (limit - at_low) / (at_high - at_low) : 0.5;
    // Every third time by halves, so that a bend does not hold the secant back; else a little beyond the guess, so that
    // the other end of the bracket moves too.
    const double to = tries % 3 == 2 ? 0.5 : part;
    next = low + static_cast<std::uint64_t>(std::clamp(to, 0.0, 1.0) * width) + (tries % 2 == 0 ? slack / 2 : 0);
  }
  return low;
}

/// Rows of each device so that all end at one time, in the order of the devices; the last to get rows takes the rest.
template <class Time>
std::vector<std::uint64_t> PartitionSearch::finish_together(const PartitionTuning& base, double precision,
                                                            Time&& time) {
  const std::uint64_t rows = evaluator_.rows();
  const std::size_t count = base.devices.size();
  std::vector<double> guess(count, static_cast<double>(rows) / static_cast<double>(count));
  const auto shares_at = [&](double limit) {
    std::vector<std::uint64_t> shares(count);
    std::uint64_t first = 0;
    for (std::size_t d = 0; d < count; ++d) {
      shares[d] = rows_within(limit, first, guess[d], [&](std::uint64_t f, std::uint64_t r) { return time(d, f, r); });
      guess[d] = static_cast<double>(shares[d]);
      first += shares[d];
    }
    return shares;
  };
  double high = kImpossible;
  for (std::size_t d = 0; d < count; ++d) high = std::min(high, time(d, 0, rows));
  if (high == kImpossible) {
    // No device can do all of it: the times of those that can do a part bound it from above.
    high = 0;
    for (std::size_t d = 0; d < count; ++d) {
      const double part = time(d, 0, std::max<std::uint64_t>(1, rows / 1024));
      if (part < kImpossible) high = std::max(high, part * 2048);
    }
  }
  double low = 0;
  std::vector<std::uint64_t> best = shares_at(high);
  for (int i = 0; i < 40 && high - low > precision * high; ++i) {
    const double middle = i == 0 ? high / static_cast<double>(count) : (low + high) / 2;
    auto shares = shares_at(middle);
    const bool all = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}) == rows;
    (all ? high : low) = middle;
    if (all) best = std::move(shares);
  }
  return best;
}

PartitionTuning PartitionSearch::equal_finish(PartitionTuning base) {
  const auto shares = finish_together(base, 2e-4, [&](std::size_t d, std::uint64_t first, std::uint64_t rows) {
    return evaluator_.alone(base.devices[d], d, first, rows, base.transfers, base.memory);
  });
  std::uint64_t left = evaluator_.rows();
  for (std::size_t d = 0; d < shares.size(); ++d) {
    base.devices[d].rows = shares[d];
    left -= shares[d];
  }
  // Only where memory ends before the rows do.
  if (left > 0) base.devices.back().rows += left;
  return base;
}

double PartitionSearch::bound(const PartitionTuning& base) {
  const auto busiest = [&](std::size_t d, std::uint64_t first, std::uint64_t rows) {
    return evaluator_.busiest(base.devices[d], d, first, rows, base.memory);
  };
  const auto shares = finish_together(base, 1e-6, busiest);
  double bound = kImpossible;
  std::uint64_t first = 0;
  // All end at about the same time; the earliest end is what none can beat.
  for (std::size_t d = 0; d < shares.size(); ++d) {
    if (shares[d] > 0) bound = std::min(bound, busiest(d, first, shares[d]));
    first += shares[d];
  }
  return bound;
}

std::uint32_t PartitionSearch::best_chunks(const PartitionTuning& tuning, std::size_t d, std::uint64_t first) {
  DevicePart part = tuning.devices[d];
  if (part.in_place || part.rows == 0) return 1;
  if (options_.chunks) return *options_.chunks;
  std::uint32_t best = 1;
  double least = kImpossible;
  for (const std::uint32_t chunks : kChunks) {
    if (chunks > options_.most_chunks || chunks > part.rows) break;
    part.chunks = chunks;
    const double time = evaluator_.alone(part, d, first, part.rows, tuning.transfers, tuning.memory);
    if (time < least * (1 - kWorthIt)) {
      least = time;
      best = chunks;
    } else if (time > 1.5 * least) {
      break;
    }
  }
  return best;
}

void PartitionSearch::choose_chunks(PartitionTuning& tuning) {
  std::uint64_t first = 0;
  for (std::size_t d = 0; d < tuning.devices.size(); ++d) {
    tuning.devices[d].chunks = best_chunks(tuning, d, first);
    first += tuning.devices[d].rows;
  }
}

PartitionTuning PartitionSearch::only(PartitionTuning base, std::size_t d) {
  for (DevicePart& device : base.devices) device.rows = 0;
  base.devices[d].rows = evaluator_.rows();
  choose_chunks(base);
  return base;
}

/// Rows from the device that ends last to one of the others; true where that made the whole faster.
bool PartitionSearch::try_moves(PartitionTuning& tuning, PartitionRun& now, std::uint64_t step) {
  const auto last = static_cast<std::size_t>(std::max_element(now.ends.begin(), now.ends.end()) - now.ends.begin());
  const std::uint64_t moved = std::min(step, tuning.devices[last].rows);
  if (moved == 0) return false;
  PartitionTuning best;
  PartitionRun best_run = now;
  for (std::size_t d = 0; d < tuning.devices.size(); ++d) {
    if (d == last || tuning.devices[d].rows == 0) continue;
    PartitionTuning other = tuning;
    other.devices[last].rows -= moved;
    other.devices[d].rows += moved;
    PartitionRun run = evaluator_.run(other);
    if (run.time >= best_run.time) continue;
    best_run = std::move(run);
    best = std::move(other);
  }
  if (best_run.time >= now.time) return false;
  tuning = std::move(best);
  now = std::move(best_run);
  return true;
}

void PartitionSearch::move_rows(PartitionTuning& tuning, double& time, std::uint64_t parts) {
  const std::uint64_t finest = std::max<std::uint64_t>(1, evaluator_.rows() / parts);
  PartitionRun now = evaluator_.run(tuning);
  time = now.time;
  if (devices_with_rows(tuning) < 2) return;
  std::uint64_t step = std::max(finest, evaluator_.rows() / 32);
  while (!options_.stop.stop_requested()) {
    int moves = 0;
    while (moves < 16 && try_moves(tuning, now, step)) ++moves;
    if (step <= finest) break;
    step = std::max(finest, step / (moves > 0 ? 2 : 3));
  }
  time = now.time;
}

bool PartitionSearch::try_chunks(PartitionTuning& tuning, double& time) {
  bool better = false;
  for (std::size_t d = 0; d < tuning.devices.size() && !options_.chunks; ++d) {
    DevicePart& part = tuning.devices[d];
    if (part.in_place || part.rows == 0) continue;
    const std::uint32_t given = part.chunks;
    std::uint32_t best = given;
    for (const std::uint32_t chunks :
         {std::max(1U, given / 2), std::max(1U, given * 3 / 4), given * 3 / 2, given * 2}) {
      if (chunks == given || chunks > options_.most_chunks || chunks > part.rows) continue;
      part.chunks = chunks;
      const double other = evaluator_.run(tuning).time;
      if (other >= time * (1 - kWorthIt)) continue;
      time = other;
      best = chunks;
    }
    part.chunks = best;
    better = better || best != given;
  }
  return better;
}

PartitionTuning PartitionSearch::refine(PartitionTuning tuning) {
  double time = kImpossible;
  move_rows(tuning, time, kFinest);
  for (int pass = 0; pass < 3 && !options_.stop.stop_requested() && try_chunks(tuning, time); ++pass) {
    move_rows(tuning, time, kFinest);
  }
  return tuning;
}

std::optional<PartitionTuning> PartitionSearch::without(const PartitionTuning& tuning, std::size_t d) {
  if (devices_with_rows(tuning) < 2) return std::nullopt;
  PartitionTuning other = tuning;
  std::vector<double> weights;
  for (DevicePart& device : other.devices) weights.push_back(static_cast<double>(device.rows));
  weights[d] = 0;
  const auto shares = scenarios::divide(evaluator_.rows(), weights);
  for (std::size_t i = 0; i < shares.size(); ++i) other.devices[i].rows = shares[i];
  double time = 0;
  move_rows(other, time, kRough);
  return other;
}

PartitionTuning PartitionSearch::drop(PartitionTuning tuning) {
  double time = evaluator_.run(tuning).time;
  for (std::size_t d = 0; d < tuning.devices.size(); ++d) {
    if (tuning.devices[d].rows == 0 || options_.stop.stop_requested()) continue;
    auto other = without(tuning, d);
    if (!other) break;
    if (evaluator_.run(*other).time > time * (1 + kRoughly)) continue;
    other = refine(std::move(*other));
    const double without_it = evaluator_.run(*other).time;
    if (without_it > time) continue;
    time = without_it;
    tuning = *other;
  }
  return tuning;
}

}  // namespace forelap::tune
