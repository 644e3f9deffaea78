#include "hw/kernels/library.hpp"

#include <array>

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
}  // namespace text

namespace {

std::string all_kernels(const char* prelude) {
  std::string source = prelude;
  for (const char* part : {text::synthetic, text::vector_add, text::matrix_multiply}) source += part;
  return source;
}

}  // namespace

std::string opencl_source() {
  return all_kernels(text::prelude_opencl);
}

std::string cuda_source() {
  return all_kernels(text::prelude_cuda);
}

std::span<const BuiltinKernel> builtin_kernels() {
  static const std::array<BuiltinKernel, 3> kernels = {{
      {"synthetic", "multiplies each integer by a factor, repeatedly", true, synthetic_on_cpu().parameters,
       fill_integers, reference_synthetic, synthetic_on_cpu().run},
      {"vector_add", "adds two vectors, repeatedly", false, vector_add_on_cpu().parameters, fill_quarters,
       reference_vector_add, vector_add_on_cpu().run},
      {"matrix_multiply", "multiplies two square matrices, repeatedly", false, matrix_multiply_on_cpu().parameters,
       fill_small_whole, reference_matrix_multiply, matrix_multiply_on_cpu().run},
  }};
  return kernels;
}

const BuiltinKernel* find_builtin(std::string_view name) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

}  // namespace forelap::hw::kernels
