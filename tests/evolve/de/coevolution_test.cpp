#include "evolve/de/coevolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "core/error.hpp"
#include "evolve/de/functions.hpp"
#include "tests/evolve/de/test_objectives.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

constexpr std::size_t kCount = 24, kGroups = 6;
constexpr Sharing kSharings[] = {Sharing::best_rank, Sharing::pool, Sharing::elite};

CoevolutionSettings settings_for(std::size_t ranks, Sharing sharing = Sharing::best_rank) {
  CoevolutionSettings settings;
  settings.population = 8;
  settings.generations = 7;
  settings.ranks = ranks;
  settings.sharing = sharing;
  settings.seed = 3;
  return settings;
}

struct Problem {
  explicit Problem(Function function = Function::rastrigin)
      : objective({function, kCount, {}, {}, 0}), box(usual_box(function, kCount)) {}
  Coevolution begin(std::size_t ranks, Sharing sharing = Sharing::best_rank) {
    return Coevolution(settings_for(ranks, sharing), box, groups, objective);
  }
  BenchmarkFunction objective;
  Box box;
  Groups groups = group_in_order(kCount, kGroups);
};

TEST(Coevolution, GroupsAreDealtEvenlyAndRanksBeyondShareGroups) {
  Problem problem;
  for (const std::size_t ranks : {1U, 2U, 4U, 6U, 8U, 12U, 40U}) {
    const Coevolution manager = problem.begin(ranks);
    std::vector<std::size_t> ranks_of(kGroups, 0);
    std::size_t least = kGroups, most = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const RoundOrder order = manager.order(rank);
      least = std::min(least, order.tasks.size());
      most = std::max(most, order.tasks.size());
      for (const GroupTask& task : order.tasks) EXPECT_EQ(task.replica, ranks_of[task.group]++);
    }
    EXPECT_LE(most - least, 1U);
    const auto [low, high] = std::minmax_element(ranks_of.begin(), ranks_of.end());
    EXPECT_LE(*high - *low, 1U);
    EXPECT_GE(*low, 1U);
    EXPECT_EQ(*high > 1, ranks > kGroups);
  }
}

TEST(Coevolution, UpToOneRankAGroupTheNumberOfRanksChangesNothing) {
  Problem problem;
  std::set<std::vector<double>> found;
  std::set<std::uint64_t> evaluations;
  for (const std::size_t ranks : {1U, 2U, 3U, 5U, 6U}) {
    Coevolution manager = problem.begin(ranks);
    for (int round = 0; round < 5; ++round) manager.round(problem.objective);
    found.insert(manager.best());
    evaluations.insert(manager.evaluations());
  }
  EXPECT_EQ(found.size(), 1U);
  // 8 at first, then each round 6 groups of 8 individuals, evaluated once anew and in 7 generations, and two contexts.
  EXPECT_EQ(evaluations, (std::set<std::uint64_t>{8 + 5 * (6 * 8 * 8 + 2)}));
}

TEST(Coevolution, TheOrderInWhichRanksWorkAndRepliesComeChangesNoBit) {
  Problem problem;
  for (const Sharing sharing : kSharings) {
    Coevolution straight = problem.begin(16, sharing), shuffled = problem.begin(16, sharing);
    for (std::uint64_t round = 0; round < 3; ++round) {
      straight.round(problem.objective);
      Random random(round);
      std::vector<std::size_t> ranks(16);
      for (std::size_t k = 0; k < 16; ++k) ranks[k] = k;
      for (std::size_t k = 16; k > 1; --k) std::swap(ranks[k - 1], ranks[random.below(k)]);
      std::vector<RoundReply> replies;
      for (const std::size_t rank : ranks) {
        // Through bytes, as messages go, and with another object of the same function.
        ByteWriter there, back;
        write(there, shuffled.order(rank));
        ByteReader order(there.bytes());
        Problem elsewhere;
        write(back, carry_out(read_order(order), problem.box, problem.groups, elsewhere.objective));
        order.expect_end();
        ByteReader reply(back.bytes());
        replies.push_back(read_reply(reply));
        reply.expect_end();
      }
      shuffled.merge(std::move(replies), problem.objective);
    }
    EXPECT_EQ(straight.save(), shuffled.save());
  }
}

TEST(Coevolution, RanksOfOneGroupDifferAndTheBestOfThemIsKept) {
  Problem problem;
  Coevolution manager = problem.begin(18);
  std::vector<RoundReply> replies;
  for (std::size_t rank = 0; rank < 18; ++rank) {
    replies.push_back(carry_out(manager.order(rank), problem.box, problem.groups, problem.objective));
  }
  std::vector<double> best(kGroups, 1e300);
  std::vector<std::set<double>> values(kGroups);
  for (const RoundReply& reply : replies) {
    const SansdeState& state = reply.results.front().state;
    const double value = state.fitness[state.best()];
    best[reply.results.front().group] = std::min(best[reply.results.front().group], value);
    values[reply.results.front().group].insert(value);
  }
  manager.merge(std::move(replies), problem.objective);
  for (std::size_t g = 0; g < kGroups; ++g) {
    EXPECT_EQ(values[g].size(), 3U);
    const SansdeState kept = manager.elite(g);
    EXPECT_EQ(kept.fitness[kept.best()], best[g]);
  }
}

TEST(Coevolution, ASharedEliteKeepsTheBestOfEveryIndividual) {
  Problem problem;
  Coevolution manager = problem.begin(18, Sharing::elite);
  std::vector<RoundReply> replies;
  std::vector<double> best(8, 1e300);
  double first_best = 1e300;
  for (std::size_t rank = 0; rank < 18; ++rank) {
    replies.push_back(carry_out(manager.order(rank), problem.box, problem.groups, problem.objective));
    if (rank % kGroups != 2) continue;
    const SansdeState& state = replies.back().results.front().state;
    for (std::size_t i = 0; i < 8; ++i) best[i] = std::min(best[i], state.fitness[i]);
    if (rank == 2) first_best = state.fitness[state.best()];
  }
  manager.merge(std::move(replies), problem.objective);
  const SansdeState kept = manager.order(2).tasks.front().state;
  EXPECT_EQ(kept.fitness, best);
  EXPECT_LE(kept.fitness[kept.best()], first_best);
  EXPECT_EQ(kept.x, manager.order(8).tasks.front().state.x) << "all ranks of the group go on from it";
}

TEST(Coevolution, APoolGrowsWithItsRanksAndReadsAllItsIndividuals) {
  Problem problem;
  Coevolution manager = problem.begin(15, Sharing::pool);
  const RoundOrder order = manager.order(1);
  ASSERT_EQ(order.tasks.size(), 1U);
  EXPECT_EQ(order.tasks.front().group, 1U);
  EXPECT_EQ(order.tasks.front().foreign.size(), 2U * 8U * 4U) << "two other ranks of 8 individuals of 4 variables";
  EXPECT_EQ(manager.order(5).tasks.front().foreign.size(), 8U * 4U);
  const double before = manager.best_value();
  for (int round = 0; round < 6; ++round) manager.round(problem.objective);
  EXPECT_LT(manager.best_value(), before);
  const SansdeState elite = manager.elite(1);
  EXPECT_EQ(elite.count, 8U);
  EXPECT_TRUE(std::is_sorted(elite.fitness.begin(), elite.fitness.end()));
}

TEST(Coevolution, TheContextNeverGetsWorseAndIsWhatItsValueSays) {
  for (const Function function : {Function::rosenbrock, Function::schwefel_1_2, Function::ackley}) {
    Problem problem(function);
    for (const std::size_t ranks : {1U, 9U}) {
      Coevolution manager = problem.begin(ranks);
      for (int round = 0; round < 12; ++round) {
        const double before = manager.best_value();
        manager.round(problem.objective);
        EXPECT_LE(manager.best_value(), before);
        double value = 0.0;
        problem.objective.evaluate(manager.best(), std::span<double>(&value, 1));
        EXPECT_EQ(value, manager.best_value());
      }
    }
  }
}

TEST(Coevolution, WhereAllPartsTogetherAreWorseOneOfThemAloneIsTaken) {
  // Each variable alone is best at 1, both at 1 are bad: f = (x + y - 1)^2 from the context (0, 0).
  AnyFunction valley(2, [](std::span<const double> x) { return (x[0] + x[1] - 1.0) * (x[0] + x[1] - 1.0); });
  CoevolutionSettings settings = settings_for(2);
  settings.generations = 40;
  Coevolution manager(settings, uniform_box(2, -4.0, 4.0), {{0}, {1}}, valley);
  const double before = manager.best_value();
  manager.round(valley);
  EXPECT_GT(manager.merged_value(), manager.best_value());
  EXPECT_LT(manager.best_value(), before);
  EXPECT_LT(manager.best_value(), 1e-6);
}

TEST(Coevolution, GroupsOneAfterTheOtherSeeEachOthersWork) {
  AnyFunction valley(2, [](std::span<const double> x) { return (x[0] + x[1] - 1.0) * (x[0] + x[1] - 1.0); });
  CoevolutionSettings settings = settings_for(1);
  Coevolution manager(settings, uniform_box(2, -4.0, 4.0), {{0}, {1}}, valley);
  for (int round = 0; round < 8; ++round) {
    const double before = manager.best_value();
    manager.serial_round(valley);
    EXPECT_LE(manager.best_value(), before);
  }
  EXPECT_LT(manager.best_value(), 1e-6);
  EXPECT_EQ(manager.evaluations(), valley.calls);
  Problem problem;
  Coevolution two = problem.begin(2);
  EXPECT_THROW(two.serial_round(problem.objective), Error);
}

TEST(Coevolution, WhatIsLearntOutlivesARoundUnlessForgotten) {
  Problem problem;
  CoevolutionSettings settings = settings_for(1);
  settings.generations = 25;
  for (const bool keep : {true, false}) {
    settings.keep_adaptation = keep;
    Coevolution manager(settings, problem.box, problem.groups, problem.objective);
    manager.round(problem.objective);
    manager.round(problem.objective);
    const RoundOrder order = manager.order(0);
    EXPECT_EQ(order.tasks.front().state.adaptation.generation, keep ? 50U : 0U);
    EXPECT_EQ(order.tasks.front().state.adaptation.p != 0.5, keep);
  }
}

TEST(Coevolution, GoingOnFromACheckpointIsTheSameAsNotStopping) {
  Problem problem;
  for (const Sharing sharing : kSharings) {
    for (const std::size_t ranks : {1U, 4U, 15U}) {
      Coevolution whole = problem.begin(ranks, sharing), first = problem.begin(ranks, sharing);
      for (int round = 0; round < 6; ++round) whole.round(problem.objective);
      for (int round = 0; round < 2; ++round) first.round(problem.objective);
      const Bytes saved = first.save();
      Coevolution second = Coevolution::restore(settings_for(ranks, sharing), problem.box, problem.groups, saved);
      for (int round = 0; round < 4; ++round) second.round(problem.objective);
      EXPECT_EQ(second.save(), whole.save());
      EXPECT_EQ(second.evaluations(), whole.evaluations());
    }
  }
}

TEST(Coevolution, ACheckpointOfAnotherScenarioIsRefused) {
  Problem problem;
  Coevolution manager = problem.begin(2);
  const Bytes saved = manager.save();
  EXPECT_NO_THROW(Coevolution::restore(settings_for(2), problem.box, problem.groups, saved));
  CoevolutionSettings other = settings_for(2);
  other.seed = 4;
  EXPECT_THROW(Coevolution::restore(other, problem.box, problem.groups, saved), Error);
  EXPECT_THROW(Coevolution::restore(settings_for(3), problem.box, problem.groups, saved), Error);
  EXPECT_THROW(Coevolution::restore(settings_for(2), problem.box, group_in_order(kCount, 5), saved), Error);
  EXPECT_THROW(Coevolution::restore(settings_for(2), uniform_box(kCount, -1, 1), problem.groups, saved), Error);
}

TEST(Coevolution, MissingDoubleAndStaleRepliesAreRefusedAndChangeNothing) {
  Problem problem;
  Coevolution manager = problem.begin(3);
  std::vector<RoundReply> replies;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    replies.push_back(carry_out(manager.order(rank), problem.box, problem.groups, problem.objective));
  }
  const Bytes before = manager.save();
  EXPECT_THROW(manager.merge({replies[0], replies[1]}, problem.objective), Error);
  EXPECT_THROW(manager.merge({replies[0], replies[1], replies[1]}, problem.objective), Error);
  std::vector<RoundReply> stale = replies, cut = replies;
  stale[2].round = 1;
  cut[1].results.pop_back();
  EXPECT_THROW(manager.merge(stale, problem.objective), Error);
  EXPECT_THROW(manager.merge(cut, problem.objective), Error);
  EXPECT_THROW(static_cast<void>(manager.order(3)), Error);
  EXPECT_EQ(manager.save(), before);
  manager.merge(replies, problem.objective);
  EXPECT_THROW(manager.merge(replies, problem.objective), Error) << "they are of the round before";
}

TEST(Coevolution, ValuesThatAreNotFiniteAreCountedAndNeverBecomeTheContext) {
  AnyFunction objective(2, often_unusable);
  Coevolution manager(settings_for(5), uniform_box(2, -1.0, 1.0), {{0}, {1}}, objective);
  for (int round = 0; round < 10; ++round) manager.round(objective);
  EXPECT_GT(manager.rejected(), 10U);
  EXPECT_EQ(manager.evaluations(), objective.calls);
  EXPECT_EQ(manager.best_value(), often_unusable(manager.best()));
  EXPECT_LT(manager.best_value(), 1e-3);
}

TEST(Coevolution, WhatCannotBeIsRefused) {
  Problem problem;
  const auto begin = [&](CoevolutionSettings settings, Groups groups) {
    Coevolution(settings, problem.box, std::move(groups), problem.objective);
  };
  CoevolutionSettings few = settings_for(1), none = settings_for(0), still = settings_for(1);
  few.population = 4;
  still.generations = 0;
  EXPECT_THROW(begin(few, problem.groups), Error);
  EXPECT_THROW(begin(none, problem.groups), Error);
  EXPECT_THROW(begin(still, problem.groups), Error);
  EXPECT_THROW(begin(settings_for(1), {{0, 1}}), Error);
  AnyFunction other(3, sum_of_squares);
  EXPECT_THROW(Coevolution(settings_for(1), problem.box, problem.groups, other), Error);
}

TEST(Coevolution, BothReadingsOfTheBudget) {
  CoevolutionSettings settings;
  settings.ranks = 32;
  EXPECT_EQ(rounds_for(2000000, Budget::rounds, settings, 32), 19U);
  EXPECT_EQ(rounds_for(2000000, Budget::per_rank, settings, 32), 612U);
  settings.ranks = 1;
  EXPECT_EQ(rounds_for(2000000, Budget::per_rank, settings, 32), 19U);
  settings.ranks = 1024;
  EXPECT_EQ(rounds_for(2000000, Budget::per_rank, settings, 32), 612U);
  EXPECT_EQ(rounds_for(1, Budget::rounds, settings, 32), 1U);
}

TEST(Coevolution, AThousandRanksRunInOneThread) {
  Problem problem;
  Coevolution manager = problem.begin(1024);
  manager.round(problem.objective);
  EXPECT_EQ(manager.evaluations(), 8U + 1024U * 8U * 8U + 2U);
}

TEST(Coevolution, SolvesSmoothFunctionsOfFourHundredVariablesFarBetterThanWholeVectorsDo) {
  for (const Function function : {Function::sphere, Function::ackley, Function::griewank}) {
    BenchmarkFunction objective({function, 400, {}, {}, 0});
    const Box box = usual_box(function, 400);
    CoevolutionSettings settings;
    settings.population = 32;
    Coevolution manager(settings, box, group_in_order(400, 20), objective);
    for (int round = 0; round < 6; ++round) manager.round(objective);
    SansdeState whole = random_population(box, 32, Random(1));
    evaluate_all(whole, objective);
    optimise(whole, box, objective, manager.evaluations() / 32);
    EXPECT_LT(manager.best_value(), 0.5 * whole.fitness[whole.best()]) << name_of(function);
  }
}

}  // namespace
