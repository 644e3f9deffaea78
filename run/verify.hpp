#pragma once
// Did the right data come back? After a run, what a task sent, had worked on by built-in kernels and fetched again is
// compared with the kernels' plain references. Only what a run determines is judged:
//
// - elementwise kernels, which work in place: samples of the bytes that were sent and returned;
// - one kernel that keeps input and result apart: single words of the returned part of its result. Its input is what
//   the host holds, sent or uploaded when the buffer was filled, since nothing on the device overwrites it;
// - several kernels on one buffer: all of it that returned, where the references are quick enough.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/executor.hpp"
#include "core/plan.hpp"

namespace forelap::run {

/// Results of the kernels that are divided over devices (hw/kernels/partition.hpp): words of each part, spoilt before
/// the run so that an earlier run's are not taken for its own, and compared with the reference after it.
class PartVerifier {
 public:
  /// `plan` is referred to.
  explicit PartVerifier(const core::Plan& plan);
  void before_run(core::PreparedPlan& prepared);
  [[nodiscard]] std::string after_run(const core::PreparedPlan& prepared) const;
  [[nodiscard]] std::size_t judged_bytes() const { return judged_; }

 private:
  /// Neighbouring words of one result.
  struct Stretch {
    std::size_t step = 0;      ///< of the kernel, in the plan
    std::size_t argument = 0;  ///< position of the result
    std::size_t first = 0;     ///< word
    std::size_t words = 0;
  };
  void add_step(std::size_t step);
  [[nodiscard]] core::BufferId buffer_of(const Stretch& stretch) const;
  [[nodiscard]] std::string mismatch(const Stretch& stretch, const core::PreparedPlan& prepared) const;

  const core::Plan& plan_;
  std::vector<Stretch> stretches_;
  std::size_t judged_ = 0;
};

/// Samples of the buffers of one plan, taken before a run and judged after it.
class Verifier {
 public:
  /// `plan` is referred to. Users' kernels and ones whose reference would take too long are left out.
  explicit Verifier(const core::Plan& plan);

  /// Computes what the run is about to leave; executors without memory (simulators) give nothing to judge.
  void before_run(core::PreparedPlan& prepared);
  /// Empty where all that was judged is right, else what is wrong and where.
  [[nodiscard]] std::string after_run(const core::PreparedPlan& prepared) const;
  /// Bytes that the last run was judged on.
  [[nodiscard]] std::size_t judged_bytes() const;

 private:
  enum class Way : std::uint8_t { elements, words, whole };
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Subject {
    core::BufferId buffer{};
    std::vector<std::size_t> steps;  ///< kernel steps on the buffer, in order
    Way way = Way::elements;
    Range judged;                ///< bytes that the run determines
    std::size_t affordable = 0;  ///< elements: bytes of a sample that the references may work on
  };
  /// Bytes of a buffer as they should be after the run.
  struct Sample {
    std::size_t subject = 0;
    std::size_t offset = 0;
    std::vector<std::byte> expected;
  };
  void add_subject(core::BufferId buffer);
  bool choose_way(Subject& subject, const Range& sent, const Range& returned) const;
  void take_elements(std::size_t subject, std::span<const std::byte> memory);
  void take_words(std::size_t subject, std::span<const std::byte> memory);
  void take_whole(std::size_t subject, std::span<const std::byte> memory);
  void apply_references(const Subject& subject, std::span<std::byte> bytes) const;
  [[nodiscard]] std::string mismatch(const Sample& sample, std::span<const std::byte> found) const;

  const core::Plan& plan_;
  std::vector<Subject> subjects_;
  std::vector<Sample> samples_;
  PartVerifier parts_;
};

}  // namespace forelap::run
