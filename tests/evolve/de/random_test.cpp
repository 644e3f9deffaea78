#include "evolve/de/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using namespace forelap::evolve::de;

TEST(Random, TheNumbersOfAStreamArePartOfItsContract) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFU) << "SplitMix64 from 0, as published";
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4U);
}

TEST(Random, AStreamGoesOnFromItsState) {
  Random random(7);
  random.normal(0.0, 1.0);
  Random later(random.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.next(), later.next());
}

TEST(Random, StreamsDifferInSeedPurposeAndEveryNumber) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t a = 0; a < 8; ++a) {
      for (std::uint64_t b = 0; b < 8; ++b) keys.insert(stream_key(seed, Purpose::group, {a, b}));
    }
    for (std::uint64_t purpose = 2; purpose < 6; ++purpose) {
      keys.insert(stream_key(seed, Purpose{purpose}, {}));
      keys.insert(stream_key(seed, Purpose{purpose}, {0}));
      keys.insert(stream_key(seed, Purpose{purpose}, {0, 0, 0}));
    }
  }
  EXPECT_EQ(keys.size(), 4U * (64U + 12U));
}

TEST(Random, BelowReachesEveryNumberAboutEquallyOften) {
  Random random(1);
  std::vector<int> hits(7, 0);
  for (int i = 0; i < 7000; ++i) ++hits.at(random.below(7));
  for (const int count : hits) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, NormalNumbersHaveTheirMeanAndDeviation) {
  Random random(2);
  double sum = 0.0, squares = 0.0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal(0.5, 0.3);
    sum += x;
    squares += (x - 0.5) * (x - 0.5);
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.01);
  EXPECT_NEAR(squares / kCount, 0.09, 0.004);
}

TEST(Random, HalfOfCauchysNumbersLieWithinOne) {
  Random random(3);
  int inside = 0, far = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = random.cauchy();
    inside += x > -1.0 && x < 1.0 ? 1 : 0;
    far += x > 10.0 ? 1 : 0;
  }
  EXPECT_NEAR(inside, 10000, 300);
  EXPECT_NEAR(far, 634, 100) << "arccot(10) / pi of them lie above 10";
}

}  // namespace
