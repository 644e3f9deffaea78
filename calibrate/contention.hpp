#pragma once
// How the devices of one machine slow each other: copies of several devices, which share the host's memory and links,
// and kernels of groups of CPU cores, which work in that memory. What comes out is the host's part of a machine: rates
// by what is active (core::InterferenceRow), and how much of one class runs at full rate (core::HostCapacity).
//
// Each class is kept busy with equal commands of some milliseconds on a lane of its own, alone and together; the rate
// of a lane is the median length of its commands alone by that of those that ran while all other lanes were at work.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibrate/campaign.hpp"
#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "core/stop_token.hpp"

namespace forelap::calibrate {

/// One device of the executor's plans, in their order.
struct ContentionDevice {
  const core::DeviceModel* model = nullptr;  ///< fitted: it tells how large commands of a wished length are
  bool in_place = false;                     ///< a group of CPU cores: kernels in host memory, no copies
};

struct ContentionOptions {
  std::uint32_t rounds = 5;
  std::uint32_t commands = 12;             ///< of each lane in a run
  double seconds = 5e-3;                   ///< of each command, alone
  std::uint64_t most_bytes = 400'000'000;  ///< of a command's buffers
  std::string how = "measured";
  core::Progress progress;
  core::StopToken stop;
};

struct Contention {
  std::vector<core::InterferenceRow> rows;
  std::vector<core::HostCapacity> capacity;
  std::vector<std::string> notes;  ///< what was left out and why
  bool complete = true;
};

/// Measures copies of the devices that copy, and for each probe its kernel on all groups of cores, against each other.
/// Probes without a model on every group are left out with a note. Slowing that the rounds do not tell from none is
/// none. Throws core::Error as the executor does.
Contention measure_contention(core::Executor& executor, std::span<const ContentionDevice> devices,
                              std::span<const KernelProbe> probes, const ContentionOptions& options);

}  // namespace forelap::calibrate
