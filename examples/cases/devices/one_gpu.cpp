// A vector doubled on one GPU. gpu_and_cores.cpp is the same program on a GPU and cores of the host: the lines that
// differ are all that other devices change.

#include <cstdio>
#include <exception>
#include <forelap/controller.hpp>

namespace {

FORELAP_KERNEL(twice, (i), (in<float> x, out<float> y), { y(i) = 2.0F * x(i); });

int run() {
  forelap::MultiController devices({"cuda:0"});
  auto x = devices.tile<float>({1000000}, "x");
  auto y = devices.tile<float>({1000000}, "y");
  x.fill(21.0F);
  devices.partition(x, y);
  devices.launch(twice, x, y);
  devices.detach(x, y);
  for (const float value : y) {
    if (value != 42.0F) return 1;
  }
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
