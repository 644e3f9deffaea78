#include "run/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/kernel_definition.hpp"
#include "tests/run/fake_executor.hpp"

namespace forelap::run {
namespace {

using core::make_id;
using testing::FakeExecutor;
using testing::FakeLog;

constexpr std::uint64_t kBytes = 64 * 1024;

/// htod of `in` bytes, `count` launches of `kernel` with `arguments` after the buffer, dtoh of `out` bytes from `from`
/// on.
core::Plan one_task(const std::string& kernel, std::vector<core::Argument> arguments, double items, double in,
                    double out, std::uint32_t count = 1, std::uint64_t from = 0, std::int32_t pass_argument = -1) {
  core::PlanBuilder builder;
  const auto device = make_id<core::DeviceId>(0);
  const auto copy = builder.add_lane({core::LaneKind::copy, device, {}, "copy"});
  const auto lane = builder.add_lane({core::LaneKind::kernel, device, {}, "kernel"});
  core::Buffer buffer;
  buffer.bytes = kBytes;
  const auto id = builder.add_buffer(buffer);
  arguments.insert(arguments.begin(), id);
  core::CopyStep transfer;
  transfer.lane = copy;
  transfer.buffer = id;
  transfer.bytes = static_cast<std::uint64_t>(in);
  std::vector<core::StepId> after = {builder.add(transfer)};
  core::KernelStep step;
  step.lane = lane;
  step.call.kernel = builder.kernel(kernel);
  step.items = items;
  step.work = items;
  step.count = count;
  step.call.pass_argument = pass_argument;
  after = {builder.add(step, arguments, after)};
  transfer.direction = core::Direction::device_to_host;
  transfer.bytes = static_cast<std::uint64_t>(out);
  transfer.offset = from;
  builder.add(transfer, after);
  return builder.build();
}

core::Plan synthetic(double in, double out, std::uint32_t count = 1) {
  const std::int32_t n = kBytes / 4;
  return one_task("synthetic", {n, std::int32_t{5}, std::int32_t{3}}, n, in, out, count);
}

std::string verdict(const core::Plan& plan, FakeLog& log, std::size_t* judged = nullptr, int runs = 2) {
  FakeExecutor executor(log);
  core::Bindings bindings;
  const auto* kernel = hw::kernels::find_builtin(plan.kernels[0]);
  bindings.fill = [kernel](core::BufferId, std::span<std::byte> memory) {
    (kernel != nullptr ? kernel : hw::kernels::find_builtin("synthetic"))->fill(memory, 11);
  };
  const auto prepared = executor.prepare(plan, bindings);
  Verifier verifier(plan);
  std::string wrong;
  for (int i = 0; i < runs && wrong.empty(); ++i) {
    verifier.before_run(*prepared);
    prepared->run({});
    wrong = verifier.after_run(*prepared);
  }
  if (judged != nullptr) *judged = verifier.judged_bytes();
  return wrong;
}

TEST(Verifier, TransfersOfPartsOfWordsAreJudgedByTheirWholeOnes) {
  for (const double bytes : {5.0, 6.0, 7.0, 1009.0, 4097.0, 4098.0, 4099.0}) {
    FakeLog log;
    std::size_t judged = 0;
    EXPECT_EQ(verdict(synthetic(bytes, bytes), log, &judged), "") << bytes;
    EXPECT_EQ(judged % 4, 0U) << bytes;
    EXPECT_GT(judged, 0U) << bytes;
    EXPECT_EQ(verdict(synthetic(kBytes, bytes), log), "") << bytes;
    EXPECT_EQ(verdict(synthetic(bytes, kBytes), log), "") << bytes;
  }
}

TEST(Verify, RightDataPassesRunAfterRun) {
  FakeLog log;
  std::size_t judged = 0;
  EXPECT_EQ(verdict(synthetic(kBytes, kBytes), log, &judged), "");
  EXPECT_EQ(judged, 3U * 4096U);
}

TEST(Verify, RepeatedLaunchesAreRepeatedInTheReference) {
  FakeLog log;
  // The fake launches once a step, so two launches must not match it.
  EXPECT_NE(verdict(synthetic(kBytes, kBytes, 2), log), "");
}

TEST(Verify, OneWrongByteAtTheBeginMiddleOrEndIsFound) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{kBytes / 2}, std::size_t{kBytes - 1}}) {
    FakeLog log;
    log.corrupt = [at](std::vector<std::byte>& host) { host[at] ^= std::byte{1}; };
    const auto wrong = verdict(synthetic(kBytes, kBytes), log);
    EXPECT_THAT(wrong, ::testing::HasSubstr("byte " + std::to_string(at))) << wrong;
  }
}

TEST(Verify, OnlyBytesThatWereSentAndReturnedAreJudged) {
  FakeLog log;
  std::size_t judged = 0;
  EXPECT_EQ(verdict(synthetic(kBytes, 1024), log, &judged), "");
  EXPECT_EQ(judged, 1024U);
  EXPECT_EQ(verdict(synthetic(1000, kBytes), log, &judged), "");
  EXPECT_EQ(judged, 1000U);
}

TEST(Verify, ElementsBehindTheLaunchAreNotJudged) {
  FakeLog log;
  std::size_t judged = 0;
  const auto plan = one_task("synthetic", {std::int32_t{16}, std::int32_t{5}, std::int32_t{3}}, 16, kBytes, kBytes);
  EXPECT_EQ(verdict(plan, log, &judged), "");
  EXPECT_EQ(judged, 64U);
}

TEST(Verify, KernelsOfUsersAreLeftOut) {
  FakeLog log;
  std::size_t judged = 1;
  EXPECT_EQ(verdict(one_task("mine", {std::int32_t{1}}, 16, kBytes, kBytes), log, &judged), "");
  EXPECT_EQ(judged, 0U);
}

/// A task of a kernel that keeps its result apart, which `definition` launches over a buffer of kBytes: the input goes
/// in, `out` bytes of the result come back from where it lies.
core::Plan apart(const std::string& kernel, std::uint64_t repeat = 1) {
  for (const auto& definition : scenarios::builtin_definitions()) {
    if (definition.name != kernel) continue;
    const auto launch = scenarios::make_launch(definition, core::BufferId{}, kBytes, repeat);
    std::vector<core::Argument> arguments(launch.arguments.begin() + 1, launch.arguments.end());
    return one_task(kernel, arguments, launch.items, static_cast<double>(launch.result),
                    static_cast<double>(kBytes - launch.result), launch.passes, launch.result,
                    launch.call.pass_argument);
  }
  throw std::out_of_range(kernel);
}

TEST(Verify, ResultsOfEachKernelAreJudgedWhereTheyLie) {
  for (const auto& definition : scenarios::builtin_definitions()) {
    if (definition.name == "synthetic") continue;
    FakeLog log;
    std::size_t judged = 0;
    EXPECT_EQ(verdict(apart(definition.name), log, &judged, 3), "") << definition.name;
    EXPECT_GE(judged, 2000U) << definition.name;
  }
}

TEST(Verify, AWrongWordOfAResultIsFound) {
  for (const auto& definition : scenarios::builtin_definitions()) {
    if (definition.name == "synthetic") continue;
    const auto launch = scenarios::make_launch(definition, core::BufferId{}, kBytes, 1);
    FakeLog log;
    log.corrupt = [at = launch.result + 6](std::vector<std::byte>& host) { host[at] ^= std::byte{0x40}; };
    EXPECT_THAT(verdict(apart(definition.name), log), ::testing::HasSubstr("kernel '" + definition.name + "'"));
  }
}

TEST(Verify, AResultThatIsNotFetchedIsNotJudged) {
  FakeLog log;
  std::size_t judged = 1;
  const std::int32_t third = kBytes / 12;
  // The first two thirds come back: the input.
  EXPECT_EQ(
      verdict(one_task("vector_add", {third, std::int32_t{1}}, third, kBytes, 2.0 * kBytes / 3 - 8), log, &judged), "");
  EXPECT_EQ(judged, 0U);
}

TEST(Verify, AResultThatIsNotThereIsFound) {
  FakeLog log;
  log.corrupt = [](std::vector<std::byte>& host) {
    std::fill(host.begin() + kBytes / 3 * 2, host.end(), std::byte{0});
  };
  EXPECT_NE(verdict(apart("vector_add"), log), "");
}

TEST(Verify, SeveralKernelsOnABufferAreJudgedByAllTheirReferences) {
  auto plan = apart("vector_add");
  // The same kernel again, with more repetitions.
  plan.steps.push_back(plan.steps[1]);
  std::swap(plan.steps[2], plan.steps[3]);
  plan.calls.push_back(plan.calls[0]);
  plan.calls[1].first_argument = static_cast<std::uint32_t>(plan.arguments.size());
  plan.steps[2].subject = 1;
  const std::vector<core::Argument> arguments = {core::BufferId{0}, std::int32_t{kBytes / 12}, std::int32_t{5}};
  plan.arguments.insert(plan.arguments.end(), arguments.begin(), arguments.end());
  FakeLog log;
  std::size_t judged = 0;
  EXPECT_EQ(verdict(plan, log, &judged), "");
  EXPECT_GE(judged, kBytes / 3);
  log.corrupt = [](std::vector<std::byte>& host) { host[kBytes - 100] ^= std::byte{1}; };
  EXPECT_NE(verdict(plan, log), "");
}

}  // namespace
}  // namespace forelap::run
