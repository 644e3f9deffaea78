#include "evolve/gp/population.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;

const Grammar& grammar() {
  static const Grammar parsed = parse_grammar(keijzer_6().grammar);
  return parsed;
}

Settings settings(std::size_t population) {
  Settings chosen;
  chosen.population = population;
  chosen.seed = 42;
  return chosen;
}

/// Any fitness will do to breed: the length of the text.
std::vector<double> lengths(const Generation& generation) {
  std::vector<double> fitness;
  for (const Individual& individual : generation.individuals) {
    const Derivation& derivation = individual.derivation;
    fitness.push_back(derivation.valid() ? static_cast<double>(derivation.text.size()) : std::nan(""));
  }
  return fitness;
}

std::vector<std::vector<Codon>> genotypes(const Generation& generation) {
  std::vector<std::vector<Codon>> all;
  for (const Individual& individual : generation.individuals) all.push_back(individual.codons);
  return all;
}

Generation after(const Settings& chosen, int generations) {
  Generation generation = first_generation(grammar(), chosen);
  for (int i = 0; i < generations; ++i) {
    generation = next_generation(grammar(), chosen, generation, lengths(generation), Direction::maximise);
  }
  return generation;
}

TEST(Population, TheSameSeedGivesTheSameGenerations) {
  for (const VariationKind kind : {VariationKind::codons, VariationKind::subtrees}) {
    Settings chosen = settings(40);
    chosen.variation = kind;
    const auto first = genotypes(after(chosen, 5));
    EXPECT_EQ(genotypes(after(chosen, 5)), first);
    chosen.seed = 43;
    EXPECT_NE(genotypes(after(chosen, 5)), first);
  }
}

TEST(Population, TheFirstGenerationIsThatOfTheseNumbers) {
  // Recorded once; another sequence of random numbers would make every kept run a different one.
  const Generation generation = first_generation(grammar(), settings(2));
  ASSERT_EQ(generation.individuals.size(), 2U);
  EXPECT_EQ(generation.individuals[0].codons.size(), 221U);
  EXPECT_EQ(generation.individuals[0].codons[0], 715619323U);
  EXPECT_EQ(generation.individuals[0].derivation.text, "08.21f");
  EXPECT_EQ(generation.individuals[1].derivation.text, "sqrtf(fabsf(x + 68.14f))");
}

TEST(Population, AStoppedRunGoesOnAsIfItHadNotStopped) {
  const Settings chosen = settings(30);
  const Generation third = after(chosen, 3);
  Generation restored = restored_generation(grammar(), chosen, third.number, genotypes(third));
  Generation whole = third;
  for (int i = 0; i < 3; ++i) {
    restored = next_generation(grammar(), chosen, restored, lengths(restored), Direction::maximise);
    whole = next_generation(grammar(), chosen, whole, lengths(whole), Direction::maximise);
  }
  EXPECT_EQ(restored.number, 6U);
  EXPECT_EQ(genotypes(restored), genotypes(whole));
}

TEST(Population, KeepsItsSizeAndItsElites) {
  Settings chosen = settings(25);
  chosen.elites = 2;
  const Generation first = first_generation(grammar(), chosen);
  std::vector<double> fitness(25, 1.0);
  fitness[7] = 9;
  fitness[3] = 5;
  const Generation next = next_generation(grammar(), chosen, first, fitness, Direction::maximise);
  ASSERT_EQ(next.individuals.size(), 25U);
  EXPECT_EQ(next.number, 1U);
  EXPECT_EQ(next.individuals[0].codons, first.individuals[7].codons);
  EXPECT_EQ(next.individuals[1].codons, first.individuals[3].codons);
}

TEST(Population, TheBestNeverGetsWorse) {
  Settings chosen = settings(20);
  Generation generation = first_generation(grammar(), chosen);
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const Summary summary = summarise(lengths(generation), Direction::maximise);
    EXPECT_GE(summary.best_fitness, best);
    best = summary.best_fitness;
    generation = next_generation(grammar(), chosen, generation, lengths(generation), Direction::maximise);
  }
}

TEST(Population, SelectionPrefersTheFitterInBothDirections) {
  Settings chosen = settings(400);
  chosen.crossover = 0;
  chosen.mutation = 0;
  const Generation first = first_generation(grammar(), chosen);
  for (const Direction direction : {Direction::minimise, Direction::maximise}) {
    const Generation next = next_generation(grammar(), chosen, first, lengths(first), direction);
    const double before = summarise(lengths(first), direction).mean_fitness;
    const double now = summarise(lengths(next), direction).mean_fitness;
    EXPECT_TRUE(direction == Direction::minimise ? now < before : now > before) << before << " " << now;
  }
}

TEST(Population, NotANumberIsNeverChosenOverANumber) {
  Settings chosen = settings(50);
  chosen.tournament = 200;  // finds the only number among 50, but for one draw in many thousands
  chosen.crossover = 0;
  chosen.mutation = 0;
  const Generation first = first_generation(grammar(), chosen);
  std::vector<double> fitness(50, std::numeric_limits<double>::quiet_NaN());
  fitness[20] = 1e300;
  const Generation next = next_generation(grammar(), chosen, first, fitness, Direction::minimise);
  EXPECT_EQ(next.individuals[0].codons, first.individuals[20].codons);
  const auto copies = std::ranges::count_if(next.individuals, [&](const Individual& individual) {
    return individual.codons == first.individuals[20].codons;
  });
  EXPECT_GE(copies, 45);
}

TEST(Population, SettingsOutOfRangeAreNamed) {
  const auto refused = [](auto change) {
    Settings chosen;
    change(chosen);
    return refusal_of([&] { check(chosen); });
  };
  EXPECT_THAT(refused([](Settings& s) { s.population = 0; }), HasSubstr("population is 0; expected 1 to"));
  EXPECT_THAT(refused([](Settings& s) { s.crossover = 1.5; }), HasSubstr("crossover is 1.5"));
  EXPECT_THAT(refused([](Settings& s) { s.mutation = std::nan(""); }), HasSubstr("mutation is"));
  EXPECT_THAT(refused([](Settings& s) { s.elites = 301; }), HasSubstr("elites is 301; expected 0 to 300"));
  EXPECT_THAT(refused([](Settings& s) { s.tournament = 0; }), HasSubstr("tournament is 0"));
  EXPECT_THAT(refused([](Settings& s) { s.codons = 0; }), HasSubstr("codons is 0"));
  const Generation first = first_generation(grammar(), settings(3));
  const std::vector<double> two = {1, 2};
  EXPECT_THAT(refusal_of([&] { next_generation(grammar(), settings(3), first, two, Direction::minimise); }),
              HasSubstr("3 individuals came with 2 fitness values"));
}

TEST(Population, DuplicatesAreFoundByTheirText) {
  const Grammar tiny = parse_grammar("<start> ::= x | y | <start><start>\n");
  // x; y; x by another codon; never ends.
  const Generation generation = restored_generation(tiny, settings(4), 0, {{0}, {1}, {3}, {2}});
  const UniqueTexts unique = unique_texts(generation);
  EXPECT_THAT(unique.texts, testing::ElementsAre("x", "y"));
  EXPECT_THAT(unique.first, testing::ElementsAre(0U, 1U));
  EXPECT_THAT(unique.of, testing::ElementsAre(0U, 1U, 0U, UniqueTexts::kInvalid));
  EXPECT_EQ(unique.invalid, 1U);
  const std::vector<double> by_text = {4, std::nan("")};
  const double worst = std::numeric_limits<double>::infinity();
  EXPECT_THAT(spread_fitness(unique, by_text, Direction::minimise), testing::ElementsAre(4, worst, 4, worst));
}

TEST(Population, SummariesLeaveOutWhatIsNotFinite) {
  const std::vector<double> fitness = {3, std::nan(""), 1, std::numeric_limits<double>::infinity()};
  const Summary summary = summarise(fitness, Direction::minimise);
  EXPECT_EQ(summary.best, 2U);
  EXPECT_EQ(summary.best_fitness, 1);
  EXPECT_EQ(summary.mean_fitness, 2);
  EXPECT_EQ(summary.finite, 2U);
  const std::vector<double> none = {std::nan("")};
  EXPECT_TRUE(std::isinf(summarise(none, Direction::minimise).best_fitness));
}

}  // namespace
}  // namespace forelap::evolve::gp
