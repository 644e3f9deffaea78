#pragma once
// Tuning the groups of a scenario: orders, devices and kernel lanes chosen by the models, the nearest orders measured
// where hardware is there, and the choice written as a scenario.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/progress.hpp"
#include "scenarios/scenario.hpp"
#include "tune/group.hpp"
#include "validate/results.hpp"

namespace forelap::run {

struct TuneOptions {
  tune::GroupOptions group;  ///< of each case
  core::Progress progress;
};

/// An arrangement that was predicted with its interval, or measured.
struct Candidate {
  std::string what;  ///< why it is there: "chosen", "given", "heuristic", "tie"; several joined by ", "
  tune::Arrangement arrangement;
  std::size_t row = 0;  ///< of the set of candidates
};

enum class Verdict : std::uint8_t {
  not_measured,
  confirmed,  ///< the chosen one has the lowest median, and the measurement tells it from the others
  tie,        ///< noise explains what is between the chosen one and the fastest measured
  changed,    ///< another one was measured to be faster, and is taken
};

struct TunedCase {
  std::size_t case_index = 0;
  std::string name;                  ///< empty where the scenario has one case
  std::vector<std::string> tasks;    ///< names by position
  scenarios::TaskGroupTuning sized;  ///< in the given order: the first of a list, else as written
  tune::GroupChoice choice;
  tune::Arrangement taken;  ///< what is written: the chosen one, or a faster one by the measurement
  std::vector<Candidate> candidates;
  Verdict verdict = Verdict::not_measured;
  std::vector<std::size_t> measured_ties;  ///< candidates that noise does not tell from the taken one
};

struct Tuned {
  std::string method;
  double time_limit = 0;             ///< seconds
  double gap = 0;                    ///< relative, wished
  std::vector<std::string> devices;  ///< names by position
  std::vector<TunedCase> cases;
  /// The candidates of all cases as rows, predicted; measured where that was asked for.
  validate::RunSet set;
  bool stopped = false;
};

/// Tunes every case. Both machines come from select_devices; sizes are those of `sized_for` (as make_rows). Stopped, it
/// leaves the rest of the cases out. Throws core::Error (bad_input), see tune::tune_group.
Tuned tune_scenario(const scenarios::Scenario& scenario, const core::Machine& machine, const core::Machine& sized_for,
                    const TuneOptions& options);

/// What was measured of the set's rows decides: takes the fastest by its median where noise (the 90 % intervals of the
/// medians) does not explain its lead over the chosen one.
void judge_measurements(Tuned& tuned);

/// The scenario with what was taken: `order` as a list, the tasks' devices, the kernel lanes. A task that goes to
/// another real device than the file says is written by its sizes, so that it stays the same work; all else stays as it
/// is. Throws core::Error (bad_input) where cases take different numbers of kernel lanes, which one file cannot say.
scenarios::Scenario tuned_scenario(const scenarios::Scenario& scenario, const core::Machine& machine,
                                   const Tuned& tuned);

/// "T1 T0 T2", or with several devices "gpu0: T1 T2; gpu1: T0".
std::string arrangement_text(const Tuned& tuned, const TunedCase& c, const tune::Arrangement& arrangement);

/// The lane that is at work the largest share of the time, by position in `choice.lanes`; nothing where none is.
std::optional<std::size_t> critical_lane(const tune::GroupChoice& choice);

/// Schema forelap.tune/1.
std::string tuning_json(const Tuned& tuned);
/// One line an arrangement: case, what, order, devices, kernel lanes, predicted seconds, measured median.
std::string tuning_csv(const Tuned& tuned);

}  // namespace forelap::run
