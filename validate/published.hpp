#pragma once
// Makespans that papers publish for ideal machines, kept as data (validate/published/*.json), to be met to the digits
// given.

#include <filesystem>
#include <string>
#include <vector>

namespace forelap::validate {

/// Best, geometric mean and worst makespan over all orders of one shipped scenario on one shipped machine.
struct PublishedRow {
  std::string source;                                          ///< where the numbers stand
  std::string scenario;                                        ///< name of a shipped scenario
  std::string machine;                                         ///< name of a shipped machine
  std::vector<std::pair<std::string, std::string>> overrides;  ///< machine paths and values, as with --set
  double unit = 1;                                             ///< seconds in one unit of the numbers
  /// The numbers as they are written, so that their digits are known; empty where the source gives none.
  std::string best;
  std::string geometric_mean;
  std::string worst;
};

/// Throws core::Error (bad_input) naming the file and the key's path.
std::vector<PublishedRow> load_published(const std::filesystem::path& file);

/// True where `value` (seconds) rounds to the digits of `published` (in units). Half a unit in the last place, plus 1
/// ps for the rounding of ticks.
bool equal_to_digits(double value, const std::string& published, double unit);

}  // namespace forelap::validate
