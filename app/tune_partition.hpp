#pragma once
// forelap tune of a scenario of kind partition.

#include <string>

#include "app/options.hpp"

namespace forelap::app {

/// What the command line says beside the common options.
struct TunePartitionOptions {
  HardwareOptions hardware;
  bool measure = false;
  std::string write;
};

/// Tunes, measures where asked for, shows and writes. The exit code.
int tune_partition_scenario(const Inputs& inputs, const CommonOptions& common, const TunePartitionOptions& options);

/// Files that the scenario names relative to its own folder, named so that they are found from that of `target`.
void move_paths(scenarios::Scenario& written, const std::string& target);

}  // namespace forelap::app
