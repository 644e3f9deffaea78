#pragma once
// What the tests on a real CUDA device share.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hw/backends.hpp"

namespace forelap::hw::cuda {

/// The status of the CUDA backend of this build.
inline BackendStatus cuda_status() {
  for (const BackendStatus& status : all_backends()) {
    if (status.backend == "cuda") return status;
  }
  return {};
}

/// Opens the first CUDA device; skips where there is none, fails where FORELAP_REQUIRE names cuda.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    const BackendStatus status = cuda_status();
    if (status.state != BackendState::ready) {
      const char* required = std::getenv("FORELAP_REQUIRE");
      if (required != nullptr && std::strstr(required, "cuda") != nullptr) {
        FAIL() << "FORELAP_REQUIRE asks for cuda: " << status.reason;
      }
      GTEST_SKIP() << "no CUDA device: " << status.reason;
    }
    // One for the whole process: opening costs a second.
    static auto* const opened = new std::shared_ptr<Device>(backend("cuda").open(0));
    device = *opened;
  }

  std::unique_ptr<Queue> queue() { return device->make_queue(core::LaneKind::copy, core::Direction::host_to_device); }
  /// A user's kernel, one parameter list and body.
  std::unique_ptr<Kernel> build(const std::string& text, const std::string& entry) {
    return device->build(entry, {text, entry, "user.cu", ""});
  }

  std::shared_ptr<Device> device;
};

/// Writes to an address below 64 KiB, where no device maps memory.
inline constexpr const char* kWildKernel = "__global__ void f(int* x) { *(int*)((size_t)x & 0xfff0) = 1; }";

inline std::span<std::uint32_t> words(HostMemory& memory) {
  const std::span<std::byte> bytes = memory.bytes();
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t)};
}

inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// Numbers that differ from word to word, from `first` on.
inline void count_up(HostMemory& memory, std::uint32_t first) {
  const auto span = words(memory);
  std::iota(span.begin(), span.end(), first);
}

inline core::KernelCall items(std::uint64_t count, std::uint32_t group = 0) {
  core::KernelCall call;
  call.global_size = {count, 1, 1};
  call.group_size = {group, 1, 1};
  return call;
}

/// The error that `act` throws; fails the test where it throws none.
template <class Act>
core::Error error_from(Act act) {
  try {
    act();
  } catch (const core::Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {core::ErrorKind::unavailable, ""};
}

}  // namespace forelap::hw::cuda
