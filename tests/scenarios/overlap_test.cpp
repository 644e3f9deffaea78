#include "scenarios/scenario_file.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;

TEST(OverlapCases, SplitTheFirstDirectionWhereTheOtherStarts) {
  const auto cases = overlap_cases({{64'000'000}, {0.25}, FirstDirection::htod});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].name, "htod first, 64 MB, 25 %");
  ASSERT_EQ(cases[0].tasks.size(), 3U);
  EXPECT_EQ(cases[0].tasks[0].htod.at(0).bytes, 48'000'000U);
  EXPECT_EQ(cases[0].tasks[1].htod.at(0).bytes, 16'000'000U);
  EXPECT_EQ(cases[0].tasks[2].dtoh.at(0).bytes, 64'000'000U);
  EXPECT_THAT(cases[0].tasks[2].after, ElementsAre(0U));
}

TEST(OverlapCases, HaveTwoTransfersAtTheEnds) {
  const auto cases = overlap_cases({{std::uint64_t{1} << 20}, {0, 1}, FirstDirection::dtoh});
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].name, "dtoh first, 1 MiB, 0 %");
  ASSERT_EQ(cases[0].tasks.size(), 2U);
  EXPECT_EQ(cases[0].tasks[0].name, "A1");
  EXPECT_THAT(cases[0].tasks[1].after, ElementsAre(0U));
  ASSERT_EQ(cases[1].tasks.size(), 2U);
  EXPECT_EQ(cases[1].tasks[0].name, "A2");
  EXPECT_EQ(cases[1].tasks[1].htod.at(0).bytes, std::uint64_t{1} << 20);
  EXPECT_TRUE(cases[1].tasks[1].after.empty());
}

TEST(OverlapCases, KeepPartsAtMultiplesOfFourBytes) {
  for (const TaskCase& c : overlap_cases({{1'000'003}, {0.333}, FirstDirection::both})) {
    for (const TaskSpec& task : c.tasks) {
      const auto& transfers = task.htod.empty() ? task.dtoh : task.htod;
      EXPECT_EQ(*transfers.at(0).bytes % 4, 0U);
    }
    const auto bytes = [&](std::size_t i) {
      return *(c.tasks[i].htod.empty() ? c.tasks[i].dtoh : c.tasks[i].htod).at(0).bytes;
    };
    EXPECT_EQ(bytes(0) + bytes(1), bytes(2));
  }
}

TEST(OverlapCases, OfTheShippedSeriesCoverThePapersRange) {
  const Scenario scenario = read_scenario(std::string(FORELAP_SOURCE_DIR) + "/scenarios/library/overlap.yaml");
  EXPECT_EQ(group_of(scenario).cases.size(), 60U);
  EXPECT_EQ(group_of(scenario).cases.front().name, "htod first, 16 MB, 0 %");
  EXPECT_EQ(group_of(scenario).cases.back().name, "dtoh first, 512 MB, 100 %");
}

TEST(OverlapCases, RunInTheOrderGiven) {
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\norder: all\noverlap: {sizes: [1 MB], degrees: [50 %]}\n"),
              testing::HasSubstr("order: found an order, but an overlap series runs in the order given"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\noverlap: {sizes: [0 B], degrees: [50 %]}\n"),
              testing::HasSubstr("overlap.sizes[0]: found \"0 B\""));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\noverlap: {sizes: [1 MB], degrees: [150 %]}\n"),
              testing::HasSubstr("overlap.degrees[0]: found \"150 %\""));
}

}  // namespace
}  // namespace forelap::scenarios
