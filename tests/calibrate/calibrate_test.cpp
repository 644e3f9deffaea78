#include "calibrate/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "machine_under_test.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::known_device;
using testing::known_machine;
using testing::known_probe;
using testing::NoisyExecutor;

Options quick_options() {
  Options options;
  options.campaign.budget_seconds = 30;
  options.campaign.most_rounds = 3;
  options.campaign.host_bytes = std::uint64_t{8} << 30;
  return options;
}

std::unique_ptr<core::Executor> simulated(const core::Machine& machine) {
  return sim::fast::make_executor(std::make_shared<const core::Machine>(machine), core::InterferenceMode::partial);
}

core::DeviceModel calibrated(core::Executor& executor, const Options& options, Report& report) {
  const std::vector<KernelProbe> probes = {known_probe()};
  return calibrate_device(executor, known_device(), probes, options, report);
}

/// The tasks T0 T1 T4 T5 of BK50 (units of 10 ms) in one order, through three lanes; sizes from the true machine.
core::Plan bk50(const core::Machine& truth, const std::vector<std::size_t>& order) {
  constexpr double kTasks[4][3] = {{0.1, 0.8, 0.1}, {0.2, 0.7, 0.1}, {0.6, 0.2, 0.2}, {0.2, 0.2, 0.6}};
  const core::DeviceModel& device = truth.devices[0];
  core::PlanBuilder builder;
  const core::DeviceId gpu{0};
  const core::LaneId up = builder.add_lane({core::LaneKind::copy, gpu, {}, "up"});
  const core::LaneId run = builder.add_lane({core::LaneKind::kernel, gpu, {}, "run"});
  const core::LaneId down = builder.add_lane({core::LaneKind::copy, gpu, {}, "down"});
  for (const std::size_t task : order) {
    core::CopyStep in;
    in.lane = up;
    in.bytes = static_cast<std::uint64_t>(models::transfer_bytes(device.transfers[0], kTasks[task][0] * 1e-2));
    const core::StepId loaded = builder.add(in);
    core::KernelStep kernel;
    kernel.lane = run;
    kernel.call.kernel = builder.kernel("synthetic");
    kernel.call.global_size = {in.bytes / 4, 1, 1};
    kernel.items = static_cast<double>(in.bytes / 4);
    kernel.work = models::kernel_work(device.kernels[0], kTasks[task][1] * 1e-2, kernel.items);
    const std::vector<core::StepId> after_load = {loaded};
    const core::StepId done = builder.add(kernel, {}, after_load);
    core::CopyStep out;
    out.lane = down;
    out.direction = core::Direction::device_to_host;
    out.bytes = static_cast<std::uint64_t>(models::transfer_bytes(device.transfers[1], kTasks[task][2] * 1e-2));
    const std::vector<core::StepId> after_kernel = {done};
    builder.add(out, after_kernel);
  }
  return builder.build();
}

core::Tick makespan(const core::Machine& machine, const core::Plan& plan) {
  return sim::fast::simulate(plan, models::CostModel(machine, plan, core::InterferenceMode::partial)).makespan;
}

/// Largest relative difference between two machines over all orders of BK50.
double worst_difference(const core::Machine& truth, const core::DeviceModel& model) {
  core::Machine fitted = truth;
  fitted.devices = {model};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  double worst = 0;
  do {
    const core::Plan plan = bk50(truth, order);
    const auto expected = static_cast<double>(makespan(truth, plan));
    worst = std::max(worst, std::abs(static_cast<double>(makespan(fitted, plan)) / expected - 1));
  } while (std::next_permutation(order.begin(), order.end()));
  return worst;
}

TEST(Calibrate, RecoversTheMachineThatItMeasuresAndPredictsEveryOrderOfBK50) {
  const core::Machine truth = known_machine();
  const auto executor = simulated(truth);
  Report report;
  const core::DeviceModel model = calibrated(*executor, quick_options(), report);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.rounds, 3U);
  EXPECT_EQ(model.copy_engines.value, 2);
  EXPECT_EQ(model.identity.name, "known");
  ASSERT_EQ(model.transfers.size(), 4U);
  EXPECT_GT(model.transfers[0].pieces.back().to_bytes, 537e6);
  EXPECT_NEAR(model.hop.value, 4e-6, 4e-8);
  EXPECT_NEAR(model.run_overhead.value, 6e-6, 6e-8);
  ASSERT_EQ(model.interference.size(), 4U);
  EXPECT_EQ(model.kernels.at(0).fill.value, 1);
  EXPECT_EQ(model.kernels.at(0).full_items.value, 0) << "small launches leave no room either";
  EXPECT_LT(worst_difference(truth, model), 1e-3);
}

TEST(Calibrate, RecoversItThroughNoiseOfAPercentWithSpreadsThatSayIt) {
  const core::Machine truth = known_machine();
  const auto exact = simulated(truth);
  NoisyExecutor executor(*exact, 0.01);
  Report report;
  const core::DeviceModel model = calibrated(executor, quick_options(), report);
  EXPECT_LT(worst_difference(truth, model), 0.006);
  const core::Parameter& rate = model.transfers[0].pieces.back().per_byte;
  EXPECT_GT(rate.spread / rate.value, 0.001);
  EXPECT_LT(rate.spread / rate.value, 0.02);
}

/// Four launches of `items`, each of a millisecond alone, on as many lanes as asked for.
core::Tick four_small_kernels(const core::Machine& machine, double items, double work, std::size_t lanes) {
  core::PlanBuilder builder;
  std::vector<core::LaneId> queues;
  for (std::size_t i = 0; i < lanes; ++i) {
    queues.push_back(builder.add_lane({core::LaneKind::kernel, core::DeviceId{0}, {}, "k" + std::to_string(i)}));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    core::KernelStep kernel;
    kernel.lane = queues[i % lanes];
    kernel.call.kernel = builder.kernel("synthetic");
    kernel.items = items;
    kernel.work = work;
    builder.add(kernel, {});
  }
  return makespan(machine, builder.build());
}

TEST(Calibrate, FindsFromWhatSizeOnLaunchesFillTheDeviceAndPredictsSmallOnesSideBySide) {
  for (const double full : {4e4, 2e5}) {
    core::Machine truth = known_machine();
    truth.devices[0].kernels[0].full_items.value = full;
    const auto exact = simulated(truth);
    NoisyExecutor executor(*exact, 0.005);
    Report report;
    core::Machine fitted = truth;
    fitted.devices = {calibrated(executor, quick_options(), report)};
    const core::KernelModel& model = fitted.devices[0].kernels.at(0);
    EXPECT_EQ(model.fill.value, 1);
    EXPECT_NEAR(model.full_items.value, full, 0.03 * full);
    for (const double part : {0.13, 0.3, 0.7}) {
      const double items = std::round(part * full);
      const double work = models::kernel_work(truth.devices[0].kernels[0], 1e-3, items);
      for (const std::size_t lanes : {1U, 2U, 4U}) {
        const auto expected = static_cast<double>(four_small_kernels(truth, items, work, lanes));
        const auto foretold = static_cast<double>(four_small_kernels(fitted, items, work, lanes));
        EXPECT_NEAR(foretold / expected, 1, 0.03) << items << " items on " << lanes << " lanes";
      }
    }
    EXPECT_LT(worst_difference(truth, fitted.devices[0]), 0.01) << "large launches are as they were";
  }
}

TEST(Calibrate, OfSmallLaunchesAddsLittleTime) {
  core::Machine truth = known_machine();
  truth.devices[0].kernels[0].full_items.value = 2e5;
  const auto executor = simulated(truth);
  Report report;
  calibrated(*executor, quick_options(), report);
  double seconds = 0;  // of the device, by the simulation
  for (const Sample& s : report.samples) {
    if ((s.part == Part::fill || s.part == Part::kernel) && s.items < 7e5) seconds += s.seconds;
  }
  EXPECT_EQ(report.rounds, 3U);
  EXPECT_GT(seconds, 0.1);
  EXPECT_LT(seconds, 1) << "of three rounds of a kernel";
}

TEST(Calibrate, TriesOneSmallSizeWhereKernelsNeverOverlapAndFewWhereTheyDo) {
  const auto sizes = [](const core::Machine& machine) {
    const auto executor = simulated(machine);
    Report report;
    calibrated(*executor, quick_options(), report);
    std::set<double> small;
    for (const Sample& s : report.samples) {
      if (s.part == Part::fill && s.items < 7e5) small.insert(s.items);
    }
    return small;
  };
  core::Machine machine = known_machine();
  EXPECT_EQ(sizes(machine).size(), 1U);
  machine.devices[0].kernels[0].full_items.value = 1e5;
  const auto small = sizes(machine);
  EXPECT_GE(small.size(), 3U);
  EXPECT_LE(small.size(), 5U);
  EXPECT_LT(*small.begin(), 3e4) << "the largest at which four do not wait";
  EXPECT_GT(*small.rbegin(), 9e4) << "and the smallest at which all do";
}

TEST(Calibrate, FindsOneCopyEngineByMeasurementWhateverTheDeviceClaims) {
  core::Machine truth = known_machine();
  for (auto& [activity, rate] : truth.devices[0].interference[0].rates) rate.value = 0.5;
  hw::DeviceInfo info = known_device();
  info.claimed_copy_engines = 2;
  const auto executor = simulated(truth);
  const std::vector<KernelProbe> probes = {known_probe()};
  Report report;
  const core::DeviceModel model = calibrate_device(*executor, info, probes, quick_options(), report);
  EXPECT_EQ(model.copy_engines.value, 1);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("take turns")));
}

TEST(Calibrate, NoSizeIsAPowerOfTwoOrWholeMegabytes) {
  const auto executor = simulated(known_machine());
  Report report;
  calibrated(*executor, quick_options(), report);
  for (const Sample& s : report.samples) {
    const auto bytes = static_cast<std::uint64_t>(s.bytes);
    EXPECT_NE(bytes & (bytes - 1), 0U) << describe(s);
    EXPECT_NE(bytes % 1'000'000, 0U) << describe(s);
  }
}

TEST(Calibrate, FittingTheWrittenSamplesGivesTheSameModel) {
  const auto executor = simulated(known_machine());
  Report report;
  const core::DeviceModel model = calibrated(*executor, quick_options(), report);
  std::vector<std::string> warnings;
  FitOptions fit;
  fit.identity = model.identity;
  const core::DeviceModel again = fit_samples(parse_samples(write_samples(report.samples), "s.csv"), fit, warnings);
  EXPECT_EQ(again.hop.value, model.hop.value);
  EXPECT_EQ(again.transfers[0].pieces.back().per_byte.value, model.transfers[0].pieces.back().per_byte.value);
  EXPECT_EQ(again.kernels[0].pieces[0].per_work.value, model.kernels[0].pieces[0].per_work.value);
  EXPECT_EQ(again.interference[3].rates.at(core::ActivityClass::htod).value,
            model.interference[3].rates.at(core::ActivityClass::htod).value);
}

TEST(Calibrate, TheSameSeedMeasuresInTheSameOrder) {
  const auto executor = simulated(known_machine());
  Report a, b, c;
  Options options = quick_options();
  calibrated(*executor, options, a);
  calibrated(*executor, options, b);
  options.campaign.seed = 2;
  calibrated(*executor, options, c);
  EXPECT_EQ(write_samples(a.samples), write_samples(b.samples));
  EXPECT_NE(write_samples(a.samples), write_samples(c.samples));
}

TEST(Calibrate, MeasuresOnlyThePartsAskedForAndKeepsTheRest) {
  const core::Machine truth = known_machine();
  const auto executor = simulated(truth);
  Options options = quick_options();
  options.campaign.parts = bit(Part::transfer);
  Report report;
  const core::DeviceModel fresh = calibrated(*executor, options, report);
  for (const Sample& s : report.samples) EXPECT_EQ(s.part, Part::transfer);
  EXPECT_TRUE(fresh.kernels.empty());
  core::DeviceModel base = truth.devices[0];
  base.copy_engines.samples = 1;
  const core::DeviceModel merged = keep_missing(fresh, base);
  EXPECT_EQ(merged.copy_engines.value, 2);
  EXPECT_EQ(merged.kernels.size(), 1U);
  EXPECT_EQ(merged.interference.size(), 4U);
  EXPECT_EQ(merged.transfers.size(), 4U);
  EXPECT_NE(merged.transfers[0].pieces.back().to_bytes, base.transfers[0].pieces.back().to_bytes);
}

TEST(Calibrate, WithoutAKernelTransfersAreStillMeasured) {
  const auto executor = simulated(known_machine());
  Report report;
  const core::DeviceModel model = calibrate_device(*executor, known_device(), {}, quick_options(), report);
  EXPECT_TRUE(model.kernels.empty());
  EXPECT_EQ(model.interference.size(), 1U);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("no kernel was given")));
}

TEST(Calibrate, AStopKeepsWhatWasMeasured) {
  const auto executor = simulated(known_machine());
  core::StopSource source;
  Options options = quick_options();
  options.campaign.stop = source.token();
  options.campaign.progress = [&](const std::string&, std::size_t done, std::size_t) {
    if (done == 40) source.request_stop();
  };
  Report report;
  calibrated(*executor, options, report);
  EXPECT_FALSE(report.complete);
  EXPECT_FALSE(report.samples.empty());
}

TEST(Calibrate, ATooSmallTimeBudgetIsRefused) {
  const auto executor = simulated(known_machine());
  Options options = quick_options();
  options.campaign.budget_seconds = 0.5;
  Report report;
  EXPECT_THROW(calibrated(*executor, options, report), core::Error);
}

TEST(Mismatch, SaysInWhatAProfileDiffersFromTheDevice) {
  const core::DeviceModel profile = known_machine().devices[0];
  hw::DeviceInfo here = known_device();
  EXPECT_EQ(mismatch(profile, 8, here, 8), "");
  EXPECT_THAT(mismatch(profile, 8, here, 4), HasSubstr("made with 8 usable cores, this process may use 4"));
  here.identity.driver = "2";
  EXPECT_THAT(mismatch(profile, 8, here, 8), HasSubstr("driver \"1\", this device has \"2\""));
  here.identity.name = "other";
  EXPECT_THAT(mismatch(profile, 8, here, 8), HasSubstr("device \"known\", this device is \"other\""));
}

TEST(Calibrate, AKernelInPassesIsFittedByItsLaunches) {
  core::Machine truth = known_machine();
  core::KernelModel paths = truth.devices[0].kernels[0];
  paths.kernel = "floyd_warshall";
  paths.pieces.resize(1);
  core::KernelPiece& piece = paths.pieces[0];
  piece.from_items = 0;
  piece.to_items = 1e12;
  piece.launch.value = 2.5e-6;
  piece.per_work.value = 2e-12;
  piece.per_item.value = 1e-12;
  truth.devices[0].kernels.push_back(paths);
  const auto exact = simulated(truth);
  NoisyExecutor executor(*exact, 0.005);
  const std::vector<KernelProbe> probes = {known_probe(), testing::probe_in_passes()};
  Report report;
  const core::DeviceModel model = calibrate_device(executor, known_device(), probes, quick_options(), report);
  const core::KernelModel* fitted = core::find_kernel(model, "floyd_warshall");
  ASSERT_NE(fitted, nullptr);
  for (const double side : {500.0, 1024.0, 2000.0}) {
    const double items = side * side;
    const double expected = side * (2.5e-6 + 3e-12 * items);
    EXPECT_NEAR(side * models::kernel_seconds(*fitted, items, items), expected, 0.02 * expected) << side;
  }
}

TEST(Check, AKernelInPassesIsAskedForAllOfThem) {
  core::Machine truth = known_machine();
  core::KernelModel paths = truth.devices[0].kernels[0];
  paths.kernel = "floyd_warshall";
  truth.devices[0].kernels.push_back(paths);
  const auto exact = simulated(truth);
  const std::vector<KernelProbe> probes = {known_probe(), testing::probe_in_passes()};
  const DriftReport report = check(*exact, truth.devices[0], probes, {});
  std::size_t rows = 0;
  for (const DriftRow& row : report.rows) {
    if (row.part != Part::kernel) continue;
    ++rows;
    EXPECT_NEAR(row.deviation, 0, 0.01) << row.what;
  }
  EXPECT_EQ(rows, 4U);
}

}  // namespace
}  // namespace forelap::calibrate
