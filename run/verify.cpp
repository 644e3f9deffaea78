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
/// Words of a result that are judged, in three runs of neighbours.
constexpr double kMostWords = 1536;

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

/// The begins of up to three stretches of `length` in [begin, end): at its begin, middle and end.
std::vector<std::size_t> three_places(std::size_t begin, std::size_t end, std::size_t length) {
  std::vector<std::size_t> places = {begin, begin + whole_elements((end - begin - length) / 2), end - length};
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Joins [begin, end) to `range` where they touch; else the larger of the two stays.
template <class Range>
void join(Range& range, std::size_t begin, std::size_t end) {
  if (range.end == range.begin) {
    range = {begin, end};
  } else if (begin <= range.end && end >= range.begin) {
    range = {std::min(begin, range.begin), std::max(end, range.end)};
  } else if (end - begin > range.end - range.begin) {
    range = {begin, end};
  }
}

}  // namespace

Verifier::Verifier(const core::Plan& plan) : plan_(plan), parts_(plan) {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) add_subject(core::make_id<core::BufferId>(b));
}

void Verifier::add_subject(core::BufferId buffer) {
  Subject subject;
  subject.buffer = buffer;
  Range sent;
  Range returned;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const auto& step = plan_.steps[i];
    if (step.kind == core::StepKind::copy && step.buffer == buffer) {
      const auto begin = static_cast<std::size_t>(step.items);
      join(step.direction == core::Direction::host_to_device ? sent : returned, begin,
           begin + static_cast<std::size_t>(step.amount));
    }
    if (!works_on(plan_, step, buffer)) continue;
    if (builtin_of(plan_, step) == nullptr) return;  // a user's kernel: nobody says what it should leave
    subject.steps.push_back(i);
  }
  if (subject.steps.empty() || !choose_way(subject, sent, returned)) return;
  // Whole words only: one of which a part was sent or returned says nothing.
  subject.judged.end = std::min<std::size_t>(subject.judged.end, plan_.buffers[index(buffer)].bytes) / 4 * 4;
  subject.judged.begin = (subject.judged.begin + 3) / 4 * 4;
  if (subject.judged.begin + 4 > subject.judged.end) return;
  subjects_.push_back(std::move(subject));
}

/// False where nothing of the buffer is judged.
bool Verifier::choose_way(Subject& subject, const Range& sent, const Range& returned) const {
  const auto whole = static_cast<std::size_t>(plan_.buffers[index(subject.buffer)].bytes);
  double work = 0;
  double work_per_item = 1;
  std::size_t touched = whole;
  std::size_t elementwise = 0;
  for (const auto i : subject.steps) {
    const auto& step = plan_.steps[i];
    work += step.amount * step.count;
    if (step.items > 0) work_per_item = std::max(work_per_item, step.amount / step.items * step.count);
    if (!builtin_of(plan_, step)->elementwise) continue;
    ++elementwise;
    // One work-item an element: what lies behind the launch's items is not changed by it, and not judged.
    touched = std::min(touched, static_cast<std::size_t>(std::min(step.items * 4, static_cast<double>(whole))));
  }
  subject.judged = returned;
  if (elementwise == subject.steps.size()) {
    subject.way = Way::elements;
    subject.judged.begin = std::max(sent.begin, returned.begin);
    subject.judged.end = std::min({sent.end, returned.end, touched});
    subject.affordable = whole_elements(
        static_cast<std::size_t>(std::clamp(kAffordableWork / work_per_item, 64.0, static_cast<double>(kSampleBytes))));
    return subject.judged.begin < subject.judged.end;
  }
  if (subject.steps.size() == 1) {
    subject.way = Way::words;
    return true;
  }
  subject.way = Way::whole;
  // Where a kernel overwrote its input, the device holds what the host does only if all of it was sent.
  const bool all_sent = sent.begin == 0 && sent.end >= whole;
  return work <= kAffordableWork && (elementwise == 0 || all_sent);
}

void Verifier::apply_references(const Subject& subject, std::span<std::byte> bytes) const {
  for (const auto i : subject.steps) {
    const auto& step = plan_.steps[i];
    const auto& call = plan_.call_of(step);
    // The reference of a kernel in passes holds all of them.
    const std::uint32_t times = call.pass_argument < 0 ? step.count : 1;
    for (std::uint32_t n = 0; n < times; ++n) builtin_of(plan_, step)->reference(bytes, plan_.arguments_of(call));
  }
}

void Verifier::take_elements(std::size_t subject, std::span<const std::byte> memory) {
  const auto& s = subjects_[subject];
  const std::size_t length = std::min(s.affordable, s.judged.end - s.judged.begin);
  for (const auto offset : three_places(s.judged.begin, s.judged.end, length)) {
    const auto part = memory.subspan(offset, length);
    samples_.push_back({subject, offset, std::vector<std::byte>(part.begin(), part.end())});
    apply_references(s, samples_.back().expected);
  }
}

void Verifier::take_words(std::size_t subject, std::span<const std::byte> memory) {
  const auto& s = subjects_[subject];
  const auto& step = plan_.steps[s.steps.front()];
  const auto* kernel = builtin_of(plan_, step);
  const auto arguments = plan_.arguments_of(plan_.call_of(step));
  const double words = std::clamp(kAffordableWork / kernel->word_work(arguments), 3.0, kMostWords);
  const std::size_t length = std::min(4 * static_cast<std::size_t>(words / 3), s.judged.end - s.judged.begin);
  for (const auto offset : three_places(s.judged.begin, s.judged.end, length)) {
    Sample sample{subject, offset, {}};
    for (std::size_t at = offset; at < offset + length; at += 4) {
      std::uint32_t word = 0;
      // Behind the result, or in what a kernel keeps between its passes: not judged.
      if (!kernel->word(memory, arguments, at / 4, word)) {
        if (!sample.expected.empty()) break;
        sample.offset = at + 4;
        continue;
      }
      sample.expected.resize(sample.expected.size() + 4);
      std::memcpy(sample.expected.data() + sample.expected.size() - 4, &word, 4);
    }
    if (!sample.expected.empty()) samples_.push_back(std::move(sample));
  }
}

void Verifier::take_whole(std::size_t subject, std::span<const std::byte> memory) {
  const auto& s = subjects_[subject];
  std::vector<std::byte> all(memory.begin(), memory.end());
  apply_references(s, all);
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(s.judged.begin);
  const auto to = all.begin() + static_cast<std::ptrdiff_t>(s.judged.end);
  samples_.push_back({subject, s.judged.begin, std::vector<std::byte>(from, to)});
}

void Verifier::before_run(core::PreparedPlan& prepared) {
  parts_.before_run(prepared);
  samples_.clear();
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto memory = prepared.host_memory(subjects_[i].buffer);
    if (memory.size() < subjects_[i].judged.end) continue;  // a simulator's plan
    if (subjects_[i].way == Way::elements) take_elements(i, memory);
    if (subjects_[i].way == Way::words) take_words(i, memory);
    if (subjects_[i].way == Way::whole) take_whole(i, memory);
  }
}

std::string Verifier::mismatch(const Sample& sample, std::span<const std::byte> found) const {
  const auto& subject = subjects_[sample.subject];
  const auto& last = plan_.steps[subject.steps.back()];
  const auto* kernel = builtin_of(plan_, last);
  for (std::size_t at = 0; at < sample.expected.size(); at += 4) {
    if (hw::kernels::agrees(*kernel, word_at(found, at), word_at(sample.expected, at))) continue;
    std::size_t byte = at;
    while (byte < at + 3 && found[byte] == sample.expected[byte]) ++byte;
    return "wrong data came back: buffer " + std::to_string(index(subject.buffer)) + ", byte " +
           std::to_string(sample.offset + byte) + " differs from the reference of kernel '" +
           std::string(kernel->name) + "'";
  }
  return "";
}

std::string Verifier::after_run(const core::PreparedPlan& prepared) const {
  for (const auto& sample : samples_) {
    const auto memory = prepared.host_memory(subjects_[sample.subject].buffer);
    auto wrong = mismatch(sample, memory.subspan(sample.offset, sample.expected.size()));
    if (!wrong.empty()) return wrong;
  }
  return parts_.after_run(prepared);
}

std::size_t Verifier::judged_bytes() const {
  std::size_t bytes = parts_.judged_bytes();
  for (const auto& sample : samples_) bytes += sample.expected.size();
  return bytes;
}

}  // namespace forelap::run
