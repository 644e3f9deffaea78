#pragma once
// Waves of work-groups: how often a launch fills the device. A launch takes as long as its last wave however empty that
// is, so the time of one of few waves moves in steps as it grows. Internal to calibrate/.

#include <cstdint>

namespace forelap::calibrate {

/// Work-items that one compute unit holds at once (2048 threads on the GPUs of the last ten years).
inline constexpr double kResidentItems = 2048;

/// Below so many waves a step is more than a tenth of the time: sizes in between are measured, not concluded.
inline constexpr double kFewWaves = 12;

/// 0 where either is not known.
inline double waves_of(double items, std::uint32_t compute_units) {
  return compute_units == 0 ? 0 : items / (kResidentItems * compute_units);
}

}  // namespace forelap::calibrate
