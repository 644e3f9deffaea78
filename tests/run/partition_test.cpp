#include "run/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "run/measure.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "tests/run/partition_fixtures.hpp"
#include "validate/json.hpp"

namespace forelap::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::partition;
using ::testing::SizeIs;
using testing::two_devices;

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

const std::string kAdd = "kernel: matrix_add\nsizes: {rows: 100, columns: 10}\n";

TEST(PartitionRows, AreOneForEachSettingOfWeightsAndChunks) {
  const auto scenario = partition(kAdd + "weights: [[1, 0], [0.5, 0.5]]\nchunks: [1, 3]\n");
  const auto set = make_rows(scenario, two_devices());
  ASSERT_THAT(set.rows, SizeIs(4));
  EXPECT_THAT(set.rows[1].division->shares, ElementsAre(50U, 50U));
  EXPECT_THAT(set.rows[1].division->chunks, ElementsAre(1U, 1U));
  EXPECT_THAT(set.rows[3].division->chunks, ElementsAre(3U, 1U));
  EXPECT_FALSE(set.rows[3].division->chosen);
  EXPECT_TRUE(set.cases[0].partition->devices[1].in_place);
}

TEST(PartitionRows, OfOpenWeightsAreChosenByTheModel) {
  const auto set = make_rows(partition(kAdd + "weights: auto\n"), two_devices());
  ASSERT_THAT(set.rows, SizeIs(1));
  EXPECT_TRUE(set.rows[0].division->chosen);
  const auto& shares = set.rows[0].division->shares;
  EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), 100U);
}

TEST(PartitionRows, ArePredictedWithTheirLabels) {
  const auto scenario = partition(kAdd + "weights: [[0.75, 0.25]]\nchunks: 1\n");
  const auto machine = two_devices();
  auto set = make_rows(scenario, machine);
  PredictOptions options;
  predict_rows(set, scenario, machine, options);
  // In 2 (10 us + 3000 B / 10 GB/s), kernel 1 us + 750 ns, back; a hop of 5 us before each of the two others.
  ASSERT_TRUE(set.rows[0].predicted);
  EXPECT_NEAR(set.rows[0].predicted->seconds, 3 * 10.3e-6 + 1.75e-6 + 2 * 5e-6, 1e-9);
  EXPECT_THAT(step_labels(scenario, set, set.rows[0]),
              ElementsAre("htod a", "htod b", "matrix_add", "dtoh c", "matrix_add"));
}

TEST(PartitionRows, ComeBackFromTheirFile) {
  const auto machine = two_devices();
  auto set = make_rows(partition(kAdd + "weights: [[0.75, 0.25]]\nchunks: 2\n"), machine);
  const auto text = validate::to_json(set);
  auto again = validate::from_json(text, "r.json");
  const auto scenario = scenario_of(again, "r.json");
  EXPECT_EQ(plan_of(scenario, again, again.rows[0]).steps.size(), 9U);
  again.rows[0].division->shares = {75, 26};
  EXPECT_THAT(error_of([&] { scenario_of(again, "r.json"); }), HasSubstr("r.json: the shares of row 0"));
  again.cases[0].partition.reset();
  EXPECT_THAT(error_of([&] { scenario_of(again, "r.json"); }), HasSubstr("another kind"));
}

TEST(PartitionRows, TakeTheDevicesThatTheScenarioNames) {
  auto machine = two_devices();
  machine.devices.push_back(testing::divided_device("cpu1", "cpu", 1e-9));
  machine.devices[1].cores = "0-1";
  machine.devices[2].cores = "2-3";
  const auto names = [&](const std::string& devices) {
    std::vector<std::string> found;
    for (const auto& device : select_devices(machine, partition(kAdd + "devices: " + devices + "\n")).devices) {
      found.push_back(device.name);
    }
    return found;
  };
  EXPECT_THAT(names("[\"cpu:2-3\", gpu0]"), ElementsAre("cpu1", "gpu0"));
  EXPECT_THAT(names("[\"cuda:0\", \"cpu:0-1\"]"), ElementsAre("gpu0", "cpu0"));
  EXPECT_THAT(error_of([&] { names("[\"cpu:0-3\"]"); }), HasSubstr("cpu:0-3"));
  EXPECT_THAT(select_devices(machine, partition(kAdd)).devices, SizeIs(3));
}

TEST(PartitionRows, SampleTheWorkOfIrregularRows) {
  const auto scenario = partition("kernel: mandelbrot\nsizes: {width: 64, height: 64, iterations: 500}\n");
  const auto profiles = sample_profiles(scenario, two_devices());
  ASSERT_THAT(profiles, SizeIs(2));
  for (const auto& profile : profiles) {
    // The middle of the image holds most of the set.
    EXPECT_GT(profile.work_of(16, 32, 64), 2 * profile.work_of(0, 16, 64));
  }
  EXPECT_GE(profiles[0].cumulative.back(), profiles[1].cumulative.back());
  EXPECT_TRUE(sample_profiles(partition(kAdd), two_devices()).empty());
}

std::vector<std::string> backends_of(const testing::DevicesHere& here) {
  std::vector<std::string> backends;
  for (const auto& device : here.machine.devices) backends.push_back(device.identity.backend);
  return backends;
}

/// Measures the rows of a scenario on what is here; the data that came back is right.
void measure(const scenarios::Scenario& scenario, testing::DevicesHere& here) {
  auto set = make_rows(scenario, here.machine);
  MeasureOptions options;
  options.repetitions = 2;
  options.intervals = true;
  const auto bind = [&](std::size_t) { return partition_bindings(scenario, backends_of(here)); };
  const auto outcome = measure_rows(set, scenario, *here.executor, bind, options);
  EXPECT_EQ(outcome.failure, "") << scenarios::write_scenario(scenario);
  EXPECT_GT(outcome.verified_bytes, 0U);
  for (const auto& row : set.rows) EXPECT_THAT(row.samples, SizeIs(2));
}

/// Each device alone, all of them evenly, and the last two.
std::string weights_of(std::size_t devices) {
  std::string text = "weights:\n";
  const auto add = [&](auto&& weight) {
    text += "  - [";
    for (std::size_t d = 0; d < devices; ++d) text += (d == 0 ? "" : ", ") + std::string(weight(d));
    text += "]\n";
  };
  for (std::size_t only = 0; only < devices; ++only) add([&](std::size_t d) { return d == only ? "1" : "0"; });
  if (devices == 3) add([](std::size_t d) { return d == 0 ? "0.34" : "0.33"; });
  if (devices == 3) add([](std::size_t d) { return d == 0 ? "0" : "0.5"; });
  if (devices == 2) add([](std::size_t) { return "0.5"; });
  return text;
}

TEST(PartitionMeasured, EveryCaseOnEveryCombinationOfDevicesGivesTheReferencesResults) {
  testing::DevicesHere here;
  for (const auto& text : testing::small_cases()) {
    measure(partition(text + weights_of(here.machine.devices.size()) + "chunks: [1, 3]\n"), here);
  }
}

TEST(PartitionMeasured, SerialTransfersAndMoreDevicesThanRowsDoToo) {
  testing::DevicesHere here;
  measure(partition("kernel: matrix_add\nsizes: {rows: 2, columns: 3}\ntransfers: serial\nchunks: 1\n" +
                    weights_of(here.machine.devices.size())),
          here);
}

const char* const kScale =
    R"(FL_BODY void scale_body(FL_SIZE i, FL_GLOBAL const float* x, FL_GLOBAL float* y, float factor) {
  y[i] = factor * x[i];
}
FL_ENTRY_UP_TO(count, scale, (FL_GLOBAL const float* x, FL_GLOBAL float* y, float factor, FL_LONG count), (FL_ITEM, x, y, factor))
)";

scenarios::Scenario own_kernel(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  core::write_file(folder / "scale.kernel", kScale);
  auto scenario = partition(
      "sizes: {n: 1000}\nvalues: {factor: 3}\nweights: [1]\nchunks: 2\nkernel:\n  name: scale\n  source: scale.kernel\n"
      "  tiles:\n    - {name: x, extents: [n], role: in}\n    - {name: y, extents: [n], role: out}\n"
      "  arguments: [x, y, {float32: factor}, {int64: part}]\n  items: part\n  work: part\n");
  scenario.path = (folder / "own.yaml").string();
  return scenario;
}

TEST(PartitionBindings, PutTheWordsOfEachBackendBeforeAKernelForAll) {
  const auto scenario = own_kernel(std::filesystem::temp_directory_path() / "forelap-partition");
  const auto bindings = partition_bindings(scenario, {"cuda", "opencl"});
  ASSERT_THAT(bindings.device_kernels, SizeIs(2));
  const auto& cuda = bindings.device_kernels.at({core::DeviceId{0}, "scale"});
  const auto& opencl = bindings.device_kernels.at({core::DeviceId{1}, "scale"});
  EXPECT_THAT(cuda.text, HasSubstr("scale_body"));
  EXPECT_THAT(cuda.text, HasSubstr("__global__"));
  EXPECT_THAT(opencl.text, HasSubstr("__kernel"));
  EXPECT_TRUE(bindings.fill);
}

TEST(PartitionBindings, AKernelOfTheUserRunsOnAnOpenClDevice) {
  const auto scenario = own_kernel(std::filesystem::temp_directory_path() / "forelap-partition");
  testing::DevicesHere here;
  const auto at = std::find_if(here.machine.devices.begin(), here.machine.devices.end(),
                               [](const auto& device) { return device.identity.backend == "opencl"; });
  if (at == here.machine.devices.end()) GTEST_SKIP() << "no OpenCL device";
  const auto executor = hw::make_plan_executor({here.open.back()});
  scenarios::PartitionTuning tuning;
  tuning.devices.resize(1);
  tuning.devices[0].rows = 1000;
  tuning.devices[0].chunks = 2;
  validate::CaseRecord record;
  record.partition = tuning;
  validate::RunSet set;
  set.cases = {record};
  validate::Row row;
  row.division = division_of(tuning);
  const auto plan = plan_of(scenario, set, row);
  const auto bindings = partition_bindings(scenario, {"opencl"});
  const auto prepared = executor->prepare(plan, bindings);
  prepared->run({});
  const auto x = prepared->host_memory(core::BufferId{0});
  const auto y = prepared->host_memory(core::BufferId{1});
  ASSERT_EQ(y.size(), 4000U);
  for (const std::size_t i : {0U, 499U, 500U, 999U}) {
    float in = 0;
    float out = 0;
    std::memcpy(&in, x.data() + 4 * i, 4);
    std::memcpy(&out, y.data() + 4 * i, 4);
    EXPECT_EQ(out, 3 * in) << i;
    EXPECT_GE(in, 1);
  }
}

/// Hands on what another executor does, and changes a word of what came back.
class Spoiler : public core::Executor {
 public:
  explicit Spoiler(core::Executor& inner) : inner_(inner) {}
  [[nodiscard]] std::string name() const override { return "spoiler"; }
  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings) override {
    return std::make_unique<Plan>(inner_.prepare(plan, bindings), plan);
  }
  std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings) override {
    return inner_.open_session(frame, bindings);
  }

 private:
  class Plan : public core::PreparedPlan {
   public:
    Plan(std::unique_ptr<core::PreparedPlan> inner, const core::Plan& plan) : inner_(std::move(inner)), plan_(plan) {}
    core::Timeline run(const core::RunOptions& options) override {
      auto timeline = inner_->run(options);
      // The last tile is the result.
      inner_->spoil(core::BufferId{2}, plan_.buffers[2].bytes - 4, 4);
      return timeline;
    }
    [[nodiscard]] std::span<const std::byte> host_memory(core::BufferId buffer) const override {
      return inner_->host_memory(buffer);
    }
    void spoil(core::BufferId buffer, std::uint64_t offset, std::uint64_t bytes) override {
      inner_->spoil(buffer, offset, bytes);
    }

   private:
    std::unique_ptr<core::PreparedPlan> inner_;
    const core::Plan& plan_;
  };
  core::Executor& inner_;
};

TEST(PartitionMeasured, WrongDataEndsTheMeasurementAndIsNamed) {
  testing::DevicesHere here;
  here.machine.devices.resize(1);
  Spoiler spoiler(*here.executor);
  const auto scenario = partition(kAdd + "weights: [1]\nchunks: 1\n");
  auto set = make_rows(scenario, here.machine);
  const auto bind = [&](std::size_t) { return partition_bindings(scenario, {"cpu"}); };
  const auto outcome = measure_rows(set, scenario, spoiler, bind, {});
  EXPECT_THAT(outcome.failure, HasSubstr("wrong data came back: argument 3 of kernel 'matrix_add'"));
}

TEST(PartitionProbe, LaunchesOverPartsOfTheWantedSize) {
  const auto add = partition_probe(partition(kAdd), "cuda", false);
  const auto launch = add.launch(core::BufferId{0}, 1200, 1);
  EXPECT_THAT(launch.buffers, ElementsAre(400U, 400U, 400U));
  EXPECT_EQ(launch.items, 100);
  EXPECT_EQ(add.name, "matrix_add");
  const auto image = partition_probe(
      partition("kernel: mandelbrot\nsizes: {width: 32, height: 100, iterations: 640}\n"), "cuda", false);
  const auto all = image.launch(core::BufferId{0}, 1'000'000, 2);
  // Never all of its rows, and a 64th of the iterations a repetition.
  EXPECT_EQ(all.items, 93 * 32);
  EXPECT_EQ(std::get<std::int32_t>(all.arguments[5]), 20);
  EXPECT_GT(all.work, 0);
  EXPECT_LT(all.work, 1.5 * 93 * 32 * 20);
}

}  // namespace
}  // namespace forelap::run
