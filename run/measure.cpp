#include "run/measure.hpp"

#include <memory>
#include <new>
#include <vector>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "run/rows.hpp"
#include "run/verify.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

/// One order, made ready. Plans stay where they are: the prepared plan and the verifier refer to them.
struct Subject {
  std::size_t row = 0;
  std::unique_ptr<core::Plan> plan;
  std::unique_ptr<core::PreparedPlan> prepared;
  std::unique_ptr<Verifier> verifier;
};

class Measurement {
 public:
  Measurement(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
              const MeasureOptions& options)
      : set_(set), scenario_(scenario), executor_(executor), options_(options), random_(options.seed) {
    total_ = set.rows.size() * (std::size_t{options.repetitions} + 1);
  }

  /// Every run of one case; false where the measurement ends here.
  bool measure_case(std::size_t case_index, const core::Bindings& bindings, MeasureOutcome& outcome) {
    auto subjects = prepare(case_index, bindings, outcome);
    if (outcome.stopped) return false;
    for (auto& subject : subjects) {
      if (!run_verified(subject, outcome)) return false;
    }
    for (std::uint32_t i = 0; i < options_.repetitions; ++i) {
      shuffle(subjects);
      for (auto& subject : subjects) {
        if (!run_once(subject, outcome)) return false;
      }
    }
    return !options_.intervals || run_instrumented(case_index, subjects, outcome);
  }

 private:
  std::vector<Subject> prepare(std::size_t case_index, const core::Bindings& bindings, MeasureOutcome& outcome) {
    std::vector<Subject> subjects;
    for (std::size_t i = 0; i < set_.rows.size(); ++i) {
      if (set_.rows[i].case_index != case_index) continue;
      if (stop_now(outcome)) return subjects;
      Subject subject;
      subject.row = i;
      subject.plan = std::make_unique<core::Plan>(plan_of(scenario_, set_, set_.rows[i]));
      subject.prepared = executor_.prepare(*subject.plan, bindings);
      subject.verifier = std::make_unique<Verifier>(*subject.plan);
      note_memory(subject);
      subjects.push_back(std::move(subject));
    }
    return subjects;
  }

  /// A device that will not pin memory gives pageable memory: the transfers are then not those that were predicted.
  void note_memory(const Subject& subject) {
    for (std::size_t b = 0; b < subject.plan->buffers.size() && set_.memory != "pageable"; ++b) {
      if (subject.plan->buffers[b].memory != core::MemoryKind::pinned) continue;
      if (subject.prepared->memory_given(core::make_id<core::BufferId>(b)) != core::MemoryKind::pageable) continue;
      set_.memory = "pageable";
      set_.notes.emplace_back(
          "pinned memory was refused: the measurement used pageable memory, which is slower than what was predicted; "
          "free memory, raise the limit of locked memory (ulimit -l), or set memory: pageable in the scenario");
    }
  }

  /// The cold run, whose data is verified.
  bool run_verified(Subject& subject, MeasureOutcome& outcome) {
    if (stop_now(outcome)) return false;
    subject.verifier->before_run(*subject.prepared);
    const auto timeline = subject.prepared->run(run_options(false));
    if (!timeline.complete) return !stop(outcome);
    set_.rows[subject.row].cold = core::seconds_from_ticks(timeline.makespan);
    report();
    outcome.verified_bytes += subject.verifier->judged_bytes();
    outcome.failure = subject.verifier->after_run(*subject.prepared);
    return outcome.failure.empty();
  }

  bool run_once(Subject& subject, MeasureOutcome& outcome) {
    if (stop_now(outcome)) return false;
    const auto timeline = subject.prepared->run(run_options(false));
    if (!timeline.complete) return !stop(outcome);
    set_.rows[subject.row].samples.push_back(core::seconds_from_ticks(timeline.makespan));
    report();
    return true;
  }

  bool run_instrumented(std::size_t case_index, std::vector<Subject>& subjects, MeasureOutcome& outcome) {
    const auto landmarks = validate::landmarks_of(set_, case_index);
    if (!landmarks) return true;
    for (auto& subject : subjects) {
      if (subject.row != landmarks->best && subject.row != landmarks->median && subject.row != landmarks->worst)
        continue;
      if (stop_now(outcome)) return false;
      // Twice: the first instrumented run pays for what stamping needs.
      subject.prepared->run(run_options(true));
      subject.verifier->before_run(*subject.prepared);
      auto timeline = subject.prepared->run(run_options(true));
      if (!timeline.complete) return !stop(outcome);
      outcome.failure = subject.verifier->after_run(*subject.prepared);
      if (!outcome.failure.empty()) return false;
      outcome.timelines[subject.row] = std::move(timeline);
    }
    return true;
  }

  void shuffle(std::vector<Subject>& subjects) {
    for (std::size_t i = subjects.size(); i > 1; --i) std::swap(subjects[i - 1], subjects[random_.below(i)]);
  }

  [[nodiscard]] core::RunOptions run_options(bool intervals) const {
    core::RunOptions options;
    options.intervals = intervals;
    options.stop = options_.stop;
    return options;
  }

  static bool stop(MeasureOutcome& outcome) {
    outcome.stopped = true;
    return true;
  }
  [[nodiscard]] bool stop_now(MeasureOutcome& outcome) const { return options_.stop.stop_requested() && stop(outcome); }

  void report() {
    if (options_.progress) options_.progress("measuring", ++done_, total_);
  }

  validate::RunSet& set_;
  const scenarios::Scenario& scenario_;
  core::Executor& executor_;
  const MeasureOptions& options_;
  core::Random random_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

void mark_partial(validate::RunSet& set, const MeasureOutcome& outcome) {
  std::size_t partial = 0;
  for (auto& row : set.rows) {
    row.partial = row.samples.size() < set.repetitions;
    partial += row.partial ? 1U : 0U;
  }
  if (partial == 0) return;
  const std::string why = outcome.failure.empty() ? "stopped by the user" : outcome.failure;
  set.notes.push_back("partial: " + why + "; " + std::to_string(partial) + " of " + std::to_string(set.rows.size()) +
                      " rows have fewer than " + std::to_string(set.repetitions) + " runs");
}

}  // namespace

MeasureOutcome measure_cases(validate::RunSet& set, const BindCase& bind, const MeasureOptions& options,
                             const MeasureCase& measure) {
  MeasureOutcome outcome;
  set.repetitions = options.repetitions;
  try {
    for (std::size_t i = 0; i < set.cases.size(); ++i) {
      const auto bindings = bind(set.cases[i].tuning.case_index);
      if (!measure(i, bindings, outcome)) break;
    }
  } catch (const core::Error& error) {
    if (error.kind() != core::ErrorKind::device_failed) throw;
    outcome.failure = error.what();
  } catch (const std::bad_alloc&) {
    outcome.failure = "out of host memory";
  }
  mark_partial(set, outcome);
  return outcome;
}

MeasureOutcome measure_rows(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
                            const BindCase& bind, const MeasureOptions& options) {
  Measurement measurement(set, scenario, executor, options);
  return measure_cases(set, bind, options, [&](std::size_t i, const core::Bindings& bindings, MeasureOutcome& outcome) {
    return measurement.measure_case(i, bindings, outcome);
  });
}

}  // namespace forelap::run
