#pragma once
// Measurements of real machines that are kept with the project: validate/recorded/<machine>/ holds the profile of that
// day (machine.yaml) and result files (*.json), so that predictions are tested against hardware that is not here.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/results.hpp"

namespace forelap::validate {

struct RecordedSet {
  std::filesystem::path file;     ///< the result file
  std::filesystem::path machine;  ///< the profile beside it
  RunSet set;
};

/// All sets below `folder`, ordered by path. Only result files count: any other *.json is an error. Throws core::Error
/// (bad_input) for a folder without a profile, or a file that does not read.
std::vector<RecordedSet> load_recorded(const std::filesystem::path& folder);

}  // namespace forelap::validate
