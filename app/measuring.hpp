#pragma once
// What `measure` and `validate` share: one scenario measured on the devices here, and the results of several written.

#include <optional>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "core/stop_token.hpp"
#include "run/hardware.hpp"
#include "run/measure.hpp"
#include "run/traces.hpp"
#include "validate/results.hpp"

namespace forelap::app {

struct MeasuredScenario {
  validate::RunSet set;
  bool stopped = false;
  std::string failure;  ///< of a device; what was measured before is in the set
};

/// Says in the set what it is measured on.
void describe_hardware(validate::RunSet& set, const run::Hardware& hardware);
/// Bindings of each case on the hardware: sources of users' kernels and inputs. Throws core::Error (bad_input) where a
/// task group with kernels of its own uses devices of two backends. Both are referred to.
run::BindCase binder(const scenarios::Scenario& scenario, const run::Hardware& hardware);

/// Measures one scenario; with `engine`, predicts it first. Timelines are added to `traces` where the user wants them.
/// Throws core::Error where nothing could be measured.
MeasuredScenario measure_scenario(const std::string& scenario, const CommonOptions& common,
                                  const HardwareOptions& hardware, const std::optional<std::string>& engine,
                                  const core::StopToken& stop, run::Traces& traces);

/// Writes --json, --csv and --trace of all sets.
void write_results(const std::vector<validate::RunSet>& sets, const run::Traces& traces, const CommonOptions& common);

/// Exit code where a measurement did not come to its end (and says why), else nothing.
std::optional<int> incomplete(const MeasuredScenario& measured);

}  // namespace forelap::app
