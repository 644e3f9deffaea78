#pragma once
// Predictions against what is already known: recorded measurements of other machines, and published figures.

#include <filesystem>
#include <string>
#include <vector>

#include "run/predict.hpp"
#include "scenarios/read.hpp"
#include "validate/published.hpp"
#include "validate/results.hpp"

namespace forelap::run {

/// A recorded set, predicted anew.
struct Revalidated {
  std::filesystem::path file;
  validate::RunSet set;
  scenarios::Scenario scenario;
  core::Machine machine;
};

struct RecordedOptions {
  std::filesystem::path folder;        ///< such as validate/recorded
  std::vector<std::string> scenarios;  ///< names or files, in any case; empty = every set
  std::string machine;                 ///< a profile in the place of the recorded ones; empty = those
  std::vector<scenarios::Override> machine_overrides;
  std::vector<scenarios::Override> scenario_overrides;
  PredictOptions predict;
};

/// Predicts every row of the recorded sets from the profile of their day and their recorded sizes. Throws core::Error
/// (bad_input) where nothing is recorded that fits. Stopped, it gives the sets begun, the last one marked partial.
std::vector<Revalidated> predict_recorded(const RecordedOptions& options);

/// A published row and what the engine makes of it, seconds.
struct PublishedOutcome {
  validate::PublishedRow row;
  double best = 0;
  double geometric_mean = 0;
  double worst = 0;
  bool equal = false;  ///< all given numbers, to the digits given
};

/// Every published figure of validate/published, or those of the scenarios named; stopped, those that were done.
std::vector<PublishedOutcome> predict_published(const std::vector<std::string>& scenario_names,
                                                const PredictOptions& options);

}  // namespace forelap::run
