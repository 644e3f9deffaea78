#include "run/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <set>

#include "run/hardware.hpp"
#include "run/rows.hpp"
#include "tests/run/fake_executor.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

using testing::FakeExecutor;
using testing::FakeLog;
using ::testing::HasSubstr;

/// BK50, a thousand times shorter so that buffers stay small.
scenarios::Scenario small_bk50() {
  auto scenario = testing::bk50();
  for (auto& task : std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks) {
    *task.htod[0].seconds /= 50;
    *task.kernels[0].seconds /= 50;
    *task.dtoh[0].seconds /= 50;
  }
  return scenario;
}

class Measure : public ::testing::Test {
 protected:
  MeasureOutcome measure() {
    FakeExecutor executor(log_);
    const auto bind = [this](std::size_t case_index) { return make_bindings(scenario_, case_index, "opencl"); };
    return measure_rows(set_, scenario_, executor, bind, options_);
  }

  scenarios::Scenario scenario_ = small_bk50();
  validate::RunSet set_ = make_rows(scenario_, testing::modelled_machine(0));
  FakeLog log_;
  MeasureOptions options_;
};

TEST_F(Measure, EveryRowHasItsColdRunApartAndItsRepetitions) {
  options_.repetitions = 5;
  const auto outcome = measure();
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(log_.runs.size(), 24U * 6U);
  for (const auto& row : set_.rows) {
    EXPECT_TRUE(row.cold);
    EXPECT_EQ(row.samples.size(), 5U);
    EXPECT_FALSE(row.partial);
  }
  EXPECT_EQ(set_.repetitions, 5U);
  EXPECT_DOUBLE_EQ(set_.rows[2].samples[0], 1.002e-3);
}

TEST_F(Measure, OrdersTakeTurnsInAnOrderOfTheirOwnEachTime) {
  options_.repetitions = 3;
  measure();
  std::set<std::vector<std::uint32_t>> rounds;
  for (std::size_t round = 0; round < 4; ++round) {
    std::vector<std::uint32_t> plans;
    for (std::size_t i = 0; i < 24; ++i) plans.push_back(log_.runs[round * 24 + i][0]);
    rounds.insert(plans);
    EXPECT_EQ(std::set<std::uint32_t>(plans.begin(), plans.end()).size(), 24U) << "each order once a round";
  }
  EXPECT_EQ(rounds.size(), 4U);
}

TEST_F(Measure, TheSameSeedTakesTheSameTurns) {
  measure();
  const auto first = log_.runs;
  log_ = {};
  set_ = make_rows(scenario_, testing::modelled_machine(0));
  measure();
  EXPECT_EQ(log_.runs, first);
}

TEST_F(Measure, OnlyBestMedianAndWorstAreInstrumentedAndAtTheEnd) {
  options_.intervals = true;
  options_.repetitions = 1;
  const auto outcome = measure();
  EXPECT_EQ(outcome.timelines.size(), 3U);
  EXPECT_TRUE(outcome.timelines.count(0));
  EXPECT_TRUE(outcome.timelines.count(23));
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(log_.runs[i][1], 0U);
}

TEST_F(Measure, AStopKeepsWhatWasMeasuredAndMarksIt) {
  core::StopSource source;
  options_.stop = source.token();
  log_.before_run = [&source](std::size_t run) {
    if (run == 100) source.request_stop();
  };
  const auto outcome = measure();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.failure, "");
  std::size_t samples = 0;
  for (const auto& row : set_.rows) {
    samples += row.samples.size();
    EXPECT_TRUE(row.partial);
  }
  EXPECT_EQ(samples, 100U - 24U);
  ASSERT_FALSE(set_.notes.empty());
  EXPECT_THAT(set_.notes.back(), HasSubstr("stopped by the user; 24 of 24 rows"));
}

TEST_F(Measure, ADeviceThatFailsKeepsWhatWasMeasured) {
  log_.before_run = [](std::size_t run) {
    if (run == 50) core::throw_device_failed("the device fell off the bus");
  };
  const auto outcome = measure();
  EXPECT_EQ(outcome.failure, "the device fell off the bus");
  EXPECT_FALSE(outcome.stopped);
  std::size_t samples = 0;
  for (const auto& row : set_.rows) samples += row.samples.size();
  EXPECT_EQ(samples, 26U);
}

TEST_F(Measure, MemoryThatRunsOutIsAFailureNotACrash) {
  log_.before_run = [](std::size_t run) {
    if (run == 30) throw std::bad_alloc();
  };
  EXPECT_THAT(measure().failure, HasSubstr("memory"));
}

TEST_F(Measure, ErrorsOfTheUsersInputAreThrown) {
  log_.before_run = [](std::size_t) { core::throw_bad_input("kernel.cl:3: error"); };
  EXPECT_THROW(measure(), core::Error);
}

TEST_F(Measure, PinnedMemoryThatIsRefusedIsSaidOnce) {
  set_.memory = "pinned";
  log_.memory = core::MemoryKind::pageable;
  measure();
  EXPECT_EQ(set_.memory, "pageable");
  ASSERT_EQ(set_.notes.size(), 1U);
  EXPECT_THAT(set_.notes[0], HasSubstr("pinned memory was refused"));
}

TEST_F(Measure, DataThatComesBackIsVerified) {
  options_.repetitions = 1;
  EXPECT_GT(measure().verified_bytes, 0U);
}

TEST_F(Measure, WrongDataEndsTheMeasurement) {
  log_.corrupt = [](std::vector<std::byte>& host) { host[1] ^= std::byte{0x10}; };
  const auto outcome = measure();
  EXPECT_THAT(outcome.failure, HasSubstr("wrong data came back"));
  EXPECT_EQ(log_.runs.size(), 1U);
}

}  // namespace
}  // namespace forelap::run
