#include "sim/simgrid/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace forelap::sim::simgrid {
namespace {

using core::ActivityClass;
using testing::HasSubstr;

CostedPlan sample_plan() {
  core::InterferenceRow row;
  row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::kernel);
  row.rates[ActivityClass::htod].value = 1.0 / 3;
  row.rates[ActivityClass::kernel].value = 0.1;
  CostedPlan plan;
  plan.domains.emplace_back();
  plan.domains.emplace_back(std::vector{row});
  plan.domains[1].set_capacity(ActivityClass::kernel, 0.7);
  plan.hops = {0, 1e6 / 3};
  plan.steps.resize(3);
  plan.steps[0].cost = {1.0 / 7, 1e18, 1, 1, ActivityClass::htod, {1, 0}};
  plan.steps[1].cost = {0, 5e-300, 0.1, 4000000000U, ActivityClass::kernel, {1, models::kNoDomain}};
  plan.steps[1].lane = 1;
  plan.steps[2].cost = {3, 0, 1, 1, ActivityClass::message, {models::kNoDomain, models::kNoDomain}};
  plan.steps[2].release = 12345.678901234567;
  plan.steps[2].first_dependency = 0;
  plan.steps[2].dependency_count = 2;
  plan.dependencies = {1, 0};
  return plan;
}

std::string message_of(const std::string& text) {
  try {
    decode_plan(text);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Protocol, GivesBackEveryNumberOfAPlan) {
  const CostedPlan plan = sample_plan();
  const CostedPlan back = decode_plan(encode_plan(plan));
  EXPECT_EQ(back.hops, plan.hops);
  EXPECT_EQ(back.dependencies, plan.dependencies);
  ASSERT_EQ(back.steps.size(), plan.steps.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const CostedStep& a = plan.steps[i];
    const CostedStep& b = back.steps[i];
    EXPECT_EQ(a.lane, b.lane);
    EXPECT_EQ(a.release, b.release);
    EXPECT_EQ(a.cost.fixed, b.cost.fixed);
    EXPECT_EQ(a.cost.work, b.cost.work);
    EXPECT_EQ(a.cost.fill, b.cost.fill);
    EXPECT_EQ(a.cost.launches, b.cost.launches);
    EXPECT_EQ(a.cost.activity, b.cost.activity);
    EXPECT_EQ(a.cost.domains, b.cost.domains);
    EXPECT_EQ(a.dependency_count, b.dependency_count);
  }
}

TEST(Protocol, GivesBackEveryRateOfADomain) {
  const CostedPlan plan = sample_plan();
  const CostedPlan back = decode_plan(encode_plan(plan));
  ASSERT_EQ(back.domains.size(), 2U);
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t c = 0; c < core::kActivityClasses; ++c) {
      const auto activity = static_cast<ActivityClass>(c);
      EXPECT_EQ(back.domains[d].capacity(activity), plan.domains[d].capacity(activity));
      for (unsigned set = 0; set < core::kActivitySets; ++set) {
        const auto s = static_cast<core::ActivitySet>(set);
        EXPECT_EQ(back.domains[d].rate_in_set(activity, s), plan.domains[d].rate_in_set(activity, s));
      }
    }
  }
}

TEST(Protocol, NamesTheLineAndWhatIsWrongWithIt) {
  EXPECT_THAT(message_of(""), HasSubstr("expected another line, found nothing"));
  EXPECT_THAT(message_of("lanes 1"), HasSubstr("line 1 of the plan or its answer: expected \"domains\""));
  EXPECT_THAT(message_of("domains 0 lanes 4000000000 steps 0\n"), HasSubstr("the number of lanes"));
  const std::string start = "domains 0 lanes 1 steps 1\n0\n";
  EXPECT_EQ(message_of(start + "0 0 0 1 1 0 - - 1\n"), "no error");
  EXPECT_THAT(message_of(start), HasSubstr("line 2"));
  EXPECT_THAT(message_of(start + "1 0 0 1 1 0 - - 1\n"),
              HasSubstr("line 3 of the plan or its answer: expected a lane"));
  EXPECT_THAT(message_of(start + "0 -1 0 1 1 0 - - 1\n"), HasSubstr("a release"));
  EXPECT_THAT(message_of(start + "0 0 nan 1 1 0 - - 1\n"), HasSubstr("a fixed part"));
  EXPECT_THAT(message_of(start + "0 0 0 inf 1 0 - - 1\n"), HasSubstr("a work part"));
  EXPECT_THAT(message_of(start + "0 0 0 1,5 1 0 - - 1\n"), HasSubstr("found \"1,5\""));
  EXPECT_THAT(message_of(start + "0 0 0 1 0 0 - - 1\n"), HasSubstr("at least one launch"));
  EXPECT_THAT(message_of(start + "0 0 0 1 1 5 - - 1\n"), HasSubstr("a class"));
  EXPECT_THAT(message_of(start + "0 0 0 1 1 0 0 - 1\n"), HasSubstr("a domain"));
  EXPECT_THAT(message_of(start + "0 0 0 1 1 0 - - 0\n"), HasSubstr("a fill"));
  EXPECT_THAT(message_of(start + "0 0 0 1 1 0 - - 1 0\n"), HasSubstr("an earlier step"));
  EXPECT_THAT(message_of(start + "0 0 0 1 1 0 - - 1\n0\n"), HasSubstr("expected the end"));
}

TEST(Protocol, RefusesEveryBeginningOfAPlan) {
  const std::string text = encode_plan(sample_plan());
  // Without its last dependency or the final newline it is still a plan.
  for (std::size_t length = 0; length + 5 < text.size(); ++length) {
    EXPECT_NE(message_of(text.substr(0, length)), "no error") << length;
  }
}

TEST(Protocol, EitherReadsOrRefusesScrambledPlans) {
  const std::string text = encode_plan(sample_plan());
  core::Random random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string scrambled = text;
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      scrambled[random.below(text.size())] =
          random.below(2) == 0 ? static_cast<char>(random.below(256)) : text[random.below(text.size())];
    }
    message_of(scrambled);  // any other exception fails the test
  }
}

TEST(Protocol, GivesBackIntervalsAndRefusesOthers) {
  const auto back = decode_intervals(encode_intervals({{0, 1.0 / 3}, {1e14, 1e14 + 0.25}}), 2);
  EXPECT_EQ(back[0].end, 1.0 / 3);
  EXPECT_EQ(back[1].begin, 1e14);
  EXPECT_EQ(back[1].end, 1e14 + 0.25);
  EXPECT_THROW(decode_intervals("0 1\n", 2), core::Error);
  EXPECT_THROW(decode_intervals("0 1\n0 1\n", 1), core::Error);
  EXPECT_THROW(decode_intervals("2 1\n", 1), core::Error);
  EXPECT_THROW(decode_intervals("-1 1\n", 1), core::Error);
  EXPECT_THROW(decode_intervals("0 nan\n", 1), core::Error);
}

TEST(Protocol, PutsFramesTogetherFromSingleBytes) {
  const std::string text = encode_frame("plan", "one\ntwo") + encode_frame("error", "");
  FrameReader reader;
  std::vector<Frame> frames;
  for (const char c : text) {
    reader.append({&c, 1});
    while (auto frame = reader.next()) frames.push_back(*frame);
  }
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].name, "plan");
  EXPECT_EQ(frames[0].payload, "one\ntwo");
  EXPECT_EQ(frames[1].name, "error");
  EXPECT_EQ(frames[1].payload, "");
  EXPECT_TRUE(reader.empty());
}

TEST(Protocol, RefusesWhatCannotBeTheStartOfAFrame) {
  for (const std::string& text :
       {std::string("x\n"), std::string("plan\n"), std::string("plan -1\n"), std::string("plan 99999999999999999\n"),
        std::string("plan 99999999999999999999\n"), std::string(" 5\n"), std::string("\n"), std::string(100, 'a')}) {
    FrameReader reader;
    reader.append(text);
    EXPECT_THROW(reader.next(), core::Error) << text;
  }
}

}  // namespace
}  // namespace forelap::sim::simgrid
