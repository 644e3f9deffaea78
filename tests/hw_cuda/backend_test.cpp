#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw_cuda/cuda_test.hpp"

namespace forelap::hw::cuda {
namespace {

using testing::HasSubstr;

TEST(CudaBackend, WithoutADriverTheLoadersWordsSayWhatIsMissing) {
  if (void* library = dlopen("libcuda.so.1", RTLD_NOW); library != nullptr) {
    dlclose(library);
    GTEST_SKIP() << "this machine has a driver library";
  }
  const BackendStatus status = cuda_status();
  EXPECT_EQ(status.state, BackendState::library_missing);
  EXPECT_THAT(status.reason, HasSubstr("libcuda.so.1: cannot open shared object file"));
  const core::Error error = error_from([] { backend("cuda"); });
  EXPECT_EQ(error.kind(), core::ErrorKind::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("libcuda.so.1"));
}

TEST(CudaBackend, ADriverWithoutADeviceGivesItsWords) {
  const BackendStatus status = cuda_status();
  if (status.state != BackendState::no_device) GTEST_SKIP() << "this machine has no driver, or a device too";
  EXPECT_NE(status.reason, "");
  EXPECT_TRUE(status.devices.empty());
}

using CudaDevices = CudaTest;

TEST_F(CudaDevices, AreDescribedFully) {
  for (const DeviceInfo& info : cuda_status().devices) {
    EXPECT_EQ(info.identity.backend, "cuda");
    EXPECT_NE(info.identity.name, "");
    EXPECT_THAT(info.identity.driver, HasSubstr("CUDA "));
    EXPECT_GT(info.identity.compute_units, 0U);
    EXPECT_GT(info.memory_bytes, 0U);
    EXPECT_GT(info.claimed_copy_engines, 0U);
    EXPECT_TRUE(info.is_gpu);
    // For whoever reads the log of a run on a new machine.
    RecordProperty("device", info.identity.name + "; " + info.identity.driver + "; " + info.pci_address + "; " +
                                 (info.link.empty() ? "link not known" : info.link));
  }
}

TEST_F(CudaDevices, AnIndexThatDoesNotExistIsRefused) {
  const core::Error error = error_from([] { backend("cuda").open(99); });
  EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("no CUDA device 99"));
}

}  // namespace
}  // namespace forelap::hw::cuda
