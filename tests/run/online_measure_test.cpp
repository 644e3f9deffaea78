// Online scenarios measured, on the engine in the place of a device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/error.hpp"
#include "run/online.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "run/traces.hpp"
#include "sim/fast/executor.hpp"
#include "tests/run/fixtures.hpp"
#include "validate/csv.hpp"
#include "validate/json.hpp"

namespace forelap::run {
namespace {

using ::testing::HasSubstr;
using testing::modelled_machine;
using testing::online_bk50;
using testing::pattern;

/// The engine in the place of a device: it waits for arrivals in simulated time.
class MeasureOnline : public ::testing::Test {
 protected:
  MeasureOutcome measure() {
    const auto executor = sim::fast::make_executor(std::make_shared<core::Machine>(machine_), {});
    const auto bind = [](std::size_t /*case_index*/) { return core::Bindings(); };
    return measure_online(set_, scenario_, *executor, machine_, bind, options_);
  }

  core::Machine machine_ = modelled_machine(0);
  scenarios::Scenario scenario_ = [] {
    auto online = pattern(scenarios::Arrivals::poisson, 12);
    online.interval = 4e-3;
    return online_bk50(online);
  }();
  validate::RunSet set_ = make_rows(scenario_, machine_);
  MeasureOptions options_;
};

TEST_F(MeasureOnline, EveryPolicyHasItsColdRunApartAndItsRepetitions) {
  options_.repetitions = 3;
  const auto outcome = measure();
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.failure, "");
  for (const auto& row : set_.rows) {
    EXPECT_TRUE(row.cold);
    EXPECT_EQ(row.samples.size(), 3U);
    ASSERT_TRUE(row.measured_online);
    EXPECT_GT(row.measured_online->mean_latency, 0);
    EXPECT_FALSE(row.partial);
  }
}

TEST_F(MeasureOnline, OfTheSameEngineIsThePredictionForAPolicyThatDoesNotThink) {
  options_.repetitions = 1;
  measure();
  predict_rows(set_, scenario_, machine_, {});
  EXPECT_DOUBLE_EQ(set_.rows[0].samples.at(0), set_.rows[0].predicted->seconds);
  EXPECT_EQ(set_.rows[0].measured_online->mean_latency, set_.rows[0].predicted_online->mean_latency);
}

TEST_F(MeasureOnline, StoppedItMarksWhatIsPartial) {
  core::StopSource source;
  options_.repetitions = 5;
  options_.stop = source.token();
  options_.progress = [&source](const std::string&, std::size_t done, std::size_t) {
    if (done == 7) source.request_stop();
  };
  const auto outcome = measure();
  EXPECT_TRUE(outcome.stopped);
  for (const auto& row : set_.rows) EXPECT_TRUE(row.partial);
  EXPECT_THAT(set_.notes.back(), HasSubstr("stopped by the user"));
}

/// Fails when the second session is opened.
class Failing : public core::Executor {
 public:
  explicit Failing(std::unique_ptr<core::Executor> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] std::string name() const override { return "failing"; }
  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings) override {
    return inner_->prepare(plan, bindings);
  }
  std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings) override {
    if (++opened_ > 4) core::throw_device_failed("the device is gone");
    return inner_->open_session(frame, bindings);
  }

 private:
  std::unique_ptr<core::Executor> inner_;
  int opened_ = 0;
};

TEST_F(MeasureOnline, ADeviceThatFailsKeepsWhatWasMeasured) {
  Failing executor(sim::fast::make_executor(std::make_shared<core::Machine>(machine_), {}));
  const auto bind = [](std::size_t /*case_index*/) { return core::Bindings(); };
  const auto outcome = measure_online(set_, scenario_, executor, machine_, bind, options_);
  EXPECT_EQ(outcome.failure, "the device is gone");
  std::size_t samples = 0;
  for (const auto& row : set_.rows) samples += row.samples.size();
  EXPECT_EQ(samples, 1U);
}

TEST_F(MeasureOnline, ResultsReadBack) {
  options_.repetitions = 2;
  measure();
  predict_rows(set_, scenario_, machine_, {});
  const auto text = validate::to_json(set_);
  const auto back = validate::from_json(text, "r.json");
  ASSERT_EQ(back.rows.size(), set_.rows.size());
  for (std::size_t i = 0; i < back.rows.size(); ++i) {
    EXPECT_EQ(back.rows[i].policy, set_.rows[i].policy);
    EXPECT_EQ(back.rows[i].samples, set_.rows[i].samples);
    EXPECT_EQ(back.rows[i].predicted_online->p95_latency, set_.rows[i].predicted_online->p95_latency);
    EXPECT_EQ(back.rows[i].measured_online->groups, set_.rows[i].measured_online->groups);
  }
  EXPECT_EQ(validate::to_json(back), text);
}

TEST_F(MeasureOnline, SpreadsheetsHaveTheFiguresOnlyWhereThereAreSome) {
  predict_rows(set_, scenario_, machine_, {});
  const std::string csv = validate::to_csv(set_);
  EXPECT_THAT(csv, HasSubstr("samples_s,predicted_mean_latency_s,predicted_p95_latency_s,predicted_tasks_per_second"));
  EXPECT_THAT(csv, HasSubstr("\nBK50,,heuristic,fast,"));
  auto offline = make_rows(testing::bk50(), machine_);
  EXPECT_THAT(validate::to_csv(offline), ::testing::Not(HasSubstr("latency")));
}

TEST_F(MeasureOnline, RowsOfPoliciesHaveNoTrace) {
  predict_rows(set_, scenario_, machine_, {});
  Traces traces;
  traces.add(set_, scenario_, machine_, {});
  EXPECT_THAT(traces.json(), ::testing::Not(HasSubstr("predicted")));
}

}  // namespace
}  // namespace forelap::run
