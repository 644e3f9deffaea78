#include "validate/recorded.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "tests/validate/sets.hpp"
#include "validate/json.hpp"

namespace forelap::validate {
namespace {

namespace fs = std::filesystem;

class Recorded : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("forelap-recorded-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "box");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Recorded, EverySetComesWithTheProfileOfItsDay) {
  core::write_file(folder_ / "box" / "machine.yaml", "forelap_machine: 1\n");
  core::write_file(folder_ / "box" / "b.json", to_json(testing::two_orders()));
  core::write_file(folder_ / "box" / "a.json", to_json(testing::two_orders()));
  core::write_file(folder_ / "box" / "notes.txt", "not a result");
  const auto sets = load_recorded(folder_);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].file.filename(), "a.json");
  EXPECT_EQ(sets[1].machine, folder_ / "box" / "machine.yaml");
  EXPECT_EQ(sets[0].set.rows.size(), 2U);
}

TEST_F(Recorded, ResultsWithoutAProfileAreRefused) {
  core::write_file(folder_ / "box" / "a.json", to_json(testing::two_orders()));
  EXPECT_THROW(load_recorded(folder_), core::Error);
}

TEST_F(Recorded, AFolderThatIsNotThereIsRefused) {
  EXPECT_THROW(load_recorded(folder_ / "nowhere"), core::Error);
}

TEST_F(Recorded, AnEmptyFolderHoldsNoSets) {
  EXPECT_TRUE(load_recorded(folder_).empty());
}

}  // namespace
}  // namespace forelap::validate
