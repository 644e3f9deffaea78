#pragma once
// What both benchmarks print: one JSON object a line, {figure, value, unit, spread, samples}; value is the median,
// spread the difference between the 90th and the 10th percentile.

#include <chrono>
#include <string>
#include <vector>

#include "bench/native/case_run.hpp"

namespace forelap::bench {

void print_figure(const std::string& figure, const std::string& unit, const std::vector<double>& samples);

struct Options {
  bool small = false;
  std::size_t samples = 11;
  double seconds = 10;  ///< a case stops after so long, with 3 samples or more
  std::string only;     ///< part of a case's name
};
/// [--small] [--samples N] [--seconds S] [--only TEXT]. Throws core::Error (bad_input).
Options read_options(const std::vector<std::string>& words);
[[nodiscard]] bool is_wanted(const Options& options, const Case& what);

/// Seconds that `run` takes.
double timed(CaseRun& run);
/// Counts samples and seconds.
class Budget {
 public:
  explicit Budget(const Options& options) : options_(options) {}
  [[nodiscard]] bool allows(std::size_t samples) const;

 private:
  Options options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Ends a benchmark: 2 for bad input, 3 where something is missing here or failed; says it on stderr.
int end_of(const std::exception& error);

}  // namespace forelap::bench
