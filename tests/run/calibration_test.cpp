#include "run/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "scenarios/read.hpp"

namespace forelap::run {
namespace {

using ::testing::HasSubstr;

TEST(Calibration, RecordedSeriesBecomeAProfileThatReadsBack) {
  const auto file = std::filesystem::temp_directory_path() / "forelap-series.csv";
  std::string text = "bytes,seconds,direction\n";
  for (const char* direction : {"htod", "dtoh"}) {
    // 10 us + 0.1 ns a byte
    text += "100000,0.00002," + std::string(direction) + "\n";
    text += "1000000,0.00011," + std::string(direction) + "\n";
    text += "10000000,0.00101," + std::string(direction) + "\n";
    text += "100000000,0.01001," + std::string(direction) + "\n";
  }
  core::write_file(file, text);
  CalibrationOptions options;
  options.name = "lab";
  const auto done = calibrate_from(file, options);
  EXPECT_EQ(done.machine.name, "lab");
  EXPECT_THAT(done.machine.how, HasSubstr("--from forelap-series.csv"));
  ASSERT_EQ(done.machine.devices.size(), 1U);
  const auto* transfer =
      core::find_transfer(done.machine.devices[0], core::Direction::host_to_device, core::MemoryKind::pinned);
  ASSERT_NE(transfer, nullptr);
  EXPECT_NEAR(transfer->pieces.back().per_byte.value, 1e-10, 1e-12);
  const auto back = scenarios::parse_machine(scenarios::write_machine(done.machine), "lab.yaml");
  EXPECT_EQ(back.name, "lab");
  std::filesystem::remove(file);
}

TEST(Calibration, RecordedSamplesAreFittedForTheDeviceOfAGivenProfile) {
  const auto file = std::filesystem::temp_directory_path() / "forelap-series-of-a-device.csv";
  core::write_file(file, "bytes,seconds,direction\n1000000,0.00011,htod\n10000000,0.00101,htod\n100000000,0.01,htod\n");
  CalibrationOptions options;
  options.base.emplace();
  options.base->devices.resize(1);
  options.base->devices[0].identity = {"cuda", "a GPU", "1", "", 132};
  options.base->devices[0].memory_bytes = 8e9;
  const auto device = calibrate_from(file, options).machine.devices.at(0);
  EXPECT_EQ(device.identity.name, "a GPU");
  EXPECT_EQ(device.identity.compute_units, 132U);
  EXPECT_EQ(device.memory_bytes, 8e9);
  std::filesystem::remove(file);
}

TEST(Calibration, MeasuresLaunchesNearThoseOfAScenarioAndNoneLikeThem) {
  const auto file = std::filesystem::temp_directory_path() / "forelap-near.yaml";
  // 15,000 items: of few waves on any device with compute units.
  core::write_file(file,
                   "forelap: 1\nkind: task_group\ntasks:\n"
                   "  - {name: A, htod: 60 kB, kernel: {repeat: 10}, dtoh: 60 kB}\n");
  CalibrationOptions options;
  options.devices = {"cpu"};
  options.parts = {"kernel"};
  options.kernels = {"synthetic"};
  options.scenarios = {file.string()};
  options.budget_seconds = 1;
  const auto done = calibrate_here(options);
  const auto near = [](const calibrate::Sample& s) {
    return s.part == calibrate::Part::kernel && s.items > 14'500 && s.items < 15'500;
  };
  EXPECT_TRUE(std::any_of(done.samples.begin(), done.samples.end(), near));
  EXPECT_TRUE(std::none_of(done.samples.begin(), done.samples.end(), [](const auto& s) { return s.items == 15'000; }));
  std::filesystem::remove(file);
}

TEST(Calibration, AnUnknownPartIsNamedWithThoseThereAre) {
  CalibrationOptions options;
  options.devices = {"cpu"};
  options.parts = {"everything"};
  try {
    calibrate_here(options);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("interference"));
  }
}

TEST(Calibration, AnUnknownKernelIsNamedWithThoseThereAre) {
  CalibrationOptions options;
  options.devices = {"cpu"};
  options.kernels = {"fast_wash"};
  try {
    calibrate_here(options);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("fast_wash"));
    EXPECT_THAT(error.what(), HasSubstr("fast_walsh"));
  }
}

TEST(Calibration, MeasuresTheKernelsThatAreNamedAndThoseThatScenariosUse) {
  using ::testing::ElementsAre;
  CalibrationOptions options;
  EXPECT_THAT(kernels_to_calibrate(options), ElementsAre("synthetic", "vector_add", "matrix_multiply"));
  options.kernels = {"transpose", "synthetic"};
  EXPECT_THAT(kernels_to_calibrate(options), ElementsAre("synthetic", "transpose"));
  options.scenarios = {"real-bk50-small", FORELAP_SOURCE_DIR "/examples/own-kernel/tasks.yaml"};
  EXPECT_THAT(kernels_to_calibrate(options),
              ElementsAre("synthetic", "transpose", "matrix_multiply", "black_scholes", "vector_add"));
}

TEST(Calibration, OfTheRoomThatKernelsLeaveMeasuresTheirTimesToo) {
  CalibrationOptions options;
  options.devices = {"cpu"};
  options.parts = {"fill"};
  options.kernels = {"synthetic"};
  options.budget_seconds = 1;
  const auto done = calibrate_here(options);
  const auto* kernel = core::find_kernel(done.machine.devices.at(0), "synthetic");
  ASSERT_NE(kernel, nullptr);
  EXPECT_FALSE(kernel->pieces.empty());
  EXPECT_FALSE(kernel->fill.assumed);
  EXPECT_THAT(kernel->fill.how, HasSubstr("times as long as one: "));
  const auto other = [](const calibrate::Sample& s) {
    return s.part != calibrate::Part::fill && s.part != calibrate::Part::kernel;
  };
  EXPECT_TRUE(std::none_of(done.samples.begin(), done.samples.end(), other));
}

TEST(Calibration, AStopLeavesItIncomplete) {
  core::StopSource source;
  source.request_stop();
  CalibrationOptions options;
  options.devices = {"cpu"};
  options.stop = source.token();
  bool complete = true;
  try {
    complete = calibrate_here(options).complete;
  } catch (const core::Error&) {
    complete = false;  // nothing was measured that could be fitted
  }
  EXPECT_FALSE(complete);
}

}  // namespace
}  // namespace forelap::run
