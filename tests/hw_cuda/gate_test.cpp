// The gate and the stamps on a real device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/hw_cuda/cuda_test.hpp"

namespace forelap::hw::cuda {
namespace {

using core::Direction;
using core::MemoryKind;
using core::Tick;
using namespace std::chrono_literals;

constexpr std::uint64_t kBytes = 16U << 20U;
constexpr Tick kMillisecond = 1'000'000'000;

/// An upload lane, a kernel lane and a download lane, as a task group has them.
class CudaGateTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    in_ = device->allocate_host(kBytes, MemoryKind::pinned);
    out_ = device->allocate_host(kBytes, MemoryKind::pinned);
    memory_ = device->allocate(kBytes);
    kernel_ = build("__global__ void add_one(unsigned* x) { ++x[blockIdx.x * (size_t)blockDim.x + threadIdx.x]; }",
                    "add_one");
    for (auto& lane : lanes_) lane = queue();
    count_up(*in_, 7);
  }
  void TearDown() override {
    for (auto& lane : lanes_) lane.reset();
  }

  /// htod -> kernel -> dtoh over the three lanes, each flushed.
  void submit() {
    lanes_[0]->copy(Direction::host_to_device, *in_, *memory_, kBytes);
    const EventPtr arrived = lanes_[0]->record();
    lanes_[0]->flush();
    lanes_[1]->wait_for(arrived);
    const std::vector<ResolvedArgument> arguments = {memory_.get()};
    lanes_[1]->launch(*kernel_, arguments, items(kBytes / 4));
    const EventPtr computed = lanes_[1]->record();
    lanes_[1]->flush();
    lanes_[2]->wait_for(computed);
    lanes_[2]->copy(Direction::device_to_host, *out_, *memory_, kBytes);
    lanes_[2]->flush();
  }
  [[nodiscard]] bool arrived() { return words(*out_)[0] == 8 && words(*out_)[kBytes / 4 - 1] == 7 + kBytes / 4; }

  std::unique_ptr<HostMemory> in_;
  std::unique_ptr<HostMemory> out_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<Kernel> kernel_;
  std::array<std::unique_ptr<Queue>, 3> lanes_;
};

TEST_F(CudaGateTest, NothingRunsBeforeTheGateOpensAndAllOfItAfter) {
  for (int run = 0; run < 3; ++run) {
    std::ranges::fill(out_->bytes(), std::byte{0});
    const auto gate = device->make_gate();
    for (auto& lane : lanes_) gate->hold(*lane);
    submit();
    std::this_thread::sleep_for(30ms);
    EXPECT_EQ(words(*out_)[0], 0U) << "run " << run;
    gate->open();
    EXPECT_GT(gate->finish(), 0) << "run " << run;
    EXPECT_TRUE(arrived()) << "run " << run;
  }
}

TEST_F(CudaGateTest, TheHostsTimeBeforeOpeningAndBeforeFinishingIsNotPartOfTheRun) {
  const auto gate = device->make_gate();
  for (auto& lane : lanes_) gate->hold(*lane);
  std::this_thread::sleep_for(100ms);
  submit();
  const auto before = std::chrono::steady_clock::now();
  gate->open();
  lanes_[2]->record()->wait();
  const std::chrono::duration<double> between = std::chrono::steady_clock::now() - before;
  std::this_thread::sleep_for(100ms);
  // All of the run lies between the two readings of the host's clock, whatever else the machine does.
  EXPECT_LE(gate->finish(), core::ticks_from_seconds(between.count()) + kMillisecond / 10);
}

TEST_F(CudaGateTest, StampsAreOneACommandInOrderFromTheRelease) {
  for (auto& lane : lanes_) lane->set_stamping(true);
  const auto gate = device->make_gate();
  for (auto& lane : lanes_) gate->hold(*lane);
  submit();
  gate->open();
  const Tick makespan = gate->finish();
  Tick before = -kMillisecond / 1000;
  for (auto& lane : lanes_) {
    const std::vector<Stamp> stamps = lane->take_stamps();
    ASSERT_EQ(stamps.size(), 1U);
    EXPECT_GE(stamps[0].begin, before);
    EXPECT_GT(stamps[0].end, stamps[0].begin);
    before = stamps[0].end - kMillisecond / 1000;  // the device's clock steps by up to 1 us
    EXPECT_TRUE(lane->take_stamps().empty()) << "stamps are taken once";
  }
  EXPECT_LE(before, makespan);
  EXPECT_TRUE(arrived());
}

TEST_F(CudaGateTest, AQueueThatGotNoCommandDoesNotLengthenTheRun) {
  const auto gate = device->make_gate();
  for (auto& lane : lanes_) gate->hold(*lane);
  gate->open();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(gate->finish(), 0);
}

TEST_F(CudaGateTest, AGateThatIsThrownAwayLetsGo) {
  {
    const auto gate = device->make_gate();
    for (auto& lane : lanes_) gate->hold(*lane);
    submit();
  }
  lanes_[2]->record()->wait();
  EXPECT_TRUE(arrived());
}

TEST_F(CudaGateTest, AGateWithoutQueuesIsDoneAtOnce) {
  const auto gate = device->make_gate();
  gate->open();
  EXPECT_EQ(gate->finish(), 0);
}

TEST_F(CudaGateTest, ManyCommandsOfManyLanesFitBehindTheGate) {
  // More lanes than any plan of today has, each with commands and events enough to meet a shared hardware queue.
  std::vector<std::unique_ptr<Queue>> lanes;
  for (int i = 0; i < 12; ++i) lanes.push_back(queue());
  const auto gate = device->make_gate();
  for (auto& lane : lanes) gate->hold(*lane);
  const std::vector<ResolvedArgument> arguments = {memory_.get()};
  EventPtr last;
  for (int step = 0; step < 20; ++step) {
    for (auto& lane : lanes) {
      if (last) lane->wait_for(last);
      lane->launch(*kernel_, arguments, items(256));
      last = lane->record();
      lane->flush();
    }
  }
  gate->open();
  EXPECT_GT(gate->finish(), 0);
}

TEST_F(CudaGateTest, OppositeCopiesAreReleasedTogether) {
  const auto other = device->allocate(kBytes);
  for (auto& lane : lanes_) lane->set_stamping(true);
  const auto gate = device->make_gate();
  gate->hold(*lanes_[0]);
  gate->hold(*lanes_[2]);
  for (int i = 0; i < 4; ++i) lanes_[0]->copy(Direction::host_to_device, *in_, *memory_, kBytes);
  for (int i = 0; i < 4; ++i) lanes_[2]->copy(Direction::device_to_host, *out_, *other, kBytes);
  lanes_[0]->flush();
  lanes_[2]->flush();
  gate->open();
  gate->finish();
  const std::vector<Stamp> up = lanes_[0]->take_stamps();
  const std::vector<Stamp> down = lanes_[2]->take_stamps();
  ASSERT_EQ(up.size(), 4U);
  ASSERT_EQ(down.size(), 4U);
  // Neither direction waits for the other where there are two engines; with one they take turns.
  if (device->info().claimed_copy_engines >= 2) {
    EXPECT_LT(up.front().begin, down.front().end);
    EXPECT_LT(down.front().begin, up.front().end);
  }
  for (const std::vector<Stamp>& stamps : {up, down}) {
    for (std::size_t i = 1; i < stamps.size(); ++i) EXPECT_GE(stamps[i].begin, stamps[i - 1].begin);
  }
}

}  // namespace
}  // namespace forelap::hw::cuda
