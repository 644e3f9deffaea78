#include "validate/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "validate/csv.hpp"
#include "validate/json.hpp"

namespace forelap::validate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two devices, two divisions of ten rows.
RunSet divided() {
  RunSet set;
  set.scenario = "matrix add";
  set.machine = "bench";
  CaseRecord record;
  scenarios::PartitionTuning tuning;
  scenarios::DevicePart gpu;
  gpu.name = "gpu0";
  gpu.engines = 1;
  gpu.profile.cumulative = {0, 2, 8};
  scenarios::DevicePart cores;
  cores.name = "cpu0";
  cores.in_place = true;
  tuning.devices = {gpu, cores};
  tuning.transfers = scenarios::TransferMode::serial;
  record.partition = tuning;
  set.cases.push_back(record);
  for (const double weight : {0.8, 1.0}) {
    Row row;
    const auto rows = static_cast<std::uint64_t>(10 * weight);
    row.division = DivisionOfRow{{weight, 1 - weight}, {rows, 10 - rows}, {4, 1}, {3, 0}, weight == 1};
    row.predicted = Predicted{0.5, 0.4, 0.6};
    row.samples = {0.45, 0.5, 0.55};
    set.rows.push_back(row);
  }
  return set;
}

std::string error_of(const std::string& from, const std::string& to) {
  std::string text = to_json(divided());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  try {
    from_json(text.replace(at, from.size(), to), "r.json");
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Division, IsNamedByItsSharesAndChunks) {
  const RunSet set = divided();
  EXPECT_EQ(order_text(set, set.rows[0]), "gpu0 80 % in 4, cpu0 20 %");
  EXPECT_EQ(order_text(set, set.rows[1]), "gpu0 100 % in 4");
}

TEST(Division, ReadsBackFromJsonToTheSameDocument) {
  const std::string text = to_json(divided());
  const RunSet set = from_json(text, "r.json");
  EXPECT_EQ(to_json(set), text);
  ASSERT_TRUE(set.cases[0].partition);
  EXPECT_EQ(set.cases[0].partition->transfers, scenarios::TransferMode::serial);
  EXPECT_EQ(set.cases[0].partition->devices[0].engines, 1U);
  EXPECT_THAT(set.cases[0].partition->devices[0].profile.cumulative, ElementsAre(0, 2, 8));
  EXPECT_TRUE(set.cases[0].partition->devices[1].in_place);
  ASSERT_TRUE(set.rows[0].division);
  EXPECT_THAT(set.rows[0].division->shares, ElementsAre(8U, 2U));
  EXPECT_THAT(set.rows[0].division->slots, ElementsAre(3U, 0U));
  EXPECT_TRUE(set.rows[1].division->chosen);
}

TEST(Division, IsRefusedInJsonWhereNumbersDoNotFit) {
  EXPECT_THAT(error_of("\"transfers\": \"serial\"", "\"transfers\": \"parallel\""), HasSubstr("concurrent or serial"));
  EXPECT_THAT(error_of("\"engines\": 1", "\"engines\": 3"),
              HasSubstr("engines: found 3, expected a whole number from 1 to 2"));
  EXPECT_THAT(error_of("\"division\"", "\"policy\": \"x\", \"divisions\""), HasSubstr("divisions"));
  EXPECT_THAT(error_of("\"slots\": [", "\"slots\": [7,"), HasSubstr("a number for each"));
  EXPECT_THAT(error_of("8.0", "1.0"), HasSubstr("only grows"));
}

TEST(Division, HasColumnsOfItsOwnInCsv) {
  const std::string text = to_csv(divided());
  EXPECT_THAT(text, HasSubstr("samples_s,weights,shares,chunks\n"));
  EXPECT_THAT(text, HasSubstr(",8 2,4 1\n"));
  RunSet plain;
  EXPECT_THAT(to_csv(plain), ::testing::Not(HasSubstr("weights")));
}

}  // namespace
}  // namespace forelap::validate
