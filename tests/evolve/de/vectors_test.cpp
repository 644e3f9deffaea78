#include "evolve/de/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "evolve/de/random.hpp"

namespace {

using namespace forelap::evolve::de;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> random_row(Random& random, std::size_t count, double size) {
  std::vector<double> row(count);
  for (double& x : row) x = (2.0 * random.uniform() - 1.0) * size;
  return row;
}

TEST(Vectors, AValueBeyondABoundIsPutBackByTheModuloOfTheExcess) {
  EXPECT_EQ(put_back(1.25, -1.0, 2.0), 1.25);
  EXPECT_EQ(put_back(2.5, -1.0, 2.0), 1.5);
  EXPECT_EQ(put_back(-1.5, -1.0, 2.0), -0.5);
  EXPECT_EQ(put_back(2.0 + 3.0 + 0.5, -1.0, 2.0), 1.5) << "one whole range further is the same";
  EXPECT_EQ(put_back(-1.0 - 6.0 - 0.25, -1.0, 2.0), -0.75);
  EXPECT_EQ(put_back(2.0, -1.0, 2.0), 2.0);
}

TEST(Vectors, PuttingBackAgreesWithTheRemainderOfTheStandardLibrary) {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const double lower = -1.0 - 3.0 * random.uniform(), upper = random.uniform() * 7.0;
    const double value = 40.0 * random.cauchy();
    double expected = value;
    if (value > upper) expected = upper - std::fmod(value - upper, upper - lower);
    if (value < lower) expected = lower + std::fmod(lower - value, upper - lower);
    const double distance = std::abs(put_back(value, lower, upper) - expected);
    const double around = std::abs(distance - (upper - lower));  // both ends of the saw's tooth
    EXPECT_LE(std::min(distance, around), 1e-12 * (1.0 + std::abs(value))) << value;
  }
}

TEST(Vectors, WhateverTheValueItEndsWithinItsBounds) {
  for (const double value : {kInfinity, -kInfinity, std::nan(""), 1e300, -1e300, 1e17}) {
    EXPECT_GE(put_back(value, -1.0, 2.0), -1.0) << value;
    EXPECT_LE(put_back(value, -1.0, 2.0), 2.0) << value;
    EXPECT_EQ(put_back(value, 3.0, 3.0), 3.0) << value;
  }
  EXPECT_EQ(put_back(7.0, 3.0, 3.0), 3.0);
}

TEST(Vectors, TheProcessorsOwnCodeGivesTheBitsOfThePlainCode) {
  Random random(2);
  const VectorCode &own = vector_code(), &plain = kPlainVectors;
  for (const std::size_t n : {1U, 2U, 7U, 31U, 32U, 33U, 100U, 1000U}) {
    const auto x = random_row(random, n, 600.0), shift = random_row(random, n, 10.0),
               scale = random_row(random, n, 0.2);
    const auto agree = [&](auto mine, auto theirs) {
      const Sums a = mine(x.data(), shift.data(), scale.data(), n), b = theirs(x.data(), shift.data(), scale.data(), n);
      EXPECT_EQ(a.first, b.first) << own.name << " " << n;
      EXPECT_EQ(a.second, b.second) << own.name << " " << n;
    };
    agree(own.sphere, plain.sphere);
    agree(own.rastrigin, plain.rastrigin);
    agree(own.ackley, plain.ackley);
    agree(own.griewank, plain.griewank);
    agree(own.schwefel_2_26, plain.schwefel_2_26);
    agree(own.rosenbrock, plain.rosenbrock);
    std::vector<std::vector<double>> rows;
    for (int k = 0; k < 7; ++k) rows.push_back(random_row(random, n, 1.0));
    const std::vector<double> lower(n, -1.0), upper(n, 0.9);
    for (const double* best : {static_cast<const double*>(nullptr), static_cast<const double*>(rows[6].data())}) {
      const TrialRows trial{rows[0].data(), rows[1].data(), best,         rows[2].data(), rows[3].data(),
                            rows[4].data(), rows[5].data(), lower.data(), upper.data()};
      std::vector<double> a(n), b(n);
      own.trial(a.data(), trial, {3.7, 0.6, 11, 12}, n);
      plain.trial(b.data(), trial, {3.7, 0.6, 11, 12}, n);
      EXPECT_EQ(a, b) << own.name << " " << n;
    }
  }
}

TEST(Vectors, ATrialIsTheMutantWhereCrossoverTakesIt) {
  const std::size_t n = 4000;
  const std::vector<double> zero(n, 0.0), lower(n, -1e9), upper(n, 1e9);
  std::vector<std::vector<double>> rows;
  for (const double value : {1.0, 10.0, 1000.0, 7.0, 4.0, 2.5, 0.5}) rows.emplace_back(n, value);
  std::vector<double> out(n);
  const TrialRows towards{rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data(), rows[4].data(),
                          rows[5].data(), rows[6].data(), lower.data(),   upper.data()};
  vector_code().trial(out.data(), towards, {0.5, 0.25, 3, 4}, n);
  // 10 + 0.5 (1000 - 10) + 0.5 (7 - 4 + 2.5 - 0.5)
  const auto taken = std::count(out.begin(), out.end(), 507.5);
  EXPECT_EQ(taken + std::count(out.begin(), out.end(), 1.0), static_cast<std::ptrdiff_t>(n));
  EXPECT_NEAR(static_cast<double>(taken), 1000.0, 120.0);
  TrialRows around = towards;
  around.best = nullptr;
  vector_code().trial(out.data(), around, {0.5, 0.75, 3, 4}, n);
  EXPECT_NEAR(static_cast<double>(std::count(out.begin(), out.end(), 11.5)), 3000.0, 120.0) << "10 + 0.5 (7 - 4)";
}

TEST(Vectors, CrossoverMasksOfDifferentKeysAreUnrelated) {
  const std::size_t n = 4096;
  const std::vector<double> zero(n, 0.0), one(n, 1.0), lower(n, -9.0), upper(n, 9.0);
  const TrialRows rows{zero.data(), one.data(), nullptr,      zero.data(), zero.data(),
                       nullptr,     nullptr,    lower.data(), upper.data()};
  std::vector<double> a(n), b(n);
  for (std::uint32_t key = 0; key < 40; ++key) {
    vector_code().trial(a.data(), rows, {0.5, 0.5, key, 9}, n);
    vector_code().trial(b.data(), rows, {0.5, 0.5, key + 1, 9}, n);
    double same = 0.0, next = 0.0;
    for (std::size_t j = 0; j + 1 < n; ++j) {
      same += a[j] == b[j] ? 1.0 : 0.0;
      next += a[j] == a[j + 1] ? 1.0 : 0.0;
    }
    EXPECT_NEAR(same, 2048.0, 200.0) << key;
    EXPECT_NEAR(next, 2048.0, 200.0) << key;
  }
}

TEST(Vectors, ARotationIsAMatrixTimesAVector) {
  const std::vector<double> matrix{1.0, 2.0, 3.0, 4.0}, x{10.0, 100.0};
  std::vector<double> out(2);
  vector_code().rotate(out.data(), matrix.data(), x.data(), 2);
  EXPECT_EQ(out, (std::vector<double>{210.0, 430.0}));
}

}  // namespace
