#pragma once
// Kernels for the tests of the controller, and typed calls of its mechanism.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "hw/controller/kernel.hpp"
#include "hw/controller/multi.hpp"
#include "tests/hw/controller/fake_device.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::controller::test {

FORELAP_KERNEL(add, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), { c(i, j) = a(i, j) + b(i, j); });
FORELAP_KERNEL(scale, (i), (inout<float> x, float factor), { x(i) = x(i) * factor; });
FORELAP_KERNEL(number, (i), (out<int> x, int offset), { x(i) = (int)i + offset; });
FORELAP_KERNEL(multiply, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
  float sum = 0.0f;
  for (long k = 0; k < extent(b, 0); ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
});
FORELAP_KERNEL(place, (i, j, k), (out<long, 3> x), { x(i, j, k) = (i * extent(x, 1) + j) * extent(x, 2) + k; });

template <class... P>
void launch(Multi& multi, const controller::Kernel<P...>& kernel, typename ParameterTraits<P>::Argument... arguments) {
  const std::array<LaunchArgument, sizeof...(P)> all = {ParameterTraits<P>::pass(arguments)...};
  multi.launch(kernel.definition(), nullptr, all);
}
template <class... Tiles>
void detach(Multi& multi, const Tiles&... tiles) {
  const std::array<std::shared_ptr<TileState>, sizeof...(Tiles)> all = {tiles.state()...};
  multi.detach(all);
}
template <class... Tiles>
void partition(Multi& multi, const Tiles&... tiles) {
  (multi.attach(tiles.state(), partitioned()), ...);
}

/// 0, 1, 2, ...
template <class T, int D>
void count_up(const Tile<T, D>& tile) {
  std::iota(tile.begin(), tile.end(), T{0});
}

inline std::vector<OpenedDevice> list(OpenedDevice one) {
  std::vector<OpenedDevice> devices;
  devices.push_back(std::move(one));
  return devices;
}
inline std::vector<OpenedDevice> list(OpenedDevice one, OpenedDevice other) {
  std::vector<OpenedDevice> devices = list(std::move(one));
  devices.push_back(std::move(other));
  return devices;
}

/// The words of the error that `body` throws; empty where it throws none.
inline std::string words_of(const std::function<void()>& body) {
  const auto error = hw::test::error_of(body);
  return error ? error->what() : "";
}

}  // namespace forelap::hw::controller::test
