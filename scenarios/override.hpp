#pragma once
// What-ifs: values of a document replaced before it is read. The rules are those of Override in scenarios/read.hpp.

#include <vector>

#include "scenarios/read.hpp"
#include "scenarios/yaml_document.hpp"

namespace forelap::scenarios {

/// Applies each in turn. Throws core::Error (bad_input) that begins with "--set path=value".
void apply_overrides(Document& document, const std::vector<Override>& overrides);

}  // namespace forelap::scenarios
