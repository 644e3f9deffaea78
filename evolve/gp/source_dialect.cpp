#include "evolve/gp/source_dialect.hpp"

#include <string>

#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::string_view kCudaPrelude = R"(#define GP_FUNCTION static __device__
#define GP_CALLED __noinline__
#define GP_FLOAT_OF_WORD(word) __uint_as_float(word)
#define GP_WORD_OF_FLOAT(value) __float_as_uint(value)
#define GP_ROW
typedef float gp_float;
typedef unsigned long long gp_wide;
)";

// The math functions of OpenCL have no suffix. Contraction is a matter of the language there.
constexpr std::string_view kOpenclPrelude = R"(#pragma OPENCL FP_CONTRACT OFF
#define GP_FUNCTION static
#define GP_CALLED __attribute__((noinline))
#define GP_FLOAT_OF_WORD(word) as_float(word)
#define GP_WORD_OF_FLOAT(value) as_uint(value)
#define GP_ROW __global
typedef float gp_float;
typedef ulong gp_wide;
#define sqrtf(v) sqrt((float)(v))
#define fabsf(v) fabs((float)(v))
#define sinf(v) sin((float)(v))
#define cosf(v) cos((float)(v))
#define tanhf(v) tanh((float)(v))
#define expf(v) exp((float)(v))
#define logf(v) log((float)(v))
#define fminf(a, b) fmin((float)(a), (float)(b))
#define fmaxf(a, b) fmax((float)(a), (float)(b))
#define powf(a, b) pow((float)(a), (float)(b))
)";

constexpr std::string_view kCppPrelude = R"(#include <math.h>
#include <string.h>
#define GP_FUNCTION static
#define GP_CALLED __attribute__((noinline))
#define GP_FLOAT_OF_WORD(word) gp_float_of_word(word)
#define GP_WORD_OF_FLOAT(value) gp_word_of_float(value)
#define GP_ROW
typedef float __attribute__((may_alias)) gp_float;
typedef unsigned long long gp_wide;
static inline float gp_float_of_word(unsigned int word) {
  float value;
  memcpy(&value, &word, 4);
  return value;
}
static inline unsigned int gp_word_of_float(float value) {
  unsigned int word;
  memcpy(&word, &value, 4);
  return word;
}
)";

constexpr std::string_view kFloorMod = R"( int floor_mod(int a, int n) {
  if (n <= 0) return 0;
  const int rest = a % n;
  return rest < 0 ? rest + n : rest;
}
)";

std::string_view dialect_prelude(Dialect dialect) {
  if (dialect == Dialect::cuda) return kCudaPrelude;
  return dialect == Dialect::opencl ? kOpenclPrelude : kCppPrelude;
}

/// A function of its own around `name`, and the name led to it from here on.
std::string called_form(const Function& function) {
  const std::string name(function.name);
  const bool two = function.arguments == 2;
  const std::string parameters = two ? "(float a, float b)" : "(float a)";
  const std::string arguments = two ? "(a, b)" : "(a)";
  return "GP_FUNCTION GP_CALLED float gp_" + name + parameters + " { return " + name + arguments + "; }\n#undef " +
         name + "\n#define " + name + " gp_" + name + "\n";
}

}  // namespace

std::string prelude_of(const SourceOptions& options, std::string_view used) {
  std::string text(dialect_prelude(options.dialect));
  if (used.find("floor_mod") != std::string_view::npos) {
    text += "GP_FUNCTION ";
    text += options.called_helpers ? "GP_CALLED" : "inline";
    text += kFloorMod;
  }
  if (!options.called_helpers) return text;
  for (const Function& function : functions()) {
    const bool occurs = used.find(function.name) != std::string_view::npos;
    if (function.type == Type::float32 && occurs) text += called_form(function);
  }
  return text;
}

std::string kernel_head(Dialect dialect, const std::string& name, std::uint32_t individuals, std::uint32_t row_words) {
  const bool switched = individuals > 0;
  const std::string stride = std::to_string(row_words) + "u;\n";
  const std::string guard = "if (gp_case >= cases) return;\n";
  const std::string row = "const unsigned int* gp_row = inputs + (gp_wide)gp_case * " + stride;
  if (dialect == Dialect::cuda) {
    return "extern \"C\" __global__ void " + name +
           "(const unsigned int* __restrict__ inputs, unsigned int* __restrict__ results, unsigned int cases) {\n"
           "const unsigned int gp_case = blockIdx.x * blockDim.x + threadIdx.x;\n" +
           (switched ? "const unsigned int gp_individual = blockIdx.y;\n" : "") + guard + row;
  }
  if (dialect == Dialect::opencl) {
    return "__kernel void " + name +
           "(__global const unsigned int* restrict inputs, __global unsigned int* restrict results, unsigned int "
           "cases) {\n"
           "const unsigned int gp_case = get_global_id(0);\n" +
           (switched ? "const unsigned int gp_individual = get_global_id(1);\n" : "") + guard + "__global " + row;
  }
  return "extern \"C\" void " + name + "(const unsigned int* inputs, unsigned int* results, unsigned int cases) {\n" +
         (switched ? "for (unsigned int gp_individual = 0; gp_individual < " + std::to_string(individuals) +
                         "u; ++gp_individual)\n"
                   : "") +
         "for (unsigned int gp_case = 0; gp_case < cases; ++gp_case) {\n" + row;
}

std::string kernel_tail(Dialect dialect) {
  return dialect == Dialect::cpp ? "}\n}\n" : "}\n";
}

}  // namespace forelap::evolve::gp
