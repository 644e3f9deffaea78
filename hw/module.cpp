#include "hw/module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "core/text.hpp"

namespace forelap::hw {
namespace fs = std::filesystem;

namespace {

/// The folder of the shared library that this code is part of; empty where it is part of `program`.
fs::path library_folder(const fs::path& program) {
  static const char here = 0;
  Dl_info found{};
  if (dladdr(&here, &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(found.dli_fname, error);
  return error || file == program ? fs::path() : file.parent_path();
}

}  // namespace

std::vector<fs::path> module_directories() {
  std::vector<fs::path> directories;
  if (const char* wished = std::getenv("FORELAP_MODULES"); wished != nullptr && *wished != '\0') {
    for (const std::string& directory : core::split(wished, ':')) {
      if (!directory.empty()) directories.emplace_back(directory);
    }
    return directories;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return directories;
  if (const fs::path library = library_folder(program); !library.empty()) directories.push_back(library / "forelap");
  const fs::path prefix = program.parent_path().parent_path();
  for (const fs::path& folder : {prefix / "lib" / "forelap", prefix / FORELAP_LIBDIR / "forelap"}) {
    if (std::find(directories.begin(), directories.end(), folder) == directories.end()) directories.push_back(folder);
  }
  return directories;
}

std::string package_hint(const std::string& loader_words) {
  struct Hint {
    const char* library;
    const char* advice;
  };
  static constexpr std::array<Hint, 5> hints = {{
      {"libOpenCL.so", "install the OpenCL loader (Debian: ocl-icd-libopencl1)"},
      {"libcuda.so", "install the NVIDIA driver (Debian: libcuda1)"},
      {"libnvrtc", "install the run-time compiler of the CUDA toolkit (Debian: nvidia-cuda-toolkit)"},
      {"libcudart", "install the CUDA toolkit (Debian: nvidia-cuda-toolkit)"},
      {"libhwloc.so", "install hwloc (Debian: libhwloc15)"},
  }};
  for (const Hint& hint : hints) {
    if (loader_words.find(hint.library) != std::string::npos) return hint.advice;
  }
  return {};
}

ModuleLookup load_module(const std::string& name, const char* function, const std::string& option,
                         const std::vector<fs::path>& directories) {
  const std::string file = "forelap_" + name + ".so";
  for (const fs::path& directory : directories) {
    std::error_code error;
    if (!fs::exists(directory / file, error)) continue;
    const fs::path path = directory / file;
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* found = module != nullptr ? dlsym(module, function) : nullptr;
    if (found != nullptr) return {found, BackendState::ready, {}};
    const char* words = dlerror();
    std::string reason = words != nullptr ? words : path.string() + " does not load";
    const std::string hint = package_hint(reason);
    if (!hint.empty()) reason += "; " + hint;
    return {nullptr, BackendState::library_missing, reason};
  }
  std::vector<std::string> looked;
  for (const fs::path& directory : directories) looked.push_back(directory.string());
  return {nullptr, BackendState::not_built,
          "this build has no " + file + (looked.empty() ? "" : " in " + core::join_names(looked)) +
              ": configure with -D" + option + "=ON"};
}

}  // namespace forelap::hw
