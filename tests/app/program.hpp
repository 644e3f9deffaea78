#pragma once
// Runs the built program as a process of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace forelap::app::testing {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal where it was killed
  std::string out;
  std::string err;
};

struct ProgramOptions {
  std::string folder;                          ///< working folder; empty: the current one
  std::vector<std::string> environment;        ///< "NAME=value", beside the inherited one
  std::uint64_t largest_file = 0;              ///< RLIMIT_FSIZE, 0 = unlimited
  std::uint64_t memory = 0;                    ///< RLIMIT_AS, 0 = unlimited
  std::string out_file;                        ///< where standard output goes instead of the outcome
  std::function<bool(int pid)> while_running;  ///< called every 20 ms until it says true
};

/// Runs `forelap` of the build tree with `arguments`.
Outcome run_forelap(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// A folder of the running test, empty, removed with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Names of what it holds.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  std::string path_;
};

}  // namespace forelap::app::testing
