// C = A + B on the cores of one host, with OpenMP.

#include <vector>

#include "case.hpp"

namespace {

void add(const float* a, const float* b, float* c, std::int64_t cells) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < cells; ++i) c[i] = a[i] + b[i];
}

int run(const cases::Options& options) {
  const std::int64_t cells = options.size * options.size;
  std::vector<float> a(static_cast<std::size_t>(cells)), b(a.size()), c(a.size());
  cases::fill_matrix_add(a, b);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] { add(a.data(), b.data(), c.data(), cells); });
  return cases::report("matrix_add with OpenMP", options, seconds, cases::check_matrix_add(c));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 20000}, run);
}
