#pragma once
// The classes of work that interfere with each other, and the set of them that is active in a contention domain.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace forelap::core {

/// What a step does to the hardware while its work part runs.
enum class ActivityClass : std::uint8_t { htod, dtoh, kernel, host_work, message };

inline constexpr std::size_t kActivityClasses = 5;
inline constexpr std::size_t kActivitySets = std::size_t{1} << kActivityClasses;

inline constexpr std::array<std::string_view, kActivityClasses> kActivityNames = {"htod", "dtoh", "kernel", "host_work",
                                                                                  "message"};

constexpr std::string_view name_of(ActivityClass c) {
  return kActivityNames[static_cast<std::size_t>(c)];
}

constexpr std::optional<ActivityClass> activity_named(std::string_view name) {
  for (std::size_t i = 0; i < kActivityClasses; ++i) {
    if (kActivityNames[i] == name) {
      return static_cast<ActivityClass>(i);
    }
  }
  return std::nullopt;
}

/// Which model of interference a prediction uses (the three that the ordering paper compares).
enum class InterferenceMode : std::uint8_t {
  none,     ///< every step at its solo rate
  full,     ///< a step that meets a slowing set at any time is slowed over its whole length
  partial,  ///< slowed while the set is active, and only then
};

/// A set of classes as bits: bit i is the class of value i.
using ActivitySet = std::uint8_t;

constexpr ActivitySet bit(ActivityClass c) {
  return static_cast<ActivitySet>(1U << static_cast<unsigned>(c));
}

}  // namespace forelap::core
