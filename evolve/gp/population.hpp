#pragma once
// Grammatical evolution as a pure step: a generation and its fitness give the next generation. The random numbers of
// generation n depend on the seed and n only, so a run stopped after any generation goes on as if it had not been, and
// the way in which fitness was found (method, workers, device) changes nothing.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evolve/gp/derivation.hpp"
#include "evolve/gp/direction.hpp"
#include "evolve/gp/grammar.hpp"
#include "evolve/gp/variation.hpp"

namespace forelap::evolve::gp {

/// The defaults are the paper's where it has one.
struct Settings {
  std::size_t population = 300;  ///< 1 .. 1,000,000
  std::size_t codons = 221;      ///< of a fresh individual
  double crossover = 0.7;        ///< probability, 0 .. 1
  double mutation = 0.7;         ///< probability, 0 .. 1
  std::size_t tournament = 2;    ///< individuals compared for one parent
  std::size_t elites = 1;        ///< best individuals that pass unchanged
  VariationKind variation = VariationKind::codons;
  bool within_used = false;        ///< cuts and mutations only where codons were used (kind codons)
  std::uint32_t regrow_depth = 4;  ///< how much deeper than its flattest form a subtree grows (kind subtrees)
  std::uint64_t seed = 1;
  DerivationLimits limits;
};

struct Generation {
  std::uint64_t number = 0;
  std::vector<Individual> individuals;
};

/// Throws core::Error (bad_input) naming the setting that is out of range.
void check(const Settings& settings);

/// Generation 0: random genotypes.
Generation first_generation(const Grammar& grammar, const Settings& settings);

/// `fitness[i]` belongs to individual i; one that is not a number is the worst. Ties go to the lower index.
Generation next_generation(const Grammar& grammar, const Settings& settings, const Generation& current,
                           std::span<const double> fitness, Direction direction);

/// A generation from kept genotypes, to go on with a stopped run.
Generation restored_generation(const Grammar& grammar, const Settings& settings, std::uint64_t number,
                               std::vector<std::vector<Codon>> genotypes);

/// Individuals by their text. `texts[k]` is the k-th different text, in order of first appearance; `of[i]` the index of
/// individual i's text, kInvalid where its derivation is not complete.
struct UniqueTexts {
  static constexpr std::uint32_t kInvalid = 0xffffffffU;
  std::vector<std::string> texts;
  std::vector<std::uint32_t> first;  ///< the first individual with that text
  std::vector<std::uint32_t> of;
  std::size_t invalid = 0;
};
UniqueTexts unique_texts(const Generation& generation);

/// Fitness of every individual from the fitness of each different text; individuals without text get the worst.
std::vector<double> spread_fitness(const UniqueTexts& unique, std::span<const double> by_text, Direction direction);

struct Summary {
  std::size_t best = 0;     ///< index of the best individual
  double best_fitness = 0;  ///< infinite if no individual has a finite one
  double mean_fitness = 0;  ///< over the finite ones; 0 without any
  std::size_t finite = 0;   ///< individuals with a finite fitness
};
Summary summarise(std::span<const double> fitness, Direction direction);

}  // namespace forelap::evolve::gp
