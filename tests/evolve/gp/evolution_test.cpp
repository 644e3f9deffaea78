// Evolution as a whole: derive, evaluate on the CPU, breed.

#include <cmath>
#include <string>
#include <vector>

#include "evolve/gp/population.hpp"
#include "evolve/gp/problem.hpp"
#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

struct Evolved {
  std::vector<double> best;  ///< a generation
  std::string text;
};

Evolved evolve(const PreparedProblem& problem, const Settings& settings, int generations) {
  Evaluator evaluator(problem);
  Generation generation = first_generation(problem.grammar, settings);
  Evolved run;
  for (int i = 0;; ++i) {
    const UniqueTexts unique = unique_texts(generation);
    std::vector<double> by_text;
    for (const std::string& text : unique.texts) by_text.push_back(evaluator.fitness(text));
    const std::vector<double> fitness = spread_fitness(unique, by_text, problem.problem.direction);
    const Summary summary = summarise(fitness, problem.problem.direction);
    run.best.push_back(summary.best_fitness);
    run.text = generation.individuals[summary.best].derivation.text;
    if (i == generations) return run;
    generation = next_generation(problem.grammar, settings, generation, fitness, problem.problem.direction);
  }
}

TEST(Evolution, ImprovesKeijzer6WithThePapersOperators) {
  const PreparedProblem problem = prepare(keijzer_6());
  Settings settings;
  settings.population = 100;
  settings.within_used = true;
  const Evolved run = evolve(problem, settings, 20);
  EXPECT_LT(run.best.back(), run.best.front());
  EXPECT_LT(run.best.back(), 0.5);
  EXPECT_EQ(Evaluator(problem).fitness(run.text), run.best.back()) << "the best text gives its fitness again";
}

TEST(Evolution, ImprovesKeijzer6FurtherOnDerivationTrees) {
  const PreparedProblem problem = prepare(keijzer_6());
  Settings settings;
  settings.population = 100;
  settings.variation = VariationKind::subtrees;
  const Evolved run = evolve(problem, settings, 20);
  EXPECT_LT(run.best.back(), 0.1);
}

TEST(Evolution, TheSameSeedGivesTheSameRun) {
  const PreparedProblem problem = prepare(keijzer_6());
  Settings settings;
  settings.population = 40;
  settings.variation = VariationKind::subtrees;
  const Evolved first = evolve(problem, settings, 8);
  const Evolved second = evolve(problem, settings, 8);
  EXPECT_EQ(first.best, second.best);
  EXPECT_EQ(first.text, second.text);
}

TEST(Evolution, NeverLosesItsBest) {
  const PreparedProblem problem = prepare(search());
  Settings settings;
  settings.population = 150;
  settings.variation = VariationKind::subtrees;
  settings.tournament = 3;
  const Evolved run = evolve(problem, settings, 15);
  for (std::size_t i = 1; i < run.best.size(); ++i) EXPECT_GE(run.best[i], run.best[i - 1]);
  EXPECT_GT(run.best.back(), 16) << "better than saying that nothing is ever found";
}

}  // namespace
}  // namespace forelap::evolve::gp
