#pragma once
// A task group as its file says it: names instead of positions, an overlap series instead of its cases. Between the
// tables that read and write files and the typed Scenario.

#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/table.hpp"

namespace forelap::scenarios {

struct TaskFile {
  std::string name;
  std::vector<TransferSpec> htod;
  std::vector<KernelSpec> kernels;
  std::vector<TransferSpec> dtoh;
  std::vector<std::string> after;
  std::uint32_t device = 0;
  std::uint64_t buffer_bytes = 0;
};

struct OrderFile {
  OrderMode mode = OrderMode::given;
  std::vector<std::vector<std::string>> lists;
};

struct CaseFile {
  std::string name;
  std::vector<TaskFile> tasks;
  std::vector<std::vector<std::string>> orders;
  std::uint32_t kernel_lanes = 0;
};

enum class FirstDirection : std::uint8_t { both, htod, dtoh };

/// Transfers of opposite directions that overlap by given degrees of their length.
struct OverlapFile {
  std::vector<std::uint64_t> sizes;
  std::vector<double> degrees;  ///< 0 to 1
  FirstDirection first = FirstDirection::both;
};

struct ScenarioFile {
  Scenario scenario;  ///< everything but the body
  TaskGroup group;    ///< everything but the cases
  double unit = 0;    ///< seconds
  OrderFile order;
  std::vector<TaskFile> tasks;
  std::vector<CaseFile> cases;
  std::optional<OverlapFile> overlap;
};

/// The table of scenario files; durations may be multiples of `unit` seconds where it is not 0.
Table<ScenarioFile> scenario_table(double unit);

/// Codec of the map of users' kernels by name.
Codec<std::vector<KernelDefinition>> kernels_codec();
/// Codecs of the stages of a task.
Codec<double> duration_codec(double unit);
Codec<TransferSpec> transfer_codec(double unit);
Codec<KernelSpec> kernel_codec(double unit);

/// Codec of the `online` map.
Codec<Online> online_codec(double unit);

/// Codec of the `study` map.
Codec<Study> study_codec();

/// The cases of an overlap series: the first direction moves (1 - p) S and then p S, and the other direction's S starts
/// with that second part, so that the two overlap over p of their length. Parts are multiples of 4 bytes.
std::vector<TaskCase> overlap_cases(const OverlapFile& overlap);

}  // namespace forelap::scenarios
