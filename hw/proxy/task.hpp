#pragma once
// A task as a worker writes it: a kernel and its arguments, where the arguments that are buffers say what is copied to
// the device before the kernel and back after it.
//
//   proxy.submit({.kernel = "saxpy", .arguments = {in(x), inout(y), 2.0F, n}, .items = n})
//
// Two kinds of host memory: a worker's own (a span, vector, array), which the proxy copies through pinned memory on the
// worker's thread, and pinned memory that the proxy gives (HostBuffer), which the device reads and writes itself.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"

namespace forelap::hw {
class HostMemory;
}

namespace forelap::hw::proxy {

/// The error of a task that was withdrawn before it reached the device.
class Cancelled : public core::Error {
 public:
  explicit Cancelled(const std::string& message) : core::Error(core::ErrorKind::unavailable, message) {}
};

/// Pinned memory given by a proxy; copies of the handle share it, the last one gives it back. A task that uses it holds
/// it until the task ends. Do not write to it while a task reads it, nor read what a task writes before the task ended.
///
/// A CUDA device that failed opens again only after the buffers that came from it are gone.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(std::shared_ptr<HostMemory> memory, std::span<std::byte> bytes)
      : memory_(std::move(memory)), bytes_(bytes) {}

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// As elements of T; what is left of a last, incomplete one is out of reach.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    static_assert(std::is_trivially_copyable_v<T>, "device buffers hold plain data");
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  explicit operator bool() const { return memory_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<HostMemory>& memory() const { return memory_; }

 private:
  std::shared_ptr<HostMemory> memory_;
  std::span<std::byte> bytes_;
};

/// A kernel argument that is a buffer on the device. The copies begin at the buffer's first byte.
struct BufferArgument {
  std::uint64_t bytes = 0;            ///< on the device; its content before the first copy is undefined
  std::span<const std::byte> source;  ///< copied to the device; read before `submit` returns
  std::span<std::byte> target;        ///< copied back; written by Future::get, so it must live until then
  HostBuffer source_buffer;           ///< set: `source` lies in it
  HostBuffer target_buffer;           ///< set: `target` lies in it, and is written when the task ends
};

template <class Range>
concept PlainData = requires(Range& range) {
  std::span(range);
}
&&std::is_trivially_copyable_v<typename decltype(std::span(std::declval<Range&>()))::value_type>;

/// A buffer that is copied to the device.
template <PlainData Range>
BufferArgument in(const Range& from) {
  const auto source = std::as_bytes(std::span(from));
  return {source.size(), source, {}, {}, {}};
}
/// A buffer that is copied back.
template <PlainData Range>
BufferArgument out(Range&& to) {
  const auto target = std::as_writable_bytes(std::span(to));
  return {target.size(), {}, target, {}, {}};
}
/// A buffer that is copied to the device and back to the same place.
template <PlainData Range>
BufferArgument inout(Range&& both) {
  const auto bytes = std::as_writable_bytes(std::span(both));
  return {bytes.size(), bytes, bytes, {}, {}};
}
/// A buffer that is copied to the device from one place and back to another; as large as the larger of the two.
template <PlainData From, PlainData To>
BufferArgument inout(const From& from, To&& to) {
  const auto source = std::as_bytes(std::span(from));
  const auto target = std::as_writable_bytes(std::span(to));
  return {source.size() < target.size() ? target.size() : source.size(), source, target, {}, {}};
}
/// The same for pinned memory of the proxy.
inline BufferArgument in(const HostBuffer& from) {
  return {from.bytes().size(), from.bytes(), {}, from, {}};
}
inline BufferArgument out(const HostBuffer& to) {
  return {to.bytes().size(), {}, to.bytes(), {}, to};
}
inline BufferArgument inout(const HostBuffer& both) {
  return {both.bytes().size(), both.bytes(), both.bytes(), both, both};
}
inline BufferArgument inout(const HostBuffer& from, const HostBuffer& to) {
  const std::size_t bytes = from.bytes().size() < to.bytes().size() ? to.bytes().size() : from.bytes().size();
  return {bytes, from.bytes(), to.bytes(), from, to};
}
/// Memory of the device alone.
inline BufferArgument scratch(std::uint64_t bytes) {
  return {bytes, {}, {}, {}, {}};
}

using Argument = std::variant<BufferArgument, std::int32_t, std::int64_t, float, double>;

/// Work-items in up to three dimensions, or the size of a group of them.
struct Extent {
  template <std::integral X>
  constexpr Extent(X x_items) : x(static_cast<std::uint64_t>(x_items)) {}  // NOLINT: `.items = n` is the point
  constexpr Extent(std::uint64_t x_items, std::uint64_t y_items, std::uint64_t z_items = 1)
      : x(x_items), y(y_items), z(z_items) {}
  std::uint64_t x = 0, y = 1, z = 1;
};

/// What a worker submits. Any part may be missing: without a kernel the buffers are only copied.
struct Task {
  std::string kernel = {};               ///< a built-in kernel or one that was defined; empty: none
  std::vector<Argument> arguments = {};  ///< in the order of the kernel's parameters
  Extent items = 0;                      ///< work-items; none: the kernel is not launched
  Extent group = 0;                      ///< work-items of a group; 0: the device's default
  double work = 0;                       ///< in the unit of the kernel's model; 0: the number of work-items
  double kernel_seconds = -1;            ///< how long the kernel takes, where it is known; negative: ask the models
  std::string name = {};                 ///< for messages; empty: the kernel's name
};

}  // namespace forelap::hw::proxy
