#include "core/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace forelap::core;

struct Fixture {
  PlanBuilder builder;
  LaneId copy = builder.add_lane({LaneKind::copy, DeviceId{0}, RankId{0}, "copy"});
  LaneId kernel = builder.add_lane({LaneKind::kernel, DeviceId{0}, RankId{0}, "kernel"});
  BufferId buffer = builder.add_buffer({.bytes = 100});
};

TEST(Plan, AStepTakes56Bytes) {
  EXPECT_EQ(sizeof(Step), 56U);
}

TEST(Plan, KeepsWhatItsAuthorWrites) {
  Fixture f;
  const StepId in = f.builder.add(CopyStep{.lane = f.copy, .buffer = f.buffer, .bytes = 100});
  KernelStep k{.lane = f.kernel, .work = 500, .items = 25};
  k.call.kernel = f.builder.kernel("synthetic");
  EXPECT_EQ(f.builder.kernel("synthetic"), k.call.kernel);
  const std::array<Argument, 2> arguments = {Argument{f.buffer}, Argument{std::int32_t{7}}};
  const StepId run = f.builder.add(k, arguments, std::array{in});
  f.builder.add(CopyStep{.lane = f.copy, .direction = Direction::device_to_host, .buffer = f.buffer, .bytes = 40},
                std::array{run});
  const Plan plan = f.builder.build();
  check_plan(plan);
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[0].amount, 100);
  EXPECT_EQ(plan.dependencies_of(plan.steps[1])[0], in);
  EXPECT_EQ(std::get<std::int32_t>(plan.arguments_of(plan.call_of(plan.steps[1]))[1]), 7);
  EXPECT_EQ(plan.buffers[0].first_use, StepId{0});
  EXPECT_EQ(plan.buffers[0].last_use, StepId{2});
  EXPECT_EQ(plan.device_count, 1U);
}

TEST(Plan, RefusesWhatIsNoPlan) {
  Fixture f;
  EXPECT_THROW(f.builder.add(CopyStep{.lane = LaneId{9}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.device = DeviceId{3}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{}, std::array{StepId{0}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.count = 0}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.duration = -5}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(ReceiveStep{}, {}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.buffer = BufferId{0}, .bytes = 101}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(KernelStep{.work = std::nan("")}, {}), std::invalid_argument);
}

TEST(Plan, ACopyMayBeginInsideItsBufferAndEndsInsideIt) {
  Fixture f;
  f.builder.add(CopyStep{.lane = f.copy, .buffer = f.buffer, .bytes = 40, .offset = 60});
  EXPECT_THROW(f.builder.add(CopyStep{.lane = f.copy, .buffer = f.buffer, .bytes = 41, .offset = 60}),
               std::invalid_argument);
  Fixture g;
  g.builder.add(CopyStep{.lane = g.copy, .buffer = g.buffer, .bytes = 40, .offset = 60});
  const Plan plan = g.builder.build();
  EXPECT_EQ(plan.steps[0].amount, 40);
  EXPECT_EQ(plan.steps[0].items, 60);
}

/// An array of 100 bytes that owns host memory only, and a device's stretch of it.
struct Divided {
  explicit Divided(Buffer part = {}) {
    lane = builder.add_lane({LaneKind::copy, DeviceId{0}, RankId{0}, "copy"});
    whole = builder.add_buffer({.bytes = 100, .device = none<DeviceId>()});
    part.host_of = whole;
    stretch = builder.add_buffer(part);
  }
  PlanBuilder builder;
  LaneId lane{};
  BufferId whole{};
  BufferId stretch{};
};

TEST(Plan, BuffersMayShareAStretchOfAnEarlierOnesHostMemory) {
  Divided f({.bytes = 40, .host_offset = 60});
  const StepId first = f.builder.add(CopyStep{.lane = f.lane, .buffer = f.stretch, .bytes = 30, .offset = 10});
  const Plan plan = f.builder.build();
  check_plan(plan);
  EXPECT_EQ(host_owner(plan, f.stretch), f.whole);
  EXPECT_EQ(host_owner(plan, f.whole), f.whole);
  EXPECT_EQ(plan.buffers[0].first_use, first);
  EXPECT_EQ(plan.buffers[1].first_use, first);
}

TEST(Plan, SharedHostMemoryIsAnEarlierOwnersAndLargeEnough) {
  EXPECT_THROW(Divided({.bytes = 41, .host_offset = 60}), std::invalid_argument);
  EXPECT_THROW(Divided({.bytes = 1, .host_offset = UINT64_MAX}), std::invalid_argument);
  EXPECT_THROW(Divided({.bytes = 40, .memory = MemoryKind::pageable}), std::invalid_argument);
  Divided f({.bytes = 40});
  EXPECT_THROW(f.builder.add_buffer({.bytes = 1, .host_of = f.stretch}), std::invalid_argument);
  EXPECT_THROW(Divided().builder.add_buffer({.bytes = 1, .host_of = BufferId{2}}), std::invalid_argument);
  EXPECT_THROW(Divided().builder.add_buffer({.bytes = 1, .host_offset = 1}), std::invalid_argument);
}

TEST(Plan, ChunksMayTakeTurnsInTheMemoryOfAnEarlierOneOfTheirDevice) {
  const auto add = [](Buffer later) {
    Divided f({.bytes = 40});
    later.host_of = f.whole;
    if (later.device_of == none<BufferId>()) later.device_of = f.stretch;
    f.builder.add_buffer(later);
    check_plan(f.builder.build());
  };
  EXPECT_NO_THROW(add({.bytes = 40, .host_offset = 40}));
  EXPECT_THROW(add({.bytes = 41}), std::invalid_argument);
  EXPECT_THROW(add({.bytes = 40, .device = DeviceId{1}}), std::invalid_argument);
  EXPECT_THROW(add({.bytes = 40, .in_place = true}), std::invalid_argument);
  EXPECT_THROW(add({.bytes = 40, .device_of = BufferId{0}}), std::invalid_argument);
  EXPECT_THROW(add({.bytes = 40, .device_of = BufferId{2}}), std::invalid_argument);
}

TEST(Plan, NothingIsCopiedInPlaceOrWithoutADevice) {
  Divided f({.bytes = 40, .in_place = true});
  EXPECT_THROW(f.builder.add(CopyStep{.lane = f.lane, .buffer = f.stretch, .bytes = 4}), std::invalid_argument);
  Divided g;
  EXPECT_THROW(g.builder.add(CopyStep{.lane = g.lane, .buffer = g.whole, .bytes = 4}), std::invalid_argument);
  EXPECT_THROW(Divided({.device = none<DeviceId>(), .in_place = true}), std::invalid_argument);
  KernelStep k{.lane = f.lane};
  Divided h;
  k.call.kernel = h.builder.kernel("matrix_add");
  EXPECT_THROW(h.builder.add(k, std::array<Argument, 1>{h.whole}), std::invalid_argument);
}

TEST(Plan, PassesAreCountedInAnInt32Argument) {
  const auto add = [](std::int32_t pass_argument) {
    Fixture f;
    KernelStep k{.lane = f.kernel, .count = 3};
    k.call.kernel = f.builder.kernel("fast_walsh");
    k.call.pass_argument = pass_argument;
    const std::array<Argument, 3> arguments = {Argument{f.buffer}, Argument{2.0F}, Argument{std::int32_t{0}}};
    f.builder.add(k, arguments);
    check_plan(f.builder.build());
  };
  EXPECT_NO_THROW(add(-1));
  EXPECT_NO_THROW(add(2));
  EXPECT_THROW(add(0), std::invalid_argument);
  EXPECT_THROW(add(1), std::invalid_argument);
  EXPECT_THROW(add(3), std::invalid_argument);
}

TEST(Plan, AFragmentMayDependOnEarlierStepsOfItsSession) {
  PlanBuilder builder(10);
  builder.add_lane({LaneKind::kernel, DeviceId{0}, RankId{0}, "kernel"});
  KernelStep k;
  k.call.kernel = builder.kernel("a");
  EXPECT_EQ(builder.add(k, {}, std::array{StepId{9}}), StepId{10});
  EXPECT_THROW(builder.add(k, {}, std::array{StepId{11}}), std::invalid_argument);
}

}  // namespace
