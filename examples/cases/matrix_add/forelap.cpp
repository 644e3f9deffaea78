// C = A + B on any devices, with forelap.

#include <forelap/controller.hpp>

#include "case.hpp"

namespace {

FORELAP_KERNEL(add, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), { c(i, j) = a(i, j) + b(i, j); });

int run(const cases::Options& options) {
  forelap::MultiController devices(options.devices, {.weights = options.weights});
  auto a = devices.tile<float>({options.size, options.size}, "a");
  auto b = devices.tile<float>({options.size, options.size}, "b");
  auto c = devices.tile<float>({options.size, options.size}, "c");
  cases::fill_matrix_add(a.values(), b.values());
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    devices.partition(a, b, c);
    devices.launch(add, a, b, c);
    devices.detach(a, b, c);
  });
  return cases::report("matrix_add with forelap", options, seconds, cases::check_matrix_add(c.values()));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 20000}, run);
}
