// The results of a case against the checks of examples/cases.

#include <algorithm>

#include "bench/native/case_run.hpp"
#include "examples/cases/black_scholes/case.hpp"
#include "examples/cases/mandelbrot/case.hpp"
#include "examples/cases/matrix_add/case.hpp"
#include "examples/cases/matrix_multiply/case.hpp"

namespace forelap::bench {
namespace {

template <class T>
std::span<const T> as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

bool right_options(std::span<const float> call, std::span<const float> put) {
  std::vector<float> price(call.size()), strike(call.size()), years(call.size());
  cases::fill_black_scholes(price, strike, years);
  return cases::check_black_scholes(price, strike, years, call, put).verified;
}

/// The kernel of plans takes the middle of a point's cell. Counts near the border of the set hang on each rounding.
bool right_image_of_plans(std::span<const std::int32_t> image, std::int64_t side) {
  const float scale = 3.0F / static_cast<float>(side);
  const std::size_t step = std::max<std::size_t>(1, image.size() / 997);
  std::size_t checked = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < image.size(); i += step) {
    const std::size_t width = static_cast<std::size_t>(side);
    const float x = -2.0F + scale * (static_cast<float>(i % width) + 0.5F);
    const float y = -1.5F + scale * (static_cast<float>(i / width) + 0.5F);
    ++checked;
    if (image[i] == cases::iterations_of(x, y)) ++right;
  }
  return right * 100 >= checked * 97;
}

bool is_right(const Case& what, const std::vector<std::span<const std::byte>>& results) {
  switch (what.work) {
    case Work::matrix_add:
      return cases::check_matrix_add(as<float>(results.at(0))).verified;
    case Work::black_scholes:
      return right_options(as<float>(results.at(0)), as<float>(results.at(1)));
    case Work::mandelbrot:
      return what.of_plans ? right_image_of_plans(as<std::int32_t>(results.at(0)), what.size)
                           : cases::check_mandelbrot(as<std::int32_t>(results.at(0)), what.size).verified;
    default:
      return cases::check_matrix_multiply(as<float>(results.at(0)), what.size).verified;
  }
}

}  // namespace

void check_right(const Case& what, CaseRun& run) {
  if (!is_right(what, run.results())) throw ResultsDiffer(what.name + ": the native program's results are wrong");
}

}  // namespace forelap::bench
