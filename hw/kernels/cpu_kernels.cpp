#include "hw/kernels/cpu_kernels.hpp"

#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/plan.hpp"

namespace forelap::hw::kernels {
namespace {

/// Turns "points at the value, or at the memory" into the parameter itself.
template <class Parameter>
Parameter read_argument(void* argument) {
  if constexpr (std::is_pointer_v<Parameter>) {
    return static_cast<Parameter>(argument);
  } else {
    return *static_cast<const Parameter*>(argument);
  }
}

template <class Parameter, std::size_t I = 0>
constexpr std::uint8_t argument_position() {
  if constexpr (std::is_pointer_v<Parameter>) {
    return 0;
  } else if constexpr (std::is_same_v<Parameter, std::variant_alternative_t<I, core::Argument>>) {
    return static_cast<std::uint8_t>(I);
  } else {
    return argument_position<Parameter, I + 1>();
  }
}

template <class... Parameters>
constexpr std::array<std::uint8_t, sizeof...(Parameters)> kParameters = {argument_position<Parameters>()...};

template <auto Body, class... Parameters, std::size_t... I>
void run_range(void (*)(std::size_t, Parameters...), std::size_t begin, std::size_t end,
               std::span<void* const> arguments, std::index_sequence<I...>) {
  const std::tuple<Parameters...> values(read_argument<Parameters>(arguments[I])...);
  for (std::size_t i = begin; i < end; ++i) Body(i, std::get<I>(values)...);
}

template <auto Body, class... Parameters>
CpuKernel make_kernel(void (*)(std::size_t, Parameters...)) {
  return {[](std::size_t begin, std::size_t end, std::span<void* const> arguments) {
            run_range<Body>(Body, begin, end, arguments, std::index_sequence_for<Parameters...>());
          },
          kParameters<Parameters...>};
}

}  // namespace

#define FL_GLOBAL
#define FL_SIZE std::size_t
#define FL_BODY static inline
#define FL_EXP(x) std::exp(x)
#define FL_LOG(x) std::log(x)
#define FL_SQRT(x) std::sqrt(x)
#define FL_ENTRY(name, parameters, values)          \
  CpuKernel name##_on_cpu() {                       \
    return make_kernel<&name##_body>(&name##_body); \
  }

#include "hw/kernels/black_scholes.inc"
#include "hw/kernels/convolution.inc"
#include "hw/kernels/dct.inc"
#include "hw/kernels/fast_walsh.inc"
#include "hw/kernels/floyd_warshall.inc"
#include "hw/kernels/matrix_multiply.inc"
#include "hw/kernels/synthetic.inc"
#include "hw/kernels/transpose.inc"
#include "hw/kernels/vector_add.inc"

}  // namespace forelap::hw::kernels
