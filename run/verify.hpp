#pragma once
// Did the right data come back? After a run, what a task sent, had worked on by built-in kernels and fetched again is
// compared with the kernels' plain references. Only what a run determines is judged: bytes that were sent and returned.

#include <cstddef>
#include <string>
#include <vector>

#include "core/executor.hpp"
#include "core/plan.hpp"

namespace forelap::run {

/// Samples of the buffers of one plan, taken before a run and judged after it.
class Verifier {
 public:
  /// `plan` is referred to. Users' kernels and ones whose reference would take too long are left out.
  explicit Verifier(const core::Plan& plan);

  /// Keeps what the run is about to send; executors without memory (simulators) give nothing to judge.
  void before_run(const core::PreparedPlan& prepared);
  /// Empty where all that was judged is right, else what is wrong and where.
  [[nodiscard]] std::string after_run(const core::PreparedPlan& prepared) const;
  /// Bytes that the last run was judged on.
  [[nodiscard]] std::size_t judged_bytes() const;

 private:
  struct Subject {
    core::BufferId buffer{};
    std::vector<std::size_t> steps;  ///< kernel steps on the buffer, in order
    std::size_t determined = 0;      ///< bytes that were sent and returned
    bool elementwise = true;
    std::size_t affordable = 0;  ///< bytes that the references may work on
  };
  struct Sample {
    std::size_t subject = 0;
    std::size_t offset = 0;
    std::vector<std::byte> bytes;
  };
  void add_subject(core::BufferId buffer);
  void take(std::size_t subject, std::span<const std::byte> memory);

  const core::Plan& plan_;
  std::vector<Subject> subjects_;
  std::vector<Sample> samples_;
};

}  // namespace forelap::run
