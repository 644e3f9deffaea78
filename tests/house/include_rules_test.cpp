// The include directions of ARCHITECTURE.md, read from the sources: what a folder may include, where heavy packages may
// appear, and the nevers.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Include {
  std::string file;    // relative to the tree
  std::string target;  // as written
  bool quoted = false;
};

const fs::path kRoot = FORELAP_SOURCE_DIR;

/// What each folder may include beside itself. Sub-folders listed on their own are narrower than their parent.
const std::map<std::string, Names> kMayInclude = {
    {"core", {}},
    {"evolve", {"core"}},
    {"models", {"core", "evolve"}},
    {"scenarios", {"core", "evolve"}},
    {"hw", {"core", "evolve"}},
    {"sim", {"core", "models"}},
    {"calibrate", {"core", "models", "evolve", "hw"}},
    {"validate", {"core", "scenarios"}},
    {"tune", {"core", "evolve", "models", "scenarios", "sim"}},
    {"run", {"core", "evolve", "models", "scenarios", "hw", "sim", "calibrate", "validate", "tune"}},
    {"api", {"core", "evolve", "models", "scenarios", "hw", "sim", "calibrate", "validate", "tune"}},
    {"app", {"core", "evolve", "models", "scenarios", "hw", "sim", "calibrate", "validate", "tune", "run"}},
};

/// Heavy packages: a pattern of the include, and the folders whose .cpp files may have it.
struct Heavy {
  std::string pattern;
  Names folders;
};
const std::vector<Heavy> kHeavy = {
    {"CLI/.*|CLI11.*", {"app"}},     {"nlohmann/.*", {"run", "validate"}},
    {"Eigen/.*", {"calibrate"}},     {"yaml-cpp/.*", {"scenarios"}},
    {"simgrid/.*", {"sim/simgrid"}}, {"cuda.*\\.h|nvrtc\\.h|nvJitLink\\.h|cublas.*", {"hw/cuda", "hw/compile"}},
    {"CL/.*", {"hw/opencl"}},        {"mpi\\.h", {"hw/mpi"}},
    {"hwloc.*", {"hw/cpu"}},
};

bool is_source(const fs::path& path) {
  static const Names kEndings = {".hpp", ".cpp", ".cu", ".cuh", ".inc", ".h"};
  return kEndings.count(path.extension().string()) != 0;
}

std::vector<Include> includes_of(const std::string& folder) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  if (!fs::exists(kRoot / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (std::regex_search(line, match, kInclude)) {
        found.push_back({fs::relative(entry.path(), kRoot).string(), match[2], match[1] == "\""});
      }
    }
  }
  return found;
}

std::string first_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

bool lies_in(const std::string& file, const std::string& folder) {
  return file.rfind(folder + "/", 0) == 0;
}

TEST(IncludeRules, EveryFolderOfTheHouseIsRead) {
  for (const char* folder :
       {"core", "evolve", "models", "scenarios", "hw", "sim", "calibrate", "validate", "tune", "run", "app"}) {
    EXPECT_FALSE(includes_of(folder).empty()) << folder << " holds no source, so its rules are not tested";
  }
}

TEST(IncludeRules, FoldersIncludeOnlyWhatLiesBelowThem) {
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const Include& include : includes_of(folder)) {
      if (!include.quoted) continue;
      ASSERT_NE(include.target.find('/'), std::string::npos)
          << include.file << " includes \"" << include.target << "\": name it from the root of the tree";
      const std::string target = first_folder(include.target);
      EXPECT_TRUE(target == folder || allowed.count(target) != 0)
          << include.file << " includes \"" << include.target << "\", but " << folder << "/ may not include " << target;
      EXPECT_TRUE(fs::exists(kRoot / include.target))
          << include.file << " includes \"" << include.target << "\", which is not in the tree";
    }
  }
}

TEST(IncludeRules, TheTwoSimulatorsShareNothing) {
  for (const Include& include : includes_of("sim")) {
    const bool other = lies_in(include.file, "sim/simgrid") ? lies_in(include.target, "sim/fast")
                                                            : lies_in(include.target, "sim/simgrid");
    EXPECT_FALSE(other) << include.file << " includes " << include.target;
  }
}

TEST(IncludeRules, HeavyPackagesStayInTheSourcesOfTheirFolder) {
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const Include& include : includes_of(folder)) {
      for (const Heavy& heavy : kHeavy) {
        if (include.quoted || !std::regex_match(include.target, std::regex(heavy.pattern))) continue;
        bool home = false;
        for (const std::string& place : heavy.folders) home = home || lies_in(include.file, place);
        EXPECT_TRUE(home) << include.file << " includes <" << include.target << ">";
      }
    }
  }
}

TEST(IncludeRules, NoHeaderOfALibraryFolderShowsAHeavyPackage) {
  // Backends' inner headers are private to their module (hw/cuda, hw/opencl, hw/mpi, hw/compile, sim/simgrid).
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const Include& include : includes_of(folder)) {
      const bool inner = lies_in(include.file, "hw/cuda") || lies_in(include.file, "hw/opencl") ||
                         lies_in(include.file, "hw/mpi") || lies_in(include.file, "hw/compile");
      if (inner || include.quoted || fs::path(include.file).extension() != ".hpp") continue;
      for (const Heavy& heavy : kHeavy) {
        EXPECT_FALSE(std::regex_match(include.target, std::regex(heavy.pattern)))
            << include.file << " shows <" << include.target << "> to whoever includes it";
      }
    }
  }
}

TEST(IncludeRules, CoreKnowsTheStandardLibraryOnly) {
  static const std::regex kStandardOrSystem("[a-z_]+|(sys|linux)/[a-z_]+\\.h|(fcntl|unistd|signal|sched)\\.h");
  for (const Include& include : includes_of("core")) {
    if (include.quoted) continue;
    EXPECT_TRUE(std::regex_match(include.target, kStandardOrSystem)) << include.file << ": <" << include.target << ">";
  }
}

TEST(IncludeRules, ModelsEvolveAndTheEnginesUseNoThreadsClocksOrFiles) {
  static const Names kForbidden = {"thread", "mutex",    "atomic",  "condition_variable", "future", "chrono",
                                   "ctime",  "iostream", "fstream", "filesystem",         "cstdio"};
  for (const char* folder : {"models", "evolve", "sim/fast"}) {
    for (const Include& include : includes_of(folder)) {
      EXPECT_EQ(kForbidden.count(include.target), 0U) << include.file << " includes <" << include.target << ">";
    }
  }
}

TEST(IncludeRules, TheEngineCallsNoMathLibrary) {
  for (const Include& include : includes_of("sim/fast")) EXPECT_NE(include.target, "cmath") << include.file;
}

TEST(IncludeRules, NoFeatureSwitchesInTheSources) {
  static const std::regex kSwitch(R"(^\s*#\s*(if|ifdef|ifndef|elif)\b.*(FORELAP|SIMULATE|HAVE_))");
  for (const auto& [folder, allowed] : kMayInclude) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".hpp") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        EXPECT_FALSE(std::regex_search(line, kSwitch)) << entry.path() << ": " << line;
      }
    }
  }
}

}  // namespace
