#pragma once
// From a scenario and a machine to the runs that it asks for (a case in an order each), and from a run to its plan.

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/plan.hpp"
#include "scenarios/read.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace forelap::run {

/// `machine` with the devices that the scenario names, in its order: by their names in the profile, or by
/// specification ("opencl:1": the second OpenCL device of the profile; "auto": the first device). A scenario without
/// devices gets the first. Throws core::Error (bad_input) naming the devices there are.
core::Machine select_devices(const core::Machine& machine, const scenarios::Scenario& scenario);

/// A set of the scenario without cases and rows yet.
validate::RunSet empty_set(const scenarios::Scenario& scenario, const core::Machine& machine);

/// Every case sized by the models of `sized_for` (see tune::size_case; it differs from `machine` in what-ifs), every
/// order (of an online scenario: every policy) one row, nothing predicted or measured yet. Both machines come from
/// select_devices.
validate::RunSet make_rows(const scenarios::Scenario& scenario, const core::Machine& machine,
                           const core::Machine& sized_for);
inline validate::RunSet make_rows(const scenarios::Scenario& scenario, const core::Machine& machine) {
  return make_rows(scenario, machine, machine);
}

/// The scenario that a set was made from, with what-ifs; `file` is where the set came from, for messages. Throws
/// core::Error (bad_input) where the set's cases are not the scenario's.
scenarios::Scenario scenario_of(const validate::RunSet& set, const std::string& file,
                                const std::vector<scenarios::Override>& overrides = {});

/// The plan of one row that has an order; rows of policies have none, and std::invalid_argument is thrown.
core::Plan plan_of(const scenarios::Scenario& scenario, const validate::RunSet& set, const validate::Row& row);

/// For each step of plan_of's plan: the task's name and the stage, such as "T1 htod"; for traces. Follows the order in
/// which scenarios::lower writes steps, kept by a test.
std::vector<std::string> step_labels(const scenarios::Scenario& scenario, const validate::RunSet& set,
                                     const validate::Row& row);

/// Now, ISO 8601 in UTC.
std::string timestamp();

}  // namespace forelap::run
