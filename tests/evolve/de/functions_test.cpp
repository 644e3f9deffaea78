#include "evolve/de/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "evolve/de/random.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

constexpr double kPi = 3.14159265358979323846;
constexpr Function kAll[] = {Function::sphere,   Function::rosenbrock,   Function::rastrigin,    Function::ackley,
                             Function::griewank, Function::schwefel_1_2, Function::schwefel_2_26};

/// The formulas as they are written, one variable after the other, by the standard library.
double reference(Function function, const std::vector<double>& z) {
  const double n = static_cast<double>(z.size());
  double a = 0.0, b = 0.0, product = 1.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    switch (function) {
      case Function::sphere:
        a += z[i] * z[i];
        break;
      case Function::rosenbrock:
        if (i + 1 < z.size()) a += 100.0 * std::pow(z[i + 1] - z[i] * z[i], 2) + std::pow(1.0 - z[i], 2);
        break;
      case Function::rastrigin:
        a += z[i] * z[i] - 10.0 * std::cos(2.0 * kPi * z[i]) + 10.0;
        break;
      case Function::ackley:
        a += z[i] * z[i];
        b += std::cos(2.0 * kPi * z[i]);
        break;
      case Function::griewank:
        a += z[i] * z[i];
        product *= std::cos(z[i] / std::sqrt(static_cast<double>(i + 1)));
        break;
      case Function::schwefel_1_2:
        b += z[i];
        a += b * b;
        break;
      case Function::schwefel_2_26:
        a += 418.98288727243369 - z[i] * std::sin(std::sqrt(std::abs(z[i])));
        break;
    }
  }
  if (function == Function::ackley) {
    return 20.0 + std::exp(1.0) - 20.0 * std::exp(-0.2 * std::sqrt(a / n)) - std::exp(b / n);
  }
  return function == Function::griewank ? 1.0 + a / 4000.0 - product : a;
}

std::vector<double> random_point(const Box& box, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(box.dimension());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = box.lower[i] + random.uniform() * (box.upper[i] - box.lower[i]);
  return x;
}

double value_at(Objective& objective, const std::vector<double>& x) {
  double value = 0.0;
  objective.evaluate(x, std::span<double>(&value, 1));
  return value;
}

TEST(Functions, AgreeWithTheirFormulasAsWritten) {
  for (const Function function : kAll) {
    for (const std::size_t n : {2U, 5U, 32U, 33U, 130U, 1000U}) {
      BenchmarkFunction objective({function, n, {}, {}, 0});
      const auto x = random_point(usual_box(function, n), 10 + n);
      const double expected = reference(function, x);
      EXPECT_NEAR(value_at(objective, x), expected, 1e-11 * (std::abs(expected) + static_cast<double>(n)))
          << name_of(function) << " " << n;
    }
  }
}

TEST(Functions, KnownValuesByHand) {
  const auto at = [](Function function, std::vector<double> x) {
    BenchmarkFunction objective({function, x.size(), {}, {}, 0});
    return value_at(objective, x);
  };
  EXPECT_EQ(at(Function::sphere, {3.0, 4.0}), 25.0);
  EXPECT_EQ(at(Function::rosenbrock, {2.0, 3.0, 5.0}), 100.0 + 1.0 + 1600.0 + 4.0);
  EXPECT_EQ(at(Function::schwefel_1_2, {1.0, 2.0, -4.0}), 1.0 + 9.0 + 1.0);
  EXPECT_DOUBLE_EQ(at(Function::rastrigin, {1.0, 0.5}), 1.0 + 20.25);
  EXPECT_NEAR(at(Function::griewank, {kPi, 0.0}), 2.0 + kPi * kPi / 4000.0, 1e-14);
}

TEST(Functions, TheMinimumIsZeroWhereItIsSaidToLieShiftedAndRotated) {
  constexpr std::size_t kCount = 20;
  for (const Function function : kAll) {
    const Box box = usual_box(function, kCount);
    const auto shift = random_shift(box, 0.1, 3);
    for (const bool turned : {false, true}) {
      FunctionSettings settings{function, kCount, shift, {}, 0};
      if (turned) {
        settings.rotation = random_rotation(6, 3, 5);
        settings.block_size = 6;
      }
      BenchmarkFunction objective(settings);
      const auto minimum = objective.minimum();
      EXPECT_NEAR(value_at(objective, minimum), 0.0, 1e-9) << name_of(function);
      for (std::uint64_t k = 0; k < 20; ++k) {
        EXPECT_GT(value_at(objective, random_point(box, k)), 1e-3) << name_of(function);
      }
    }
  }
}

TEST(Functions, ARotationKeepsDistancesSoTheSphereStaysTheSame) {
  constexpr std::size_t kCount = 40;
  BenchmarkFunction plain({Function::sphere, kCount, {}, {}, 0});
  BenchmarkFunction turned({Function::sphere, kCount, {}, random_rotation(kCount, 1, 8), kCount});
  BenchmarkFunction rastrigin({Function::rastrigin, kCount, {}, {}, 0});
  BenchmarkFunction turned_rastrigin({Function::rastrigin, kCount, {}, random_rotation(kCount, 1, 8), kCount});
  const auto x = random_point(usual_box(Function::rastrigin, kCount), 1);
  EXPECT_NEAR(value_at(turned, x), value_at(plain, x), 1e-11 * value_at(plain, x));
  EXPECT_GT(std::abs(value_at(turned_rastrigin, x) - value_at(rastrigin, x)), 1e-3);
}

TEST(Functions, ABatchIsItsRowsOneByOneBitByBit) {
  for (const Function function : kAll) {
    for (const bool turned : {false, true}) {
      constexpr std::size_t kCount = 37, kRows = 21;
      FunctionSettings settings{function, kCount, random_shift(usual_box(function, kCount), 0.2, 1), {}, 0};
      if (turned) {
        settings.rotation = random_rotation(5, 7, 5);
        settings.block_size = 5;
      }
      BenchmarkFunction objective(settings);
      const auto rows = random_point(usual_box(function, kCount * kRows), 4);
      std::vector<double> values(kRows);
      objective.evaluate(rows, values);
      for (std::size_t k = 0; k < kRows; ++k) {
        const auto row = rows.begin() + static_cast<std::ptrdiff_t>(k * kCount);
        EXPECT_EQ(values[k], value_at(objective, {row, row + kCount})) << name_of(function) << " " << k;
      }
    }
  }
}

TEST(Functions, APartIsTheWholeWithThePartPutIn) {
  for (const Function function : kAll) {
    constexpr std::size_t kCount = 70;
    const Box box = usual_box(function, kCount);
    BenchmarkFunction objective({function, kCount, random_shift(box, 0.2, 1), {}, 0});
    const auto context = random_point(box, 2), other = random_point(box, 3);
    const Variables variables{69, 3, 4, 17, 40};
    const auto part = objective.part(context, variables);
    ASSERT_EQ(part->dimension(), variables.size());
    std::vector<double> whole = context, row;
    for (const std::uint32_t i : variables) {
      whole[i] = other[i];
      row.push_back(other[i]);
    }
    const double expected = value_at(objective, whole);
    EXPECT_NEAR(value_at(*part, row), expected, 1e-12 * (std::abs(expected) + 1.0)) << name_of(function);
    // A second batch of another size may not see the first.
    row.insert(row.end(), row.begin(), row.end());
    std::vector<double> values(2);
    part->evaluate(row, values);
    EXPECT_EQ(values[0], values[1]);
    EXPECT_NEAR(values[1], expected, 1e-12 * (std::abs(expected) + 1.0)) << name_of(function);
  }
}

TEST(Functions, NoDigitsAreLostNearTheMinimum) {
  BenchmarkFunction rastrigin({Function::rastrigin, 100, {}, {}, 0}), ackley({Function::ackley, 100, {}, {}, 0});
  const std::vector<double> near(100, 1e-12);
  EXPECT_NEAR(value_at(rastrigin, near), 100.0 * (1.0 + 20.0 * kPi * kPi) * 1e-24, 1e-33);
  EXPECT_NEAR(value_at(ackley, near), 4e-12, 1e-17);
}

TEST(Functions, SchwefelsOuterValleysAreNoMinimum) {
  BenchmarkFunction objective({Function::schwefel_2_26, 2, {}, {}, 0});
  for (double x = 500.0; x < 5000.0; x += 7.0) {
    EXPECT_GT(value_at(objective, {x, 420.968746359982}), 100.0);
    EXPECT_GT(value_at(objective, {-x, 420.968746359982}), 100.0);
  }
}

TEST(Functions, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(function_named("spheer"), Error);
  EXPECT_EQ(function_named("schwefel_1_2"), Function::schwefel_1_2);
  EXPECT_THROW(BenchmarkFunction({Function::sphere, 0, {}, {}, 0}), Error);
  EXPECT_THROW(BenchmarkFunction({Function::rosenbrock, 1, {}, {}, 0}), Error);
  EXPECT_THROW(BenchmarkFunction({Function::sphere, 3, {1.0}, {}, 0}), Error);
  EXPECT_THROW(BenchmarkFunction({Function::sphere, 3, {}, {1.0, 0.0, 0.0}, 2}), Error);
  EXPECT_THROW(BenchmarkFunction({Function::sphere, 3, {}, random_rotation(2, 2, 1), 2}), Error);
  BenchmarkFunction sphere({Function::sphere, 3, {}, {}, 0});
  EXPECT_THROW(sphere.part(std::vector<double>(2), Variables{0}), Error);
}

}  // namespace
