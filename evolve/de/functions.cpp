#include "evolve/de/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "evolve/de/random.hpp"
#include "evolve/de/vectors.hpp"

namespace forelap::evolve::de {

namespace {

constexpr double kTwoPi = 6.28318530717958647693;

struct Entry {
  Function function;
  std::string_view name;
  double bound;
  double minimum;  // of every variable
};
constexpr std::array<Entry, 7> kEntries = {{{Function::sphere, "sphere", 100.0, 0.0},
                                            {Function::rosenbrock, "rosenbrock", 30.0, 1.0},
                                            {Function::rastrigin, "rastrigin", 5.12, 0.0},
                                            {Function::ackley, "ackley", 32.0, 0.0},
                                            {Function::griewank, "griewank", 600.0, 0.0},
                                            {Function::schwefel_1_2, "schwefel_1_2", 100.0, 0.0},
                                            {Function::schwefel_2_26, "schwefel_2_26", 500.0, 420.968746359982}}};

const Entry& entry_of(Function function) {
  return kEntries.at(static_cast<std::size_t>(function));
}

using SumsCode = Sums (*)(const double*, const double*, const double*, std::size_t);

// The loop over the terms; nothing for schwefel_1_2, which is no sum of such terms.
SumsCode code_of(Function function) {
  const VectorCode& code = vector_code();
  switch (function) {
    case Function::sphere:
      return code.sphere;
    case Function::rosenbrock:
      return code.rosenbrock;
    case Function::rastrigin:
      return code.rastrigin;
    case Function::ackley:
      return code.ackley;
    case Function::griewank:
      return code.griewank;
    case Function::schwefel_1_2:
      return nullptr;
    case Function::schwefel_2_26:
      return code.schwefel_2_26;
  }
  return nullptr;
}

// What the function makes of its sums over all `count` variables.
double value_from(Function function, const Sums& sums, std::size_t count) {
  const double n = static_cast<double>(count);
  if (function == Function::ackley) {
    // exp(mean cos) = e exp(-2 mean sin^2); both exponentials as their distance from 1.
    return -20.0 * std::expm1(-0.2 * std::sqrt(sums.first / n)) -
           2.71828182845904523536 * std::expm1(-2.0 * (sums.second / n));
  }
  if (function == Function::griewank) return sums.first / 4000.0 + (1.0 - sums.second);
  return sums.first;
}

// Each group's terms beside the sums of all others at the context.
class SumPart : public Objective {
 public:
  SumPart(const FunctionSettings& settings, std::span<const double> shift, std::span<const double> scale,
          std::span<const double> context, std::span<const std::uint32_t> variables)
      : function_(settings.function), whole_(settings.dimension), code_(code_of(settings.function)) {
    std::vector<bool> inside(whole_, false);
    for (const std::uint32_t i : variables) inside.at(i) = true;
    std::vector<double> others, shift_of_others, scale_of_others;
    for (std::size_t i = 0; i < whole_; ++i) {
      if (inside[i]) continue;
      others.push_back(context[i]);
      shift_of_others.push_back(shift[i]);
      scale_of_others.push_back(scale[i]);
    }
    for (const std::uint32_t i : variables) {
      shift_.push_back(shift[i]);
      scale_.push_back(scale[i]);
    }
    others_ = code_(others.data(), shift_of_others.data(), scale_of_others.data(), others.size());
  }
  [[nodiscard]] std::size_t dimension() const override { return shift_.size(); }
  void evaluate(std::span<const double> rows, std::span<double> values) override {
    for (std::size_t k = 0; k < values.size(); ++k) {
      Sums sums = code_(rows.data() + k * dimension(), shift_.data(), scale_.data(), dimension());
      sums.first += others_.first;
      sums.second = function_ == Function::griewank ? sums.second * others_.second : sums.second + others_.second;
      values[k] = value_from(function_, sums, whole_);
    }
  }

 private:
  Function function_;
  std::size_t whole_;
  SumsCode code_;
  Sums others_;
  std::vector<double> shift_, scale_;
};

double schwefel_1_2(const double* x, const double* shift, std::size_t count) {
  double before = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    before += x[i] - shift[i];
    sum += before * before;
  }
  return sum;
}

// Eight vectors at a time: the running sums of one would wait for each other.
void schwefel_1_2_of_eight(const double* x, const double* shift, std::size_t count, double* values) {
  double before[8] = {}, sum[8] = {};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 8; ++k) {
      before[k] += x[k * count + i] - shift[i];
      sum[k] += before[k] * before[k];
    }
  }
  std::copy_n(sum, 8, values);
}

void check_sizes(const FunctionSettings& settings) {
  const std::size_t least = settings.function == Function::rosenbrock ? 2 : 1;
  if (settings.dimension < least) {
    core::throw_bad_input(std::string(name_of(settings.function)) + " of " + std::to_string(settings.dimension) +
                          " variables: it needs at least " + std::to_string(least));
  }
  if (!settings.shift.empty() && settings.shift.size() != settings.dimension) {
    core::throw_bad_input("a shift of " + std::to_string(settings.shift.size()) + " numbers for " +
                          std::to_string(settings.dimension) + " variables: give one for each");
  }
  const std::size_t block = settings.block_size * settings.block_size;
  if (settings.rotation.empty()) return;
  if (block == 0 || settings.rotation.size() % block != 0 ||
      settings.rotation.size() / block * settings.block_size > settings.dimension) {
    core::throw_bad_input("a rotation of " + std::to_string(settings.rotation.size()) + " numbers in blocks of " +
                          std::to_string(settings.block_size) + " x " + std::to_string(settings.block_size) + " for " +
                          std::to_string(settings.dimension) + " variables: give whole blocks that fit");
  }
}

}  // namespace

std::string_view name_of(Function function) {
  return entry_of(function).name;
}

Function function_named(std::string_view name) {
  std::string known;
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.function;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  core::throw_bad_input("no function is called '" + std::string(name) + "'; known are " + known);
}

Box usual_box(Function function, std::size_t dimension) {
  const double bound = entry_of(function).bound;
  return uniform_box(dimension, -bound, bound);
}

std::vector<double> random_shift(const Box& box, double share, std::uint64_t seed) {
  Random random(stream_key(seed, Purpose::function, {0}));
  std::vector<double> shift(box.dimension());
  for (std::size_t i = 0; i < shift.size(); ++i) {
    shift[i] = (random.uniform() - 0.5) * share * (box.upper[i] - box.lower[i]);
  }
  return shift;
}

std::vector<double> random_rotation(std::size_t block_size, std::size_t blocks, std::uint64_t seed) {
  const std::size_t n = block_size;
  std::vector<double> all(blocks * n * n);
  for (std::size_t block = 0; block < blocks; ++block) {
    Random random(stream_key(seed, Purpose::function, {1, block}));
    double* rows = all.data() + block * n * n;
    for (std::size_t i = 0; i < n; ++i) {
      double* row = rows + i * n;
      for (std::size_t j = 0; j < n; ++j) row[j] = random.normal(0.0, 1.0);
      // Twice, so that rounding leaves nothing of the rows before.
      for (std::size_t pass = 0; pass < 2 * i; ++pass) {
        const double* other = rows + (pass % i) * n;
        double along = 0.0;
        for (std::size_t j = 0; j < n; ++j) along += row[j] * other[j];
        for (std::size_t j = 0; j < n; ++j) row[j] -= along * other[j];
      }
      double square = 0.0;
      for (std::size_t j = 0; j < n; ++j) square += row[j] * row[j];
      for (std::size_t j = 0; j < n; ++j) row[j] /= std::sqrt(square);
    }
  }
  return all;
}

BenchmarkFunction::BenchmarkFunction(FunctionSettings settings) : settings_(std::move(settings)) {
  check_sizes(settings_);
  const std::size_t n = settings_.dimension;
  shift_ = settings_.shift.empty() ? std::vector<double>(n, 0.0) : settings_.shift;
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) scale_[i] = 1.0 / (kTwoPi * std::sqrt(static_cast<double>(i + 1)));
  if (settings_.rotation.empty()) return;
  centred_.resize(n);
  turned_.resize(n);
  nothing_.assign(n, 0.0);
}

void BenchmarkFunction::turn(const double* x) {
  const std::size_t n = settings_.dimension, size = settings_.block_size;
  const double minimum = entry_of(settings_.function).minimum;
  for (std::size_t i = 0; i < n; ++i) centred_[i] = (x[i] - minimum) - shift_[i];
  const std::size_t blocks = settings_.rotation.size() / (size * size);
  for (std::size_t block = 0; block < blocks; ++block) {
    vector_code().rotate(turned_.data() + block * size, settings_.rotation.data() + block * size * size,
                         centred_.data() + block * size, size);
  }
  for (std::size_t i = blocks * size; i < n; ++i) turned_[i] = centred_[i];
  for (double& z : turned_) z += minimum;
}

double BenchmarkFunction::value_of(const double* x, const double* shift) {
  const std::size_t n = settings_.dimension;
  if (settings_.function == Function::schwefel_1_2) return schwefel_1_2(x, shift, n);
  return value_from(settings_.function, code_of(settings_.function)(x, shift, scale_.data(), n), n);
}

void BenchmarkFunction::evaluate(std::span<const double> rows, std::span<double> values) {
  const std::size_t n = settings_.dimension;
  std::size_t k = 0;
  if (!settings_.rotation.empty()) {
    for (; k < values.size(); ++k) {
      turn(rows.data() + k * n);
      values[k] = value_of(turned_.data(), nothing_.data());
    }
  }
  if (settings_.function == Function::schwefel_1_2) {
    for (; k + 8 <= values.size(); k += 8) schwefel_1_2_of_eight(&rows[k * n], shift_.data(), n, &values[k]);
  }
  for (; k < values.size(); ++k) values[k] = value_of(rows.data() + k * n, shift_.data());
}

std::unique_ptr<Objective> BenchmarkFunction::part(std::span<const double> context,
                                                   std::span<const std::uint32_t> variables) {
  const bool sum = settings_.function != Function::rosenbrock && settings_.function != Function::schwefel_1_2;
  if (!sum || !settings_.rotation.empty() || context.size() != dimension()) return Objective::part(context, variables);
  return std::make_unique<SumPart>(settings_, shift_, scale_, context, variables);
}

std::vector<double> BenchmarkFunction::minimum() const {
  std::vector<double> place = shift_;
  for (double& x : place) x += entry_of(settings_.function).minimum;
  return place;
}

}  // namespace forelap::evolve::de
