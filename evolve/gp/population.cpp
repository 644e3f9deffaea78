#include "evolve/gp/population.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::evolve::gp {
namespace {

void check_range(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  core::throw_bad_input(std::string(name) + " is " + core::shortest(value) + "; expected " + core::shortest(least) +
                        " to " + core::shortest(most));
}

Individual individual_of(const Grammar& grammar, const Settings& settings, std::vector<Codon> codons) {
  Individual individual{std::move(codons), {}};
  individual.derivation = derive(grammar, individual.codons, settings.limits);
  return individual;
}

/// The fittest of some drawn with replacement; among equals the first drawn.
std::size_t tournament(std::span<const double> fitness, const Settings& settings, Direction direction, Random& random) {
  std::size_t winner = random.below(fitness.size());
  for (std::size_t i = 1; i < settings.tournament; ++i) {
    const std::size_t rival = random.below(fitness.size());
    if (is_better(fitness[rival], fitness[winner], direction)) winner = rival;
  }
  return winner;
}

std::vector<std::size_t> best_indices(std::span<const double> fitness, std::size_t count, Direction direction) {
  std::vector<std::size_t> order(fitness.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_better(fitness[a], fitness[b], direction); });
  order.resize(std::min(count, order.size()));
  return order;
}

std::vector<Codon> crossed(const Settings& settings, const Individual& a, const Individual& b, Random& random) {
  const bool trees = settings.variation == VariationKind::subtrees && a.derivation.valid() && b.derivation.valid();
  return trees ? cross_subtrees(a, b, settings.limits.nodes, random) : cross_codons(a, b, settings.within_used, random);
}

std::vector<Codon> mutated(const Grammar& grammar, const Settings& settings, Individual individual, Random& random) {
  if (settings.variation == VariationKind::subtrees && individual.derivation.valid()) {
    return regrow_subtree(grammar, individual, settings.regrow_depth, settings.limits.nodes, random);
  }
  mutate_codon(individual.codons, individual.derivation.nodes.size(), settings.within_used, random);
  return std::move(individual.codons);
}

Individual child_of(const Grammar& grammar, const Settings& settings, const Generation& parents, std::size_t a,
                    std::size_t b, Random& random) {
  Individual child = parents.individuals[a];
  if (random.unit() < settings.crossover) {
    child = individual_of(grammar, settings, crossed(settings, child, parents.individuals[b], random));
  }
  if (random.unit() < settings.mutation) {
    child = individual_of(grammar, settings, mutated(grammar, settings, std::move(child), random));
  }
  return child;
}

}  // namespace

void check(const Settings& settings) {
  check_range("population", static_cast<double>(settings.population), 1, 1e6);
  check_range("codons", static_cast<double>(settings.codons), 1, 1e6);
  check_range("crossover", settings.crossover, 0, 1);
  check_range("mutation", settings.mutation, 0, 1);
  check_range("tournament", static_cast<double>(settings.tournament), 1, 1e6);
  check_range("elites", static_cast<double>(settings.elites), 0, static_cast<double>(settings.population));
  check_range("nodes of a derivation", settings.limits.nodes, 1, 1e7);
  check_range("depth of a derivation", settings.limits.depth, 1, 1e7);
  check_range("extra depth of a subtree", settings.regrow_depth, 0, 1e6);
}

Generation first_generation(const Grammar& grammar, const Settings& settings) {
  check(settings);
  Random random(settings.seed, 0);
  Generation generation;
  generation.individuals.reserve(settings.population);
  for (std::size_t i = 0; i < settings.population; ++i) {
    generation.individuals.push_back(individual_of(grammar, settings, random_codons(settings.codons, random)));
  }
  return generation;
}

Generation next_generation(const Grammar& grammar, const Settings& settings, const Generation& current,
                           std::span<const double> fitness, Direction direction) {
  check(settings);
  if (current.individuals.empty() || fitness.size() != current.individuals.size()) {
    core::throw_bad_input("a generation of " + std::to_string(current.individuals.size()) + " individuals came with " +
                          std::to_string(fitness.size()) + " fitness values; each needs one");
  }
  Generation next;
  next.number = current.number + 1;
  next.individuals.reserve(settings.population);
  for (const std::size_t elite : best_indices(fitness, settings.elites, direction)) {
    next.individuals.push_back(current.individuals[elite]);
  }
  Random random(settings.seed, next.number);
  while (next.individuals.size() < settings.population) {
    const std::size_t a = tournament(fitness, settings, direction, random);
    const std::size_t b = tournament(fitness, settings, direction, random);
    next.individuals.push_back(child_of(grammar, settings, current, a, b, random));
  }
  return next;
}

Generation restored_generation(const Grammar& grammar, const Settings& settings, std::uint64_t number,
                               std::vector<std::vector<Codon>> genotypes) {
  check(settings);
  Generation generation;
  generation.number = number;
  for (std::vector<Codon>& codons : genotypes) {
    generation.individuals.push_back(individual_of(grammar, settings, std::move(codons)));
  }
  return generation;
}

UniqueTexts unique_texts(const Generation& generation) {
  UniqueTexts unique;
  std::unordered_map<std::string_view, std::uint32_t> seen;
  for (std::uint32_t i = 0; i < generation.individuals.size(); ++i) {
    const Derivation& derivation = generation.individuals[i].derivation;
    if (!derivation.valid()) {
      unique.of.push_back(UniqueTexts::kInvalid);
      ++unique.invalid;
      continue;
    }
    const auto [place, fresh] = seen.try_emplace(derivation.text, static_cast<std::uint32_t>(unique.texts.size()));
    if (fresh) {
      unique.texts.push_back(derivation.text);
      unique.first.push_back(i);
    }
    unique.of.push_back(place->second);
  }
  return unique;
}

std::vector<double> spread_fitness(const UniqueTexts& unique, std::span<const double> by_text, Direction direction) {
  std::vector<double> fitness;
  fitness.reserve(unique.of.size());
  for (const std::uint32_t text : unique.of) {
    fitness.push_back(text == UniqueTexts::kInvalid ? worst_fitness(direction)
                                                    : ranked_fitness(by_text[text], direction));
  }
  return fitness;
}

Summary summarise(std::span<const double> fitness, Direction direction) {
  Summary summary;
  double sum = 0;
  for (std::size_t i = 0; i < fitness.size(); ++i) {
    if (is_better(fitness[i], fitness[summary.best], direction)) summary.best = i;
    if (!std::isfinite(fitness[i])) continue;
    sum += fitness[i];
    ++summary.finite;
  }
  summary.best_fitness = fitness.empty() ? worst_fitness(direction) : ranked_fitness(fitness[summary.best], direction);
  summary.mean_fitness = summary.finite == 0 ? 0 : sum / static_cast<double>(summary.finite);
  return summary;
}

}  // namespace forelap::evolve::gp
