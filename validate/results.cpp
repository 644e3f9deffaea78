#include "validate/results.hpp"

#include "core/number_text.hpp"

namespace forelap::validate {
namespace {

std::string division_text(const scenarios::PartitionTuning& partition, const DivisionOfRow& division) {
  std::string text;
  for (std::size_t d = 0; d < partition.devices.size(); ++d) {
    if (division.shares[d] == 0 && partition.devices.size() > 1) continue;
    text += (text.empty() ? "" : ", ") + partition.devices[d].name + " " +
            core::significant(100 * division.weights[d], 4) + " %";
    if (division.chunks[d] > 1) text += " in " + std::to_string(division.chunks[d]);
  }
  return text;
}

}  // namespace

std::string order_text(const RunSet& set, const Row& row) {
  if (!row.policy.empty()) return row.policy;
  const auto& partition = set.cases.at(row.case_index).partition;
  if (row.division && partition) return division_text(*partition, *row.division);
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
