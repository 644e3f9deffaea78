// forelap::Proxy as a program that links it sees it.

#include <gtest/gtest.h>

#include <filesystem>
#include <forelap/proxy.hpp>
#include <fstream>
#include <numeric>
#include <vector>

namespace {

using forelap::ErrorKind;
using forelap::Proxy;
using forelap::ProxyOptions;

std::vector<std::int32_t> triple_on(Proxy& proxy) {
  std::vector<std::int32_t> values(500);
  std::iota(values.begin(), values.end(), 0);
  proxy.submit({.kernel = "synthetic", .arguments = {forelap::inout(values), 500, 1, 3}, .items = 500}).get();
  return values;
}

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

std::string words_of(const ProxyOptions& options) {
  const forelap::Error error = error_of([&] { Proxy proxy(options); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  return error.what();
}

/// A profile of the CPU pool of this machine, made by hand: only its identity and a few round numbers.
class Profile {
 public:
  explicit Profile(const std::string& device_name) {
    std::ofstream(file_) << "forelap_machine: 1\nname: here\ndevices:\n  - name: dev0\n"
                         << "    identity: {backend: cpu, name: \"" << device_name << "\"}\n"
                         << "    copy_engines: {value: 2, assumed: true}\n    transfers:\n";
    std::ofstream more(file_, std::ios::app);
    for (const char* direction : {"htod", "dtoh"}) {
      more << "      - direction: " << direction << "\n        memory: pinned\n"
           << "        latency: {value: 1 us, assumed: true}\n        rate: {value: 5 GB/s, assumed: true}\n";
    }
    more << "    kernels:\n      - kernel: synthetic\n        launch: {value: 5 us, assumed: true}\n"
         << "        per_work: {value: 1 ns, assumed: true}\n";
  }
  ~Profile() { std::filesystem::remove(file_); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  [[nodiscard]] std::string file() const { return file_; }

 private:
  std::string file_ = (std::filesystem::temp_directory_path() / "forelap_api_profile.yaml").string();
};

TEST(Api, RunsTasksInTheOrderOfArrivalWithoutAProfile) {
  Proxy proxy({.device = "cpu"});
  const auto values = triple_on(proxy);
  EXPECT_EQ(values[499], 1497);
  EXPECT_EQ(proxy.statistics().policy, "arrival");
  EXPECT_EQ(proxy.device().rfind("cpu", 0), 0U) << proxy.device();
  proxy.shutdown(forelap::Shutdown::drain);
  EXPECT_EQ(error_of([&] { proxy.submit({}); }).kind(), ErrorKind::unavailable);
}

TEST(Api, RunsTasksOnOpenClWhereItIsThere) {
  try {
    Proxy proxy({.device = "opencl"});
    EXPECT_EQ(triple_on(proxy)[499], 1497);
  } catch (const forelap::Error& error) {
    if (error.kind() != ErrorKind::unavailable) throw;
    GTEST_SKIP() << error.what();
  }
}

TEST(Api, RefusesPoliciesThatDoNotExistOrLackAProfile) {
  EXPECT_NE(words_of({.device = "cpu", .policy = "best"}).find("no policy \"best\"; the policies are"),
            std::string::npos);
  EXPECT_NE(words_of({.device = "cpu", .policy = "heuristic"}).find("needs a machine profile"), std::string::npos);
}

TEST(Api, RefusesAProfileOfAnotherDevice) {
  const Profile profile("Another Processor");
  const std::string words = words_of({.device = "cpu", .machine = profile.file()});
  EXPECT_NE(words.find("cpu Another Processor"), std::string::npos) << words;
  EXPECT_NE(words.find("forelap calibrate"), std::string::npos) << words;
}

TEST(Api, RefusesADeviceThatDoesNotExist) {
  EXPECT_NE(words_of({.device = "abacus"}).find("abacus"), std::string::npos);
}

TEST(Api, OrdersByTheProfilesPolicy) {
  std::string name;
  {
    Proxy proxy({.device = "cpu"});
    const std::string device = proxy.device();
    name = device.substr(device.find('(') + 1, device.size() - device.find('(') - 2);
  }
  const Profile profile(name);
  for (const char* policy : {"auto", "heuristic", "arrival"}) {
    Proxy proxy({.device = "cpu", .machine = profile.file(), .policy = policy});
    std::vector<std::vector<std::int32_t>> values(20, std::vector<std::int32_t>(100, 1));
    std::vector<forelap::Future> futures;
    for (auto& v : values) {
      futures.push_back(
          proxy.submit({.kernel = "synthetic", .arguments = {forelap::inout(v), 100, 1, 3}, .items = 100}));
    }
    for (auto& future : futures) future.get();
    for (const auto& v : values) EXPECT_EQ(v, std::vector<std::int32_t>(100, 3));
    EXPECT_EQ(proxy.statistics().policy, policy);
  }
}

}  // namespace
