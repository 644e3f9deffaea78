#pragma once
// The inner loops of the search and of the benchmark functions, compiled once for each generation of processors. All
// give the same bits: sums run in 32 lanes in a fixed order whatever the width of a vector is, and no product is fused
// with a sum.

#include <cstddef>
#include <cstdint>

namespace forelap::evolve::de {

/// What a benchmark function adds up over its variables (see functions.cpp for what becomes of it).
struct Sums {
  double first = 0.0;
  double second = 0.0;
};

/// How a trial vector is made: v = base + f_first (first - base) + f (a - b + c - d), crossed with `parent`.
struct TrialRows {
  const double* parent;
  const double* base;
  const double* best;  ///< nothing for v = base + f (a - b)
  const double* a;
  const double* b;
  const double* c;  ///< used with `best` only, as is d
  const double* d;
  const double* lower;
  const double* upper;
};
struct TrialNumbers {
  double f = 0.0;   ///< the scale F
  double cr = 0.0;  ///< in (0, 1): the share of coordinates taken from v
  std::uint32_t key = 0, second_key = 0;
};

struct VectorCode {
  const char* name;
  /// Writes the trial: coordinate j is v[j], put back into its bounds by modulo, with probability cr, else parent[j].
  void (*trial)(double* out, const TrialRows& rows, const TrialNumbers& numbers, std::size_t count);
  /// The sums over `count` terms, all of z[j] = x[j] - shift[j].
  Sums (*sphere)(const double* x, const double* shift, const double* scale, std::size_t count);
  Sums (*rastrigin)(const double* x, const double* shift, const double* scale, std::size_t count);
  Sums (*ackley)(const double* x, const double* shift, const double* scale, std::size_t count);
  Sums (*griewank)(const double* x, const double* shift, const double* scale, std::size_t count);
  Sums (*schwefel_2_26)(const double* x, const double* shift, const double* scale, std::size_t count);
  /// Neighbours: term j is of z[j] and z[j + 1], `count` - 1 terms.
  Sums (*rosenbrock)(const double* x, const double* shift, const double* scale, std::size_t count);
  /// Adds weights[j] * x for each row j of a matrix of `count` columns: out[i] = sum over j of matrix[i][j] x[j].
  void (*rotate)(double* out, const double* matrix, const double* x, std::size_t count);
};

/// The code for the processor that the program runs on.
const VectorCode& vector_code();
/// The code that runs everywhere; gives the same bits.
extern const VectorCode kPlainVectors;

/// F mod: the value of one coordinate put back into [lower, upper]: above, upper - mod(v - upper, upper - lower);
/// below, lower + mod(lower - v, upper - lower); a value that is no number becomes lower.
double put_back(double value, double lower, double upper);

}  // namespace forelap::evolve::de
