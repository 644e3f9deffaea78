#include "run/hardware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "hw/backends.hpp"
#include "scenarios/read.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::ProgramOptions;
using testing::run_forelap;

TEST(Devices, SaysTheStateOfEveryBackend) {
  const auto outcome = run_forelap({"devices"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* backend : {"cuda: ", "opencl: ", "cpu: ready"}) EXPECT_THAT(outcome.out, HasSubstr(backend));
  EXPECT_THAT(outcome.out, HasSubstr("cores usable"));
}

TEST(Devices, AreDataToo) {
  const auto document = nlohmann::json::parse(run_forelap({"devices", "--json", "-"}).out);
  EXPECT_EQ(document["schema"], "forelap.devices/1");
  EXPECT_EQ(document["backends"].size(), 3U);
}

TEST(Devices, ThatDoNotExistAreBadInput) {
  const Folder folder;
  const auto outcome = run_forelap({"calibrate", "--device", "cpu:900-901", "-o", folder.path("m.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(run_forelap({"calibrate", "--device", "abacus", "-o", folder.path("m.yaml")}).exit_code, 2);
  EXPECT_TRUE(folder.entries().empty());
}

TEST(Measure, NeedsAProfileOfADevice) {
  const Folder folder;
  ProgramOptions options;
  options.folder = folder.path();
  const auto outcome = run_forelap({"measure", "bk50"}, options);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("forelap calibrate"));
}

TEST(Measure, OnAMachineFromAPaperIsRefused) {
  EXPECT_EQ(run_forelap({"measure", "bk50", "-m", "nvidia-k20c"}).exit_code, 2);
}

core::Parameter roughly(double value) {
  core::Parameter parameter;
  parameter.value = value;
  parameter.spread = value / 10;
  parameter.samples = 1;
  parameter.how = "guessed for a test";
  return parameter;
}

core::TransferModel rough_transfer(core::Direction direction) {
  core::TransferModel model;
  model.direction = direction;
  core::TransferPiece piece;
  piece.to_bytes = 1e9;
  piece.fixed = roughly(5e-6);
  piece.per_byte = roughly(2e-10);
  model.pieces = {piece};
  return model;
}

/// The CPU pool, which every machine has, with guessed models: what is tested is the path, not the figures.
core::Machine rough_cpu() {
  core::Machine machine;
  machine.name = "rough";
  machine.when = "2026-01-01";
  machine.host.cpu = run::cpu_name();
  machine.host.cores = run::usable_cores();
  core::DeviceModel device;
  device.name = "cpu0";
  device.identity = hw::open_device("cpu").device->info().identity;
  device.copy_engines = roughly(2);
  device.copy_engines.spread = 0;
  device.transfers = {rough_transfer(core::Direction::host_to_device), rough_transfer(core::Direction::device_to_host)};
  core::KernelModel kernel;
  kernel.kernel = "synthetic";
  kernel.fill = roughly(1);
  kernel.fill.spread = 0;
  core::KernelPiece piece;
  piece.to_items = 1e13;
  piece.launch = roughly(5e-6);
  piece.per_work = roughly(1e-9);
  kernel.pieces = {piece};
  device.kernels = {kernel};
  machine.devices = {device};
  return machine;
}

class OnCpu : public ::testing::Test {
 protected:
  void SetUp() override {
    profile_ = folder_.path("machine.yaml");
    core::write_file(profile_, scenarios::write_machine(rough_cpu()));
  }
  Folder folder_;
  std::string profile_;
};

TEST_F(OnCpu, ACalibrationOfOnePartKeepsTheRestOfTheProfile) {
  const auto fresh = folder_.path("fresh.yaml");
  const auto outcome = run_forelap({"calibrate", "--device", "cpu", "--only", "latency", "--budget", "5", "-m",
                                    profile_, "-o", fresh, "--samples", folder_.path("samples.csv")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("hop between lanes"));
  const auto machine = scenarios::read_machine(fresh);
  EXPECT_GT(machine.devices[0].run_overhead.samples, 0U);
  ASSERT_NE(core::find_kernel(machine.devices[0], "synthetic"), nullptr);
  EXPECT_EQ(core::find_kernel(machine.devices[0], "synthetic")->pieces[0].per_work.value, 1e-9);
  const auto again =
      run_forelap({"calibrate", "--from", folder_.path("samples.csv"), "-o", folder_.path("again.yaml")});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(run_forelap({"check", fresh, folder_.path("again.yaml")}).exit_code, 0);
}

TEST_F(OnCpu, ValidationComparesAndKeepsToItsExitCodes) {
  const auto outcome = run_forelap({"validate", "bk50-small", "-m", profile_, "--repetitions", "3", "--json",
                                    folder_.path("r.json"), "--trace", folder_.path("t.json")});
  EXPECT_THAT(outcome.exit_code, ::testing::AnyOf(0, 1)) << outcome.err;
  const auto document = nlohmann::json::parse(core::read_file(folder_.path("r.json"), 1U << 26));
  EXPECT_GT(document["summary"]["runs"], 0);
  EXPECT_EQ(document["devices"][0]["backend"], "cpu");
  EXPECT_EQ(document["rows"][0]["samples_s"].size(), 3U);
  EXPECT_THAT(core::read_file(folder_.path("t.json"), 1U << 26), HasSubstr("measured: "));
  EXPECT_EQ(run_forelap({"validate", "bk50-small", "-m", profile_, "--repetitions", "1", "--set", "tolerance=0.0001 %"})
                .exit_code,
            1);
}

TEST_F(OnCpu, TuningMeasuresTheNearestOrdersAndSaysWhatNoiseExplains) {
  const auto outcome = run_forelap({"tune", "bk50-small", "-m", profile_, "--device", "cpu", "--repetitions", "5",
                                    "--json", folder_.path("t.json"), "--write", folder_.path("tuned.yaml")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("measured: "));
  const auto document = nlohmann::json::parse(core::read_file(folder_.path("t.json"), 1U << 26));
  EXPECT_EQ(document["measured_on"][0]["backend"], "cpu");
  const auto& c = document["cases"][0];
  EXPECT_NE(c["verdict"], "not measured");
  for (const auto& candidate : c["candidates"]) EXPECT_EQ(candidate["samples_s"].size(), 5U);
  const auto written = scenarios::read_scenario(folder_.path("tuned.yaml"));
  const auto& orders = std::get<scenarios::TaskGroup>(written.body).cases[0].orders;
  EXPECT_EQ(orders.at(0), c["taken"]["order"].get<std::vector<std::uint32_t>>());
}

TEST_F(OnCpu, CtrlCKeepsPartialResultsAndMarksThem) {
  ProgramOptions options;
  int calls = 0;
  options.while_running = [&calls](int pid) {
    if (++calls < 75) return false;
    ::kill(pid, SIGINT);
    return true;
  };
  const auto outcome = run_forelap(
      {"measure", "bk50-small", "-m", profile_, "--repetitions", "100000", "--json", folder_.path("r.json")}, options);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("stopped by the user; partial results kept"));
  const auto document = nlohmann::json::parse(core::read_file(folder_.path("r.json"), 1U << 28));
  EXPECT_EQ(document["rows"][0]["partial"], true);
  EXPECT_THAT(document["notes"].dump(), HasSubstr("stopped by the user"));
}

TEST_F(OnCpu, AProfileOfOtherCoresIsRefused) {
  auto text = core::read_file(profile_, 1U << 24);
  const auto at = text.find("cores: ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 7, "9");
  core::write_file(folder_.path("other.yaml"), text);
  const auto outcome = run_forelap({"measure", "bk50-small", "-m", folder_.path("other.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not of this hardware"));
  EXPECT_THAT(outcome.err, HasSubstr("cores"));
}

}  // namespace
}  // namespace forelap::app
