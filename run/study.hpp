#pragma once
// The experiment of the ordering paper as a scenario: many orders of each case, with the model's best and worst among
// them, against the orders that the paper's heuristic and ours choose.
//
// First every order is measured (`repetitions` runs each, interleaved). Then the fastest ones, the chosen ones and the
// slowest are measured again with more runs: what was picked for being fast or slow is judged by runs that did not pick
// it.

#include <functional>

#include "run/measure.hpp"
#include "run/predict.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace forelap::run {

bool is_study(const scenarios::Scenario& scenario);

/// The scenario's study made ready: the cases (scenarios::expand_study) and for each its orders as rows with labels:
/// all orders or random ones ("all", "random"), the model's best and worst of 20,000 random ones or of all ("model
/// best", "model worst"), the paper's heuristic's ("heuristic") and ours ("chosen"), both round by round where there
/// are several. What choosing costs is in CaseRecord::scheduling. `expanded` receives the scenario of the set. Nothing
/// is predicted or measured yet. Machines come from select_devices. Throws core::Error (bad_input) where a case does
/// not fit the order engine (one command a stage, one device).
validate::RunSet plan_study(const scenarios::Scenario& scenario, const core::Machine& machine,
                            const core::Machine& sized_for, scenarios::Scenario& expanded);

/// Measures the cases that are not complete yet, one after the other; `done` is called after each of them (to keep what
/// is there). `candidates` and `final_runs` come from the study. Outcome and errors as measure_rows.
MeasureOutcome measure_study(validate::RunSet& set, const scenarios::Scenario& expanded, const scenarios::Study& study,
                             core::Executor& executor, const BindCase& bind, const MeasureOptions& options,
                             const std::function<void()>& done);

}  // namespace forelap::run
