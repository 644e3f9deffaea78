#include "calibrate/pieces.hpp"

#include <gtest/gtest.h>

namespace forelap::calibrate {
namespace {

SizeGroup at(double size, double seconds) {
  return {size, {{{1, size, 0}, seconds, 0.004 * seconds}}};
}

TEST(Pieces, KeepsOneLineWhereItHolds) {
  std::vector<SizeGroup> groups;
  for (double s = 1; s < 5000; s *= 2) groups.push_back(at(s, 3 + 0.1 * s));
  EXPECT_EQ(split(groups, {}).size(), 1U);
}

TEST(Pieces, FindsTheBendBetweenTwoLines) {
  std::vector<SizeGroup> groups;
  for (double s = 1; s < 100000; s *= 2) groups.push_back(at(s, s < 300 ? 3 + 0.1 * s : 18 + 0.05 * s));
  const std::vector<Stretch> stretches = split(groups, {});
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(groups[stretches[0].last].size, 256);
  EXPECT_NEAR(stretches[0].fit.value[1], 0.1, 1e-9);
  EXPECT_NEAR(stretches[1].fit.value[0], 18, 1e-6);
}

TEST(Pieces, NeverMakesMoreStretchesThanAllowed) {
  std::vector<SizeGroup> groups;
  for (int i = 1; i < 40; ++i) groups.push_back(at(i, (i % 4 + 1) * i));
  SplitRules rules;
  rules.most_stretches = 3;
  EXPECT_LE(split(groups, rules).size(), 3U);
}

TEST(Pieces, ThinsLongSeriesByLogarithm) {
  std::vector<SizeGroup> groups;
  for (int i = 1; i <= 5000; ++i) groups.push_back(at(i, 1 + i));
  const std::vector<SizeGroup> few = thin(groups, 32);
  EXPECT_LE(few.size(), 32U);
  EXPECT_GE(few.size(), 20U);
  EXPECT_EQ(few.back().size, 5000);
  for (const SizeGroup& g : few) EXPECT_LE(g.equations.size(), 8U);
}

}  // namespace
}  // namespace forelap::calibrate
