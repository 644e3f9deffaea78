#include "bench/native/case_run.hpp"

namespace forelap::bench {

std::vector<Case> case_studies(bool small) {
  const auto sized = [small](std::int64_t paper, std::int64_t little) { return small ? little : paper; };
  return {
      {"matrix addition", Work::matrix_add, sized(20000, 1000)},
      {"Black-Scholes", Work::black_scholes, sized(300'000'000, 1'000'000)},
      {"matrix multiplication, plain", Work::multiply_plain, sized(12800, 500)},
      {"matrix multiplication, tiled", Work::multiply_tiled, sized(12800, 500)},
      {"matrix multiplication, 8 x 8 an item", Work::multiply_rows, sized(12800, 500)},
      {"matrix multiplication, cuBLAS", Work::multiply_library, sized(12800, 500)},
      {"Black-Scholes repeated", Work::black_scholes, sized(1'000'000, 100'000), 2048},
      {"Mandelbrot", Work::mandelbrot, sized(2048, 256)},
  };
}

std::vector<Case> cases_of_plans(bool small) {
  std::vector<Case> all;
  for (Case& one : case_studies(small)) {
    if (one.work == Work::multiply_plain || one.work == Work::multiply_tiled || one.work == Work::multiply_library) {
      continue;
    }
    one.name += ", kernel of plans";
    one.of_plans = true;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace forelap::bench
