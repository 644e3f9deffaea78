#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "scenarios/read.hpp"
#include "tests/app/program.hpp"
#include "tests/run/partition_fixtures.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::run_forelap;

/// A profile of a GPU and a group of cores that are not here.
std::string machine_file(const Folder& folder) {
  const std::string name = folder.path("machine.yaml");
  core::write_file(name, scenarios::write_machine(run::testing::two_devices()));
  return name;
}

TEST(TunePartition, SaysSharesGainAndWhatElseWasWeighed) {
  const Folder folder;
  const auto outcome = run_forelap({"tune", "matrix-multiply-small", "-m", machine_file(folder)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* words :
       {"kernel matrix_multiply_rows, 400 rows", "gpu0", "cpu0", "in place", "over the bound of",
        "times as fast as gpu0 alone", "of what the devices' speeds sum to", "chosen", "cpu0 alone"}) {
    EXPECT_THAT(outcome.out, HasSubstr(words));
  }
}

TEST(TunePartition, WritesAScenarioThatIsPredictedTheSame) {
  const Folder folder;
  const auto machine = machine_file(folder);
  const auto tuned = run_forelap({"tune", "black-scholes-small", "-m", machine, "--write", folder.path("tuned.yaml"),
                                  "--json", folder.path("tuned.json")});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(run_forelap({"check", folder.path("tuned.yaml")}).exit_code, 0);
  const auto predicted = run_forelap({"predict", folder.path("tuned.yaml"), "-m", machine, "--json", "-"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto wanted = nlohmann::json::parse(core::read_file(folder.path("tuned.json"), 1 << 24));
  const auto found = nlohmann::json::parse(predicted.out);
  EXPECT_NEAR(found["rows"][0]["predicted_s"].get<double>(), wanted["predicted_s"].get<double>(), 1e-9);
}

TEST(TunePartition, SweepsArePredictedRowByRow) {
  const Folder folder;
  const auto outcome = run_forelap({"predict", "matrix-add-small", "-m", machine_file(folder), "--set",
                                    "weights={sweep: {device: 0, from: 0 %, to: 100 %, step: 25 %}}", "--set",
                                    "chunks=2", "--csv", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0.25 0.75,500 1500,2 1"));
  EXPECT_THAT(outcome.out, HasSubstr("1 0,2000 0,2 1"));
}

TEST(TunePartition, CheckSaysWhatAPartitionIs) {
  const auto outcome = run_forelap({"check", "matrix-add-cpu-gpu", "matrix-add-small"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("kernel matrix_add over 20000 rows, 2 devices, 7 runs"));
  EXPECT_THAT(outcome.out, HasSubstr("kernel matrix_add over 2000 rows"));
}

TEST(TunePartition, BadWeightsAreNamedWithTheirPlace) {
  const Folder folder;
  const auto outcome =
      run_forelap({"predict", "matrix-add-small", "-m", machine_file(folder), "--set", "weights=[0.5, 0.25, 0.25]"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("found 3 weights for 2 devices"));
}

}  // namespace
}  // namespace forelap::app
