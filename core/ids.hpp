#pragma once
// Small integer names for the entries of a Plan's and a Machine's tables. Distinct types, so that a lane is never taken
// for a step; each is an index from zero into the table it names.

#include <cstddef>
#include <cstdint>

namespace forelap::core {

enum class StepId : std::uint32_t {};
enum class LaneId : std::uint32_t {};
enum class DeviceId : std::uint32_t {};
enum class BufferId : std::uint32_t {};
enum class KernelId : std::uint32_t {};
enum class HostWorkId : std::uint32_t {};
enum class RankId : std::uint32_t {};

/// The position that `id` names in its table.
template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// The id that names position `i`.
template <class Id>
constexpr Id make_id(std::size_t i) {
  return static_cast<Id>(static_cast<std::uint32_t>(i));
}

/// "No entry": the largest value of the type.
template <class Id>
constexpr Id none() {
  return static_cast<Id>(UINT32_MAX);
}

}  // namespace forelap::core
