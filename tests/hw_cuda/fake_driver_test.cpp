// The backend against a driver that has the faults wished for. Each test runs in a process of its own where it changes
// what is read once a process.

#include "tests/hw_cuda/fake_driver.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw_cuda/cuda_test.hpp"

namespace forelap::hw::cuda {
namespace {

using core::ErrorKind;
using core::MemoryKind;
using testing::ExitedWithCode;
using testing::HasSubstr;

// Values of CUresult, which is declared in cuda.h.
constexpr int kOutOfMemory = 2;
constexpr int kDeviceUnavailable = 46;
constexpr int kNoDevice = 100;
constexpr int kUnsupportedPtx = 222;
constexpr int kNotSupported = 801;
constexpr int kDriverMismatch = 803;

FakeDriver& fake() {
  static auto* const driver = [] {
    auto* const function = dlsym(RTLD_DEFAULT, "forelap_fake_driver");
    return reinterpret_cast<FakeDriver* (*)()>(function)();
  }();
  return *driver;
}

/// Ends the process with the backend's state as its code and the reason on stderr.
[[noreturn]] void tell_status() {
  const BackendStatus status = cuda_status();
  std::fputs(status.reason.c_str(), stderr);
  std::_Exit(status.state == BackendState::no_device ? 10 : 1);
}

class FakeDriverTest : public CudaTest {};

class FakeDriverStart : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FakeDriverStart, NoDeviceIsToldInTheDriversWords) {
  const auto start = [] {
    fake().init_result = kNoDevice;
    tell_status();
  };
  EXPECT_EXIT(start(), ExitedWithCode(10), "CUDA_ERROR_NO_DEVICE.*CUDA_VISIBLE_DEVICES");
}

TEST_F(FakeDriverStart, ALibraryThatDoesNotFitTheKernelsDriverIsTold) {
  const auto start = [] {
    fake().init_result = kDriverMismatch;
    tell_status();
  };
  EXPECT_EXIT(start(), ExitedWithCode(10), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH.*different versions");
}

TEST_F(FakeDriverStart, ADriverOlderThanTheToolkitIsToldWithBothVersions) {
  const auto start = [] {
    fake().version = 9020;
    tell_status();
  };
  EXPECT_EXIT(start(), ExitedWithCode(10), "older than the toolkit: it supports CUDA 9.2.*built with CUDA 1");
}

TEST_F(FakeDriverStart, ADriverThatCountsNoDeviceIsNotReady) {
  const auto start = [] {
    fake().devices = 0;
    tell_status();
  };
  EXPECT_EXIT(start(), ExitedWithCode(10), "finds no CUDA device");
}

TEST_F(FakeDriverTest, ADeviceThatAnotherProcessHoldsIsUnavailable) {
  fake().open_result = kDeviceUnavailable;
  const core::Error error = error_from([] { backend("cuda").open(0); });
  fake().open_result = 0;
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_DEVICE_UNAVAILABLE"));
}

TEST_F(FakeDriverTest, PinnedMemoryThatIsRefusedBecomesPageable) {
  fake().pin_result = kOutOfMemory;
  const auto memory = device->allocate_host(1U << 20U, MemoryKind::pinned);
  fake().pin_result = 0;
  EXPECT_EQ(memory->kind(), MemoryKind::pageable);
  EXPECT_EQ(memory->bytes().size(), 1U << 20U);
}

TEST_F(FakeDriverTest, CodeThatTheDriverIsTooOldForIsToldWithBothVersions) {
  fake().load_result = kUnsupportedPtx;
  const core::Error error = error_from([&] { build("__global__ void f() { /* not kept */ }", "f"); });
  fake().load_result = 0;
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"));
  EXPECT_THAT(error.what(), HasSubstr("The driver is "));
  EXPECT_THAT(error.what(), HasSubstr("driver older than the compiler must be updated"));
}

TEST_F(FakeDriverTest, AGateThatLetGoByItselfSpoilsTheRun) {
  const auto lane = queue();
  const auto gate = device->make_gate();
  fake().let_go = true;
  gate->hold(*lane);
  lane->record()->wait();
  const core::Error error = error_from([&] { gate->open(); });
  fake().let_go = false;
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_THAT(error.what(), HasSubstr("let go by itself"));
}

TEST_F(FakeDriverTest, APartOfADeviceHasTheMultiprocessorsThatAreGrantedAndStreamsOfItsOwn) {
  const long before = fake().live_objects;
  {
    const int streams = fake().part_streams;
    const std::shared_ptr<Device> part = open_device("cuda:0/sms=1").device;
    EXPECT_EQ(part->info().identity.compute_units, 2U) << "the driver grants multiples of 2";
    EXPECT_THAT(part->info().identity.name, HasSubstr("2 of 4 multiprocessors"));
    const auto lane = part->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
    EXPECT_EQ(fake().part_streams, streams + 1);
    lane->record()->wait();
    const std::shared_ptr<Device> whole = open_device("cuda:0/sms=4").device;
    EXPECT_EQ(whole->info().identity.name, "Fake GPU");
    const auto other = whole->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
    EXPECT_EQ(fake().part_streams, streams + 1);
  }
  EXPECT_EQ(fake().live_objects, before);
}

TEST_F(FakeDriverTest, APartThatIsNotThereIsRefusedWithWhatThereIs) {
  const long before = fake().live_objects;
  const core::Error more = error_from([] { open_device("cuda:0/sms=5"); });
  EXPECT_EQ(more.kind(), ErrorKind::bad_input);
  EXPECT_THAT(more.what(), HasSubstr("more than the device's 4"));
  for (const char* spec : {"cuda:0/sms=0", "cuda:0/sms=", "cuda:0/sms=x", "cuda:0/", "cuda/half", "cuda:0/66"}) {
    const core::Error error = error_from([&] { open_device(spec); });
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << spec;
    EXPECT_THAT(error.what(), HasSubstr("cuda:0/sms=66")) << spec;
  }
  fake().part_result = kNotSupported;
  const core::Error refused = error_from([] { open_device("cuda:0/sms=2"); });
  fake().part_result = 0;
  EXPECT_EQ(refused.kind(), ErrorKind::unavailable);
  EXPECT_THAT(refused.what(), HasSubstr("cuDeviceGetDevResource failed"));
  EXPECT_EQ(fake().live_objects, before);
}

TEST_F(FakeDriverTest, EverythingMadeIsDestroyedWithTheDevice) {
  const long before = fake().live_objects;
  {
    const std::shared_ptr<Device> opened = backend("cuda").open(0);
    const auto host = opened->allocate_host(4096, MemoryKind::pinned);
    const auto memory = opened->allocate(4096);
    const auto kernel = opened->build("synthetic", {});
    const auto first = opened->make_queue(core::LaneKind::copy, core::Direction::host_to_device);
    const auto second = opened->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
    first->set_stamping(true);
    const auto gate = opened->make_gate();
    gate->hold(*first);
    gate->hold(*second);
    first->copy(core::Direction::host_to_device, *host, *memory, 4096);
    second->wait_for(first->record());
    const std::vector<ResolvedArgument> arguments = {memory.get(), 1024, 1, 3};
    second->launch(*kernel, arguments, items(1024));
    second->flush();
    EXPECT_GT(fake().live_objects, before);
    gate->open();
    EXPECT_GT(gate->finish(), 0);
    EXPECT_EQ(first->take_stamps().size(), 1U);
  }
  EXPECT_EQ(fake().live_objects, before);
}

TEST_F(FakeDriverTest, WhatIsMadeMayOutliveTheDevice) {
  const long before = fake().live_objects;
  {
    std::shared_ptr<Device> opened = backend("cuda").open(0);
    const auto memory = opened->allocate(4096);
    const auto host = opened->allocate_host(4096, MemoryKind::pinned);
    const auto lane = opened->make_queue(core::LaneKind::copy, core::Direction::host_to_device);
    opened.reset();
    lane->copy(core::Direction::host_to_device, *host, *memory, 4096);
    lane->record()->wait();
  }
  EXPECT_EQ(fake().live_objects, before);
}

}  // namespace
}  // namespace forelap::hw::cuda

/// Loads the driver first: the backend's module then finds a libcuda.so.1 that is loaded already.
int main(int argc, char** argv) {
  if (dlopen(FORELAP_FAKE_DRIVER, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fputs(dlerror(), stderr);
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
