// The Mandelbrot set on any devices, with forelap.

#include <forelap/controller.hpp>

#include "case.hpp"

namespace {

FORELAP_KERNEL(draw, (i, j), (out<int, 2> image, int iterations), {
  const float scale = 3.0F / (float)extent(image, 0);
  const float x = -2.0F + scale * (float)j;
  const float y = -1.5F + scale * (float)i;
  float re = 0.0F;
  float im = 0.0F;
  int n = 0;
  while (n < iterations && re * re + im * im <= 4.0F) {
    const float next = re * re - im * im + x;
    im = 2.0F * re * im + y;
    re = next;
    ++n;
  }
  image(i, j) = n;
});

int run(const cases::Options& options) {
  forelap::MultiController devices(options.devices, {.weights = options.weights});
  auto image = devices.tile<int>({options.size, options.size}, "image");
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    devices.partition(image);
    devices.launch(draw, image, cases::kIterations);
    devices.detach(image);
  });
  return cases::report("mandelbrot with forelap", options, seconds,
                       cases::check_mandelbrot(image.values(), options.size));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 2048}, run);
}
