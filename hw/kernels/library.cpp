#include "hw/kernels/library.hpp"

#include <array>

#include "hw/kernels/agreement.hpp"
#include "hw/kernels/cpu_kernels.hpp"
#include "hw/kernels/references.hpp"

namespace forelap::hw::kernels {

// The texts of the .inc files, embedded by the build (cmake/EmbedText.cmake).
namespace text {
extern const char* const prelude_opencl;
extern const char* const prelude_cuda;
extern const char* const synthetic;
extern const char* const vector_add;
extern const char* const matrix_multiply;
extern const char* const black_scholes;
extern const char* const fast_walsh;
extern const char* const floyd_warshall;
extern const char* const convolution;
extern const char* const transpose;
extern const char* const dct;
extern const char* const matrix_add;
extern const char* const black_scholes_options;
extern const char* const matrix_multiply_rows;
extern const char* const mandelbrot;
}  // namespace text

namespace {

/// Of option prices: what is left of floats of 24 bits after differences of prices up to 100.
constexpr double kTolerance = 1e-4;

std::string all_kernels(const char* prelude) {
  std::string source = prelude;
  for (const char* part :
       {text::synthetic, text::vector_add, text::matrix_multiply, text::black_scholes, text::fast_walsh,
        text::floyd_warshall, text::convolution, text::transpose, text::dct, text::matrix_add,
        text::black_scholes_options, text::matrix_multiply_rows, text::mandelbrot}) {
    source += part;
  }
  return source;
}

}  // namespace

std::string opencl_source() {
  return all_kernels(text::prelude_opencl);
}

std::string cuda_source() {
  return all_kernels(text::prelude_cuda);
}

std::string opencl_words() {
  return text::prelude_opencl;
}

std::string cuda_words() {
  return text::prelude_cuda;
}

std::span<const BuiltinKernel> builtin_kernels() {
  static const std::array<BuiltinKernel, 9> kernels = {{
      {"synthetic", "multiplies each integer by a factor, repeatedly", true, synthetic_on_cpu().parameters,
       fill_integers, reference_synthetic, synthetic_on_cpu().run},
      {"vector_add", "adds two vectors, repeatedly", false, vector_add_on_cpu().parameters, fill_quarters,
       reference_vector_add, vector_add_on_cpu().run, word_of_vector_add, work_by_repeat},
      {"matrix_multiply", "multiplies two square matrices, repeatedly", false, matrix_multiply_on_cpu().parameters,
       fill_small_whole, reference_matrix_multiply, matrix_multiply_on_cpu().run, word_of_matrix_multiply,
       work_of_matrix_multiply},
      {"black_scholes", "prices two options for each number, repeatedly", false, black_scholes_on_cpu().parameters,
       fill_fractions, reference_black_scholes, black_scholes_on_cpu().run, word_of_black_scholes, work_by_repeat,
       kTolerance},
      {"fast_walsh", "Walsh transform of integers, in passes", false, fast_walsh_on_cpu().parameters, fill_integers,
       reference_fast_walsh, fast_walsh_on_cpu().run, word_of_fast_walsh, work_of_fast_walsh},
      {"floyd_warshall", "shortest paths of a full graph, in passes", false, floyd_warshall_on_cpu().parameters,
       fill_weights, reference_floyd_warshall, floyd_warshall_on_cpu().run, word_of_floyd_warshall,
       work_of_floyd_warshall},
      {"convolution", "convolves an image by rows and columns, in passes", false, convolution_on_cpu().parameters,
       fill_small_whole, reference_convolution, convolution_on_cpu().run, word_of_convolution, work_of_convolution},
      {"transpose", "transposes a square matrix", false, transpose_on_cpu().parameters, fill_quarters,
       reference_transpose, transpose_on_cpu().run, word_of_transpose, work_of_one},
      {"dct", "cosine transform of blocks of 8 by 8, in passes", false, dct_on_cpu().parameters, fill_small_whole,
       reference_dct, dct_on_cpu().run, word_of_dct, work_of_convolution},
  }};
  return kernels;
}

bool agrees(const BuiltinKernel& kernel, std::uint32_t found, std::uint32_t expected) {
  return words_agree(kernel.tolerance, found, expected);
}

const BuiltinKernel* find_builtin(std::string_view name) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

}  // namespace forelap::hw::kernels
