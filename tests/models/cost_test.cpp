#include "models/cost.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace {

using namespace forelap;
using core::ActivityClass;

core::Machine machine() {
  core::Machine m;
  m.name = "m";
  m.host.cores = 4;
  m.host.work.push_back({"compile", {.value = 1e-3}, {.value = 1e-6}});
  core::DeviceModel device;
  device.name = "gpu";
  device.run_overhead = {.value = 9e-6};
  device.hop = {.value = 2e-6};
  device.submit = {.value = 1e-6};
  core::TransferModel in;
  in.pieces.push_back({16, 1000, {.value = 1e-6}, {.value = 1e-9}});
  in.pieces.push_back({1000, 1e6, {.value = 2e-6}, {.value = 1e-10}});
  device.transfers.push_back(in);
  core::KernelModel kernel{"k", {.value = 0.5}, {}};
  kernel.pieces.push_back({0, 1e9, 0, 1e12, {.value = 3e-6}, {.value = 1e-12}, {.value = 1e-11}});
  device.kernels.push_back(kernel);
  core::InterferenceRow row;
  row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh);
  row.rates[ActivityClass::htod] = {.value = 0.8};
  device.interference.push_back(row);
  m.devices.push_back(device);
  m.network = {{.value = 1e-6}, {.value = 2e-6}, {.value = 1e-10}};
  return m;
}

struct Built {
  core::PlanBuilder builder;
  core::LaneId copy = builder.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "c"});
  core::LaneId kernel = builder.add_lane({core::LaneKind::kernel, core::DeviceId{0}, core::RankId{0}, "k"});
  core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), core::RankId{0}, "h"});
};

TEST(Cost, PricesCopiesByPieceInPicoseconds) {
  Built b;
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 500});
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 1000, .count = 3});
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 7, .duration = 123});
  const core::Plan plan = b.builder.build();
  const models::CostModel model(machine(), plan, core::InterferenceMode::partial);
  const auto first = model.cost(plan.steps[0]);
  EXPECT_DOUBLE_EQ(first.fixed, 1e6);
  EXPECT_DOUBLE_EQ(first.work, 5e5);
  EXPECT_EQ(first.activity, ActivityClass::htod);
  EXPECT_EQ(first.domains[0], 0U);
  const auto second = model.cost(plan.steps[1]);
  EXPECT_DOUBLE_EQ(second.fixed, 6e6);
  EXPECT_DOUBLE_EQ(second.work, 3e5);
  const auto given = model.cost(plan.steps[2]);
  EXPECT_EQ(given.fixed, 0);
  EXPECT_EQ(given.work, 123);
  EXPECT_EQ(model.run_overhead(), 9e6);
  EXPECT_EQ(model.hop(b.copy), 2e6);
  EXPECT_EQ(model.submit(b.copy), 1e6);
  EXPECT_EQ(model.hop(b.host), 0);
}

TEST(Cost, PricesKernelsHostWorkAndMessages) {
  Built b;
  core::KernelStep k{.lane = b.kernel, .work = 1e6, .items = 1e3};
  k.call.kernel = b.builder.kernel("k");
  b.builder.add(k, {});
  b.builder.add(core::HostWorkStep{.lane = b.host, .work = b.builder.host_work("compile"), .amount = 1000});
  const auto sent = b.builder.add(core::SendStep{.lane = b.host, .bytes = 1000});
  b.builder.add(core::ReceiveStep{.lane = b.host, .bytes = 1000}, std::array{sent});
  const core::Plan plan = b.builder.build();
  const models::CostModel model(machine(), plan, core::InterferenceMode::partial);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).fixed, 3e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).work, 1e6 + 1e4);
  EXPECT_EQ(model.cost(plan.steps[0]).fill, 0.5);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).fixed, 1e9);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).work, 1e9);
  EXPECT_EQ(model.domain(model.cost(plan.steps[1]).domains[0]).capacity(ActivityClass::host_work), 4);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[2]).fixed, 1e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[2]).work, 1e5);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[3]).fixed, 2e6);
  EXPECT_EQ(model.cost(plan.steps[3]).work, 0);
}

TEST(Cost, PricesKernelsByThePieceOfTheirItemsAndKnowsItsRangeOfWork) {
  core::Machine m = machine();
  core::KernelModel& kernel = m.devices[0].kernels[0];
  kernel.pieces.front().to_items = 1e4;
  kernel.pieces.front().most_work = 1e8;
  kernel.pieces.push_back({1e4, 1e7, 1e5, 1e10, {.value = 4e-6}, {.value = 5e-13}, {.value = 2e-11}});
  Built b;
  const auto launch = [&b](double work, double items) {
    core::KernelStep k{.lane = b.kernel, .work = work, .items = items};
    k.call.kernel = b.builder.kernel("k");
    b.builder.add(k, {});
  };
  launch(1e8, 1e3);
  launch(1e8, 1e4);
  launch(1e9, 1e3);  // more work than the piece of small launches saw
  launch(1e4, 1e4);  // less than that of large ones saw
  launch(1e8, 1e8);  // more items than any saw
  const core::Plan plan = b.builder.build();
  const models::CostModel model(m, plan, core::InterferenceMode::partial);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).fixed, 3e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).work, 1e8 + 1e4);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).fixed, 4e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).work, 5e7 + 2e5);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[4]).work, 5e7 + 2e9);
  EXPECT_EQ(model.extrapolated_steps(), 3U);
}

TEST(Cost, OfALaunchOfFewItemsIsTheRateAndTheFillOfItsPart) {
  core::Machine m = machine();
  m.devices[0].kernels[0].full_items = {.value = 1e4};
  Built b;
  const auto launch = [&b](double items, std::uint32_t count, core::Tick duration) {
    core::KernelStep k{.lane = b.kernel, .work = 1e6, .items = items};
    k.count = count;
    k.duration = duration;
    k.call.kernel = b.builder.kernel("k");
    b.builder.add(k, {});
  };
  launch(2e3, 1, core::kModelled);
  launch(2e3, 7, core::kModelled);  // passes: each launch is a small one
  launch(1e5, 1, core::kModelled);
  launch(2e3, 1, 999);
  const core::Plan plan = b.builder.build();
  const models::CostModel model(m, plan, core::InterferenceMode::partial);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).fill, 0.1);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).fixed, 3e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[0]).work, 5 * (1e6 + 2e4));
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).fill, 0.1);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[1]).work, 7 * 5 * (1e6 + 2e4));
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[2]).fill, 0.5);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[2]).work, 1e6 + 1e6);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[3]).fill, 0.1);
  EXPECT_DOUBLE_EQ(model.cost(plan.steps[3]).work, 999) << "a given duration stands";
}

TEST(Cost, WithoutInterferenceOnlyCapacitiesAreLeft) {
  Built b;
  const core::Plan plan = b.builder.build();
  const models::CostModel none(machine(), plan, core::InterferenceMode::none);
  models::ActiveCounts both;
  both.add(ActivityClass::htod);
  both.add(ActivityClass::dtoh);
  EXPECT_EQ(none.domain(0).rate(ActivityClass::htod, both), 1);
  both.add(ActivityClass::htod);
  EXPECT_EQ(none.domain(0).rate(ActivityClass::htod, both), 0.5);
}

TEST(Cost, CountsStepsOutsideTheFittedRange) {
  Built b;
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 4});
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 500});
  b.builder.add(core::CopyStep{.lane = b.copy, .bytes = 2'000'000});
  const core::Plan plan = b.builder.build();
  EXPECT_EQ(models::CostModel(machine(), plan, core::InterferenceMode::partial).extrapolated_steps(), 2U);
}

std::string refusal(const core::Plan& plan) {
  try {
    models::CostModel(machine(), plan, core::InterferenceMode::partial);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Cost, NamesTheModelThatIsMissing) {
  Built copies;
  copies.builder.add(core::CopyStep{
      .lane = copies.copy, .direction = core::Direction::device_to_host, .memory = core::MemoryKind::pageable});
  EXPECT_NE(refusal(copies.builder.build()).find("pageable transfers from the device"), std::string::npos);
  Built kernels;
  core::KernelStep k{.lane = kernels.kernel};
  k.call.kernel = kernels.builder.kernel("mystery");
  kernels.builder.add(k, {});
  EXPECT_NE(refusal(kernels.builder.build()).find("kernel \"mystery\""), std::string::npos);
  Built devices;
  devices.builder.add_lane({core::LaneKind::copy, core::DeviceId{1}, core::RankId{0}, "second"});
  EXPECT_NE(refusal(devices.builder.build()).find("needs 2 devices"), std::string::npos);
}

}  // namespace
