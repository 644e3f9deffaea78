#include "hw/cuda/system_files.hpp"

#include <fstream>

#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::hw::cuda {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return std::string(core::trim(line));
}

std::optional<unsigned> memory_node(const std::string& address, const std::string& folder) {
  if (address.empty()) return std::nullopt;
  const std::optional<std::string> line = first_line(folder + "/" + address + "/numa_node");
  if (!line) return std::nullopt;
  const std::optional<std::uint64_t> node = core::parse_whole(*line);  // "-1" means: not known
  if (!node || *node >= 1024) return std::nullopt;
  return static_cast<unsigned>(*node);
}

}  // namespace forelap::hw::cuda
