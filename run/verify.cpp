#include "run/verify.hpp"

#include <algorithm>
#include <cstring>

#include "hw/kernels/library.hpp"

namespace forelap::run {
namespace {

/// Bytes of each of the samples of an elementwise buffer: its begin, middle and end.
constexpr std::size_t kSampleBytes = 4096;
/// Units of work that the references of one buffer may do: some tenths of a second.
constexpr double kAffordableWork = 1e8;

const hw::kernels::BuiltinKernel* builtin_of(const core::Plan& plan, const core::Step& step) {
  return hw::kernels::find_builtin(plan.kernels.at(index(plan.call_of(step).kernel)));
}

bool works_on(const core::Plan& plan, const core::Step& step, core::BufferId buffer) {
  if (step.kind != core::StepKind::kernel) return false;
  const auto arguments = plan.arguments_of(plan.call_of(step));
  return std::any_of(arguments.begin(), arguments.end(), [&](const core::Argument& argument) {
    const auto* id = std::get_if<core::BufferId>(&argument);
    return id != nullptr && *id == buffer;
  });
}

std::size_t whole_elements(std::size_t bytes) {
  return bytes / 4 * 4;
}

}  // namespace

Verifier::Verifier(const core::Plan& plan) : plan_(plan) {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) add_subject(core::make_id<core::BufferId>(b));
}

void Verifier::add_subject(core::BufferId buffer) {
  Subject subject;
  subject.buffer = buffer;
  double sent = 0;
  double returned = 0;
  double touched = static_cast<double>(plan_.buffers[index(buffer)].bytes);
  double work = 0;
  double work_per_item = 1;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const auto& step = plan_.steps[i];
    if (step.kind == core::StepKind::copy && step.buffer == buffer) {
      auto& side = step.direction == core::Direction::host_to_device ? sent : returned;
      side = std::max(side, step.amount);
    }
    if (!works_on(plan_, step, buffer)) continue;
    const auto* kernel = builtin_of(plan_, step);
    if (kernel == nullptr) return;  // a user's kernel: nobody says what it should leave
    subject.elementwise = subject.elementwise && kernel->elementwise;
    subject.steps.push_back(i);
    work += step.amount * step.count;
    // One work-item an element: what lies behind the launch's items is not changed by it, and not judged.
    if (kernel->elementwise) touched = std::min(touched, step.items * 4);
    if (step.items > 0) work_per_item = std::max(work_per_item, step.amount / step.items * step.count);
  }
  const double whole = static_cast<double>(plan_.buffers[index(buffer)].bytes);
  subject.determined = whole_elements(static_cast<std::size_t>(std::min({sent, returned, touched})));
  subject.affordable = whole_elements(
      static_cast<std::size_t>(std::clamp(kAffordableWork / work_per_item, 64.0, static_cast<double>(kSampleBytes))));
  if (subject.steps.empty() || subject.determined == 0) return;
  // Where elements depend on each other, only the whole buffer can be judged.
  if (!subject.elementwise && (std::min(sent, returned) < whole || work > kAffordableWork)) return;
  subjects_.push_back(std::move(subject));
}

void Verifier::take(std::size_t subject, std::span<const std::byte> memory) {
  const auto& s = subjects_[subject];
  const std::size_t end = std::min(s.determined, whole_elements(memory.size()));
  if (end == 0) return;
  const std::size_t length = s.elementwise ? std::min(s.affordable, end) : end;
  std::vector<std::size_t> offsets = {0, whole_elements((end - length) / 2), end - length};
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  for (const auto offset : offsets) {
    const auto part = memory.subspan(offset, length);
    samples_.push_back({subject, offset, std::vector<std::byte>(part.begin(), part.end())});
  }
}

void Verifier::before_run(const core::PreparedPlan& prepared) {
  samples_.clear();
  for (std::size_t i = 0; i < subjects_.size(); ++i) take(i, prepared.host_memory(subjects_[i].buffer));
}

std::string Verifier::after_run(const core::PreparedPlan& prepared) const {
  for (const auto& sample : samples_) {
    const auto& subject = subjects_[sample.subject];
    auto expected = sample.bytes;
    for (const auto step_index : subject.steps) {
      const auto& step = plan_.steps[step_index];
      const auto arguments = plan_.arguments_of(plan_.call_of(step));
      for (std::uint32_t i = 0; i < step.count; ++i) builtin_of(plan_, step)->reference(expected, arguments);
    }
    const auto found = prepared.host_memory(subject.buffer).subspan(sample.offset, expected.size());
    const auto wrong = std::mismatch(found.begin(), found.end(), expected.begin()).first;
    if (wrong != found.end()) {
      const auto at = sample.offset + static_cast<std::size_t>(wrong - found.begin());
      return "wrong data came back: buffer " + std::to_string(index(subject.buffer)) + ", byte " + std::to_string(at) +
             " differs from the reference of kernel '" +
             plan_.kernels.at(index(plan_.call_of(plan_.steps[subject.steps.back()]).kernel)) + "'";
    }
  }
  return "";
}

std::size_t Verifier::judged_bytes() const {
  std::size_t bytes = 0;
  for (const auto& sample : samples_) bytes += sample.bytes.size();
  return bytes;
}

}  // namespace forelap::run
