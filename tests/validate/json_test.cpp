#include "validate/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "tests/validate/sets.hpp"

namespace forelap::validate {
namespace {

using ::testing::HasSubstr;
using testing::two_orders;

std::string error_of(const std::string& text) {
  try {
    from_json(text, "r.json");
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Json, ASetReadsBackToTheSameDocument) {
  const auto text = to_json(two_orders());
  const auto set = from_json(text, "r.json");
  EXPECT_EQ(to_json(set), text);
  EXPECT_EQ(set.rows[0].samples, two_orders().rows[0].samples);
  EXPECT_EQ(*set.rows[0].cold, 40.5);
  EXPECT_TRUE(set.rows[1].partial);
  EXPECT_TRUE(set.rows[1].extrapolated);
  EXPECT_EQ(set.devices[0].name, "Device \"X\"");
  EXPECT_EQ(set.cases[0].tuning.tasks[0].kernels[0].repeat, 3U);
  EXPECT_EQ(set.cases[0].tuning.tasks[0].dtoh[0].bytes, 4U);
}

TEST(Json, GivenDurationsAndPartOfABufferReadBack) {
  auto set = two_orders();
  auto& task = set.cases[0].tuning.tasks[0];
  task.htod[0] = {0, 123'456'789};
  task.kernels[0].duration = 0;
  task.kernels[0].bytes = 4;
  const auto back = from_json(to_json(set), "r.json").cases[0].tuning.tasks[0];
  EXPECT_EQ(back.htod[0].duration, 123'456'789);
  EXPECT_EQ(back.kernels[0].duration, 0);
  EXPECT_EQ(back.kernels[0].bytes, 4U);
  EXPECT_EQ(back.dtoh[0].duration, core::kModelled);
}

TEST(Json, TheDocumentCarriesWhatTheCommandLinePromises) {
  const auto document = nlohmann::json::parse(to_json(two_orders()));
  EXPECT_EQ(document["schema"], "forelap.result/1");
  EXPECT_EQ(document["forelap"], forelap_version());
  EXPECT_EQ(document["machine"], "bench");
  EXPECT_EQ(document["seed"], 7);
  const auto& summary = document["summary"];
  for (const char* key :
       {"runs", "mean_abs_error_pct", "max_abs_error_pct", "spread_pct", "within_noise", "kendall_tau", "regret_pct"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  EXPECT_EQ(document["rows"].size(), 2U);
  EXPECT_EQ(document["rows"][1]["tasks"], (std::vector<std::string>{"T1", "T0"}));
}

TEST(Json, NumbersThatNobodyCouldHaveWrittenAreRefusedWithFileAndPath) {
  const auto text = to_json(two_orders());
  const auto change = [&text](const std::string& pointer, const nlohmann::json& value) {
    auto document = nlohmann::json::parse(text);
    document[nlohmann::json::json_pointer(pointer)] = value;
    return error_of(document.dump());
  };
  EXPECT_THAT(change("/cases/0/kernel_lanes", 4'000'000'000U),
              HasSubstr("r.json: cases[0].kernel_lanes: found 4000000000, expected a whole number from 1 to 64"));
  EXPECT_THAT(change("/cases/0/device_count", 70'000), HasSubstr("r.json: cases[0].device_count: found 70000"));
  EXPECT_THAT(change("/cases/0/engines/0", 3), HasSubstr("r.json: cases[0].engines[0]: found 3"));
  EXPECT_THAT(change("/cases/0/tasks/0/buffer_bytes", 2e18), HasSubstr("r.json: cases[0].tasks[0].buffer_bytes"));
  EXPECT_THAT(change("/cases/0/tasks/0/htod/0/bytes", -4), HasSubstr("r.json: cases[0].tasks[0].htod[0].bytes"));
  EXPECT_THAT(change("/cases/0/tasks/0/kernels/0/repeat", 1ULL << 40U),
              HasSubstr("r.json: cases[0].tasks[0].kernels[0].repeat: found 1099511627776"));
  EXPECT_THAT(change("/rows/0/order/0", 7), HasSubstr("r.json: rows[0].order"));
  EXPECT_THAT(change("/rows/0/case", 7), HasSubstr("r.json: rows[0].case"));
  EXPECT_THAT(change("/rows/0/samples_s/0", -1), HasSubstr("r.json: rows[0].samples_s[0]: found -1"));
  EXPECT_THAT(change("/rows/0/samples_s/0", 1e300), HasSubstr("r.json: rows[0].samples_s[0]: found 1e+300"));
  EXPECT_THAT(change("/rows/0/predicted_low_s", 1e6), HasSubstr("r.json: rows[0].predicted_low_s"));
  EXPECT_THAT(change("/engine", "quick"), HasSubstr("r.json: engine: found 'quick'"));
  EXPECT_THAT(change("/interference", 1), HasSubstr("r.json: interference: expected text"));
  EXPECT_THAT(change("/memory", "virtual"), HasSubstr("r.json: memory: found 'virtual'"));
  EXPECT_THAT(change("/host_cores", 1e9), HasSubstr("r.json: host_cores"));
  EXPECT_THAT(change("/repetitions", 4'000'000'000U), HasSubstr("r.json: repetitions: found 4000000000"));
}

TEST(Json, WhatIsNotThereIsNullAndNeverNaN) {
  auto set = two_orders();
  for (auto& row : set.rows) row.predicted.reset();
  set.rows[0].samples = {std::numeric_limits<double>::quiet_NaN()};
  const auto text = to_json(set);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(text)["summary"]["mean_abs_error_pct"].is_null());
}

TEST(Json, BytesThatAreNoUtf8InADriversNameDoNotBreakTheDocument) {
  auto set = two_orders();
  set.devices[0].driver = "\xff\xfe";
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(set)));
}

TEST(Json, UnknownAndMissingAndDuplicateKeysAreRefused) {
  const auto text = to_json(two_orders());
  EXPECT_THAT(error_of(replaced(text, "\"repetitions\"", "\"repetition\"")), HasSubstr("did you mean 'repetitions'"));
  EXPECT_THAT(error_of(replaced(text, "\"tolerance_pct\": 5.0,", "")), HasSubstr("'tolerance_pct' is missing"));
  EXPECT_THAT(error_of(replaced(text, "\"seed\": 7,", "\"seed\": 7, \"seed\": 8,")), HasSubstr("'seed' stands twice"));
}

TEST(Json, WrongTypesAndValuesNameTheirPath) {
  const auto text = to_json(two_orders());
  EXPECT_THAT(error_of(replaced(text, "\"seed\": 7", "\"seed\": -7")), HasSubstr("seed: expected a whole number"));
  EXPECT_THAT(error_of(replaced(text, "\"seed\": 7", "\"seed\": \"7\"")), HasSubstr("seed: expected a whole number"));
  EXPECT_THAT(error_of(replaced(text, "40.5", "-40.5")), HasSubstr("rows[0].cold_s"));
  EXPECT_THAT(error_of(replaced(text, "forelap.result/1", "forelap.result/9")),
              HasSubstr("expected 'forelap.result/1'"));
  EXPECT_THAT(error_of(replaced(text, "\"memory\": \"pinned\",\n   \"tasks\"", "\"memory\": \"x\",\n   \"tasks\"")),
              HasSubstr("expected pinned or pageable"));
}

TEST(Json, OrdersThatAreNoPermutationAreRefused) {
  auto set = two_orders();
  set.rows[1].order = {1, 1};
  EXPECT_THAT(error_of(to_json(set)), HasSubstr("rows[1].order: expected each task of the case once"));
}

TEST(Json, BrokenDocumentsAreErrorsOfTheUser) {
  EXPECT_THAT(error_of(""), HasSubstr("not a JSON document"));
  EXPECT_THAT(error_of("[1, 2"), HasSubstr("not a JSON document"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(error_of("{\"schema\": 1e999}"), HasSubstr("r.json"));
}

TEST(Json, SeveralSetsMakeOneDocumentWithASummaryOverAll) {
  const std::vector<RunSet> sets = {two_orders(), two_orders()};
  const auto document = nlohmann::json::parse(to_json(sets));
  EXPECT_EQ(document["schema"], "forelap.results/1");
  EXPECT_EQ(document["sets"].size(), 2U);
  EXPECT_EQ(document["summary"]["runs"], 4);
}

}  // namespace
}  // namespace forelap::validate
