#include "evolve/de/sansde.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "evolve/de/functions.hpp"
#include "tests/evolve/de/test_objectives.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

SansdeState started(const Box& box, Objective& objective, std::uint64_t seed, std::size_t count = 20) {
  SansdeState state = random_population(box, count, Random(seed));
  evaluate_all(state, objective);
  return state;
}

Bytes bytes_of(const SansdeState& state) {
  ByteWriter out;
  write(out, state);
  return out.bytes();
}

TEST(Sansde, TheShareOfAStrategyFollowsItsSuccesses) {
  StrategyCounts counts;
  EXPECT_DOUBLE_EQ(counts.share_of_first(), 0.5);
  counts.successes = {30, 10};
  counts.failures = {10, 30};
  // 30 (10 + 30) / (10 (30 + 10) + 30 (10 + 30)) = 1200 / 1600
  EXPECT_DOUBLE_EQ(counts.share_of_first(), 0.75);
}

TEST(Sansde, SharesAreReckonedEveryFiftyGenerationsAndTheCountersRestart) {
  BenchmarkFunction sphere({Function::sphere, 10, {}, {}, 0});
  const Box box = usual_box(Function::sphere, 10);
  SansdeState state = started(box, sphere, 1);
  optimise(state, box, sphere, 49);
  EXPECT_EQ(state.adaptation.p, 0.5);
  EXPECT_EQ(state.adaptation.fp, 0.5);
  const StrategyCounts before = state.adaptation.mutation;
  EXPECT_EQ(before.successes[0] + before.successes[1] + before.failures[0] + before.failures[1], 4U + 49U * 20U);
  optimise(state, box, sphere, 1);
  EXPECT_NE(state.adaptation.p, 0.5);
  EXPECT_NE(state.adaptation.fp, 0.5);
  const StrategyCounts after = state.adaptation.mutation;
  EXPECT_EQ(after.successes, (std::array<std::uint64_t, 2>{1, 1}));
  EXPECT_EQ(after.failures, (std::array<std::uint64_t, 2>{1, 1}));
}

TEST(Sansde, TheMeanCrossoverRateIsTheGainWeightedMeanEveryTwentyFiveGenerations) {
  BenchmarkFunction sphere({Function::sphere, 10, {}, {}, 0});
  const Box box = usual_box(Function::sphere, 10);
  SansdeState state = started(box, sphere, 1);
  optimise(state, box, sphere, 25);
  EXPECT_EQ(state.adaptation.cr_mean, 0.5);
  EXPECT_GT(state.adaptation.gains, 0.0);
  const double expected = state.adaptation.gains_times_cr / state.adaptation.gains;
  optimise(state, box, sphere, 1);
  EXPECT_EQ(state.adaptation.cr_mean, expected);
}

TEST(Sansde, CrossoverRatesAreDrawnEveryFiveGenerationsWithinZeroAndOne) {
  BenchmarkFunction sphere({Function::sphere, 10, {}, {}, 0});
  const Box box = usual_box(Function::sphere, 10);
  SansdeState state = started(box, sphere, 1);
  state.adaptation.cr_mean = 0.97;
  optimise(state, box, sphere, 1);
  const std::vector<double> first = state.adaptation.cr;
  for (const double cr : first) EXPECT_TRUE(cr > 0.0 && cr < 1.0) << cr;
  optimise(state, box, sphere, 4);
  EXPECT_EQ(state.adaptation.cr, first);
  optimise(state, box, sphere, 1);
  EXPECT_NE(state.adaptation.cr, first);
}

TEST(Sansde, TrialsOfAGenerationAllComeFromTheOldPopulation) {
  // A function that calls every new vector better than all before: were trials made from the new population, the
  // batch could not hold all of them at once.
  std::vector<std::size_t> batches;
  class Batches : public Objective {
   public:
    explicit Batches(std::vector<std::size_t>& sizes) : sizes_(sizes) {}
    [[nodiscard]] std::size_t dimension() const override { return 3; }
    void evaluate(std::span<const double>, std::span<double> values) override {
      sizes_.push_back(values.size());
      std::fill(values.begin(), values.end(), -static_cast<double>(sizes_.size()));
    }

   private:
    std::vector<std::size_t>& sizes_;
  } objective(batches);
  const Box box = uniform_box(3, -1.0, 1.0);
  SansdeState state = started(box, objective, 1, 8);
  optimise(state, box, objective, 3);
  EXPECT_EQ(batches, (std::vector<std::size_t>{8, 8, 8, 8}));
  EXPECT_EQ(state.fitness, std::vector<double>(8, -4.0));
}

TEST(Sansde, FitnessNeverRisesAndBelongsToTheIndividuals) {
  BenchmarkFunction rastrigin({Function::rastrigin, 12, {}, {}, 0});
  const Box box = usual_box(Function::rastrigin, 12);
  SansdeState state = started(box, rastrigin, 5);
  for (int generation = 0; generation < 30; ++generation) {
    const std::vector<double> before = state.fitness;
    optimise(state, box, rastrigin, 1);
    std::vector<double> values(state.count);
    rastrigin.evaluate(state.x, values);
    EXPECT_EQ(values, state.fitness);
    for (std::size_t i = 0; i < state.count; ++i) EXPECT_LE(state.fitness[i], before[i]);
  }
}

TEST(Sansde, EveryIndividualStaysInTheBoxAndFixedVariablesStayFixed) {
  Box box = uniform_box(6, -0.5, 2.0);
  box.lower[2] = box.upper[2] = 1.25;
  AnyFunction objective(6, [](std::span<const double> x) { return x[0] - x[1] + x[2] + x[3] * x[4] * x[5]; });
  SansdeState state = started(box, objective, 2, 10);
  optimise(state, box, objective, 200);
  for (std::size_t k = 0; k < state.x.size(); ++k) {
    EXPECT_GE(state.x[k], box.lower[k % 6]);
    EXPECT_LE(state.x[k], box.upper[k % 6]);
  }
  EXPECT_NEAR(state.fitness[state.best()], -0.5 - 2.0 + 1.25 - 0.5 * 4.0, 1e-6);
}

TEST(Sansde, EveryTrialDiffersFromItsParentIfTheFunctionAllows) {
  // Crossover rates near 0 take no coordinate at all in most trials; one is then forced.
  std::uint64_t same = 0, seen = 0;
  Box box = uniform_box(2, -1.0, 1.0);
  SansdeState state = random_population(box, 8, Random(3));
  const std::vector<double> parents = state.x;
  AnyFunction objective(2, [&](std::span<const double> x) {
    const std::size_t i = seen++ % 8;
    same += std::equal(x.begin(), x.end(), parents.begin() + static_cast<std::ptrdiff_t>(2 * i)) ? 1 : 0;
    return 1e9;  // nothing is accepted, so the parents stay
  });
  std::fill(state.fitness.begin(), state.fitness.end(), 0.0);
  state.adaptation.cr_mean = 0.0;
  optimise(state, box, objective, 100);
  EXPECT_EQ(seen, 800U);
  EXPECT_EQ(same, 0U);
  EXPECT_EQ(state.x, parents);
}

TEST(Sansde, ValuesThatAreNotFiniteAreCountedAndNeverKept) {
  const Box box = uniform_box(2, -1.0, 1.0);
  AnyFunction objective(2, often_unusable);
  SansdeState state = started(box, objective, 1, 30);
  const std::uint64_t first = state.rejected;
  EXPECT_GT(first, 5U);
  replace_unusable(state, box, objective);
  for (const double value : state.fitness) EXPECT_TRUE(std::isfinite(value));
  const std::uint64_t before = state.rejected;
  optimise(state, box, objective, 50);
  EXPECT_GT(state.rejected, before);
  for (std::size_t i = 0; i < state.count; ++i) EXPECT_EQ(state.fitness[i], often_unusable(state.individual(i)));
  EXPECT_EQ(state.evaluations, objective.calls);
  EXPECT_LT(state.fitness[state.best()], 1e-3);
}

TEST(Sansde, AnIndividualWithoutAValueIsReplacedByTheFirstFiniteTrialAndSpoilsNoMean) {
  BenchmarkFunction sphere({Function::sphere, 4, {}, {}, 0});
  const Box box = usual_box(Function::sphere, 4);
  SansdeState state = started(box, sphere, 1, 10);
  state.fitness[3] = std::numeric_limits<double>::infinity();
  optimise(state, box, sphere, 1);
  EXPECT_TRUE(std::isfinite(state.fitness[3]));
  EXPECT_TRUE(std::isfinite(state.adaptation.gains));
}

TEST(Sansde, AFunctionWithoutAnyFiniteValueIsAnError) {
  const Box box = uniform_box(2, -1.0, 1.0);
  AnyFunction nothing(2, [](std::span<const double>) { return std::nan(""); });
  SansdeState state = started(box, nothing, 1, 5);
  EXPECT_EQ(state.rejected, 5U);
  EXPECT_THROW(replace_unusable(state, box, nothing, 3), Error);
  EXPECT_EQ(state.evaluations, 20U);
}

TEST(Sansde, TooFewIndividualsAndSizesThatDisagreeAreErrors) {
  const Box box = uniform_box(3, 0.0, 1.0);
  EXPECT_THROW(random_population(box, 4, Random(1)), Error);
  EXPECT_NO_THROW(random_population(box, 5, Random(1)));
  EXPECT_THROW(random_population({{1.0}, {0.0}}, 5, Random(1)), Error);
  SansdeState state = random_population(box, 5, Random(1));
  AnyFunction two(2, sum_of_squares);
  EXPECT_THROW(optimise(state, box, two, 1), Error);
}

TEST(Sansde, WhatTheFunctionThrowsComesThrough) {
  const Box box = uniform_box(3, 0.0, 1.0);
  AnyFunction bad(3, [](std::span<const double>) -> double { throw std::runtime_error("bad function"); });
  SansdeState state = random_population(box, 5, Random(1));
  EXPECT_THROW(optimise(state, box, bad, 1), std::runtime_error);
}

TEST(Sansde, TheSeedDecidesEveryBit) {
  BenchmarkFunction ackley({Function::ackley, 40, {}, {}, 0});
  const Box box = usual_box(Function::ackley, 40);
  const auto run = [&](std::uint64_t seed) {
    SansdeState state = started(box, ackley, seed);
    optimise(state, box, ackley, 77);
    return bytes_of(state);
  };
  EXPECT_EQ(run(4), run(4));
  EXPECT_NE(run(4), run(5));
}

TEST(Sansde, GoingOnFromSavedBytesIsTheSameAsNotStopping) {
  BenchmarkFunction griewank({Function::griewank, 33, {}, {}, 0});
  const Box box = usual_box(Function::griewank, 33);
  for (const std::uint64_t stop : {0U, 1U, 3U, 25U, 49U, 50U, 61U}) {
    SansdeState whole = started(box, griewank, 6), first = whole;
    optimise(whole, box, griewank, 100);
    optimise(first, box, griewank, stop);
    const Bytes saved = bytes_of(first);
    ByteReader in(saved);
    SansdeState second = read_sansde(in);
    in.expect_end();
    optimise(second, box, griewank, 100 - stop);
    EXPECT_EQ(bytes_of(second), bytes_of(whole)) << stop;
  }
}

TEST(Sansde, FindsTheMinimaOfThirtyVariables) {
  const auto best = [](Function function, std::uint64_t generations) {
    BenchmarkFunction objective({function, 30, random_shift(usual_box(function, 30), 0.2, 1), {}, 0});
    const Box box = usual_box(function, 30);
    SansdeState state = started(box, objective, 9, 50);
    optimise(state, box, objective, generations);
    return state.fitness[state.best()];
  };
  EXPECT_LT(best(Function::sphere, 1500), 1e-8);
  EXPECT_LT(best(Function::ackley, 1500), 1e-5);
  EXPECT_LT(best(Function::griewank, 1500), 5e-2);
  EXPECT_LT(best(Function::rastrigin, 2500), 10.0);
  EXPECT_LT(best(Function::schwefel_2_26, 2500), 500.0);
  EXPECT_LT(best(Function::rosenbrock, 3000), 50.0);
}

TEST(Sansde, NeighboursAreLearntFromAndNotChanged) {
  // The own population is one point: without others nothing can move; with them it can.
  BenchmarkFunction sphere({Function::sphere, 3, {}, {}, 0});
  const Box box = usual_box(Function::sphere, 3);
  SansdeState stuck = random_population(box, 5, Random(1));
  std::fill(stuck.x.begin(), stuck.x.end(), 50.0);
  evaluate_all(stuck, sphere);
  SansdeState alone = stuck, led = stuck;
  optimise(alone, box, sphere, 20);
  EXPECT_EQ(alone.x, stuck.x);
  const std::vector<double> leader(3, 0.0);
  std::vector<double> rows;
  for (int k = 0; k < 30; ++k) rows.push_back(k - 15.0);
  optimise(led, box, sphere, 20, {rows, leader, 0.0});
  EXPECT_LT(led.fitness[led.best()], 7500.0);
}

}  // namespace
