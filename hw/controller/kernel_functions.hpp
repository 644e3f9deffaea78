#pragma once
// The functions that kernels may call, by name; internal to hw/controller.

#include <string>
#include <string_view>
#include <vector>

namespace forelap::hw::controller {

struct FunctionText {
  std::string result;
  std::string name;
  std::string parameters;  ///< with their parentheses
  std::string body;        ///< with its braces
  std::string file;
};

/// All functions of that name, of all files. Thread-safe.
std::vector<FunctionText> functions_called(const std::string& name);
/// The identifiers of a text, in order, repetitions included.
std::vector<std::string> words_of(std::string_view text);

}  // namespace forelap::hw::controller
