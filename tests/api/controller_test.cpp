// forelap::MultiController as a program that links it sees it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <forelap/controller.hpp>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

using forelap::Controller;
using forelap::ErrorKind;
using forelap::MultiController;
using forelap::Tile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FORELAP_KERNEL(sum_of, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), { c(i, j) = a(i, j) + b(i, j); });
FORELAP_KERNEL(increase, (i), (inout<int> x, int by), { x(i) = x(i) + by; });
FORELAP_KERNEL(row_sums, (i), (in<float, 2> a, out<float> sums), {
  float sum = 0.0F;
  for (long j = 0; j < extent(a, 1); ++j) sum += a(i, j);
  sums(i) = sum;
});

template <class Body>
forelap::Error error_of(Body body) {
  try {
    body();
  } catch (const forelap::Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::bad_input, ""};
}

TEST(Controller, IsOneDevice) {
  Controller device("cpu:cores=1");
  auto x = device.tile<int>({100}, "x");
  std::iota(x.begin(), x.end(), 0);
  device.partition(x);
  for (int i = 0; i < 5; ++i) device.launch(increase, x, 2);
  device.detach(x);
  EXPECT_EQ(x(0), 10);
  EXPECT_EQ(x(99), 109);
}

TEST(Controller, MayWriteATileThatItHasWhole) {
  Controller device("cpu:cores=1");
  auto x = device.tile<int>({10}, "x");
  device.replicate(x);
  device.launch(increase, x, 2);
  device.detach(x);
  EXPECT_EQ(x(9), 2);
}

TEST(Controller, ChoosesADeviceByItself) {
  Controller device("auto");
  Tile<int> x({3}, "x");
  device.partition(x);
  device.launch(increase, x, 1);
  device.detach(x);
  EXPECT_EQ(x(2), 1);
}

TEST(MultiController, TakesTilesOfSeveralRanks) {
  Controller device("cpu:cores=1");
  auto a = device.tile<float>({7, 5}, "a");
  auto sums = device.tile<float>({7}, "sums");
  a.fill(2);
  device.partition(a, sums);
  device.launch(row_sums, a, sums);
  device.detach(a, sums);
  for (const float sum : sums) EXPECT_EQ(sum, 10);
}

TEST(MultiController, LaunchesOverAnIndexSpaceThatIsGiven) {
  Controller device("cpu:cores=1");
  auto a = device.tile<float>({7, 5}, "a");
  auto sums = device.tile<float>({7}, "sums");
  a.fill(1);
  device.replicate(a, sums);
  device.launch_over({3}, row_sums, a, sums);
  device.detach(a, sums);
  EXPECT_THAT(std::vector<float>(sums.begin(), sums.end()), ElementsAre(5, 5, 5, 0, 0, 0, 0));
}

TEST(MultiController, TellsWhatItHasAndDoes) {
  MultiController devices({"cpu:cores=1"}, {.timing = true});
  ASSERT_EQ(devices.devices().size(), 1U);
  EXPECT_THAT(devices.devices()[0], HasSubstr("cpu:cores=1 (cores "));
  EXPECT_EQ(devices.version(increase, 0).version, "generic");
  auto x = devices.tile<int>({64}, "x");
  devices.attach(x, forelap::partitioned({1.0}));
  EXPECT_THAT(devices.shares(x), ElementsAre(64));
  devices.prepare(increase);
  devices.launch(increase, x, 1);
  devices.wait();
  EXPECT_EQ(devices.times()[0].launches, 1U);
  EXPECT_THAT(devices.measured_weights(), ElementsAre(1.0));
  devices.reset_times();
  EXPECT_EQ(devices.times()[0].launches, 0U);
  devices.detach(x);
}

TEST(MultiController, OpensDevicesOrSaysWhichDoesNot) {
  EXPECT_EQ(error_of([] { MultiController({"cpu:cores=1", "cpu:cores=100000"}); }).kind(), ErrorKind::bad_input);
  EXPECT_EQ(error_of([] { MultiController({"cpu:9999"}); }).kind(), ErrorKind::bad_input);
  EXPECT_EQ(error_of([] { MultiController({}); }).kind(), ErrorKind::bad_input);
  EXPECT_THAT(error_of([] {
                MultiController({"cpu"}, {.weights = {1, 2}});
              }).what(),
              HasSubstr("2 numbers for 1 devices"));
}

/// A profile of two devices with round numbers.
class Profile {
 public:
  Profile() {
    std::ofstream out(file_);
    out << "forelap_machine: 1\nname: here\ndevices:\n";
    write(out, "fast", "opencl", "Fast", "1 ns", true);
    write(out, "cores", "cpu", "CPU", "4 ns", false);
  }
  ~Profile() { std::filesystem::remove(file_); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  [[nodiscard]] std::string file() const { return file_; }

 private:
  static void write(std::ostream& out, const char* name, const char* backend, const char* device, const char* rate,
                    bool transfers) {
    out << "  - name: " << name << "\n    identity: {backend: " << backend << ", name: \"" << device << "\"}\n"
        << "    copy_engines: {value: 2, assumed: true}\n";
    if (transfers) out << "    transfers:\n";
    for (const char* direction : {"htod", "dtoh"}) {
      if (!transfers) continue;
      out << "      - direction: " << direction << "\n        memory: pinned\n"
          << "        latency: {value: 1 us, assumed: true}\n        rate: {value: 8 GB/s, assumed: true}\n";
    }
    out << "    kernels:\n      - kernel: sum_of\n        launch: {value: 10 us, assumed: true}\n"
        << "        per_work: {value: " << rate << ", assumed: true}\n";
  }

  std::string file_ = (std::filesystem::temp_directory_path() / "forelap_controller_profile.yaml").string();
};

TEST(WeightsFromAProfile, LetAllDevicesEndTogether) {
  const Profile profile;
  forelap::WeightQuestion question;
  question.devices = {"opencl:0", "cpu:0-1"};
  question.names = {"Fast", "cores 0-1"};
  question.kernel = "sum_of";
  question.extents = {1000, 1000, 1};
  question.bytes_in = 8e6;
  question.bytes_out = 4e6;
  const std::vector<double> weights = forelap::weights_from_profile(profile.file())->weights(question);
  ASSERT_EQ(weights.size(), 2U);
  // Fast: 1 ns an item and 12 bytes of it at 8 GB/s: 2.5 ms for all, and 12 us; cores: 4 ms, and 10 us.
  const double fast = 12e-6 + 2.5e-3 * weights[0];
  const double cores = 10e-6 + 4e-3 * weights[1];
  EXPECT_NEAR(fast, cores, 1e-7);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-6);
  // Twice the work of an item shifts work to the device whose time is not all computation.
  question.work_per_item = 2;
  const std::vector<double> heavier = forelap::weights_from_profile(profile.file())->weights(question);
  EXPECT_NEAR(12e-6 + 3.5e-3 * heavier[0], 10e-6 + 8e-3 * heavier[1], 1e-7);
  question.work_per_item = 1;
  // Small problems are not worth a device that only costs.
  question.extents = {10, 10, 1};
  question.bytes_in = 800;
  question.bytes_out = 400;
  const std::vector<double> few = forelap::weights_from_profile(profile.file())->weights(question);
  EXPECT_EQ(few[0], 0);
  EXPECT_GT(few[1], 0);
}

TEST(WeightsFromAProfile, AreEqualWhereItDoesNotKnowTheKernelOrADevice) {
  const Profile profile;
  forelap::WeightQuestion question;
  question.devices = {"opencl:0", "cpu:0-1"};
  question.names = {"Fast", "cores 0-1"};
  question.kernel = "another";
  question.extents = {1000, 1000, 1};
  const auto chooser = forelap::weights_from_profile(profile.file());
  EXPECT_THAT(chooser->weights(question), ElementsAre(1, 1));
  question.kernel = "sum_of";
  question.names[0] = "Another";
  EXPECT_THAT(chooser->weights(question), ElementsAre(1, 1));
}

TEST(WeightsFromAProfile, ServeAController) {
  const Profile profile;
  MultiController devices({"cpu:cores=1"}, {.machine = profile.file()});
  auto a = devices.tile<float>({10, 3}, "a");
  auto b = devices.tile<float>({10, 3}, "b");
  auto c = devices.tile<float>({10, 3}, "c");
  a.fill(1);
  b.fill(2);
  devices.partition(a, b, c);
  devices.launch(sum_of, a, b, c);
  devices.detach(a, b, c);
  for (const float value : c) EXPECT_EQ(value, 3);
  EXPECT_EQ(error_of([] { MultiController({"cpu"}, {.machine = "/nowhere/machine.yaml"}); }).kind(),
            ErrorKind::bad_input);
}

}  // namespace
