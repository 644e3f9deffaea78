#pragma once
// How long work tells how far it is. The receiver draws it (app/) or ignores it.

#include <cstddef>
#include <functional>
#include <string>

namespace forelap::core {

/// Called from the working thread with what is being done, how much is done, and of how much (0 = unknown).
using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t total)>;

}  // namespace forelap::core
