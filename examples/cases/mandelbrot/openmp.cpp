// The Mandelbrot set on the cores of one host, with OpenMP.

#include <vector>

#include "case.hpp"

namespace {

void draw(std::int32_t* image, int side, int iterations) {
  const float scale = 3.0F / static_cast<float>(side);
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < side; ++row) {
    const float y = -1.5F + scale * static_cast<float>(row);
    for (int column = 0; column < side; ++column) {
      const float x = -2.0F + scale * static_cast<float>(column);
      float re = 0.0F, im = 0.0F;
      int n = 0;
      while (n < iterations && re * re + im * im <= 4.0F) {
        const float next = re * re - im * im + x;
        im = 2.0F * re * im + y;
        re = next;
        ++n;
      }
      image[static_cast<std::int64_t>(row) * side + column] = n;
    }
  }
}

int run(const cases::Options& options) {
  std::vector<std::int32_t> image(static_cast<std::size_t>(options.size * options.size));
  const double seconds = cases::lowest_seconds(
      options.repetitions, [&] { draw(image.data(), static_cast<int>(options.size), cases::kIterations); });
  return cases::report("mandelbrot with OpenMP", options, seconds, cases::check_mandelbrot(image, options.size));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 2048}, run);
}
