// Errors at each call of a backend: they reach the caller, name the step, and leave nothing hanging.

#include <gtest/gtest.h>

#include <array>

#include "hw/plan_executor.hpp"
#include "tests/hw/fake_backend.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

using core::Direction;
using core::ErrorKind;

struct Fault {
  const char* call;
  int nth;
  const char* named;  ///< what the message must hold
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, ReachTheCallerAndNameTheStep) {
  const auto script = std::make_shared<Script>();
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
  const core::Plan plan = task_plan(3, 16, 1);
  const core::Bindings bindings;
  core::RunOptions options;
  options.intervals = true;
  script->fail(GetParam().call, GetParam().nth);
  const auto error = error_of([&] { executor->run(plan, bindings, options); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::device_failed);
  EXPECT_NE(std::string(error->what()).find(GetParam().named), std::string::npos) << error->what();
  EXPECT_NE(std::string(error->what()).find("injected failure"), std::string::npos) << error->what();
  // The executor serves the next plan.
  EXPECT_TRUE(executor->run(plan, bindings, options).complete);
}

// Uploads before the run are 3 copies, 3 records and 3 flushes on q0.
INSTANTIATE_TEST_SUITE_P(Each, Faults,
                         testing::Values(Fault{"build", 1, "step 1 (kernel synthetic on lane dev0 kernel)"},
                                         Fault{"make_queue", 1, "step 0 (copy host to device on lane dev0 htod)"},
                                         Fault{"make_queue", 3, "step 2 (copy device to host on lane dev0 dtoh)"},
                                         Fault{"make_gate", 1, "make_gate"}, Fault{"hold", 2, "hold"},
                                         Fault{"copy", 4, "step "}, Fault{"copy", 7, "step "},
                                         Fault{"launch", 1, "step 1 (kernel synthetic"},
                                         Fault{"launch", 3, "step 7 (kernel synthetic"}, Fault{"record", 4, "step "},
                                         Fault{"wait_for", 1, "step 1 (kernel synthetic"}, Fault{"flush", 6, "step "},
                                         Fault{"open", 1, "releasing device 0 (fake, log)"},
                                         Fault{"finish", 1, "running the plan on device 0 (fake, log)"},
                                         Fault{"take_stamps", 2, "take_stamps"}, Fault{"copy", 1, "copy"}));

TEST(Faults, RefusedMemoryIsAskedForAgainAfterGivingBackWhatNoPlanUses) {
  const auto script = std::make_shared<Script>();
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
  const core::Plan plan = task_plan(1, 16, 1);
  const core::Bindings bindings;
  script->fail("allocate", 1);
  EXPECT_TRUE(executor->run(plan, bindings, {}).complete);
}

TEST(Faults, MemoryRefusedTwiceNamesTheStepThatNeedsIt) {
  class Refusing : public FakeDevice {
   public:
    using FakeDevice::FakeDevice;
    std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
      core::throw_device_failed("no memory for " + std::to_string(bytes) + " bytes");
    }
  };
  const auto executor = make_plan_executor({std::make_shared<Refusing>(std::make_shared<Script>())});
  const core::Plan plan = task_plan(1, 16, 1);
  const core::Bindings bindings;
  const auto error = error_of([&] { executor->prepare(plan, bindings); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(std::string(error->what()), "step 0 (copy host to device on lane dev0 htod): no memory for 64 bytes");
}

core::Plan host_work_plan() {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  const core::BufferId buffer = add_buffer(builder, 64);
  const std::array in = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 64)};
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("compile");
  const std::array done = {builder.add(work, in)};
  add_synthetic(builder, lanes.kernel, buffer, 16, 1, done);
  return builder.build();
}

TEST(Faults, AFailedEventNamesTheStepThatWaits) {
  const auto script = std::make_shared<Script>();
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
  const core::Plan plan = host_work_plan();
  core::Bindings bindings;
  bindings.host_work = [](const core::Step&) {};
  const auto prepared = executor->prepare(plan, bindings);
  script->fail("event wait");
  const auto error = error_of([&] { prepared->run({}); });
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(std::string(error->what()).find("step 1 (host work compile on lane host)"), std::string::npos)
      << error->what();
  const auto again = error_of([&] { prepared->run({}); });
  ASSERT_TRUE(again.has_value());
  EXPECT_NE(std::string(again->what()).find("prepare it again"), std::string::npos);
}

TEST(Faults, AnExceptionOfHostWorkFreesTheLanesThatWaitForIt) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  const core::Plan plan = host_work_plan();
  core::Bindings bindings;
  bindings.host_work = [](const core::Step&) { throw 7; };
  const auto error = error_of([&] { executor->run(plan, bindings, {}); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::device_failed);
  EXPECT_NE(std::string(error->what()).find("step 1 (host work compile on lane host)"), std::string::npos);
}

TEST(Faults, HostWorkWithoutAFunctionIsRefused) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  const core::Plan plan = host_work_plan();
  const core::Bindings bindings;
  const auto error = error_of([&] { executor->prepare(plan, bindings); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
}

TEST(Faults, MessagesAreUnavailable) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  core::PlanBuilder builder;
  core::SendStep send;
  send.lane = builder.add_lane({core::LaneKind::network, core::none<core::DeviceId>(), {}, "net"});
  send.bytes = 8;
  builder.add(send);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto error = error_of([&] { executor->prepare(plan, bindings); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::unavailable);
  EXPECT_NE(std::string(error->what()).find("messages need the MPI backend"), std::string::npos);
}

TEST(Faults, APlanForMoreDevicesThanAreOpenIsRefused) {
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(std::make_shared<Script>())});
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder, 1);
  const core::BufferId buffer = add_buffer(builder, 64, core::MemoryKind::pinned, 1);
  add_copy(builder, lanes.in, Direction::host_to_device, buffer, 64, {}, 1);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto error = error_of([&] { executor->prepare(plan, bindings); });
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(std::string(error->what()).find("needs device 1 (counted from 0); devices open: 1"), std::string::npos)
      << error->what();
}

TEST(Faults, TimestampsThatRunBackwardsAreAnErrorNotATimeline) {
  const auto script = std::make_shared<Script>();
  const auto executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
  const core::Plan plan = task_plan(2, 16, 1);
  const core::Bindings bindings;
  core::RunOptions options;
  options.intervals = true;
  const auto prepared = executor->prepare(plan, bindings);
  script->stamps = {{0, 900'000'000}, {500'000'000, 950'000'000}};
  const auto error = error_of([&] { prepared->run(options); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::device_failed);
  EXPECT_NE(std::string(error->what()).find("device timestamps run backwards"), std::string::npos) << error->what();
}

}  // namespace
}  // namespace forelap::hw::test
