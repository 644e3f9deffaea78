#pragma once
// Buffers as words, for fills and references. Internal to hw/kernels.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/plan.hpp"

namespace forelap::hw::kernels {

template <class T>
T load(std::span<const std::byte> buffer, std::size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::byte> buffer, std::size_t i, T value) {
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}

/// A number argument that counts something; negative counts as none.
inline std::size_t count_of(const core::Argument& argument) {
  return static_cast<std::size_t>(std::max(0, std::get<std::int32_t>(argument)));
}

}  // namespace forelap::hw::kernels
