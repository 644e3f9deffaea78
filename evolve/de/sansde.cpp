#include "evolve/de/sansde.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "evolve/de/vectors.hpp"

namespace forelap::evolve::de {

namespace {

constexpr std::uint64_t kCrDrawnEvery = 5, kCrMeanEvery = 25, kSharesEvery = 50;
constexpr double kCrDeviation = 0.1, kScaleMean = 0.5, kScaleDeviation = 0.3;

// What one individual tries in a generation.
struct Attempt {
  std::size_t mutation = 0;  // 0: around a random individual, 1: from oneself towards the best
  std::size_t scale = 0;     // 0: normal, 1: Cauchy
  std::array<std::size_t, 4> donors{};
};

void begin_generation(Adaptation& adaptation, std::size_t count, Random& random) {
  if (adaptation.generation % kCrMeanEvery == 0) {
    const double mean = adaptation.gains_times_cr / adaptation.gains;
    if (adaptation.gains > 0.0 && std::isfinite(adaptation.gains) && std::isfinite(mean)) adaptation.cr_mean = mean;
    adaptation.gains = adaptation.gains_times_cr = 0.0;
  }
  if (adaptation.cr.size() != count || adaptation.generation % kCrDrawnEvery == 0) {
    adaptation.cr.resize(count);
    for (double& cr : adaptation.cr) {
      do {
        cr = random.normal(adaptation.cr_mean, kCrDeviation);
      } while (cr <= 0.0 || cr >= 1.0);
    }
  }
}

void end_generation(Adaptation& adaptation) {
  ++adaptation.generation;
  if (adaptation.generation % kSharesEvery != 0) return;
  adaptation.p = adaptation.mutation.share_of_first();
  adaptation.fp = adaptation.scale.share_of_first();
  adaptation.mutation = adaptation.scale = StrategyCounts{};
}

// Four of `count`, different from each other and from `self`.
std::array<std::size_t, 4> draw_donors(Random& random, std::size_t count, std::size_t self) {
  std::array<std::size_t, 4> donors{};
  for (std::size_t k = 0; k < donors.size(); ++k) {
    bool taken = true;
    while (taken) {
      donors[k] = random.below(count);
      taken = donors[k] == self;
      for (std::size_t other = 0; other < k; ++other) taken = taken || donors[k] == donors[other];
    }
  }
  return donors;
}

class Generation {
 public:
  Generation(SansdeState& state, const Box& box, const Neighbours& neighbours)
      : state_(state),
        box_(box),
        neighbours_(neighbours),
        donors_(state.count + neighbours.rows.size() / state.dimension),
        attempts_(state.count),
        trials_(state.x.size()),
        values_(state.count) {}

  void run(Objective& objective) {
    begin_generation(state_.adaptation, state_.count, state_.random);
    const double* best = best_row();
    for (std::size_t i = 0; i < state_.count; ++i) make_trial(i, best);
    objective.evaluate(trials_, values_);
    state_.evaluations += state_.count;
    for (std::size_t i = 0; i < state_.count; ++i) select(i);
    end_generation(state_.adaptation);
  }

 private:
  [[nodiscard]] const double* row(std::size_t i) const {
    return i < state_.count ? &state_.x[i * state_.dimension]
                            : &neighbours_.rows[(i - state_.count) * state_.dimension];
  }
  [[nodiscard]] const double* best_row() const {
    const std::size_t best = state_.best();
    const bool led = !neighbours_.leader.empty() && neighbours_.leader_value < state_.fitness[best];
    return led ? neighbours_.leader.data() : row(best);
  }

  void make_trial(std::size_t i, const double* best) {
    Random& random = state_.random;
    Attempt& attempt = attempts_[i];
    attempt.mutation = random.uniform() < state_.adaptation.p ? 0 : 1;
    attempt.scale = random.uniform() < state_.adaptation.fp ? 0 : 1;
    TrialNumbers numbers;
    numbers.f = std::abs(attempt.scale == 0 ? random.normal(kScaleMean, kScaleDeviation) : random.cauchy());
    numbers.cr = state_.adaptation.cr[i];
    attempt.donors = draw_donors(random, donors_, i);
    const std::uint64_t key = random.next();
    numbers.key = static_cast<std::uint32_t>(key);
    numbers.second_key = static_cast<std::uint32_t>(key >> 32);

    const auto& r = attempt.donors;
    TrialRows rows{row(i),  row(r[0]), nullptr,           row(r[1]),        row(r[2]),
                   nullptr, nullptr,   box_.lower.data(), box_.upper.data()};
    if (attempt.mutation == 1) {
      rows = {row(i), row(i), best, row(r[0]), row(r[1]), row(r[2]), row(r[3]), box_.lower.data(), box_.upper.data()};
    }
    double* out = &trials_[i * state_.dimension];
    vector_code().trial(out, rows, numbers, state_.dimension);
    if (std::equal(out, out + state_.dimension, rows.parent)) force_coordinate(out, rows, numbers.f);
  }

  // No coordinate came from the mutant (or all were the same): one does.
  void force_coordinate(double* out, const TrialRows& rows, double f) {
    const std::size_t j = state_.random.below(state_.dimension);
    double v = rows.base[j];
    if (rows.best != nullptr) {
      v = v + f * (rows.best[j] - v) + f * (((rows.a[j] - rows.b[j]) + rows.c[j]) - rows.d[j]);
    } else {
      v = v + f * (rows.a[j] - rows.b[j]);
    }
    out[j] = put_back(v, rows.lower[j], rows.upper[j]);
  }

  void select(std::size_t i) {
    const double value = values_[i];
    double& kept = state_.fitness[i];
    Adaptation& adaptation = state_.adaptation;
    const Attempt& attempt = attempts_[i];
    if (!std::isfinite(value)) ++state_.rejected;
    if (!std::isfinite(value) || value > kept) {
      ++adaptation.mutation.failures[attempt.mutation];
      ++adaptation.scale.failures[attempt.scale];
      return;
    }
    ++adaptation.mutation.successes[attempt.mutation];
    ++adaptation.scale.successes[attempt.scale];
    const double gain = kept - value;
    if (gain > 0.0 && std::isfinite(gain)) {
      adaptation.gains += gain;
      adaptation.gains_times_cr += gain * adaptation.cr[i];
    }
    std::copy_n(&trials_[i * state_.dimension], state_.dimension, &state_.x[i * state_.dimension]);
    kept = value;
  }

  SansdeState& state_;
  const Box& box_;
  const Neighbours& neighbours_;
  std::size_t donors_;
  std::vector<Attempt> attempts_;
  std::vector<double> trials_, values_;
};

void check_sizes(const SansdeState& state, const Box& box, const Objective& objective) {
  if (state.dimension == box.dimension() && state.dimension == objective.dimension()) return;
  core::throw_bad_input("a population of " + std::to_string(state.dimension) + " variables, bounds of " +
                        std::to_string(box.dimension()) + " and a function of " +
                        std::to_string(objective.dimension()) + ": they must agree");
}

void draw(SansdeState& state, const Box& box, std::size_t i) {
  for (std::size_t j = 0; j < state.dimension; ++j) {
    const double x = box.lower[j] + state.random.uniform() * (box.upper[j] - box.lower[j]);
    state.x[i * state.dimension + j] = std::min(x, box.upper[j]);
  }
}

}  // namespace

double StrategyCounts::share_of_first() const {
  const auto [s1, s2] = std::pair(static_cast<double>(successes[0]), static_cast<double>(successes[1]));
  const auto [f1, f2] = std::pair(static_cast<double>(failures[0]), static_cast<double>(failures[1]));
  return s1 * (s2 + f2) / (s2 * (s1 + f1) + s1 * (s2 + f2));
}

std::size_t SansdeState::best() const {
  return static_cast<std::size_t>(std::min_element(fitness.begin(), fitness.end()) - fitness.begin());
}

SansdeState random_population(const Box& box, std::size_t count, Random random) {
  check(box);
  if (count < kLeastPopulation) {
    core::throw_bad_input("a population of " + std::to_string(count) +
                          ": differential evolution needs at least 5 individuals (four others than oneself)");
  }
  SansdeState state;
  state.count = count;
  state.dimension = box.dimension();
  state.x.resize(count * box.dimension());
  state.fitness.assign(count, std::numeric_limits<double>::infinity());
  state.random = random;
  for (std::size_t i = 0; i < count; ++i) draw(state, box, i);
  return state;
}

void evaluate_all(SansdeState& state, Objective& objective) {
  objective.evaluate(state.x, state.fitness);
  state.evaluations += state.count;
  for (double& value : state.fitness) {
    if (std::isfinite(value)) continue;
    ++state.rejected;
    value = std::numeric_limits<double>::infinity();
  }
}

void replace_unusable(SansdeState& state, const Box& box, Objective& objective, std::size_t attempts) {
  for (std::size_t i = 0; i < state.count; ++i) {
    for (std::size_t attempt = 0; attempt < attempts && !std::isfinite(state.fitness[i]); ++attempt) {
      draw(state, box, i);
      double value = 0.0;
      objective.evaluate(state.individual(i), std::span<double>(&value, 1));
      ++state.evaluations;
      if (std::isfinite(value)) {
        state.fitness[i] = value;
      } else {
        ++state.rejected;
      }
    }
  }
  if (!std::isfinite(state.fitness[state.best()])) {
    core::throw_bad_input("the function gave no finite value in " + std::to_string(state.evaluations) +
                          " evaluations: check the function and the bounds");
  }
}

void optimise(SansdeState& state, const Box& box, Objective& objective, std::uint64_t generations,
              const Neighbours& neighbours) {
  check_sizes(state, box, objective);
  Generation generation(state, box, neighbours);
  for (std::uint64_t i = 0; i < generations; ++i) generation.run(objective);
}

}  // namespace forelap::evolve::de
