#pragma once
// A machine as predictions see it: devices, host and network with every measured parameter and where it came from.
// Immutable once built; read from and written to machine.yaml by scenarios/, fitted by calibrate/.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/activity.hpp"
#include "core/plan.hpp"

namespace forelap::core {

/// One number with its standing. `value` and `spread` carry the unit that the field's comment names.
struct Parameter {
  double value = 0;
  double spread = 0;  ///< one standard deviation of the value as a user of the model meets it, same unit, >= 0
  std::uint32_t samples = 0;
  bool assumed = false;  ///< no measurement and no published source stands behind the value
  std::string how = {};  ///< "measured", a citation, or what was assumed
};

/// One stretch of a transfer's cost T(s) = fixed + per_byte * s (LogGP: fixed = L + o, per_byte = G).
struct TransferPiece {
  double from_bytes = 0;  ///< the piece holds for from_bytes <= s < to_bytes
  double to_bytes = 0;
  Parameter fixed;     ///< seconds
  Parameter per_byte;  ///< seconds a byte
};

/// The transfer model of one direction and memory kind; pieces ascending and adjacent, at least one.
struct TransferModel {
  Direction direction = Direction::host_to_device;
  MemoryKind memory = MemoryKind::pinned;
  std::vector<TransferPiece> pieces;
};

/// One stretch of a kernel's cost T(m, n) = launch + (per_work * m + per_item * n) / part(n), m work, n work-items,
/// part as KernelModel has it: 1 for launches that are not small. Stretches are of launch sizes, because it is with n
/// that the rate changes: a launch of few waves leaves part of its last one empty.
struct KernelPiece {
  double from_items = 0;  ///< the piece holds for from_items <= n < to_items
  double to_items = 0;
  double least_work = 0;  ///< range of m that it was fitted on
  double most_work = std::numeric_limits<double>::infinity();
  Parameter launch;    ///< gamma, seconds
  Parameter per_work;  ///< eta, seconds a unit of the kernel's work expression
  Parameter per_item;  ///< seconds a work-item (memory traffic and scheduling of each item); 0 where not separable
};

struct KernelModel {
  std::string kernel;  ///< the kernel's name as scenarios write it
  /// Fraction (0, 1] of the device that one launch of enough items occupies; 1 = such launches never run side by side.
  Parameter fill;
  std::vector<KernelPiece> pieces;
  /// Work-items from which a launch occupies `fill`; one of fewer items, n, occupies fill * n / full_items, and works
  /// at that part, n / full_items, of the rate. 0: launches of all sizes occupy `fill` and work at the full rate.
  Parameter full_items = {};
};

/// Measured rates of one set of classes that are active together, as a fraction of each one's solo rate.
struct InterferenceRow {
  ActivitySet active = 0;                    ///< at least two classes
  std::map<ActivityClass, Parameter> rates;  ///< only classes of `active`; a class left out runs at 1
  /// Of a host: the kernel that the row speaks of, where kernels of CPU groups are among `active`; empty: any other.
  std::string kernel = {};
};

/// How many steps of one class, each on a device of its own, the host serves at full rate together; more share it
/// evenly. 1.5: two at once take a third longer.
struct HostCapacity {
  ActivityClass activity = ActivityClass::htod;
  Parameter capacity;       ///< above 0
  std::string kernel = {};  ///< of class kernel: which, on groups of CPU cores; empty: any other
};

/// A cost per unit of host work (a compile, a CPU share, an optimisation round): T = fixed + per_unit * amount.
struct HostWorkModel {
  std::string work;
  Parameter fixed;     ///< seconds
  Parameter per_unit;  ///< seconds a unit
};

/// What tells one device from another, so that a profile is not used on the wrong one.
struct DeviceIdentity {
  std::string backend;  ///< "cuda", "opencl", "cpu" or "model" (no hardware behind it)
  std::string name;
  std::string driver;
  std::string platform;  ///< OpenCL platform, else empty
  std::uint32_t compute_units = 0;
};

struct DeviceModel {
  std::string name;  ///< how scenarios name it
  DeviceIdentity identity;
  std::string cores = {};         ///< of a group of CPU cores: which, such as "0-3"; empty: all that may be used
  double memory_bytes = 0;        ///< 0 = unknown
  double largest_allocation = 0;  ///< bytes, 0 = unknown
  Parameter copy_engines;         ///< 1 or 2: transfers of opposite directions that work side by side
  Parameter run_overhead;         ///< seconds that a run's makespan holds beside its steps (first launch, last event)
  Parameter hop;     ///< seconds from the end of a step to the start of one that waits for it on another lane
  Parameter submit;  ///< seconds that the submitting thread of a lane needs for one step
  std::vector<TransferModel> transfers;  ///< empty: only given durations can be predicted ("ideal")
  std::vector<KernelModel> kernels;
  std::vector<InterferenceRow> interference;
};

struct HostModel {
  std::string cpu;
  std::uint32_t cores = 0;  ///< that the process may use (affinity and cgroup), not the machine's count
  std::vector<HostWorkModel> work;
  /// Between transfers of all devices, kernels of groups of CPU cores that work in host memory, and host work.
  std::vector<InterferenceRow> interference;
  std::vector<HostCapacity> capacity;  ///< a class left out: no limit
};

/// The network between ranks: T(s) = sender + latency + per_byte * s + receiver (LogGP).
struct NetworkModel {
  Parameter send_overhead;     ///< o of the sender, seconds
  Parameter receive_overhead;  ///< L + o of the receiver, seconds
  Parameter per_byte;          ///< G, seconds a byte
};

struct Machine {
  std::string name;
  std::string when;      ///< ISO 8601 date or time of the measurements, or of the source
  std::string how = {};  ///< what made the profile
  HostModel host;
  std::vector<DeviceModel> devices;
  NetworkModel network;
};

/// The model of `direction` and `memory` on `device`, or null.
const TransferModel* find_transfer(const DeviceModel& device, Direction direction, MemoryKind memory);
/// The model of the kernel called `name`, or null.
const KernelModel* find_kernel(const DeviceModel& device, std::string_view name);
/// True where the device has no transfer model, so that only given durations can be predicted on it.
bool is_ideal(const DeviceModel& device);

}  // namespace forelap::core
