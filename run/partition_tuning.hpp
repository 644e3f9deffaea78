#pragma once
// Tuning a partition: devices, shares and chunks chosen by the models, the neighbours measured where hardware is there,
// and the choice written as a scenario.

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "run/tuning.hpp"
#include "scenarios/scenario.hpp"
#include "tune/partition.hpp"
#include "validate/results.hpp"

namespace forelap::run {

/// A division that is predicted with its interval, and measured where that was asked for.
struct DivisionCandidate {
  std::string what;  ///< "chosen", "gpu0 alone", "without cpu0", "gpu0 +1 %" and so on
  scenarios::PartitionTuning tuning;
  std::size_t row = 0;  ///< of the set of candidates
};

struct TunedPartition {
  std::vector<std::string> devices;
  std::uint64_t rows = 0;
  std::string kernel;
  tune::PartitionChoice choice;
  std::vector<DivisionCandidate> candidates;  ///< the chosen one first
  std::size_t taken = 0;                      ///< what is written: the chosen one, or a faster one by the measurement
  Verdict verdict = Verdict::not_measured;
  std::vector<std::size_t> measured_ties;  ///< candidates that noise does not tell from the taken one
  double profile_seconds = 0;              ///< that sampling the rows' costs took
  validate::RunSet set;                    ///< the candidates as rows
  bool stopped = false;
};

/// Tunes and predicts. Weights that the scenario gives are left aside; chunks are kept where it gives one number. With
/// `neighbours`, shares moved by one per cent of the rows either way are among the candidates. `machine` comes from
/// select_devices. Throws core::Error (bad_input), see tune::tune_partition.
TunedPartition tune_division(const scenarios::Scenario& scenario, const core::Machine& machine, bool neighbours,
                             const core::StopToken& stop);

/// What was measured decides: the fastest by its median is taken where noise does not explain its lead.
void judge_measurements(TunedPartition& tuned);

/// The scenario with what was taken: devices that are kept, their weights and chunks.
scenarios::Scenario tuned_scenario(const scenarios::Scenario& scenario, const core::Machine& machine,
                                   const TunedPartition& tuned);

/// Schema forelap.tune_partition/1.
std::string tuning_json(const TunedPartition& tuned);

}  // namespace forelap::run
