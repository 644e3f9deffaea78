#include "scenarios/catalogue.hpp"

#include <cstdlib>
#include <fstream>

#include "support.hpp"

namespace forelap::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<Shipped>& shipped) {
  std::vector<std::string> names;
  for (const Shipped& entry : shipped) names.push_back(entry.name);
  return names;
}

TEST(Catalogue, ListsWhatTheSourceTreeHolds) {
  EXPECT_THAT(names_of(shipped_scenarios()), testing::IsSupersetOf({"bk0", "bk50", "bk100", "overlap"}));
  EXPECT_THAT(names_of(shipped_machines()), testing::IsSupersetOf({"amd-r9", "ideal-two-engines", "xeon-phi-5100"}));
}

TEST(Catalogue, TakesShippedNamesInAnyCaseAndPaths) {
  const fs::path bk50 = fs::path(FORELAP_SOURCE_DIR) / "scenarios/library/bk50.yaml";
  EXPECT_TRUE(fs::equivalent(resolve_scenario("bk50"), bk50));
  EXPECT_TRUE(fs::equivalent(resolve_scenario("BK50"), bk50));
  EXPECT_TRUE(fs::equivalent(resolve_scenario("bk50.yaml"), bk50));
  EXPECT_EQ(resolve_scenario(bk50.string()), bk50);
}

TEST(Catalogue, FindsAMachineBesideTheScenarioThatNamesIt) {
  const fs::path folder = fs::path(testing::TempDir()) / "catalogue";
  fs::create_directories(folder);
  std::ofstream(folder / "mine.yaml") << "forelap_machine: 1\n";
  EXPECT_EQ(resolve_machine("mine.yaml", folder), folder / "mine.yaml");
  EXPECT_THAT(message_of([] { resolve_machine("mine.yaml"); }), HasSubstr("there is no file \"mine.yaml\""));
  fs::remove_all(folder);
}

TEST(Catalogue, NamesTheNearestOfWhatIsShipped) {
  EXPECT_THAT(message_of([] { resolve_scenario("bk51"); }),
              HasSubstr("there is no scenario \"bk51\", neither shipped nor a file; did you mean \"bk50\"?"));
  EXPECT_THAT(message_of([] { resolve_machine("amd-r8"); }), HasSubstr("did you mean \"amd-r9\"?"));
  EXPECT_THAT(message_of([] { resolve_scenario("/"); }), HasSubstr("is a folder, expected a file"));
  EXPECT_THAT(message_of([] { resolve_scenario(""); }), HasSubstr("there is no scenario \"\""));
}

TEST(Catalogue, LooksFirstWhereTheEnvironmentSays) {
  const fs::path folder = fs::path(testing::TempDir()) / "data";
  fs::create_directories(folder / "library");
  std::ofstream(folder / "library" / "bk50.yaml") << "forelap: 1\n";
  setenv("FORELAP_DATA", folder.c_str(), 1);
  EXPECT_EQ(resolve_scenario("bk50"), folder / "library" / "bk50.yaml");
  unsetenv("FORELAP_DATA");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace forelap::scenarios
