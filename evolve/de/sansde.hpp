#pragma once
// SaNSDE: self-adaptive differential evolution with neighbourhood search (Yang, Tang, Yao, CEC 2008; the details as in
// its authors' published program). One generation, for every individual x_i of the population as it was before:
//   mutation    with probability p: v = x_r1 + F (x_r2 - x_r3), else v = x_i + F (x_best - x_i) + F (x_r1 - x_r2 + x_r3
//               - x_r4); r1 to r4 differ from each other and from i
//   scale       F = |N(0.5, 0.3)| with probability fp, else |Cauchy(0, 1)|
//   crossover   binomial with CR_i, at least one coordinate from v; CR_i ~ N(CRm, 0.1) redrawn into (0, 1), anew every
//               5 generations
//   bounds      by modulo reflection (vectors.hpp)
//   selection   the trial replaces x_i if f(trial) <= f(x_i)
// Every 25 generations CRm = sum(gain CR) / sum(gain) over the strict improvements since; every 50 generations p and fp
// become ns1 (ns2 + nf2) / (ns2 (ns1 + nf1) + ns1 (ns2 + nf2)) of their counters, which start again at 1.
// All state is a value: what goes on from a copy, or from its saved bytes, gives the same bits.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "evolve/de/box.hpp"
#include "evolve/de/bytes.hpp"
#include "evolve/de/objective.hpp"
#include "evolve/de/random.hpp"

namespace forelap::evolve::de {

/// The fewest individuals: four others than oneself.
inline constexpr std::size_t kLeastPopulation = 5;

/// Successes and failures of two strategies since the last reckoning.
struct StrategyCounts {
  std::array<std::uint64_t, 2> successes = {1, 1};
  std::array<std::uint64_t, 2> failures = {1, 1};
  /// The probability of the first strategy that the counts speak for.
  [[nodiscard]] double share_of_first() const;
};

/// What SaNSDE learns.
struct Adaptation {
  double p = 0.5;        ///< probability of the first mutation
  double fp = 0.5;       ///< probability of a normal F
  double cr_mean = 0.5;  ///< CRm
  StrategyCounts mutation, scale;
  double gains = 0.0;           ///< sum of the gains since CRm was last reckoned
  double gains_times_cr = 0.0;  ///< and of each gain times its CR
  std::uint64_t generation = 0;
  std::vector<double> cr;  ///< CR of every individual; empty before the first generation
};

/// A population and all that goes on with it.
struct SansdeState {
  std::size_t count = 0;        ///< individuals
  std::size_t dimension = 0;    ///< variables
  std::vector<double> x;        ///< individual by individual
  std::vector<double> fitness;  ///< +infinity: no finite value known for this individual
  Adaptation adaptation;
  Random random;
  std::uint64_t evaluations = 0;
  std::uint64_t rejected = 0;  ///< values that were not finite

  [[nodiscard]] std::span<const double> individual(std::size_t i) const {
    return std::span<const double>(x).subspan(i * dimension, dimension);
  }
  /// The individual of the lowest fitness, the first of equals.
  [[nodiscard]] std::size_t best() const;
};

/// Individuals of others that a population may learn from, and does not change.
struct Neighbours {
  std::span<const double> rows;    ///< donors beside the population's own, individual by individual
  std::span<const double> leader;  ///< takes the place of x_best while no own individual is better; empty for none
  double leader_value = std::numeric_limits<double>::infinity();
};

/// Uniform within the box, not yet evaluated (every fitness +infinity). Throws bad input for fewer individuals than
/// kLeastPopulation or a bad box.
SansdeState random_population(const Box& box, std::size_t count, Random random);

/// Evaluates every individual. Values that are not finite are counted and stand as +infinity.
void evaluate_all(SansdeState& state, Objective& objective);

/// Draws individuals without a finite value anew, up to `attempts` times each; throws bad input if in the end none has
/// one, for then there is nothing to go on from.
void replace_unusable(SansdeState& state, const Box& box, Objective& objective, std::size_t attempts = 20);

/// `generations` generations; state.fitness must belong to the objective. Throws what the objective throws.
void optimise(SansdeState& state, const Box& box, Objective& objective, std::uint64_t generations,
              const Neighbours& neighbours = {});

void write(ByteWriter& out, const SansdeState& state);
/// Throws bad input where sizes do not agree.
SansdeState read_sansde(ByteReader& in);

}  // namespace forelap::evolve::de
