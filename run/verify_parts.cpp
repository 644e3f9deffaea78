#include <algorithm>
#include <cstring>

#include "hw/kernels/partition.hpp"
#include "run/verify.hpp"

namespace forelap::run {
namespace {

/// Operations that the references of one plan may do: some tenths of a second.
constexpr double kAffordableWork = 1e8;
/// Words of one result that are judged at most, in three stretches of neighbours.
constexpr double kMostWords = 1536;

const hw::kernels::PartitionKernel* kernel_of(const core::Plan& plan, const core::Step& step) {
  if (step.kind != core::StepKind::kernel) return nullptr;
  return hw::kernels::find_partition_kernel(plan.kernels.at(index(plan.call_of(step).kernel)));
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t word) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * word, sizeof value);
  return value;
}

}  // namespace

PartVerifier::PartVerifier(const core::Plan& plan) : plan_(plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (kernel_of(plan, plan.steps[i]) != nullptr) add_step(i);
  }
}

void PartVerifier::add_step(std::size_t step) {
  const auto* kernel = kernel_of(plan_, plan_.steps[step]);
  const auto arguments = plan_.arguments_of(plan_.call_of(plan_.steps[step]));
  const auto kernels = static_cast<double>(std::max<std::size_t>(1, plan_.calls.size()));
  const double affordable = kAffordableWork / kernels / kernel->word_work(arguments);
  const auto words = static_cast<std::size_t>(std::clamp(affordable, 3.0, kMostWords) / 3);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (kernel->uses[a] != hw::kernels::Use::out) continue;
    const std::size_t all = plan_.buffers[index(std::get<core::BufferId>(arguments[a]))].bytes / 4;
    const std::size_t length = std::min(words, all);
    if (length == 0) continue;
    std::size_t next = 0;
    for (const std::size_t first : {std::size_t{0}, (all - length) / 2, all - length}) {
      const std::size_t end = first + length;
      const std::size_t begin = std::max(first, next);
      if (begin < end) stretches_.push_back({step, a, begin, end - begin});
      next = std::max(next, end);
    }
  }
}

core::BufferId PartVerifier::buffer_of(const Stretch& stretch) const {
  return std::get<core::BufferId>(plan_.arguments_of(plan_.call_of(plan_.steps[stretch.step]))[stretch.argument]);
}

void PartVerifier::before_run(core::PreparedPlan& prepared) {
  judged_ = 0;
  for (const Stretch& stretch : stretches_) {
    const auto buffer = buffer_of(stretch);
    if (prepared.host_memory(buffer).empty()) continue;  // a simulator's plan
    prepared.spoil(buffer, 4 * stretch.first, 4 * stretch.words);
    judged_ += 4 * stretch.words;
  }
}

std::string PartVerifier::mismatch(const Stretch& stretch, const core::PreparedPlan& prepared) const {
  const auto& step = plan_.steps[stretch.step];
  const auto* kernel = kernel_of(plan_, step);
  const auto arguments = plan_.arguments_of(plan_.call_of(step));
  std::vector<std::span<const std::byte>> buffers(arguments.size());
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (const auto* buffer = std::get_if<core::BufferId>(&arguments[a])) buffers[a] = prepared.host_memory(*buffer);
  }
  const auto result = buffers[stretch.argument];
  for (std::size_t i = stretch.first; i < stretch.first + stretch.words && 4 * i + 4 <= result.size(); ++i) {
    std::uint32_t expected = 0;
    if (!kernel->word(buffers, arguments, stretch.argument, i, expected)) break;
    if (hw::kernels::agrees(*kernel, word_at(result, i), expected)) continue;
    const auto& buffer = plan_.buffers[index(buffer_of(stretch))];
    return "wrong data came back: argument " + std::to_string(stretch.argument + 1) + " of kernel '" +
           std::string(kernel->name) + "' on device " + std::to_string(index(step.device)) + ", byte " +
           std::to_string(buffer.host_offset + 4 * i) + " of the whole array, differs from the reference";
  }
  return "";
}

std::string PartVerifier::after_run(const core::PreparedPlan& prepared) const {
  for (const Stretch& stretch : stretches_) {
    if (prepared.host_memory(buffer_of(stretch)).empty()) continue;
    auto wrong = mismatch(stretch, prepared);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace forelap::run
