#include "hw/controller/device_text.hpp"

#include <array>
#include <set>

#include "core/error.hpp"
#include "hw/controller/kernel_functions.hpp"

namespace forelap::hw::controller {

// The texts of the .inc files, embedded by the build (cmake/EmbedText.cmake).
namespace text {
extern const char* const words_cuda;
extern const char* const words_opencl;
}  // namespace text

namespace {

/// "(i, j)": names of the indices of a tile access, as many as the tile has dimensions.
std::string access_macro(const Parameter& tile) {
  static constexpr std::array<const char*, 3> kIndex = {"fl_i", "fl_j", "fl_k"};
  std::string names;
  std::string place = "(long)(fl_i) - fl_first_" + tile.name;
  for (std::size_t d = 0; d < static_cast<std::size_t>(tile.dimensions); ++d) {
    names += std::string(d == 0 ? "" : ", ") + kIndex[d];
    if (d > 0) {
      place = "(" + place + ") * fl_extent_" + tile.name + "_" + std::to_string(d) + " + (" + kIndex[d] + ")";
    }
  }
  return "#undef " + tile.name + "\n#define " + tile.name + "(" + names + ") fl_data_" + tile.name + "[" + place +
         "]\n";
}

std::string parameter_text(const Parameter& parameter) {
  if (parameter.role == Role::value) return parameter.type + " " + parameter.name;
  const std::string constness = parameter.role == Role::in ? "const " : "";
  std::string text = "FL_GLOBAL " + constness + parameter.type + "* FL_RESTRICT fl_data_" + parameter.name +
                     ", long fl_first_" + parameter.name;
  for (int d = 0; d < parameter.dimensions; ++d) {
    text += ", long fl_extent_" + parameter.name + "_" + std::to_string(d);
  }
  return text;
}

std::string parameter_list(const KernelDefinition& kernel) {
  std::string text;
  for (const Parameter& parameter : kernel.parameters) text += parameter_text(parameter) + ", ";
  text += "long fl_first, long fl_last";
  for (std::size_t d = 1; d < kernel.indices.size(); ++d) text += ", long fl_extent_" + std::to_string(d);
  return text;
}

/// The indices of the item: the last one runs fastest over the device's first dimension.
std::string index_text(const KernelDefinition& kernel) {
  std::string text;
  const std::size_t dimensions = kernel.indices.size();
  for (std::size_t d = 0; d < dimensions; ++d) {
    text += "  const long " + kernel.indices[d] + " = " + (d == 0 ? "fl_first + " : "") + "(long)FL_ITEM_" +
            std::to_string(dimensions - 1 - d) + ";\n";
  }
  return text;
}

std::string inside_text(const KernelDefinition& kernel) {
  std::string text = kernel.indices[0] + " < fl_last";
  for (std::size_t d = 1; d < kernel.indices.size(); ++d) {
    text += " && " + kernel.indices[d] + " < fl_extent_" + std::to_string(d);
  }
  return text;
}

FunctionText choose_function(const KernelDefinition& kernel, const std::vector<FunctionText>& found) {
  for (const FunctionText& function : found) {
    if (function.file == kernel.file) return function;
  }
  if (found.size() > 1) {
    core::throw_bad_input("kernel " + kernel.name + " (" + kernel.origin + ") calls " + found.front().name +
                          ", which " + std::to_string(found.size()) + " other files define (" + found[0].file + ", " +
                          found[1].file + ", ...): give it another name, or define it in the kernel's file");
  }
  return found.front();
}

/// The text of all functions that `body` needs, those that are called before those that call.
void append_functions(const KernelDefinition& kernel, const std::string& body, std::set<std::string>& done,
                      std::string& text) {
  for (const std::string& word : words_of(body)) {
    const std::vector<FunctionText> found = functions_called(word);
    if (found.empty() || !done.insert(word).second) continue;
    const FunctionText function = choose_function(kernel, found);
    append_functions(kernel, function.body, done, text);
    // A name of its own, since OpenCL C has many functions that a program may call otherwise (mix, step, length).
    text += "#undef " + function.name + "\n#define " + function.name + " fl_function_" + function.name +
            "\nFL_FUNCTION " + function.result + " " + function.name + function.parameters + " " + function.body + "\n";
  }
}

}  // namespace

std::string device_source(const KernelDefinition& kernel, DeviceKind kind, const TextVersion* version) {
  const std::string& body = version != nullptr ? version->body : kernel.body;
  std::string functions;
  std::set<std::string> done;
  append_functions(kernel, body, done, functions);
  const std::string parameters = parameter_list(kernel);
  std::string source = kind == DeviceKind::cuda ? text::words_cuda : text::words_opencl;
  if (kind == DeviceKind::opencl && (functions + parameters + body).find("double") != std::string::npos) {
    source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + source;
  }
  source += functions;
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.role != Role::value) source += access_macro(parameter);
  }
  source += "FL_KERNEL void " + std::string(kEntry) + "(" + parameters + ") {\n" + index_text(kernel);
  if (version != nullptr) {
    source += "  const bool inside = " + inside_text(kernel) + ";\n";
  } else {
    source += "  if (!(" + inside_text(kernel) + ")) return;\n";
  }
  return source + body + "\n}\n";
}

void append_tile(std::vector<ResolvedArgument>& arguments, const TilePlace& place, int dimensions) {
  arguments.emplace_back(place.memory);
  arguments.emplace_back(place.first);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) arguments.emplace_back(place.extents[d]);
}

void append_value(std::vector<ResolvedArgument>& arguments, const LaunchArgument& value) {
  if (const auto* whole = std::get_if<int>(&value)) arguments.emplace_back(static_cast<std::int32_t>(*whole));
  if (const auto* large = std::get_if<long>(&value)) arguments.emplace_back(static_cast<std::int64_t>(*large));
  if (const auto* real = std::get_if<float>(&value)) arguments.emplace_back(*real);
  if (const auto* fine = std::get_if<double>(&value)) arguments.emplace_back(*fine);
}

void append_space(std::vector<ResolvedArgument>& arguments, std::int64_t first, std::int64_t last,
                  const Extents& extents, std::size_t dimensions) {
  arguments.emplace_back(first);
  arguments.emplace_back(last);
  for (std::size_t d = 1; d < dimensions; ++d) arguments.emplace_back(extents[d]);
}

}  // namespace forelap::hw::controller
