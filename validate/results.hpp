#pragma once
// What a prediction, a measurement or both of them leave behind: one row a run (a case in one order), and around the
// rows everything needed to repeat them. The same type from `predict` (rows without samples), `measure` (rows without a
// prediction) and `validate` (both).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::validate {

/// A predicted makespan and its 90 % interval, seconds; low <= seconds <= high.
struct Predicted {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

/// What a run of open work tells beside its makespan.
struct OnlineFigures {
  double mean_latency = 0;      ///< seconds from when a task wished to come to its end
  double p95_latency = 0;       ///< seconds
  double tasks_per_second = 0;  ///< over the makespan
  double groups = 0;            ///< that were formed
};

/// One division of a partition: by device of the scenario.
struct DivisionOfRow {
  std::vector<double> weights;        ///< as they were asked for, or chosen; sum to 1
  std::vector<std::uint64_t> shares;  ///< rows of the tiles
  std::vector<std::uint32_t> chunks;
  std::vector<std::uint32_t> slots;  ///< chunks that the device's memory holds at a time; 0: all
  bool chosen = false;               ///< weights chosen by the model
};

/// One case in one order, of an online scenario under one policy, or one division of a partition.
struct Row {
  std::size_t case_index = 0;          ///< into RunSet::cases
  std::vector<std::uint32_t> order;    ///< positions of the case's tasks; empty where a policy orders
  std::string policy;                  ///< of an online scenario, else empty
  std::optional<Predicted> predicted;  ///< unset where only measured
  std::vector<double> samples;         ///< makespans of uninstrumented runs, seconds; empty where only predicted
  std::optional<double> cold;          ///< the first run, kept apart, seconds
  std::vector<std::string> labels;     ///< of a study: why the order is in it (run/study.hpp)
  std::vector<double> final_samples;   ///< of a study: runs of the orders that were measured again, seconds
  bool extrapolated = false;           ///< a size lies outside the range that its model was fitted on
  bool partial = false;                ///< the measurement was stopped before the wished number of runs
  std::optional<OnlineFigures> predicted_online;
  std::optional<OnlineFigures> measured_online;  ///< the median over the runs of each
  std::optional<DivisionOfRow> division;         ///< of a partition; then there is no order
};

/// A case as it was run: its sizes are kept, so that a recorded set does not change with the sizing.
struct CaseRecord {
  std::string name;                          ///< empty where the scenario has one case
  std::vector<std::string> tasks;            ///< names by position
  scenarios::TaskGroupTuning tuning;         ///< its `order` is empty: orders are in the rows
  std::map<std::string, double> scheduling;  ///< of a study: seconds that each method needed to choose its order
  /// Of a partition: its devices as they were run, without shares, which are in the rows; then `tasks` and `tuning` say
  /// nothing.
  std::optional<scenarios::PartitionTuning> partition;
};

struct RunSet {
  std::string scenario;       ///< name
  std::string scenario_text;  ///< the scenario as YAML, with what-ifs applied
  std::string machine;        ///< name of the profile that sized or predicted
  std::string engine;         ///< "fast", "simgrid", or empty where nothing was predicted
  std::string interference;   ///< "none", "full" or "partial"
  std::string memory;         ///< host memory that was really used: "pinned" or "pageable"; empty where not measured
  std::vector<core::DeviceIdentity> devices;  ///< that measured; empty where only predicted
  std::vector<std::string> links;             ///< of each of them, such as "PCIe 5 x16"; "" where not known
  std::uint32_t host_cores = 0;               ///< that the process could use
  std::uint64_t seed = 0;
  std::uint32_t repetitions = 0;
  double tolerance_pct = 0;
  std::string when;                ///< ISO 8601, UTC
  std::vector<std::string> notes;  ///< warnings and what was stopped, for people
  std::vector<CaseRecord> cases;
  std::vector<Row> rows;
};

/// Names of the tasks of a row in its order: "T1 T0 T2 T3"; the row's policy; or the shares of a division: "gpu0 80 %
/// in 4, cpu0 20 %".
std::string order_text(const RunSet& set, const Row& row);

/// "none", "full", "partial".
std::string interference_name(core::InterferenceMode mode);
std::string memory_name(core::MemoryKind memory);

/// Version of forelap that writes the data.
std::string forelap_version();

}  // namespace forelap::validate
