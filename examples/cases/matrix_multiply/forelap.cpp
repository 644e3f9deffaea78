// C = A B on any devices, with forelap: by cuBLAS on CUDA devices and a CBLAS on CPU cores, where they are installed,
// and by the kernel elsewhere.

#include <forelap/controller.hpp>

#include "case.hpp"

namespace {

FORELAP_KERNEL(multiply, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
  float sum = 0.0F;
  for (long k = 0; k < extent(b, 0); ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
});

int run(const cases::Options& options) {
  multiply.is_matrix_product();
  forelap::MultiController devices(options.devices, {.weights = options.weights});
  auto a = devices.tile<float>({options.size, options.size}, "a");
  auto b = devices.tile<float>({options.size, options.size}, "b");
  auto c = devices.tile<float>({options.size, options.size}, "c");
  cases::fill_matrix_multiply(a.values(), b.values());
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    devices.partition(a, c);
    devices.replicate(b);
    devices.launch(multiply, a, b, c);
    devices.detach(a, b, c);
  });
  return cases::report("matrix_multiply with forelap", options, seconds,
                       cases::check_matrix_multiply(c.values(), options.size));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 12800}, run);
}
