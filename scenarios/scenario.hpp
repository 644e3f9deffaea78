#pragma once
// Typed scenarios: what must be done and which choices are left free. Read from YAML by scenarios/read.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/activity.hpp"
#include "core/plan.hpp"
#include "scenarios/kernel_definition.hpp"
#include "scenarios/partition.hpp"

namespace forelap::scenarios {

/// A transfer: so many bytes, or so long (then sized from the machine's model, or passed through on an ideal machine).
/// Exactly one is set.
struct TransferSpec {
  std::optional<std::uint64_t> bytes;
  std::optional<double> seconds;
};

/// A kernel launch by `repeat`, by an amount of `work`, or by how long it should take. Exactly one of the three is set.
struct KernelSpec {
  std::string kernel = "synthetic";
  std::optional<std::uint64_t> repeat;
  std::optional<double> work;
  std::optional<double> seconds;
  std::optional<std::uint64_t>
      bytes;  ///< with `repeat`: the front part of the task's buffer that it works on; else all
};

/// htod transfers -> kernels -> dtoh transfers, in this order; each list may be empty.
struct TaskSpec {
  std::string name;
  std::vector<TransferSpec> htod;
  std::vector<KernelSpec> kernels;
  std::vector<TransferSpec> dtoh;
  std::vector<std::uint32_t> after;  ///< tasks of the same case that must have finished, by position
  std::uint32_t device = 0;          ///< position in the scenario's list of devices
  std::uint64_t buffer_bytes = 0;    ///< wished size; 0 = what it moves in or out, the larger, else 1 MiB
};

enum class OrderMode : std::uint8_t { given, list, all };
enum class Submission : std::uint8_t {
  automatic,
  by_task,  ///< all commands of a task in a row (two engines)
  by_type,  ///< all htod, then all kernels, then all dtoh (one engine)
};

/// One group of tasks that is run together; a scenario has one, or a series of them.
struct TaskCase {
  std::string name;  ///< empty where the scenario has one
  std::vector<TaskSpec> tasks;
  std::vector<std::vector<std::uint32_t>> orders;  ///< mode `list`: permutations of positions
  std::uint32_t kernel_lanes = 0;                  ///< of this case; 0: those of the group
};

/// When the tasks of an online scenario come.
enum class Arrivals : std::uint8_t {
  at_once,  ///< all at the start
  every,    ///< one after each interval, the first at the start
  poisson,  ///< likewise after random intervals, exponentially distributed, of a given mean
  closed,   ///< each of several workers sends its next task when its last one has ended, after thinking
};

/// Which of a case's tasks come: one after the other, over and over, or drawn at random (by the scenario's seed).
enum class Draw : std::uint8_t { in_turn, random };

/// Names of the policies that a scenario may ask for; tune::make_policy knows them.
const std::vector<std::string>& online_policy_names();

/// Open work: the case's tasks come while others run, and a policy orders what waits.
struct Online {
  Arrivals arrivals = Arrivals::at_once;
  double interval = 0;        ///< seconds: of `every`, mean of `poisson`; > 0 there, else 0
  std::uint32_t tasks = 0;    ///< that come in all; of each worker where closed. 0: those of the case, or one a worker
  std::uint32_t workers = 0;  ///< of `closed`; >= 1 there, else 0
  double think = 0;           ///< seconds between the end of a worker's task and its next one, `closed` only
  Draw draw = Draw::in_turn;
  std::vector<std::string> policies = {"arrival", "heuristic", "auto"};  ///< each is a run of its own
  std::uint32_t queue = 1024;  ///< tasks that may wait to be submitted; while it is full, the next ones are held back
};

/// How kernels are handed over: in one queue, or in one of their own for each task.
enum class KernelQueues : std::uint8_t { one, one_a_task };

/// The experiment of the ordering paper on each case: many orders, the best and worst by the model among them, against
/// the orders that methods choose. See run/study.hpp.
struct Study {
  std::uint32_t workers = 0;      ///< tasks of a round; 0: the case's. Beyond the case's, drawn at random of them
  std::uint32_t rounds = 1;       ///< tasks that each worker sends, the next when the last has ended
  std::uint32_t orders = 0;       ///< random orders; 0: all of them (one round only)
  std::uint32_t extremes = 20;    ///< so many of the model's best and worst orders besides
  std::uint32_t candidates = 10;  ///< so many of the fastest orders are measured again
  std::uint32_t final_runs = 15;  ///< runs of each of those
  std::vector<KernelQueues> kernel_queues = {KernelQueues::one};
};

struct TaskGroup {
  std::vector<TaskCase> cases;
  OrderMode order = OrderMode::given;
  std::uint32_t engines = 0;  ///< 0 = what the machine's profile says
  Submission submission = Submission::automatic;
  std::uint32_t kernel_lanes = 1;   ///< 0 = left free: `tune` chooses, else 1
  bool kernel_lanes_given = false;  ///< the scenario says how many: `tune` keeps to it
  std::uint64_t device_memory = 0;  ///< bytes that the tasks of one device may use at a time; 0 = no limit
  core::MemoryKind memory = core::MemoryKind::pinned;
  std::vector<std::string> devices;  ///< names or specifications; empty = the machine's first device
  std::optional<Online> online;      ///< set: tasks come while others run, and `order` is `given`
  std::optional<Study> study;        ///< set: the orders are chosen by the study, and `order` is `given`
};

struct Scenario {
  std::string name;
  std::string description;
  std::string path;     ///< file it came from, for messages and relative paths
  std::string machine;  ///< machine file or name used where the command line names none; may be empty
  core::InterferenceMode interference = core::InterferenceMode::partial;
  std::uint32_t repetitions = 15;
  double tolerance_pct = 5;  ///< `validate` exits 1 where the mean error is larger
  std::uint64_t seed = 1;
  std::vector<KernelDefinition> kernels;  ///< the user's, in the order of the file
  std::variant<TaskGroup, Partition> body;
};

/// The body of a scenario of one kind. Throws core::Error (bad_input) saying which kind it is where it is the other.
const TaskGroup& task_group_of(const Scenario& scenario);
const Partition& partition_of(const Scenario& scenario);
bool is_partition(const Scenario& scenario);
/// Names or specifications of the scenario's devices.
const std::vector<std::string>& devices_of(const Scenario& scenario);

/// The definition of kernel `name`: the scenario's, else the built-in one, else null.
const KernelDefinition* find_definition(const Scenario& scenario, const std::string& name);

/// Tasks that come after each other in a circle, such as {0, 2} where 0 comes after 2 and 2 after 0; empty where there
/// is none.
std::vector<std::uint32_t> circle_of(const std::vector<TaskSpec>& tasks);

/// All orders that a case asks for, each a permutation of positions that keeps `after`; `given` is the first of them.
/// Throws core::Error (bad_input) where there would be more than `limit`, with their number.
std::vector<std::vector<std::uint32_t>> orders_of(const TaskCase& c, OrderMode mode, std::size_t limit = 50'000);

}  // namespace forelap::scenarios
