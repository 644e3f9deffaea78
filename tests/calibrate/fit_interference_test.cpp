// When a rate is taken as no slowdown.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/fit.hpp"

namespace forelap::calibrate {
namespace {

using core::ActivityClass;

constexpr core::ActivitySet kPair = 5;  // htod and kernel

/// Transfers of 4 ms alone, and in company at `rate` plus `swing`, which goes up and down in turn from round to round.
core::Parameter fitted_rate(double rate, double swing) {
  std::vector<Sample> samples;
  for (std::uint32_t round = 1; round <= 9; ++round) {
    Sample s;
    s.part = Part::interference;
    s.bytes = 2e8;
    s.round = round;
    s.seconds = 4e-3;
    samples.push_back(s);
    s.active = kPair;
    // The middle one of nine rounds has the rate itself.
    s.seconds = 4e-3 / (rate + (round == 5 ? 0 : round % 2 == 0 ? swing : -swing));
    samples.push_back(s);
  }
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit_samples(samples, FitOptions(), warnings);
  EXPECT_TRUE(warnings.empty() || warnings.front().find("faster") == std::string::npos);
  return model.interference.at(0).rates.at(ActivityClass::htod);
}

TEST(FitInterference, ARateWithinItsSpreadOfOneIsExactlyOne) {
  const core::Parameter rate = fitted_rate(0.99, 0.02);
  EXPECT_EQ(rate.value, 1);
  EXPECT_GT(rate.spread, 0.01) << "what it was measured to within is kept";
}

TEST(FitInterference, ARateCloserToOneThanMattersIsExactlyOne) {
  EXPECT_EQ(fitted_rate(0.9985, 0).value, 1);
}

TEST(FitInterference, ARateFurtherFromOneThanItsSpreadIsKept) {
  EXPECT_NEAR(fitted_rate(0.99, 0.001).value, 0.99, 1e-6);
  EXPECT_NEAR(fitted_rate(0.9975, 0).value, 0.9975, 1e-6);
  EXPECT_NEAR(fitted_rate(0.9, 0.02).value, 0.9, 1e-6);
}

}  // namespace
}  // namespace forelap::calibrate
