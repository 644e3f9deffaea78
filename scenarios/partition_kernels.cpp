// The built-in kernels that can be divided: names, arguments and roles as in hw/kernels, kept by a test.

#include "scenarios/partition.hpp"

namespace forelap::scenarios {
namespace {

/// Writes one kernel down; its sizes and values come first, because expressions are read with their names.
class Definition {
 public:
  Definition(const std::string& name, const std::string& summary, std::vector<std::string> sizes,
             std::vector<std::pair<std::string, double>> values = {}) {
    kernel_.name = name;
    kernel_.summary = summary;
    names_ = sizes;
    kernel_.sizes = std::move(sizes);
    for (const auto& value : values) names_.push_back(value.first);
    kernel_.defaults = std::move(values);
    names_ = partition_names(names_);
  }

  Definition& tile(const std::string& name, const std::vector<std::string>& extents, Role role, bool whole = false,
                   Element element = Element::float32) {
    PartitionTile tile{name, element, {}, role, whole};
    for (const std::string& extent : extents) tile.extents.push_back(parse(extent));
    kernel_.arguments.push_back({PartitionArgument::Type::tile, kernel_.tiles.size(), {}});
    kernel_.tiles.push_back(std::move(tile));
    return *this;
  }
  Definition& number(PartitionArgument::Type type, const std::string& value) {
    kernel_.arguments.push_back({type, 0, parse(value)});
    return *this;
  }
  PartitionKernel work(const std::string& items, const std::string& work, const std::string& unit) {
    kernel_.items = parse(items);
    kernel_.work = parse(work);
    kernel_.work_unit = unit;
    return std::move(kernel_);
  }
  Definition& irregular() {
    kernel_.irregular = true;
    return *this;
  }

 private:
  [[nodiscard]] Expression parse(const std::string& text) const { return Expression::parse(text, names_); }

  PartitionKernel kernel_;
  std::vector<std::string> names_;
};

std::vector<PartitionKernel> make_builtin() {
  using Type = PartitionArgument::Type;
  const std::vector<std::string> matrix = {"rows", "columns"};
  std::vector<PartitionKernel> kernels;
  kernels.push_back(Definition("matrix_add", "c = a + b of float matrices", {"rows", "columns"})
                        .tile("a", matrix, Role::in)
                        .tile("b", matrix, Role::in)
                        .tile("c", matrix, Role::out)
                        .number(Type::int64, "part * columns")
                        .work("part * columns", "part * columns", "additions"));
  const std::vector<std::string> options = {"options"};
  kernels.push_back(Definition("black_scholes_options", "prices a call and a put of each option", options,
                               {{"rate", 0.02}, {"volatility", 0.3}})
                        .tile("price", options, Role::in)
                        .tile("strike", options, Role::in)
                        .tile("years", options, Role::in)
                        .tile("call", options, Role::out)
                        .tile("put", options, Role::out)
                        .number(Type::float32, "rate")
                        .number(Type::float32, "volatility")
                        .number(Type::int64, "part")
                        .work("part", "part", "options"));
  kernels.push_back(
      Definition("matrix_multiply_rows", "c = a b of float matrices, by rows of a and c", {"rows", "inner", "columns"})
          .tile("a", {"rows", "inner"}, Role::in)
          .tile("b", {"inner", "columns"}, Role::in, true)
          .tile("c", matrix, Role::out)
          .number(Type::int32, "part")
          .number(Type::int32, "inner")
          .number(Type::int32, "columns")
          .work("part * columns", "part * columns * inner", "multiply-adds"));
  kernels.push_back(Definition("mandelbrot", "iterations until a point escapes, at most `iterations`",
                               {"width", "height", "iterations"})
                        .irregular()
                        .tile("image", {"height", "width"}, Role::out, false, Element::int32)
                        .number(Type::int32, "width")
                        .number(Type::int32, "height")
                        .number(Type::int32, "first")
                        .number(Type::int32, "part")
                        .number(Type::int32, "iterations")
                        .work("part * width", "part * width * iterations", "iterations"));
  return kernels;
}

}  // namespace

std::span<const PartitionKernel> builtin_partition_kernels() {
  static const std::vector<PartitionKernel> kernels = make_builtin();
  return kernels;
}

const PartitionKernel* find_partition_kernel(const std::string& name) {
  for (const PartitionKernel& kernel : builtin_partition_kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

}  // namespace forelap::scenarios
