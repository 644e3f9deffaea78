#include <gtest/gtest.h>

#include <array>
#include <set>

#include "hw/kernels/library.hpp"
#include "hw/plan_executor.hpp"
#include "tests/hw/fake_backend.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

using core::Direction;

class Sessions : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = try_open(GetParam(), reason);
    if (device_) return;
    ASSERT_FALSE(is_required(GetParam())) << reason;
    GTEST_SKIP() << reason;
  }
  std::shared_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Each, Sessions, testing::Values("cpu", "opencl:0", "cuda:0"), [](const auto& test) {
  return std::string(test.param).substr(0, std::string(test.param).find(':'));
});

/// The builder of a fragment with the lanes, buffers and kernels of every session here.
struct Frame {
  explicit Frame(std::uint32_t first_id = 0) : builder(first_id), lanes(add_lanes(builder)) {
    host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
    for (core::BufferId& buffer : buffers) buffer = add_buffer(builder, 4000);
    builder.kernel("synthetic");
    work = builder.host_work("look");
  }
  core::PlanBuilder builder;
  Lanes lanes;
  core::LaneId host{};
  std::array<core::BufferId, 2> buffers{};
  core::HostWorkId work{};
};

TEST_P(Sessions, FragmentsRunWhileLaterOnesAreSubmitted) {
  core::Bindings bindings;
  std::array<std::span<std::byte>, 2> memory;
  bindings.fill = [&](core::BufferId id, std::span<std::byte> bytes) {
    memory[core::index(id)] = bytes;
    kernels::find_builtin("synthetic")->fill(bytes, core::index(id));
  };
  std::vector<std::byte> seen;
  bindings.host_work = [&](const core::Step&) { seen.assign(memory[0].begin(), memory[0].end()); };
  const core::Plan frame = Frame().builder.build();
  const auto executor = make_plan_executor({device_});
  const auto session = executor->open_session(frame, bindings);
  std::vector<std::byte> expected(memory[0].begin(), memory[0].end());
  EXPECT_FALSE(session->next_event());

  Frame first;
  add_task(first.builder, first.lanes, first.buffers[0], 1000, 2);
  const core::Plan one = first.builder.build();
  session->submit(one);
  Frame second(3);
  const std::array after = {core::make_id<core::StepId>(2)};
  core::HostWorkStep work;
  work.lane = second.host;
  work.work = second.work;
  second.builder.add(work, after);
  add_task(second.builder, second.lanes, second.buffers[1], 500, 1);
  session->submit(second.builder.build());

  std::set<std::size_t> finished;
  std::array<core::Tick, 7> ends{};
  while (const auto event = session->next_event()) {
    EXPECT_TRUE(finished.insert(core::index(event->step)).second);
    EXPECT_LE(event->begin, event->end);
    EXPECT_LE(event->end, session->now());
    ends[core::index(event->step)] = event->end;
  }
  EXPECT_EQ(finished.size(), 7U);
  EXPECT_LE(ends[2], ends[3]);
  kernels::find_builtin("synthetic")->reference(expected, one.arguments_of(one.calls[0]));
  EXPECT_EQ(seen, expected);
}

TEST_P(Sessions, AKernelInPassesIsToldTheNumberOfEachAndItsResultIsFetchedFromWhereItLies) {
  constexpr std::int32_t kBits = 8;
  constexpr std::uint64_t kHalf = 4U << kBits;
  core::Bindings bindings;
  std::span<std::byte> memory;
  bindings.fill = [&](core::BufferId id, std::span<std::byte> bytes) {
    if (core::index(id) == 0) memory = bytes;
    kernels::find_builtin("fast_walsh")->fill(bytes, 5);
  };
  Frame frame;
  frame.builder.kernel("fast_walsh");
  const auto executor = make_plan_executor({device_});
  const core::Plan opened = frame.builder.build();
  const auto session = executor->open_session(opened, bindings);
  std::vector<std::byte> expected(memory.begin(), memory.end());
  Frame task;
  const std::array in = {
      add_copy(task.builder, task.lanes.in, core::Direction::host_to_device, task.buffers[0], kHalf)};
  core::KernelStep step;
  step.lane = task.lanes.kernel;
  step.call.kernel = task.builder.kernel("fast_walsh");
  step.call.global_size[0] = 1U << (kBits - 1);
  step.call.pass_argument = 2;
  step.count = kBits;
  const std::array<core::Argument, 3> arguments = {task.buffers[0], kBits, std::int32_t{0}};
  const std::array done = {task.builder.add(step, arguments, in)};
  core::CopyStep out{.lane = task.lanes.out, .buffer = task.buffers[0], .bytes = kHalf, .offset = kHalf};
  out.direction = core::Direction::device_to_host;
  task.builder.add(out, done);
  const core::Plan plan = task.builder.build();
  session->submit(plan);
  while (session->next_event()) {
  }
  kernels::find_builtin("fast_walsh")->reference(expected, plan.arguments_of(plan.calls[0]));
  EXPECT_EQ(std::vector<std::byte>(memory.begin(), memory.end()), expected);
}

TEST_P(Sessions, ManySmallFragments) {
  core::Bindings bindings;
  const core::Plan frame = Frame().builder.build();
  const auto executor = make_plan_executor({device_});
  const auto session = executor->open_session(frame, bindings);
  std::size_t seen = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Frame fragment(3 * i);
    // The last task on the same buffer is two fragments back.
    std::vector<core::StepId> after;
    if (i >= 2) after = {core::make_id<core::StepId>(3 * i - 4)};
    add_task(fragment.builder, fragment.lanes, fragment.buffers[i % 2], 100, 1, 0, after);
    session->submit(fragment.builder.build());
    if (i % 10 == 9 && session->next_event()) ++seen;
  }
  while (session->next_event()) ++seen;
  EXPECT_EQ(seen, 300U);
}

TEST_P(Sessions, MayBeClosedWithWorkLeft) {
  core::Bindings bindings;
  const core::Plan frame = Frame().builder.build();
  const auto executor = make_plan_executor({device_});
  {
    const auto session = executor->open_session(frame, bindings);
    Frame fragment;
    std::vector<core::StepId> after;
    for (int i = 0; i < 50; ++i) {
      after = {add_task(fragment.builder, fragment.lanes, fragment.buffers[0], 1000, 1, 0, after)};
    }
    session->submit(fragment.builder.build());
  }
  const core::Plan plan = task_plan(2, 100, 1);
  EXPECT_TRUE(executor->run(plan, bindings, {}).complete);
}

TEST(SessionFaults, AFragmentWithTheWrongFirstStepIsRefused) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  const core::Bindings bindings;
  const core::Plan frame = Frame().builder.build();
  const auto session = executor->open_session(frame, bindings);
  Frame fragment(5);
  add_task(fragment.builder, fragment.lanes, fragment.buffers[0], 10, 1);
  const core::Plan plan = fragment.builder.build();
  const auto error = error_of([&] { session->submit(plan); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  EXPECT_NE(std::string(error->what()).find("begins with step 5, but 0 steps"), std::string::npos);
}

TEST(SessionFaults, EachErrorReachesNextEventWithTheStepsName) {
  for (const char* call : {"copy", "launch", "record", "wait_for", "flush", "event wait"}) {
    const auto script = std::make_shared<Script>();
    const auto executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
    const core::Bindings bindings;
    const core::Plan frame = Frame().builder.build();
    const auto session = executor->open_session(frame, bindings);
    script->fail(call);
    Frame fragment;
    core::StepId last = add_task(fragment.builder, fragment.lanes, fragment.buffers[0], 10, 1);
    for (int i = 0; i < 3; ++i) {
      const std::array after = {last};
      add_copy(fragment.builder, fragment.lanes.in, Direction::host_to_device, fragment.buffers[0], 40, after);
      last = add_task(fragment.builder, fragment.lanes, fragment.buffers[1], 10, 1);
    }
    session->submit(fragment.builder.build());
    const auto error = error_of([&] {
      while (session->next_event()) {
      }
    });
    // A wait is left out where the step waited for is already done.
    if (std::string(call) == "wait_for" && !error) continue;
    ASSERT_TRUE(error) << call;
    EXPECT_NE(std::string(error->what()).find("step "), std::string::npos) << error->what();
    EXPECT_NE(std::string(error->what()).find("injected failure of " + std::string(call)), std::string::npos)
        << error->what();
    EXPECT_TRUE(error_of([&] { session->submit(core::Plan()); })) << call;
  }
}

TEST(SessionFaults, AnExceptionOfHostWorkEndsTheSession) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  core::Bindings bindings;
  bindings.host_work = [](const core::Step&) { throw std::runtime_error("no compiler"); };
  const core::Plan frame = Frame().builder.build();
  const auto session = executor->open_session(frame, bindings);
  Frame fragment;
  core::HostWorkStep work;
  work.lane = fragment.host;
  work.work = fragment.work;
  const std::array done = {fragment.builder.add(work)};
  add_copy(fragment.builder, fragment.lanes.in, Direction::host_to_device, fragment.buffers[0], 40, done);
  session->submit(fragment.builder.build());
  const auto error = error_of([&] { session->next_event(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), "step 0 (host work look on lane host): no compiler");
}

}  // namespace
}  // namespace forelap::hw::test
