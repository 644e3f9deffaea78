#pragma once
// Where the recordings and published figures are that `forelap validate` compares with. Scenarios and machines are
// found by scenarios/catalogue.hpp.

#include <filesystem>

namespace forelap::run {

/// The folder of recorded measurements: `recorded` in $FORELAP_DATA or in share/forelap beside the program's bin/, else
/// validate/recorded of the source tree that the program was built from. Throws core::Error (unavailable) naming the
/// places that were tried.
std::filesystem::path recorded_folder();
/// The published figures, found likewise (`published`).
std::filesystem::path published_folder();

}  // namespace forelap::run
