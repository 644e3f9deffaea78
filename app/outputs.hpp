#pragma once
// Files that a command will write, looked at before its work begins: an hour of measurements must not end at a folder
// that does not exist.

#include <string>
#include <vector>

namespace forelap::app {

/// An option and the file that it names; an empty name is an option that was not given.
struct OutputFile {
  std::string option;
  std::string name;
};

/// Whether `name` is standard output: "-" or a path that stands for it.
bool is_standard_output(const std::string& name);

/// Throws core::Error (bad_input) where two options share a file or standard output, where one names a file that
/// `inputs` are read from, and where a file cannot be created.
void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs);

}  // namespace forelap::app
