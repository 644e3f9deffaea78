#include "hw/cpu/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hw/cpu/binding.hpp"
#include "hw/cpu/cores.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::cpu {
namespace {

TEST(CpuBackend, IsAlwaysReadyAndSaysHowManyCoresItMayUse) {
  const BackendStatus status = make_backend()->status();
  EXPECT_EQ(status.state, BackendState::ready);
  ASSERT_EQ(status.devices.size(), 1U);
  EXPECT_EQ(status.devices[0].identity.compute_units, core_budget().usable);
  EXPECT_TRUE(status.devices[0].shares_host_cores);
  EXPECT_GT(status.devices[0].memory_bytes, 0U);
}

TEST(CpuBackend, ARangeBeyondTheMachineIsRefused) {
  const auto error = test::error_of([] { open_cores("0-8000"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  EXPECT_NE(std::string(error->what()).find("is not among the cores"), std::string::npos);
}

TEST(CpuBackend, MoreMemoryThanThereIsIsRefusedWithItsSize) {
  const auto device = open_cores("");
  const auto error = test::error_of([&] { device->allocate(std::uint64_t{1} << 60U); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::device_failed);
  EXPECT_NE(std::string(error->what()).find("1152921504606846976 bytes"), std::string::npos) << error->what();
}

TEST(CpuBackend, WorksInHostMemoryInPlaceAndStaysInside) {
  const auto device = open_cores("");
  EXPECT_EQ(device->info().host_cores.size(), device->info().identity.compute_units);
  const auto host = device->allocate_host(16, core::MemoryKind::pageable);
  const std::unique_ptr<DeviceMemory> mapped = device->map(*host, 4, 8);
  EXPECT_EQ(mapped->size(), 8U);
  std::fill(host->bytes().begin(), host->bytes().end(), std::byte{1});
  const auto queue = device->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
  const auto kernel = device->build("synthetic", {});
  const std::vector<ResolvedArgument> arguments = {mapped.get(), std::int32_t{2}, std::int32_t{1}, std::int32_t{3}};
  core::KernelCall call;
  call.global_size[0] = 2;
  queue->launch(*kernel, arguments, call);
  queue->record()->wait();
  EXPECT_EQ(host->bytes()[3], std::byte{1});
  EXPECT_EQ(host->bytes()[4], std::byte{3});
  EXPECT_EQ(host->bytes()[11], std::byte{3});
  EXPECT_EQ(host->bytes()[12], std::byte{1});
  EXPECT_TRUE(test::error_of([&] { device->map(*host, 9, 8); }));
  EXPECT_TRUE(test::error_of([&] { device->map(*host, 17, 0); }));
}

TEST(CpuBackend, KernelsFromAFileAreRefusedWithAdvice) {
  const auto device = open_cores("");
  const auto error = test::error_of([&] { device->build("mine", {"void mine();", "mine", "mine.cl", ""}); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("mine.cl"), std::string::npos);
  EXPECT_NE(std::string(error->what()).find("pocl-opencl-icd"), std::string::npos);
}

TEST(CpuBackend, AFailedCommandReachesWhoWaits) {
  const auto device = open_cores("");
  const auto queue = device->make_queue(core::LaneKind::kernel, core::Direction::host_to_device);
  const auto kernel = device->build("synthetic", {});
  const std::vector<ResolvedArgument> few = {std::int32_t{1}};
  core::KernelCall call;
  call.global_size[0] = 4;
  const auto error = test::error_of([&] { queue->launch(*kernel, few, call); });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), "kernel synthetic takes 4 arguments, but was given 1");
  const auto memory = device->allocate(16);
  const std::vector<ResolvedArgument> wrong = {memory.get(), std::int64_t{4}, std::int32_t{1}, std::int32_t{1}};
  EXPECT_TRUE(test::error_of([&] { queue->launch(*kernel, wrong, call); }));
}

TEST(CpuBackend, TheSchedulerBindsAThreadWhereHwlocIsNotThere) {
  const auto scheduler = make_scheduler_binding();
  const std::vector<unsigned> before = core_budget().cores;
  ASSERT_TRUE(scheduler->bind_thread({before.front()}));
  EXPECT_EQ(core_budget().cores, (std::vector<unsigned>{before.front()}));
  EXPECT_FALSE(scheduler->bind_thread({8000}));
  ASSERT_TRUE(scheduler->bind_thread(before));
}

TEST(CpuBackend, TheChosenBindingBindsAThread) {
  const std::vector<unsigned> before = core_budget().cores;
  ASSERT_TRUE(binding().bind_thread({before.back()})) << binding().name();
  EXPECT_EQ(core_budget().cores, (std::vector<unsigned>{before.back()}));
  ASSERT_TRUE(binding().bind_thread(before));
}

}  // namespace
}  // namespace forelap::hw::cpu
