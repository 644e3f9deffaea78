#pragma once
// Time in plans and timelines: whole picoseconds ("ticks"), so that results compare exactly on every machine.

#include <cstdint>

namespace forelap::core {

/// A point in time or a duration in picoseconds. Range: about 106 days either way.
using Tick = std::int64_t;

inline constexpr double kTicksPerSecond = 1e12;
/// The longest duration that a plan may hold (10^6 s): beyond it a double of picoseconds no longer holds every tick.
inline constexpr double kLongestSeconds = 1e6;

/// The tick nearest to `ticks` >= 0; no libm, the same on every machine.
constexpr Tick round_to_tick(double ticks) {
  return static_cast<Tick>(ticks + 0.5);
}

/// The tick nearest to `seconds` (either sign).
constexpr Tick ticks_from_seconds(double seconds) {
  const double ticks = seconds * kTicksPerSecond;
  return ticks < 0 ? -round_to_tick(-ticks) : round_to_tick(ticks);
}

constexpr double seconds_from_ticks(Tick ticks) {
  return static_cast<double>(ticks) / kTicksPerSecond;
}

}  // namespace forelap::core
