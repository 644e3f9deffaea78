#include "app/outputs.hpp"

#include <filesystem>

#include "core/atomic_file.hpp"
#include "core/error.hpp"

namespace forelap::app {
namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

/// Regular or not there yet; what is written to a device or a pipe replaces nothing.
bool is_plain(const std::string& name) {
  std::error_code error;
  const auto type = fs::status(name, error).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

void check_pair(const OutputFile& a, const OutputFile& b) {
  if (is_standard_output(a.name) && is_standard_output(b.name)) {
    core::throw_bad_input(a.option + " and " + b.option + " would both go to standard output; name a file for one");
  }
  if (is_plain(a.name) && is_plain(b.name) && same_file(a.name, b.name)) {
    core::throw_bad_input(a.option + " and " + b.option + " name the same file, " + b.name +
                          "; give each a file of its own");
  }
}

}  // namespace

bool is_standard_output(const std::string& name) {
  return name == "-" || name == "/dev/stdout" || name == "/dev/fd/1" || name == "/proc/self/fd/1";
}

void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs) {
  std::vector<OutputFile> given;
  for (const auto& output : outputs) {
    if (output.name.empty()) continue;
    for (const auto& other : given) check_pair(other, output);
    given.push_back(output);
    if (is_standard_output(output.name)) continue;
    for (const auto& input : inputs) {
      if (is_plain(output.name) && same_file(input, output.name)) {
        core::throw_bad_input(output.option + " " + output.name +
                              " would overwrite a file that is read here; name another file");
      }
    }
    core::require_writable(output.name);
  }
}

}  // namespace forelap::app
