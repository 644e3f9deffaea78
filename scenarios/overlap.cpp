#include <cmath>

#include "core/number_text.hpp"
#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

constexpr double kMega = 1e6;

std::string size_name(std::uint64_t bytes) {
  const double size = static_cast<double>(bytes);
  const bool decimal = size >= kMega && std::floor(size / kMega) * kMega == size;
  return decimal ? core::shortest(size / kMega) + " MB" : exact_quantity(size, core::Dimension::bytes);
}

TaskSpec transfer_task(std::string name, bool to_device, std::uint64_t bytes) {
  TaskSpec task;
  task.name = std::move(name);
  TransferSpec transfer;
  transfer.bytes = bytes;
  (to_device ? task.htod : task.dtoh).push_back(transfer);
  return task;
}

TaskCase overlap_case(bool htod_first, std::uint64_t bytes, double degree) {
  constexpr std::uint64_t kElement = 4;
  const std::uint64_t size = bytes / kElement * kElement;
  const auto together =
      static_cast<std::uint64_t>(std::floor(static_cast<double>(size / kElement) * degree + 0.5)) * kElement;
  TaskCase result;
  result.name = std::string(htod_first ? "htod" : "dtoh") + " first, " + size_name(bytes) + ", " +
                core::significant(degree * 100, 6) + " %";
  const std::uint64_t alone = size - together;
  if (alone > 0) result.tasks.push_back(transfer_task("A1", htod_first, alone));
  if (together > 0) result.tasks.push_back(transfer_task("A2", htod_first, together));
  result.tasks.push_back(transfer_task("B", !htod_first, size));
  if (alone > 0) result.tasks.back().after = {0};
  return result;
}

}  // namespace

std::vector<TaskCase> overlap_cases(const OverlapFile& overlap) {
  std::vector<TaskCase> cases;
  for (const bool htod_first : {true, false}) {
    if (overlap.first == (htod_first ? FirstDirection::dtoh : FirstDirection::htod)) continue;
    for (const std::uint64_t size : overlap.sizes) {
      for (const double degree : overlap.degrees) cases.push_back(overlap_case(htod_first, size, degree));
    }
  }
  return cases;
}

}  // namespace forelap::scenarios
