#include "hw/module.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace forelap::hw {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("forelap_modules_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Module, OneThatWasNotBuiltNamesItsOption) {
  const Folder folder;
  const ModuleLookup lookup = load_module("opencl", "forelap_make_backend", "FORELAP_OPENCL", {folder.path()});
  EXPECT_EQ(lookup.state, BackendState::not_built);
  EXPECT_EQ(lookup.function, nullptr);
  EXPECT_NE(lookup.reason.find("configure with -DFORELAP_OPENCL=ON"), std::string::npos) << lookup.reason;
}

TEST(Module, OneThatDoesNotLoadRepeatsTheLoadersWords) {
  const Folder folder;
  std::ofstream(folder.path() / "forelap_cuda.so") << "this is not a library";
  const ModuleLookup lookup = load_module("cuda", "forelap_make_backend", "FORELAP_CUDA", {folder.path()});
  EXPECT_EQ(lookup.state, BackendState::library_missing);
  EXPECT_NE(lookup.reason.find("forelap_cuda.so"), std::string::npos) << lookup.reason;
}

TEST(Module, LoadersWordsLeadToThePackage) {
  EXPECT_NE(package_hint("libOpenCL.so.1: cannot open shared object file: No such file").find("ocl-icd-libopencl1"),
            std::string::npos);
  EXPECT_NE(package_hint("libcuda.so.1: cannot open shared object file").find("NVIDIA driver"), std::string::npos);
  EXPECT_EQ(package_hint("something else"), "");
}

TEST(Module, TheEnvironmentReplacesTheFolders) {
  const char* before = std::getenv("FORELAP_MODULES");
  const std::string kept = before != nullptr ? before : "";
  setenv("FORELAP_MODULES", "/a:/b", 1);
  EXPECT_EQ(module_directories(), (std::vector<fs::path>{"/a", "/b"}));
  unsetenv("FORELAP_MODULES");
  ASSERT_FALSE(module_directories().empty());
  EXPECT_EQ(module_directories()[0].filename(), "forelap");
  if (before != nullptr) setenv("FORELAP_MODULES", kept.c_str(), 1);
}

}  // namespace
}  // namespace forelap::hw
