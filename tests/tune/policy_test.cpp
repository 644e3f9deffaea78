#include "tune/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "tests/tune/open_tasks.hpp"

namespace forelap::tune {
namespace {

using namespace testing;  // open_tasks.hpp
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class EachPolicy : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EachPolicy, ::testing::ValuesIn(policy_names()),
                         [](const auto& test) { return test.param; });

TEST_P(EachPolicy, SaysItsName) {
  EXPECT_EQ(policy(GetParam())->name(), GetParam());
}

TEST_P(EachPolicy, AGroupOfNoneIsNothingToSubmit) {
  const auto p = policy(GetParam());
  EXPECT_THAT(p->next(0, {}), IsEmpty());
  p->prepare(0, {});
  EXPECT_THAT(p->next(5, {}), IsEmpty());
}

TEST_P(EachPolicy, AGroupOfOneIsSubmittedAtOnce) {
  const auto p = policy(GetParam());
  p->arrived(timed(7, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(7));
  EXPECT_THAT(p->next(0, {}), IsEmpty());
}

TEST_P(EachPolicy, TheNextGroupWaitsForTheLastTransferOfTheOneBefore) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  const Keys first = p->next(0, {});
  EXPECT_THAT(first, UnorderedElementsAre(0, 1, 2, 3));
  arrive(*p, bk50(10), 5);
  p->prepare(5, {});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_THAT(p->next(6, {}), IsEmpty()) << i;
    p->transferred(first[i], 6);
  }
  EXPECT_THAT(p->next(6, {}), UnorderedElementsAre(10, 11, 12, 13));
}

TEST_P(EachPolicy, ATaskThatFailsBeforeItsTransferEndsHoldsNothingUp) {
  const auto p = policy(GetParam());
  arrive(*p, {timed(0, 1, 1, 1), timed(1, 1, 1, 1)});
  EXPECT_EQ(p->next(0, {}).size(), 2U);
  p->arrived(timed(2, 1, 1, 1), 1);
  p->transferred(0, 1);
  p->finished(1, 2);
  EXPECT_THAT(p->next(2, {}), ElementsAre(2));
}

TEST_P(EachPolicy, WithdrawnTasksAreNotSubmittedEvenWhereTheyWereOrderedAhead) {
  const auto p = policy(GetParam());
  p->arrived(timed(9, 1, 1, 1), 0);
  ASSERT_THAT(p->next(0, {}), ElementsAre(9));
  arrive(*p, bk50());
  p->prepare(0, {});
  p->withdrawn(2, 1);
  p->transferred(9, 2);
  EXPECT_THAT(p->next(2, {}), UnorderedElementsAre(0, 1, 3));
}

TEST_P(EachPolicy, AllWithdrawnLeavesNothing) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  p->prepare(0, {});
  for (const TaskKey key : {0, 1, 2, 3}) p->withdrawn(key, 1);
  EXPECT_THAT(p->next(2, {}), IsEmpty());
}

TEST_P(EachPolicy, KeysOfTasksThatNeverCameAreIgnored) {
  const auto p = policy(GetParam());
  p->withdrawn(50, 0);
  p->transferred(51, 0);
  p->finished(52, 0);
  p->arrived(timed(0, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(0));
}

TEST_P(EachPolicy, MoreThanAGroupHoldsAreTakenFirstComeFirstServed) {
  const auto p = policy(GetParam());
  for (TaskKey key = 0; key < 100; ++key) p->arrived(timed(key, 10 + static_cast<Tick>(key * 7 % 13), 20, 5), 0);
  Keys first = run_through(*p);
  std::sort(first.begin(), first.end());
  Keys expected(64);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(first, expected);
  EXPECT_EQ(run_through(*p, 1).size(), 36U);
  EXPECT_THAT(p->next(2, {}), IsEmpty());
}

TEST_P(EachPolicy, InAHurryItAnswersWithAllThatWaits) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  p->prepare(0, hurried());
  EXPECT_THAT(p->next(0, hurried()), UnorderedElementsAre(0, 1, 2, 3));
}

TEST_P(EachPolicy, MissingStagesAreNoHindrance) {
  const auto p = policy(GetParam());
  arrive(*p, {timed(0, 0, 8, 0), timed(1, 5, 0, 0), timed(2, 0, 0, 6), timed(3, 4, 4, 0), timed(4, 0, 0, 0)});
  EXPECT_THAT(p->next(0, {}), UnorderedElementsAre(0, 1, 2, 3, 4));
}

TEST_P(EachPolicy, EqualTasksKeepTheOrderOfTheirArrival) {
  if (GetParam() == "heuristic" || GetParam() == "neh") return;  // their definitions say nothing of it
  const auto p = policy(GetParam());
  arrive(*p, {timed(3, 5, 5, 5), timed(1, 5, 5, 5), timed(2, 5, 5, 5)});
  EXPECT_THAT(p->next(0, {}), ElementsAre(3, 1, 2));
}

TEST_P(EachPolicy, TheSameEventsGiveTheSameAnswers) {
  core::Random random(11);
  std::vector<OpenTask> tasks;
  for (TaskKey key = 0; key < 20; ++key) {
    const auto length = [&] { return static_cast<Tick>(random.below(1000) + 1); };
    tasks.push_back(timed(key, length(), length(), length()));
  }
  std::vector<Keys> answers;
  for (int i = 0; i < 2; ++i) {
    const auto p = policy(GetParam());
    arrive(*p, {tasks.begin(), tasks.begin() + 7});
    const Keys first = p->next(0, {});
    arrive(*p, {tasks.begin() + 7, tasks.end()}, 3);
    p->prepare(3, {});
    for (const TaskKey key : first) p->transferred(key, 9);
    answers.push_back(p->next(9, {}));
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_P(EachPolicy, ATaskThatTheModelsCannotPriceGoesLast) {
  const auto p = policy(GetParam());
  OpenTask unknown;
  unknown.key = 4;
  unknown.kernel = "of nobody";
  unknown.work = 1;
  p->arrived(unknown, 0);
  arrive(*p, bk50());
  const Keys keys = p->next(0, {});
  ASSERT_EQ(keys.size(), 5U);
  EXPECT_EQ(keys.back(), GetParam() == "arrival" ? 3U : 4U);
}

TEST(Policies, ArrivalKeepsTheOrderEvenOfWhatCannotBePriced) {
  const auto p = policy("arrival");
  OpenTask unknown;
  unknown.key = 4;
  unknown.htod_bytes = 100;
  p->arrived(unknown, 0);
  p->arrived(timed(2, 9, 9, 9), 0);
  p->arrived(timed(3, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(4, 2, 3));
}

TEST(Policies, AreThoseThatScenariosMayAskFor) {
  EXPECT_EQ(policy_names(), scenarios::online_policy_names());
}

TEST(Policies, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    policy("best");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("\"best\""));
    EXPECT_THAT(error.what(), HasSubstr("heuristic"));
  }
}

TEST(Policies, OptionsOutOfRangeAreRefused) {
  PolicyOptions options;
  options.largest_group = 65;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
  options.largest_group = 0;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
  options.largest_group = 64;
  options.device = 1;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
}

TEST(Policies, TheLargestGroupIsKept) {
  PolicyOptions options = by_nodes();
  options.largest_group = 3;
  const auto p = policy("auto", options);
  arrive(*p, bk50());
  EXPECT_THAT(run_through(*p), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(run_through(*p), ElementsAre(3));
}

}  // namespace
}  // namespace forelap::tune
