// C = A B on the cores of one host, with OpenMP.

#include <vector>

#include "case.hpp"

namespace {

void multiply(const float* a, const float* b, float* c, int side) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < side; ++row) {
    float* const result = c + static_cast<std::int64_t>(row) * side;
    for (int column = 0; column < side; ++column) result[column] = 0.0F;
    for (int k = 0; k < side; ++k) {
      const float factor = a[static_cast<std::int64_t>(row) * side + k];
      const float* const line = b + static_cast<std::int64_t>(k) * side;
#pragma omp simd
      for (int column = 0; column < side; ++column) result[column] += factor * line[column];
    }
  }
}

int run(const cases::Options& options) {
  std::vector<float> a(static_cast<std::size_t>(options.size * options.size)), b(a.size()), c(a.size());
  cases::fill_matrix_multiply(a, b);
  const double seconds = cases::lowest_seconds(
      options.repetitions, [&] { multiply(a.data(), b.data(), c.data(), static_cast<int>(options.size)); });
  return cases::report("matrix_multiply with OpenMP", options, seconds, cases::check_matrix_multiply(c, options.size));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 12800}, run);
}
