// DG2's finding of dependences.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "evolve/de/grouping.hpp"

namespace forelap::evolve::de {

namespace {

constexpr std::size_t kBatch = 64;

// Evaluates vectors at the lower bounds but for one or two variables, some at a time.
class Probe {
 public:
  Probe(Objective& objective, const Box& box) : objective_(objective), low_(box.lower), middle_(box.lower) {
    for (std::size_t i = 0; i < low_.size(); ++i) middle_[i] = low_[i] + 0.5 * (box.upper[i] - low_[i]);
  }
  // f with variables i and j (may be the same) in the middle, to be written to `value`.
  void ask(std::size_t i, std::size_t j, double& value) {
    if (targets_.size() == kBatch) flush();
    rows_.insert(rows_.end(), low_.begin(), low_.end());
    double* row = rows_.data() + targets_.size() * low_.size();
    row[i] = middle_[i];
    row[j] = middle_[j];
    targets_.push_back(&value);
  }
  void ask_base(double& value) {
    rows_.insert(rows_.end(), low_.begin(), low_.end());
    targets_.push_back(&value);
    flush();
  }
  void flush() {
    values_.resize(targets_.size());
    objective_.evaluate(rows_, values_);
    evaluations += targets_.size();
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      if (!std::isfinite(values_[k])) ++rejected;
      *targets_[k] = values_[k];
    }
    rows_.clear();
    targets_.clear();
  }
  std::uint64_t evaluations = 0, rejected = 0;

 private:
  Objective& objective_;
  std::vector<double> low_, middle_, rows_, values_;
  std::vector<double*> targets_;
};

// The values of all pairs i < j, row by row.
class Triangle {
 public:
  explicit Triangle(std::size_t n) : n_(n), values_(n * (n - 1) / 2) {}
  double& at(std::size_t i, std::size_t j) { return values_[i * n_ - i * (i + 1) / 2 + (j - i - 1)]; }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

struct Archive {
  double base = 0.0;
  std::vector<double> one;
  Triangle two;
};

// Bounds of the rounding error of a pair's difference, and the difference.
struct PairError {
  double difference, least, most;
};

double gamma_of(double k) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2.0;
  return k * kUnit / (1.0 - k * kUnit);
}

PairError error_of(Archive& archive, std::size_t i, std::size_t j) {
  const double base = archive.base, first = archive.one[i], second = archive.one[j], both = archive.two.at(i, j);
  const double n = static_cast<double>(archive.one.size());
  const double least = gamma_of(2.0) * std::max(std::abs(base) + std::abs(both), std::abs(first) + std::abs(second));
  const double most =
      gamma_of(std::sqrt(n)) * std::max({std::abs(base), std::abs(both), std::abs(first), std::abs(second)});
  return {std::abs((both - second) - (first - base)), least, most};
}

// Between the bounds the threshold is weighted by how many differences the bounds alone decide.
double weight_of_most(Archive& archive, std::size_t n) {
  double below = 0.0, above = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const PairError error = error_of(archive, i, j);
      if (error.difference != 0.0 && error.difference < error.least) below += 1.0;
      if (error.difference > error.most) above += 1.0;
    }
  }
  return below + above > 0.0 ? above / (below + above) : 0.5;
}

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void collect(Dependences& found, std::vector<std::size_t>& parent) {
  Groups sets(parent.size());
  for (std::size_t i = 0; i < parent.size(); ++i) sets[root_of(parent, i)].push_back(static_cast<std::uint32_t>(i));
  std::erase_if(sets, [](const Variables& set) { return set.empty(); });
  std::sort(sets.begin(), sets.end());
  for (Variables& set : sets) {
    if (set.size() == 1) {
      found.separable.push_back(set.front());
    } else {
      found.dependent.push_back(std::move(set));
    }
  }
}

}  // namespace

Dependences find_dependences(Objective& objective, const Box& box) {
  check(box);
  const std::size_t n = box.dimension();
  if (objective.dimension() != n) core::throw_bad_input("the bounds and the function differ in their variables");
  Archive archive{0.0, std::vector<double>(n), Triangle(n)};
  Probe probe(objective, box);
  probe.ask_base(archive.base);
  for (std::size_t i = 0; i < n; ++i) probe.ask(i, i, archive.one[i]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) probe.ask(i, j, archive.two.at(i, j));
  }
  probe.flush();

  Dependences found;
  found.evaluations = probe.evaluations;
  found.rejected = probe.rejected;
  const double weight = weight_of_most(archive, n);
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const PairError error = error_of(archive, i, j);
      const double threshold = (1.0 - weight) * error.least + weight * error.most;
      const bool undecided = error.difference >= error.least && error.difference <= error.most;
      // Written so that a difference that is no number counts as a dependence.
      if (error.difference < error.least || (undecided && error.difference <= threshold)) continue;
      if (box.lower[i] == box.upper[i] || box.lower[j] == box.upper[j] || error.difference == 0.0) continue;
      ++found.pairs;
      parent[root_of(parent, j)] = root_of(parent, i);
    }
  }
  collect(found, parent);
  return found;
}

}  // namespace forelap::evolve::de
