// Weights from a machine profile: every device is to end at the same time, by the models of its copies and of the
// kernel.

#include <algorithm>
#include <cmath>

#include "api/controller.hpp"
#include "core/machine.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"
#include "scenarios/read.hpp"

namespace forelap {
namespace {

/// What a device needs for a part of a launch, as its profile says.
class PartCost {
 public:
  PartCost(const core::DeviceModel& device, const core::KernelModel& kernel, const WeightQuestion& question)
      : device_(device), kernel_(kernel), question_(question) {
    items_ = 1;
    for (const std::int64_t extent : question.extents) items_ *= static_cast<double>(extent);
  }

  /// Seconds for the part `share` in (0, 1]; grows with it.
  [[nodiscard]] double seconds(double share) const {
    const double items = std::max(share * items_, 1.0);
    double sum = models::kernel_seconds(kernel_, items * question_.work_per_item, items);
    if (device_.identity.backend == "cpu") return sum;
    sum += copy(core::Direction::host_to_device, share * question_.bytes_in + question_.bytes_whole);
    return sum + copy(core::Direction::device_to_host, share * question_.bytes_out);
  }

  /// The largest share that takes no longer than `limit` seconds; 0 where even a small one does.
  [[nodiscard]] double share(double limit) const {
    double low = 0;
    double high = 1;
    if (seconds(high) <= limit) return high;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (low + high);
      (seconds(middle) <= limit ? low : high) = middle;
    }
    return low;
  }

 private:
  [[nodiscard]] double copy(core::Direction direction, double bytes) const {
    if (bytes <= 0) return 0;
    for (const core::MemoryKind memory : {core::MemoryKind::pinned, core::MemoryKind::pageable}) {
      if (const auto* model = core::find_transfer(device_, direction, memory)) {
        return models::transfer_seconds(*model, bytes);
      }
    }
    return 0;
  }

  const core::DeviceModel& device_;
  const core::KernelModel& kernel_;
  const WeightQuestion& question_;
  double items_ = 1;
};

/// The model of the device that `spec` opened as `name`, or null. Of several alike the first serves for all.
const core::DeviceModel* find_device(const core::Machine& machine, const std::string& spec, const std::string& name) {
  const std::string backend = spec.substr(0, spec.find(':'));
  for (const core::DeviceModel& device : machine.devices) {
    const bool same =
        backend == "cpu" ? device.cores.empty() || name == "cores " + device.cores : device.identity.name == name;
    if (device.identity.backend == backend && same) return &device;
  }
  return nullptr;
}

class ProfileWeights : public WeightChooser {
 public:
  explicit ProfileWeights(core::Machine machine) : machine_(std::move(machine)) {}

  std::vector<double> weights(const WeightQuestion& question) override {
    std::vector<PartCost> costs;
    for (std::size_t i = 0; i < question.devices.size(); ++i) {
      const core::DeviceModel* device = find_device(machine_, question.devices[i], question.names[i]);
      const core::KernelModel* kernel = device == nullptr ? nullptr : core::find_kernel(*device, question.kernel);
      // What is not known of one device says nothing about its share.
      if (kernel == nullptr) return std::vector<double>(question.devices.size(), 1.0);
      costs.emplace_back(*device, *kernel, question);
    }
    return equal_ends(costs);
  }

 private:
  /// The shares at the smallest time at which they make a whole: bisection, since all of them grow with time.
  static std::vector<double> equal_ends(const std::vector<PartCost>& costs) {
    double low = 0;
    double high = costs.front().seconds(1);
    for (const PartCost& cost : costs) high = std::min(high, cost.seconds(1));
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      double sum = 0;
      for (const PartCost& cost : costs) sum += cost.share(middle);
      (sum < 1 ? low : high) = middle;
    }
    std::vector<double> shares;
    for (const PartCost& cost : costs) shares.push_back(cost.share(high));
    return shares;
  }

  core::Machine machine_;
};

}  // namespace

std::shared_ptr<WeightChooser> weights_from_profile(const std::string& machine) {
  return std::make_shared<ProfileWeights>(scenarios::read_machine(machine));
}

}  // namespace forelap
