#include "calibrate/clean.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Sample timed(double bytes, double seconds, std::uint32_t round = 1) {
  Sample s;
  s.bytes = bytes;
  s.seconds = seconds;
  s.round = round;
  return s;
}

TEST(Clean, LeavesGoodSamplesAlone) {
  const std::vector<Sample> samples = {timed(1e3, 1.01e-5),   timed(1e3, 1.002e-5),  timed(1e6, 2.013e-5),
                                       timed(1e7, 1.1007e-4), timed(1e8, 1.0103e-3), timed(1e8, 1.0205e-3)};
  Warnings warnings;
  EXPECT_EQ(clean(samples, warnings).size(), samples.size());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Clean, NamesAndLeavesOutAnOutlierOf400Times) {
  const std::vector<Sample> samples = {timed(1e6, 1.00e-4), timed(1e6, 1.01e-4), timed(1e6, 400e-4),
                                       timed(1e6, 0.99e-4)};
  Warnings warnings;
  EXPECT_EQ(clean(samples, warnings).size(), 3U);
  EXPECT_THAT(warnings, Contains(HasSubstr("outliers are left out (1); the worst, transfer htod pinned 1000000 B")));
  EXPECT_THAT(warnings, Contains(HasSubstr("398 times")));
}

TEST(Clean, FindsAnOutlierInASeriesOfSingleSamplesByItsNeighbours) {
  for (const double factor : {400.0, 1 / 400.0}) {
    for (std::size_t broken = 0; broken < 8; ++broken) {
      std::vector<Sample> samples;
      for (std::size_t i = 0; i < 8; ++i) {
        const double bytes = 1000 * static_cast<double>(1U << (2 * i));
        samples.push_back(timed(bytes, (5e-6 + bytes / 20e9) * (i == broken ? factor : 1)));
      }
      Warnings warnings;
      const std::vector<Sample> kept = clean(samples, warnings);
      EXPECT_EQ(kept.size(), 7U) << broken << " " << factor;
      for (const Sample& s : kept) EXPECT_NE(s.bytes, samples[broken].bytes) << broken << " " << factor;
    }
  }
}

TEST(Clean, KeepsColdFirstRunsApartAndTellsTheirRatio) {
  const std::vector<Sample> samples = {timed(1e6, 5.6e-3, 0), timed(1e6, 1e-4), timed(1e6, 1.002e-4)};
  Warnings warnings;
  EXPECT_EQ(clean(samples, warnings).size(), 2U);
  EXPECT_THAT(warnings, Contains(HasSubstr("55.9 times as long")));
}

TEST(Clean, RecognisesAColdFirstRunThatIsNotMarked) {
  const std::vector<Sample> samples = {timed(1e6, 5e-3), timed(1e6, 1e-4), timed(1e6, 1.002e-4), timed(1e6, 1.01e-4)};
  Warnings warnings;
  EXPECT_EQ(clean(samples, warnings).size(), 3U);
  EXPECT_THAT(warnings, Contains(HasSubstr("cold first runs are left out (1)")));
}

TEST(Clean, NamesAStalledClock) {
  const std::vector<Sample> some = {timed(1e3, 0), timed(1e6, 1.1e-4), timed(1e6, 1.23e-4), timed(1e7, 1.004e-3)};
  Warnings warnings;
  EXPECT_EQ(clean(some, warnings).size(), 3U);
  EXPECT_THAT(warnings, Contains(HasSubstr("stalled clock: 1 of 4")));
  const std::vector<Sample> all = {timed(1e3, 0), timed(1e6, 0)};
  EXPECT_THROW(clean(all, warnings), core::Error);
}

TEST(Clean, RefusesTimesThatAClockOf15MillisecondsCannotTell) {
  const std::vector<Sample> all = {timed(1e6, 0.015), timed(1e6, 0.015), timed(1e7, 0.030),
                                   timed(1e7, 0.015), timed(1e8, 0.045), timed(1e8, 0.060)};
  Warnings warnings;
  try {
    clean(all, warnings);
    FAIL() << "expected an error";
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("steps by 15.00 ms"));
    EXPECT_THAT(error.what(), HasSubstr("300.0 ms are needed"));
  }
}

TEST(Clean, KeepsWhatACoarseClockCanTell) {
  const std::vector<Sample> samples = {timed(1e6, 0.015), timed(1e6, 0.015), timed(1e9, 0.450),
                                       timed(1e9, 0.465), timed(4e9, 1.815), timed(4e9, 1.830)};
  Warnings warnings;
  EXPECT_EQ(clean(samples, warnings).size(), 4U);
  EXPECT_THAT(warnings, Contains(HasSubstr("2 of 6 are left out")));
}

TEST(Clean, RoundsThatDifferAsWholesShowAsDrift) {
  std::vector<Sample> samples;
  for (const double bytes : {1e6, 1e7}) {
    for (std::uint32_t round = 1; round <= 3; ++round)
      samples.push_back(timed(bytes, bytes * (1 + 0.01 * round), round));
  }
  // Each round is one hundredth above the one before: a standard deviation of one hundredth of the median, 1.02.
  EXPECT_NEAR(round_deviation(group(samples)), 0.01 / 1.02, 1e-12);
}

}  // namespace
}  // namespace forelap::calibrate
