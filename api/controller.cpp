#include "api/controller.hpp"

#include <utility>

#include "hw/controller/device_list.hpp"
#include "hw/controller/multi.hpp"

namespace forelap {
namespace {

hw::controller::Options mechanism(const ControllerOptions& options) {
  hw::controller::Options result;
  result.weights = options.weights;
  result.transfers = options.transfers;
  result.chunks = options.chunks;
  result.version = options.version;
  result.timing = options.timing;
  result.memory_limit = options.memory_limit;
  result.chooser = options.chooser;
  if (!result.chooser && !options.machine.empty()) result.chooser = weights_from_profile(options.machine);
  return result;
}

}  // namespace

class MultiController::Inside {
 public:
  Inside(const std::vector<std::string>& devices, const ControllerOptions& options)
      : multi(hw::controller::open_devices(devices), mechanism(options)) {}
  hw::controller::Multi multi;
};

MultiController::MultiController(const std::vector<std::string>& devices, const ControllerOptions& options)
    : inside_(std::make_unique<Inside>(devices, options)) {}

MultiController::~MultiController() = default;

void MultiController::wait() {
  inside_->multi.wait();
}

std::vector<DeviceTimes> MultiController::times() {
  return inside_->multi.times();
}

void MultiController::reset_times() {
  inside_->multi.reset_times();
}

std::vector<double> MultiController::measured_weights() {
  return inside_->multi.measured_weights();
}

void MultiController::set_weights(const std::vector<double>& weights) {
  inside_->multi.set_weights(weights);
}

std::vector<std::string> MultiController::devices() const {
  return inside_->multi.devices();
}

std::shared_ptr<hw::controller::TileState> MultiController::make_tile(std::string name, std::size_t element_bytes,
                                                                      int dimensions, const Extents& extents) {
  return inside_->multi.make_tile(std::move(name), element_bytes, dimensions, extents);
}

void MultiController::attach_tile(const std::shared_ptr<hw::controller::TileState>& tile, const Layout& layout) {
  inside_->multi.attach(tile, layout);
}

void MultiController::detach_tiles(std::span<const std::shared_ptr<hw::controller::TileState>> tiles) {
  inside_->multi.detach(tiles);
}

void MultiController::launch_kernel(const std::shared_ptr<hw::controller::KernelDefinition>& kernel,
                                    const Extents* space, std::span<const hw::controller::LaunchArgument> arguments) {
  inside_->multi.launch(kernel, space, arguments);
}

void MultiController::prepare_kernel(const std::shared_ptr<hw::controller::KernelDefinition>& kernel) {
  inside_->multi.prepare(kernel);
}

std::vector<std::int64_t> MultiController::shares_of(const std::shared_ptr<hw::controller::TileState>& tile) {
  return inside_->multi.shares_of(tile);
}

ChosenVersion MultiController::version_of(const std::shared_ptr<hw::controller::KernelDefinition>& kernel,
                                          std::size_t device) {
  return inside_->multi.version_of(kernel, device);
}

}  // namespace forelap
