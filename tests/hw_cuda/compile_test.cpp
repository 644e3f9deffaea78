// NVRTC needs no driver: these run wherever the CUDA toolkit is.

#include "hw/cuda/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "hw/cuda/gate_kernel.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

CompileRequest request_for(const std::string& source, std::vector<std::string> entries, int capability = 90) {
  CompileRequest request;
  request.source = source;
  request.origin = "user.cu";
  request.entries = std::move(entries);
  request.capability = capability;
  return request;
}

/// What `compile` says against the request; fails the test where it says nothing.
core::Error error_of(const CompileRequest& request) {
  try {
    compile(request);
  } catch (const core::Error& error) {
    return error;
  }
  ADD_FAILURE() << "the request compiles";
  return {core::ErrorKind::unavailable, ""};
}

TEST(CudaCompile, TheGateKernelBecomesMachineCode) {
  const Compiled compiled = compile(request_for(kGateSource, {kGateEntry}));
  EXPECT_EQ(compiled.target, "sm_90");
  EXPECT_FALSE(compiled.is_ptx);
  EXPECT_THAT(compiled.image, StartsWith("\177ELF"));
  EXPECT_THAT(compiled.symbols, ElementsAre(kGateEntry));
  EXPECT_EQ(compiled.log, "");
}

TEST(CudaCompile, EveryBuiltinKernelIsInTheBuiltinSource) {
  std::vector<std::string> names;
  for (const kernels::BuiltinKernel& kernel : kernels::builtin_kernels()) names.emplace_back(kernel.name);
  CompileRequest request = request_for(kernels::cuda_source(), names);
  request.options = {"--fmad=false"};
  const Compiled compiled = compile(request);
  EXPECT_FALSE(compiled.is_ptx);
  EXPECT_EQ(compiled.symbols, names);
  EXPECT_EQ(compiled.log, "");
}

TEST(CudaCompile, AKernelWithoutCLinkageIsFoundByItsPlainName) {
  const Compiled compiled = compile(request_for("__global__ void scale(float* x) { x[0] *= 2; }", {"scale"}));
  ASSERT_EQ(compiled.symbols.size(), 1U);
  EXPECT_NE(compiled.symbols[0], "scale");
  EXPECT_THAT(compiled.image, HasSubstr(compiled.symbols[0]));
}

TEST(CudaCompile, AnInstanceOfATemplateIsAnEntry) {
  const std::string source = "template <class T> __global__ void scale(T* x) { x[0] *= 2; }";
  const Compiled compiled = compile(request_for(source, {"scale<float>"}));
  ASSERT_EQ(compiled.symbols.size(), 1U);
  EXPECT_THAT(compiled.image, HasSubstr(compiled.symbols[0]));
}

TEST(CudaCompile, AWrongSourceIsReportedWithFileAndLine) {
  const core::Error error = error_of(request_for("__global__ void scale(float* x) {\n  x[0] = wrong;\n}\n", {"scale"}));
  EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("user.cu(2)"));
  EXPECT_THAT(error.what(), HasSubstr("\"wrong\" is undefined"));
}

TEST(CudaCompile, AMissingEntryIsReportedWithTheKernelsThatThereAre) {
  const std::string source =
      "__global__ void first(float* x) { x[0] = 1; }\n"
      "extern \"C\" __global__ void __launch_bounds__(256) second(float* x) { x[0] = 2; }\n";
  const core::Error error = error_of(request_for(source, {"third"}));
  EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("no kernel called third"));
  EXPECT_THAT(error.what(), HasSubstr("first and second"));
}

TEST(CudaCompile, AnUnknownOptionIsReportedByName) {
  CompileRequest request = request_for("__global__ void f() {}", {"f"});
  request.options = {"--no-such-option"};
  const core::Error error = error_of(request);
  EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("--no-such-option"));
}

TEST(CudaCompile, AnOptionOfTheUserReachesTheCompiler) {
  CompileRequest request = request_for("__global__ void f(int* x) { x[0] = FACTOR; }", {"f"});
  request.options = split_options("-DFACTOR=3 --fmad=false");
  EXPECT_NO_THROW(compile(request));
}

TEST(CudaCompile, AnArchitectureOfTheUserTakesThePlaceOfTheDevices) {
  CompileRequest request = request_for("__global__ void f() {}", {"f"});
  for (const char* options : {"--gpu-architecture=compute_80", "-arch compute_80", "-arch=compute_80"}) {
    request.options = split_options(options);
    const Compiled compiled = compile(request);
    EXPECT_EQ(compiled.target, "compute_80") << options;
    EXPECT_TRUE(compiled.is_ptx) << options;
    EXPECT_THAT(compiled.image, HasSubstr(".target sm_80")) << options;
  }
}

TEST(CudaCompile, ADeviceNewerThanTheCompilerGetsPtx) {
  const Compiled compiled = compile(request_for("__global__ void f() {}", {"f"}, 990));
  EXPECT_TRUE(compiled.is_ptx);
  EXPECT_THAT(compiled.target, StartsWith("compute_"));
  EXPECT_THAT(compiled.image, HasSubstr(".version"));
}

TEST(CudaCompile, ADeviceOlderThanAllThatTheCompilerKnowsIsRefusedByCapability) {
  const core::Error error = error_of(request_for("__global__ void f() {}", {"f"}, 20));
  EXPECT_EQ(error.kind(), core::ErrorKind::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("the device has 2.0"));
}

TEST(CudaCompile, OptionsAreSplitAtWhiteSpace) {
  EXPECT_THAT(split_options("  -a\t--b=c\n -d "), ElementsAre("-a", "--b=c", "-d"));
  EXPECT_THAT(split_options(""), ElementsAre());
}

TEST(CudaCompile, KernelsOfASourceAreListedByName) {
  EXPECT_THAT(kernels_in("__global__ void a (int) {} void b() {} __global__ __launch_bounds__(128, 2)\nvoid c(){}"),
              ElementsAre("a", "c"));
  EXPECT_THAT(kernels_in("void b() {} __global__"), ElementsAre());
}

}  // namespace
}  // namespace forelap::hw::cuda
