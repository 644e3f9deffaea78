#pragma once
// A lower bound on what is left of a group's time that knows how transfers and kernels slow each other.
//
// Source: the linear program over active states. Time is split by the set of stages at work (htod, kernel, dtoh) and by
// phase (before the first dtoh can begin; while htods are left; after the last htod); each state does work at its
// measured rates; all work must be done, the first phase lasts at least `head`, the last at least `tail`, and for at
// least `kernel_idle` no kernel is at work (before the first and after the last one). Its optimum is the largest of a
// few dot products with the vertices of the dual polytope, which depends on the rates alone.

#include <array>
#include <vector>

#include "sim/fast/order_engine.hpp"

namespace forelap::tune::order {

/// What is left at an instant. Ticks at solo rate.
struct Remaining {
  std::array<double, 3> work{};   ///< of htods, kernels, dtohs; work parts
  std::array<double, 3> fixed{};  ///< their fixed parts
  double head = 0;                ///< no dtoh is at work for at least so long from now
  double tail = 0;                ///< at least so long passes after the last htod
  double kernel_idle = 0;         ///< for at least so long no kernel is at work
};

/// The dual vertices of one device. Immutable; thread-safe.
class BoundTable {
 public:
  explicit BoundTable(const sim::fast::OrderDevice& device);
  /// No way to finish what remains takes less than this many ticks from now.
  [[nodiscard]] double least(const Remaining& remaining) const;
  [[nodiscard]] std::size_t vertex_count() const { return vertices_.size(); }

  /// Prices of work, fixed parts, head, tail and kernel_idle.
  struct Vertex {
    std::array<double, 9> weight{};
  };
  [[nodiscard]] const std::vector<Vertex>& vertices() const { return vertices_; }

 private:
  std::vector<Vertex> vertices_;
};

}  // namespace forelap::tune::order
