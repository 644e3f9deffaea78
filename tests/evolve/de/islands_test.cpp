#include "evolve/de/islands.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "evolve/de/functions.hpp"
#include "tests/evolve/de/test_objectives.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

constexpr std::size_t kCount = 10;

IslandSettings settings_for(std::size_t islands) {
  IslandSettings settings;
  settings.islands = islands;
  settings.population = 8;
  settings.migration.every = 5;
  settings.migration.count = 2;
  settings.seed = 4;
  return settings;
}

struct Problem {
  BenchmarkFunction objective{{Function::rastrigin, kCount, {}, {}, 0}};
  Box box = usual_box(Function::rastrigin, kCount);
};

TEST(Islands, EveryIslandSendsItsBestToTheNextOfTheRing) {
  Problem problem;
  Islands manager(settings_for(4), problem.box);
  std::vector<SansdeState> states;
  EXPECT_TRUE(manager.order(2).fitness.empty()) << "nobody has been anywhere yet";
  manager.round(states, problem.objective);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const IslandOrder order = manager.order((rank + 1) % 4);
    const SansdeState& from = states[rank];
    ASSERT_EQ(order.fitness.size(), 2U);
    EXPECT_EQ(order.fitness.front(), from.fitness[from.best()]);
    const auto best = from.individual(from.best());
    EXPECT_TRUE(std::equal(best.begin(), best.end(), order.immigrants.begin()));
  }
}

TEST(Islands, AShuffledRingStillReachesEveryIslandOnceAndNeverItself) {
  Problem problem;
  IslandSettings settings = settings_for(5);
  settings.migration.topology = Topology::shuffled_ring;
  Islands manager(settings, problem.box);
  std::vector<SansdeState> states;
  std::vector<std::vector<double>> seen;
  for (int round = 0; round < 4; ++round) {
    manager.round(states, problem.objective);
    std::vector<double> firsts;
    for (std::size_t rank = 0; rank < 5; ++rank) {
      firsts.push_back(manager.order(rank).fitness.front());
      EXPECT_NE(firsts.back(), states[rank].fitness[states[rank].best()]);
    }
    std::vector<double> bests;
    for (const SansdeState& state : states) bests.push_back(state.fitness[state.best()]);
    EXPECT_TRUE(std::is_permutation(firsts.begin(), firsts.end(), bests.begin()));
  }
}

TEST(Islands, ImmigrantsTakeTheWorstPlacesIfTheyAreBetter) {
  const Box box = uniform_box(2, -10.0, 10.0);
  AnyFunction wall(2, [](std::span<const double>) { return 1e9; });  // no trial is accepted, so only immigrants show
  IslandSettings settings = settings_for(2);
  settings.population = 5;
  settings.migration.every = 1;
  SansdeState island = random_population(box, 5, Random(1));
  island.fitness = {3.0, 1.0, 5.0, 4.0, 2.0};
  const IslandOrder order{0, 1, {7.0, 7.0, 8.0, 8.0}, {0.5, 4.5}};
  SansdeState better = island;
  const IslandReply reply = carry_out(better, order, settings, box, wall);
  EXPECT_EQ(better.fitness, (std::vector<double>{3.0, 1.0, 0.5, 4.0, 2.0})) << "4.5 is worse than the second worst";
  EXPECT_EQ(better.individual(2)[0], 7.0);
  EXPECT_EQ(reply.fitness, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(reply.best, (std::vector<double>{7.0, 7.0}));
  settings.migration.only_better = false;
  SansdeState any = island;
  carry_out(any, order, settings, box, wall);
  EXPECT_EQ(any.fitness, (std::vector<double>{3.0, 1.0, 0.5, 4.5, 2.0}));
  settings.migration.replaced = Replaced::random;
  for (std::uint64_t key = 0; key < 50; ++key) {
    SansdeState random = island;
    random.random = Random(key);
    carry_out(random, order, settings, box, wall);
    EXPECT_EQ(random.fitness[1], 1.0) << "the best stays";
    EXPECT_EQ(std::count(random.fitness.begin(), random.fitness.end(), 0.5), 1);
    EXPECT_EQ(std::count(random.fitness.begin(), random.fitness.end(), 4.5), 1);
  }
}

TEST(Islands, RandomEmigrantsAreDifferentIndividualsOfTheIsland) {
  Problem problem;
  IslandSettings settings = settings_for(2);
  settings.migration.emigrants = Emigrants::random;
  settings.migration.count = 7;
  SansdeState island = begin_island(settings, problem.box, 0, problem.objective);
  const IslandReply reply = carry_out(island, {0, 0, {}, {}}, settings, problem.box, problem.objective);
  std::vector<double> left = island.fitness;
  for (const double value : reply.fitness) {
    const auto found = std::find(left.begin(), left.end(), value);
    ASSERT_NE(found, left.end());
    left.erase(found);
  }
}

TEST(Islands, TheOrderInWhichIslandsWorkAndRepliesComeChangesNoBit) {
  Problem problem;
  for (const Topology topology : {Topology::ring, Topology::shuffled_ring}) {
    IslandSettings settings = settings_for(6);
    settings.migration.topology = topology;
    Islands straight(settings, problem.box), reversed(settings, problem.box);
    std::vector<SansdeState> states, others;
    for (std::size_t rank = 0; rank < 6; ++rank) {
      others.push_back(begin_island(settings, problem.box, rank, problem.objective));
    }
    for (int round = 0; round < 4; ++round) {
      straight.round(states, problem.objective);
      std::vector<IslandReply> replies;
      for (std::size_t rank = 6; rank-- > 0;) {
        ByteWriter there, back;
        write(there, reversed.order(rank));
        ByteReader order(there.bytes());
        write(back, carry_out(others[rank], read_island_order(order), settings, problem.box, problem.objective));
        ByteReader reply(back.bytes());
        replies.push_back(read_island_reply(reply));
      }
      reversed.merge(std::move(replies));
    }
    EXPECT_EQ(straight.save(states), reversed.save(others));
  }
}

TEST(Islands, GoingOnFromACheckpointIsTheSameAsNotStopping) {
  Problem problem;
  Islands whole(settings_for(3), problem.box), first(settings_for(3), problem.box);
  std::vector<SansdeState> states, begun, restored;
  for (int round = 0; round < 30; ++round) whole.round(states, problem.objective);
  for (int round = 0; round < 11; ++round) first.round(begun, problem.objective);
  const Bytes saved = first.save(begun);
  Islands second = Islands::restore(settings_for(3), problem.box, saved, restored);
  for (int round = 0; round < 19; ++round) second.round(restored, problem.objective);
  EXPECT_EQ(second.save(restored), whole.save(states));
  EXPECT_EQ(second.best_value(), whole.best_value());
  EXPECT_THROW(Islands::restore(settings_for(4), problem.box, saved, restored), Error);
  EXPECT_THROW(static_cast<void>(whole.save({})), Error) << "not all islands were gathered";
}

TEST(Islands, MigrationSpreadsWhatOneIslandFound) {
  // One island is handed the minimum; the others hear of it, one more a round.
  Problem problem;
  IslandSettings settings = settings_for(4);
  Islands manager(settings, problem.box);
  std::vector<SansdeState> states;
  manager.round(states, problem.objective);
  std::fill_n(states[0].x.begin(), kCount, 0.0);
  states[0].fitness[0] = 0.0;
  for (std::size_t round = 0; round < 4; ++round) {
    manager.round(states, problem.objective);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(states[rank].fitness[states[rank].best()] == 0.0, rank <= round) << rank << " " << round;
    }
  }
  EXPECT_EQ(manager.best_value(), 0.0);
}

TEST(Islands, EvaluationsAndValuesThatAreNotFiniteAreCounted) {
  AnyFunction objective(2, often_unusable);
  Islands manager(settings_for(3), uniform_box(2, -1.0, 1.0));
  std::vector<SansdeState> states;
  for (int round = 0; round < 5; ++round) manager.round(states, objective);
  EXPECT_EQ(manager.evaluations(), objective.calls);
  EXPECT_GT(manager.rejected(), 0U);
  EXPECT_EQ(manager.best_value(), often_unusable(manager.best()));
}

TEST(Islands, OneIslandIsPlainSansde) {
  Problem problem;
  Islands manager(settings_for(1), problem.box);
  std::vector<SansdeState> states;
  for (int round = 0; round < 4; ++round) manager.round(states, problem.objective);
  SansdeState alone = begin_island(settings_for(1), problem.box, 0, problem.objective);
  optimise(alone, problem.box, problem.objective, 20);
  EXPECT_EQ(states[0].x, alone.x);
}

TEST(Islands, WhatCannotBeIsRefused) {
  Problem problem;
  const auto begin = [&](auto change) {
    IslandSettings settings = settings_for(2);
    change(settings);
    Islands(settings, problem.box);
  };
  EXPECT_THROW(begin([](IslandSettings& s) { s.islands = 0; }), Error);
  EXPECT_THROW(begin([](IslandSettings& s) { s.population = 4; }), Error);
  EXPECT_THROW(begin([](IslandSettings& s) { s.migration.every = 0; }), Error);
  EXPECT_THROW(begin([](IslandSettings& s) { s.migration.count = 8; }), Error);
  Islands manager(settings_for(2), problem.box);
  EXPECT_THROW(static_cast<void>(manager.order(2)), Error);
  EXPECT_THROW(manager.merge({}), Error);
  SansdeState island = begin_island(settings_for(2), problem.box, 0, problem.objective);
  EXPECT_THROW(carry_out(island, {0, 0, {1.0}, {1.0}}, settings_for(2), problem.box, problem.objective), Error);
}

}  // namespace
