#pragma once
// Kernels with versions. One generic source serves CPU cores, CUDA and OpenCL: the macro compiles the body as C++ for
// CPU cores and keeps its text for the compilers of devices.
//
//   FORELAP_KERNEL(matrix_add, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
//     c(i, j) = a(i, j) + b(i, j);
//   });
//
// The second argument names the indices: one to three, the slowest first; each item of the index space runs the body
// once. Indices and tiles are those of the whole problem on every device. The body is of the common part of C++, CUDA
// C++ and OpenCL C: float, double, int, long; local variables and arrays; for, while, if; exp, log, sqrt, sin, cos,
// tan, erf, fabs, floor, ceil, pow, fmin, fmax (of float and double), min, max (of integers), extent(tile, 0). It sees
// its parameters, functions made by FORELAP_FUNCTION and macros, and nothing else of the program. `return` ends the
// item. Both macros are used at the scope of a namespace.
//
//   FORELAP_FUNCTION(float, square, (float x), { return x * x; });

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hw/controller/kernel_definition.hpp"
#include "hw/controller/views.hpp"

namespace forelap::hw::controller {

/// The text of a kernel as the macro takes it.
struct KernelText {
  const char* name;
  const char* indices;
  const char* parameters;
  const char* body;
  const char* file;
  int line;
};

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, int>) return "int";
  if constexpr (std::is_same_v<T, long>) return "long";
  if constexpr (std::is_same_v<T, unsigned>) return "unsigned int";
  if constexpr (std::is_same_v<T, unsigned long>) return "unsigned long";
  if constexpr (std::is_same_v<T, short>) return "short";
  if constexpr (std::is_same_v<T, unsigned short>) return "unsigned short";
  if constexpr (std::is_same_v<T, signed char>) return "signed char";
  if constexpr (std::is_same_v<T, unsigned char>) return "unsigned char";
}

/// What stands for a parameter: its description, what is given for it in a launch, and how the CPU gets it.
template <class P>
struct ParameterTraits {
  static_assert(std::is_same_v<P, int> || std::is_same_v<P, long> || std::is_same_v<P, float> ||
                    std::is_same_v<P, double>,
                "a kernel's parameters are in<T, D>, out<T, D>, inout<T, D>, int, long, float or double");
  using Argument = P;
  static Parameter describe() { return {{}, Role::value, type_name<P>(), 0, 0}; }
  static LaunchArgument pass(P value) { return value; }
  static P read(const CpuArgument& argument) { return *static_cast<const P*>(argument.data); }
};
template <class View, class T, int D, Role R>
struct TileTraits {
  using Argument = const Tile<T, D>&;
  static Parameter describe() { return {{}, R, type_name<T>(), D, sizeof(T)}; }
  static LaunchArgument pass(const Tile<T, D>& tile) { return tile.state(); }
  static View read(const CpuArgument& argument) { return View(static_cast<T*>(argument.data), argument.extents); }
};
template <class T, int D>
struct ParameterTraits<In<T, D>> : TileTraits<In<T, D>, T, D, Role::in> {};
template <class T, int D>
struct ParameterTraits<Out<T, D>> : TileTraits<Out<T, D>, T, D, Role::out> {};
template <class T, int D>
struct ParameterTraits<InOut<T, D>> : TileTraits<InOut<T, D>, T, D, Role::inout> {};

/// A kernel with the types of its parameters. Copies share one kernel. Its versions are given before it is first
/// launched, by one thread.
template <class... P>
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<KernelDefinition> definition) : definition_(std::move(definition)) {}

  /// What its author knows of it; see Character.
  const Kernel& character(Coalescing coalescing, Level arithmetic, Level sharing) const {
    definition_->character = {coalescing, arithmetic, sharing};
    return *this;
  }
  /// A group of work-items of its own, in place of the one that its character chooses.
  const Kernel& block(std::uint32_t i, std::uint32_t j = 1, std::uint32_t k = 1) const {
    definition_->block = {i, j, k};
    return *this;
  }
  /// The work of an item in the unit that a machine profile counts the kernel's work in (usual: 1), for weights that
  /// are chosen from it; of a matrix product the length of its sums.
  const Kernel& work_per_item(double work) const {
    definition_->work_per_item = work;
    return *this;
  }
  /// A version for CUDA or OpenCL devices: the body's text; see TextVersion.
  const Kernel& version(DeviceKind kind, std::string body, const Block& group = {0, 1, 1}) const {
    definition_->text_versions[kind] = {std::move(body), group};
    return *this;
  }
  /// A version for CPU cores: function(first, last, parameters...) does the rows [first, last) of the leading index.
  /// Called on several threads at once.
  template <class Function>
  const Kernel& cpu_version(Function function) const {
    definition_->cpu_version = [function](const CpuSlice& slice) {
      call(function, slice, std::index_sequence_for<P...>());
    };
    return *this;
  }
  /// A wrapper around a library of a device kind, which uses the device's own handles.
  const Kernel& wrapper(DeviceKind kind, NativeFunction function) const {
    definition_->wrappers[kind] = std::move(function);
    return *this;
  }
  /// Says that it computes third = first * second of row-major matrices, so that a BLAS may do it: cuBLAS on CUDA
  /// devices, OpenBLAS or another CBLAS on CPU cores, each where it is installed.
  const Kernel& is_matrix_product() const {
    static_assert(std::is_same_v<std::tuple<P...>, std::tuple<In<float, 2>, In<float, 2>, Out<float, 2>>>,
                  "a matrix product takes (in<float, 2>, in<float, 2>, out<float, 2>)");
    definition_->is_matrix_product = true;
    return *this;
  }

  [[nodiscard]] const std::string& name() const { return definition_->name; }
  [[nodiscard]] const std::shared_ptr<KernelDefinition>& definition() const { return definition_; }

 private:
  template <class Function, std::size_t... I>
  static void call(const Function& function, const CpuSlice& slice, std::index_sequence<I...>) {
    function(static_cast<long>(slice.first[0]), static_cast<long>(slice.last[0]),
             ParameterTraits<P>::read(slice.arguments[I])...);
  }

  std::shared_ptr<KernelDefinition> definition_;
};

/// Runs the body over a slice. Items do not depend on each other, which is what lets the innermost loop be vectorised.
template <class Body, int D, class... P, std::size_t... I>
void run_slice(const CpuSlice& slice, std::index_sequence<I...>) {
  const std::tuple<P...> arguments(ParameterTraits<P>::read(slice.arguments[I])...);
  for (long i = slice.first[0]; i < slice.last[0]; ++i) {
    if constexpr (D == 1) {
      Body::body(i, std::get<I>(arguments)...);
    } else {
      for (long j = slice.first[1]; j < slice.last[1]; ++j) {
        if constexpr (D == 2) {
          Body::body(i, j, std::get<I>(arguments)...);
        } else {
          for (long k = 0; k < slice.extents[2]; ++k) Body::body(i, j, k, std::get<I>(arguments)...);
        }
      }
    }
  }
}

/// Names and origin from the text, the rest from the types.
std::shared_ptr<KernelDefinition> make_definition(const KernelText& text, std::vector<Parameter> parameters,
                                                  CpuFunction run_on_cpu);

template <class Body, int D, class... P>
Kernel<P...> make_typed_kernel(const KernelText& text) {
  return Kernel<P...>(make_definition(text, {ParameterTraits<P>::describe()...}, [](const CpuSlice& slice) {
    run_slice<Body, D, P...>(slice, std::index_sequence_for<P...>());
  }));
}

template <class Body, class... P>
auto make_kernel(std::integral_constant<int, 1>, void (*)(long, P...), const KernelText& text) {
  return make_typed_kernel<Body, 1, P...>(text);
}
template <class Body, class... P>
auto make_kernel(std::integral_constant<int, 2>, void (*)(long, long, P...), const KernelText& text) {
  return make_typed_kernel<Body, 2, P...>(text);
}
template <class Body, class... P>
auto make_kernel(std::integral_constant<int, 3>, void (*)(long, long, long, P...), const KernelText& text) {
  return make_typed_kernel<Body, 3, P...>(text);
}

}  // namespace forelap::hw::controller

#define FORELAP_INDICES_1(i) [[maybe_unused]] long i
#define FORELAP_INDICES_2(i, j) [[maybe_unused]] long i, [[maybe_unused]] long j
#define FORELAP_INDICES_3(i, j, k) [[maybe_unused]] long i, [[maybe_unused]] long j, [[maybe_unused]] long k
#define FORELAP_CHOOSE_4(a, b, c, chosen, ...) chosen
#define FORELAP_INDICES(...) \
  FORELAP_CHOOSE_4(__VA_ARGS__, FORELAP_INDICES_3, FORELAP_INDICES_2, FORELAP_INDICES_1, )(__VA_ARGS__)
#define FORELAP_COUNT(...) FORELAP_CHOOSE_4(__VA_ARGS__, 3, 2, 1, )
#define FORELAP_LIST(...) __VA_ARGS__
#define FORELAP_QUOTE(...) #__VA_ARGS__
// Macros of the program are replaced first, so that a body may use them.
#define FORELAP_TEXT(...) FORELAP_QUOTE(__VA_ARGS__)

#define FORELAP_KERNEL(name, indices, parameters, ...)                                    \
  struct name##_forelap_kernel : ::forelap::hw::controller::KernelWords {                 \
    static void body(FORELAP_INDICES indices, FORELAP_LIST parameters) __VA_ARGS__        \
  };                                                                                      \
  inline const auto name = ::forelap::hw::controller::make_kernel<name##_forelap_kernel>( \
      std::integral_constant<int, FORELAP_COUNT indices>(), &name##_forelap_kernel::body, \
      {#name, FORELAP_TEXT(indices), FORELAP_TEXT(parameters), FORELAP_TEXT(__VA_ARGS__), __FILE__, __LINE__})

#define FORELAP_FUNCTION(result, name, parameters, ...)                       \
  struct name##_forelap_function : ::forelap::hw::controller::KernelWords {   \
    static result call parameters __VA_ARGS__                                 \
  };                                                                          \
  inline constexpr auto name = &name##_forelap_function::call;                \
  inline const ::forelap::hw::controller::KernelFunction name##_forelap_text( \
      FORELAP_TEXT(result), #name, FORELAP_TEXT(parameters), FORELAP_TEXT(__VA_ARGS__), __FILE__)
