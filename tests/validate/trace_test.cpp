#include "validate/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace forelap::validate {
namespace {

using core::make_id;

/// A copy, and work that stands for `count` repetitions.
core::Plan small_plan(std::uint32_t count) {
  core::PlanBuilder builder;
  const auto copy = builder.add_lane({core::LaneKind::copy, make_id<core::DeviceId>(0), {}, "htod"});
  const auto host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  core::CopyStep step;
  step.lane = copy;
  step.device = make_id<core::DeviceId>(0);
  step.bytes = 640;
  builder.add(step);
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("compile");
  work.count = count;
  builder.add(work);
  return builder.build();
}

core::Timeline small_timeline() {
  core::Timeline timeline;
  timeline.intervals = {{make_id<core::StepId>(0), make_id<core::LaneId>(0), 0, 2'500'000},
                        {make_id<core::StepId>(1), make_id<core::LaneId>(1), 1'000'000, 4'000'001}};
  timeline.makespan = 4'000'001;
  return timeline;
}

nlohmann::json events_of(const std::vector<TraceProcess>& processes) {
  return nlohmann::json::parse(chrome_trace(processes))["traceEvents"];
}

TEST(Trace, TimelinesAreProcessesAndLanesAreNamedThreads) {
  const auto plan = small_plan(1);
  const auto timeline = small_timeline();
  const auto events = events_of({{"predicted", &plan, &timeline, {}}, {"measured", &plan, &timeline, {}}});
  std::vector<std::string> processes;
  std::vector<std::string> threads;
  for (const auto& event : events) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
    if (event["name"] == "thread_name" && event["pid"] == 1) threads.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"predicted", "measured"}));
  EXPECT_EQ(threads, (std::vector<std::string>{"htod", "host"}));
}

TEST(Trace, SlicesCarryMicrosecondsLabelsAndBytes) {
  const auto plan = small_plan(1);
  const auto timeline = small_timeline();
  const auto events = events_of({{"predicted", &plan, &timeline, {"T0 htod", "build"}}});
  std::vector<nlohmann::json> slices;
  for (const auto& event : events) {
    if (event["ph"] == "X") slices.push_back(event);
  }
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0]["name"], "T0 htod");
  EXPECT_DOUBLE_EQ(slices[0]["dur"], 2.5);
  EXPECT_EQ(slices[0]["args"]["bytes"], 640);
  EXPECT_EQ(slices[1]["tid"], 2);
  EXPECT_DOUBLE_EQ(slices[1]["ts"], 1.0);
  EXPECT_DOUBLE_EQ(slices[1]["dur"], 3.000001);
}

TEST(Trace, RepetitionsAreExpandedUpToAThousand) {
  const auto timeline = small_timeline();
  const auto count_slices = [&timeline](std::uint32_t count) {
    const auto plan = small_plan(count);
    std::size_t slices = 0;
    for (const auto& event : events_of({{"p", &plan, &timeline, {}}})) {
      if (event["ph"] == "X" && event["tid"] == 2) ++slices;
    }
    return slices;
  };
  EXPECT_EQ(count_slices(3), 3U);
  EXPECT_EQ(count_slices(1000), 1000U);
  EXPECT_EQ(count_slices(1001), 1U);
}

}  // namespace
}  // namespace forelap::validate
