#include "validate/results.hpp"

namespace forelap::validate {

std::string order_text(const RunSet& set, const Row& row) {
  if (!row.policy.empty()) return row.policy;
  const auto& names = set.cases.at(row.case_index).tasks;
  std::string text;
  for (const auto position : row.order) {
    if (!text.empty()) text += ' ';
    text += names.at(position);
  }
  return text;
}

std::string interference_name(core::InterferenceMode mode) {
  switch (mode) {
    case core::InterferenceMode::none:
      return "none";
    case core::InterferenceMode::full:
      return "full";
    case core::InterferenceMode::partial:
      break;
  }
  return "partial";
}

std::string memory_name(core::MemoryKind memory) {
  return memory == core::MemoryKind::pinned ? "pinned" : "pageable";
}

std::string forelap_version() {
  return FORELAP_VERSION;
}

}  // namespace forelap::validate
