#include "scenarios/rate_text.hpp"

#include <cmath>

#include "core/statistics.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

TEST(RateText, IsShortForRatesThatPeopleWrite) {
  for (const std::string text : {"55.4 GB/s", "6 GB/s", "8.25 GB/s", "900 MB/s", "1 B/s"}) {
    EXPECT_EQ(rate_text(seconds_per_byte(text)), text);
  }
}

TEST(RateText, ReadsBackBitForBit) {
  core::Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double seconds = std::pow(10.0, -14 + 14 * random.uniform());
    const std::string rate = rate_text(seconds);
    ASSERT_EQ(seconds_per_byte(rate), seconds) << rate;
    const double spread = seconds * random.uniform() * 0.2;
    ASSERT_EQ(spread_of_seconds(rate_spread_text(spread, rate), rate), spread) << rate;
  }
}

TEST(RateText, IsEmptyWhereNoRateSaysIt) {
  EXPECT_EQ(rate_text(0), "");
  EXPECT_EQ(rate_text(1e-300), "");
}

}  // namespace
}  // namespace forelap::scenarios
