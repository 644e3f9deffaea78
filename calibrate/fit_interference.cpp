#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "calibrate/fit_parts.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

/// A command that was alone for a larger part of its work tells little of what company does to it.
constexpr double kMostOutside = 0.5;

/// A command of one length: what is compared alone and in company.
using Length = std::tuple<Subject, std::string, double, double>;

struct Measured {
  std::vector<double> seconds;
  std::vector<double> outside;
};
using Rounds = std::map<std::uint32_t, Measured>;

core::ActivitySet set_of(const Sample& s) {
  return s.active != 0 ? s.active : core::bit(activity_of(s.subject));
}

double fixed_part(const Sample& s, const core::DeviceModel& device) {
  if (s.subject == Subject::kernel) {
    const core::KernelModel* model = core::find_kernel(device, s.kernel);
    return model == nullptr ? 0 : models::kernel_piece(*model, s.items).launch.value;
  }
  const core::Direction direction =
      s.subject == Subject::htod ? core::Direction::host_to_device : core::Direction::device_to_host;
  const core::TransferModel* model = core::find_transfer(device, direction, s.memory);
  return model == nullptr ? 0 : models::transfer_piece(*model, s.bytes).fixed.value;
}

/// Rates of one length in one set.
struct Rates {
  std::vector<double> rounds;   ///< the median of each round
  std::vector<double> samples;  ///< all
};

/// The time alone is that of the same round where it was measured, so that drift cancels.
Rates rates_of(const Rounds& alone, const Rounds& together, double fixed) {
  std::vector<double> all_alone;
  for (const auto& [round, m] : alone) all_alone.insert(all_alone.end(), m.seconds.begin(), m.seconds.end());
  Rates rates;
  for (const auto& [round, m] : together) {
    const auto same = alone.find(round);
    const double work = core::median(same == alone.end() ? all_alone : same->second.seconds) - fixed;
    std::vector<double> in_round;
    for (std::size_t i = 0; i < m.seconds.size(); ++i) {
      // What was done outside the set was done at the solo rate.
      const double inside = m.seconds[i] - fixed - m.outside[i];
      if (inside > 0 && m.outside[i] < kMostOutside * work) in_round.push_back((work - m.outside[i]) / inside);
    }
    if (in_round.empty()) continue;
    rates.rounds.push_back(core::median(in_round));
    rates.samples.insert(rates.samples.end(), in_round.begin(), in_round.end());
  }
  return rates;
}

core::Parameter make_rate(const std::vector<Rates>& by_length, const std::string& how, const std::string& what,
                          Warnings& warnings) {
  constexpr double kOfOneSample = 0.1;
  constexpr double kNoSlowdown = 0.002;
  std::vector<double> rounds, samples, medians;
  for (const Rates& rates : by_length) {
    rounds.insert(rounds.end(), rates.rounds.begin(), rates.rounds.end());
    samples.insert(samples.end(), rates.samples.begin(), rates.samples.end());
    medians.push_back(core::median(rates.rounds));
  }
  core::Parameter rate;
  rate.value = core::median(rounds);
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  const double error = core::robust_deviation(samples) / std::sqrt(static_cast<double>(samples.size()));
  rate.spread = std::max({core::standard_deviation(rounds), (*high - *low) / 2, 1.25 * error});
  if (samples.size() < 2) rate.spread = kOfOneSample * rate.value;
  rate.spread = std::min(rate.spread, 1.0);  // beyond it nothing is known of a part of one
  rate.samples = static_cast<std::uint32_t>(samples.size());
  rate.how = how;
  // What cannot be told from no slowdown is none: a table with fewer classes in it is simulated faster.
  if (rate.value < 1 && 1 - rate.value <= std::max(kNoSlowdown, rate.spread)) rate.value = 1;
  if (rate.value > 1) {
    if (rate.value > 1.02) {
      warnings.push_back(what + ": faster in company than alone (rate " + core::significant(rate.value, 4) +
                         "), taken as 1");
    }
    rate.value = 1;
  }
  return rate;
}

/// The row of exactly `set`, or null.
core::InterferenceRow* row_of(std::vector<core::InterferenceRow>& rows, core::ActivitySet set) {
  const auto at = std::find_if(rows.begin(), rows.end(), [set](const auto& row) { return row.active == set; });
  return at == rows.end() ? nullptr : &*at;
}

/// The slowest rate of `self` in the sets of `rows` that are `set` with one class less; null where there is none.
core::Parameter* slowest_of_smaller(std::vector<core::InterferenceRow>& rows, core::ActivitySet set,
                                    core::ActivityClass self) {
  core::Parameter* slowest = nullptr;
  for (unsigned c = 0; c < core::kActivityClasses; ++c) {
    const auto smaller = static_cast<core::ActivitySet>(set & ~(1U << c));
    core::InterferenceRow* row = smaller == set ? nullptr : row_of(rows, smaller);
    if (row == nullptr) continue;
    const auto at = row->rates.find(self);
    if (at != row->rates.end() && (slowest == nullptr || at->second.value < slowest->value)) slowest = &at->second;
  }
  return slowest;
}

/// A larger set's rate that cannot be told from the slowest of the sets with one class less is that one, measured more
/// often: the two are made one. Else noise would say that a further class makes others faster or slower, and a search
/// for the best order would find exactly that.
void pool_rates(std::vector<core::InterferenceRow>& rows) {
  for (core::InterferenceRow& row : rows) {
    for (auto& [self, rate] : row.rates) {
      core::Parameter* slowest = slowest_of_smaller(rows, row.active, self);
      if (slowest == nullptr || std::abs(slowest->value - rate.value) > std::hypot(slowest->spread, rate.spread)) {
        continue;
      }
      const double n = static_cast<double>(slowest->samples) + static_cast<double>(rate.samples);
      const double value = (slowest->value * slowest->samples + rate.value * rate.samples) / n;
      slowest->value = rate.value = value;
      slowest->spread = rate.spread = std::max(slowest->spread, rate.spread);
    }
  }
}

/// Lengths measured in company, by class and set.
using Table = std::map<std::pair<core::ActivitySet, core::ActivityClass>, std::vector<Rates>>;

}  // namespace

std::vector<core::InterferenceRow> fit_interference(std::span<const Sample> samples, const core::DeviceModel& device,
                                                    const std::string& how, Warnings& warnings) {
  std::map<Length, std::map<core::ActivitySet, Rounds>> measured;
  std::map<Length, double> fixed;
  for (const Sample& s : samples) {
    if (s.part != Part::interference) continue;
    const Length length{s.subject, s.kernel, s.bytes, s.work};
    fixed[length] = fixed_part(s, device);
    Measured& m = measured[length][set_of(s)][s.round];
    m.seconds.push_back(s.seconds);
    m.outside.push_back(s.outside);
  }
  Table table;
  for (const auto& [length, sets] : measured) {
    const core::ActivityClass self = activity_of(std::get<0>(length));
    const auto alone = sets.find(core::bit(self));
    for (const auto& [set, rounds] : sets) {
      if (set == core::bit(self)) continue;
      const std::string what = std::string(core::name_of(self)) + " with " + name_of(set) + " busy";
      if (alone == sets.end()) {
        warnings.push_back(what + ": not measured alone at the same size, so no rate can be told");
        continue;
      }
      const Rates rates = rates_of(alone->second, rounds, fixed[length]);
      if (rates.rounds.empty()) {
        warnings.push_back(what + ": the others were not busy for long enough, so no rate can be told");
        continue;
      }
      table[{set, self}].push_back(rates);
    }
  }
  std::vector<core::InterferenceRow> rows;
  for (const auto& [key, by_length] : table) {
    const auto [set, self] = key;
    if (rows.empty() || rows.back().active != set) rows.push_back({set, {}});
    const std::string what = std::string(core::name_of(self)) + " with " + name_of(set) + " busy";
    rows.back().rates[self] = make_rate(by_length, how, what, warnings);
  }
  pool_rates(rows);
  return rows;
}

std::optional<core::Parameter> fit_copy_engines(std::span<const Sample> samples, const core::Parameter& run_overhead,
                                                const std::string& how, Warnings& warnings) {
  const core::ActivitySet both =
      static_cast<core::ActivitySet>(core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh));
  std::vector<double> up, down, pair;
  for (const Sample& s : samples) {
    if (s.part != Part::engines) continue;
    std::vector<double>& list = set_of(s) == both ? pair : s.subject == Subject::htod ? up : down;
    list.push_back(s.seconds - run_overhead.value);
  }
  if (up.empty() || down.empty() || pair.empty()) return std::nullopt;
  const double a = core::median(up), b = core::median(down), together = core::median(pair);
  const double shorter = std::min(a, b);
  if (shorter <= 0) return std::nullopt;
  // 1 where the shorter transfer vanished behind the longer one, 0 where they ran one after the other.
  const double overlap = (a + b - together) / shorter;
  core::Parameter engines;
  engines.value = overlap > 0.5 ? 2 : 1;
  engines.samples = static_cast<std::uint32_t>(pair.size());
  engines.how = how + ": opposite transfers of equal length overlapped by " +
                core::fixed(100 * std::clamp(overlap, 0.0, 1.0), 0) + " %";
  if (overlap > 0.35 && overlap < 0.65) {
    warnings.push_back("copy engines: " + engines.how + ", between one engine (0 %) and two (100 %); taken as " +
                       core::fixed(engines.value, 0));
  }
  return engines;
}

}  // namespace forelap::calibrate
