#include "hw/cuda/compile.hpp"

#include <nvrtc.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::hw::cuda {
namespace {

void check_nvrtc(nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return;
  core::throw_unavailable(std::string(call) + " failed: " + nvrtcGetErrorString(result) + " (NVRTC " + nvrtc_version() +
                          ")");
}

/// An NVRTC program, destroyed at the end of its scope.
class Program {
 public:
  explicit Program(const CompileRequest& request) {
    const std::string& name = request.origin.empty() ? "kernel.cu" : request.origin;
    check_nvrtc(nvrtcCreateProgram(&program_, request.source.c_str(), name.c_str(), 0, nullptr, nullptr),
                "nvrtcCreateProgram");
  }
  ~Program() { nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] nvrtcProgram get() const { return program_; }

  [[nodiscard]] nvrtcResult compile(const std::vector<std::string>& options) const {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    if (nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtcGetProgramLog(program_, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::vector<int> supported_architectures() {
  int count = 0;
  check_nvrtc(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> architectures(static_cast<std::size_t>(std::max(count, 0)));
  check_nvrtc(nvrtcGetSupportedArchs(architectures.data()), "nvrtcGetSupportedArchs");
  std::sort(architectures.begin(), architectures.end());
  if (architectures.empty()) core::throw_unavailable("NVRTC " + nvrtc_version() + " supports no architecture");
  return architectures;
}

/// "sm_90" where NVRTC knows the device, else the newest "compute_XY" that the driver can translate for it.
std::string target_for(int capability) {
  const std::vector<int> known = supported_architectures();
  const auto above = std::upper_bound(known.begin(), known.end(), capability);
  if (above == known.begin()) {
    core::throw_unavailable("NVRTC " + nvrtc_version() + " compiles for compute capability " +
                            capability_text(known.front()) + " to " + capability_text(known.back()) +
                            ", and the device has " + capability_text(capability) +
                            ": build with an older CUDA toolkit that still supports it");
  }
  const int nearest = *std::prev(above);
  return (nearest == capability ? "sm_" : "compute_") + std::to_string(nearest);
}

/// The architecture that the user's options name, or empty.
std::string target_in(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    for (const std::string_view name : {"--gpu-architecture", "-gpu-architecture", "-arch", "--arch"}) {
      if (option == name) return i + 1 < options.size() ? options[i + 1] : "an unnamed architecture";
      if (option.starts_with(name) && option[name.size()] == '=') return option.substr(name.size() + 1);
    }
  }
  return {};
}

std::string with_log(const std::string& message, const std::string& log) {
  return log.empty() ? message : message + ":\n" + log;
}

[[noreturn]] void throw_missing_entry(const CompileRequest& request, const std::string& log) {
  const std::vector<std::string> found = kernels_in(request.source);
  std::string message = "no kernel called " + core::join_names(request.entries) + " can be taken from " +
                        (request.origin.empty() ? "the kernel's source" : request.origin);
  message += found.empty() ? "; it declares no __global__ function" : "; it declares " + core::join_names(found);
  core::throw_bad_input(with_log(message, log));
}

[[noreturn]] void throw_not_compiled(const CompileRequest& request, const std::vector<std::string>& options,
                                     nvrtcResult result, const std::string& log) {
  const std::string source = request.origin.empty() ? "the kernel's source" : request.origin;
  const std::string by = "NVRTC " + nvrtc_version();
  switch (result) {
    case NVRTC_ERROR_COMPILATION:
      // The source alone may be right: then it is the name of the kernel that is wrong.
      if (!request.entries.empty() && Program(request).compile(options) == NVRTC_SUCCESS) {
        throw_missing_entry(request, log);
      }
      core::throw_bad_input(with_log(source + " does not compile (" + by + ")", log));
    case NVRTC_ERROR_INVALID_OPTION:
      core::throw_bad_input(with_log(by + " refuses an option of " + source, log));
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      core::throw_unavailable(
          with_log(by + " cannot work: its libnvrtc-builtins is missing or of another version; install both from the "
                        "same CUDA toolkit (package cuda-nvrtc)",
                   log));
    default:
      core::throw_unavailable(with_log(by + " failed to compile " + source + ": " + nvrtcGetErrorString(result), log));
  }
}

/// Machine code where the target was a real architecture, else PTX.
void take_image(const Program& program, Compiled& compiled) {
  std::size_t size = 0;
  check_nvrtc(nvrtcGetCUBINSize(program.get(), &size), "nvrtcGetCUBINSize");
  if (size > 0) {
    compiled.image.resize(size);
    check_nvrtc(nvrtcGetCUBIN(program.get(), compiled.image.data()), "nvrtcGetCUBIN");
    return;
  }
  check_nvrtc(nvrtcGetPTXSize(program.get(), &size), "nvrtcGetPTXSize");
  compiled.is_ptx = true;
  compiled.image.resize(size);
  check_nvrtc(nvrtcGetPTX(program.get(), compiled.image.data()), "nvrtcGetPTX");
}

}  // namespace

Compiled compile(const CompileRequest& request) {
  std::vector<std::string> options = request.options;
  Compiled compiled;
  compiled.target = target_in(options);
  if (compiled.target.empty()) {
    compiled.target = target_for(request.capability);
    options.push_back("--gpu-architecture=" + compiled.target);
  }
  const Program program(request);
  for (const std::string& entry : request.entries) {
    check_nvrtc(nvrtcAddNameExpression(program.get(), entry.c_str()), "nvrtcAddNameExpression");
  }
  const nvrtcResult result = program.compile(options);
  compiled.log = program.log();
  if (result != NVRTC_SUCCESS) throw_not_compiled(request, options, result, compiled.log);
  for (const std::string& entry : request.entries) {
    const char* symbol = nullptr;
    check_nvrtc(nvrtcGetLoweredName(program.get(), entry.c_str(), &symbol), "nvrtcGetLoweredName");
    compiled.symbols.emplace_back(symbol);
  }
  take_image(program, compiled);
  return compiled;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  if (nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "of unknown version";
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> options;
  std::string current;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      current += c;
    } else if (!current.empty()) {
      options.push_back(std::exchange(current, {}));
    }
  }
  if (!current.empty()) options.push_back(current);
  return options;
}

std::vector<std::string> kernels_in(std::string_view source) {
  constexpr std::string_view kMark = "__global__";
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string> names;
  for (std::size_t at = source.find(kMark); at != std::string_view::npos; at = source.find(kMark, at)) {
    at += kMark.size();
    // The function's name is the first word before a parenthesis that is not an attribute such as __launch_bounds__.
    for (std::size_t open = source.find('(', at); open != std::string_view::npos; open = source.find('(', open + 1)) {
      std::size_t end = open;
      while (end > at && std::isspace(static_cast<unsigned char>(source[end - 1])) != 0) --end;
      std::size_t begin = end;
      while (begin > at && in_name(source[begin - 1])) --begin;
      const std::string_view name = source.substr(begin, end - begin);
      if (name.empty() || name.starts_with("__")) continue;
      names.emplace_back(name);
      break;
    }
  }
  return names;
}

}  // namespace forelap::hw::cuda
