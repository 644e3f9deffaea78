#include "hw/execute/program.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "hw/execute/describe.hpp"
#include "hw/execute/shares.hpp"

namespace forelap::hw::execute {
namespace {

class ProgramMaker {
 public:
  ProgramMaker(const core::Plan& plan, const core::Bindings& bindings, Resources& resources)
      : plan_(plan), bindings_(bindings), resources_(resources), shares_(plan, resources) {}

  Program make() {
    program_.buffers.resize(plan_.buffers.size());
    shares_.make_owners(program_.buffers);
    position_.assign(plan_.lanes.size(), SIZE_MAX);
    lane_of_step_.reserve(plan_.steps.size());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) add_named(i);
    resolve_dependencies();
    program_.written = shares_.written(bindings_, program_.buffers);
    return std::move(program_);
  }

 private:
  void add_named(std::size_t i) {
    try {
      add(i);
    } catch (...) {
      throw named_error(describe_step(plan_, i));
    }
  }

  void add(std::size_t i) {
    const core::Step& step = plan_.steps[i];
    LaneStep lane_step;
    lane_step.step = static_cast<std::uint32_t>(i);
    switch (step.kind) {
      case core::StepKind::copy:
        add_copy(step, lane_step);
        break;
      case core::StepKind::kernel:
        add_kernel(step, lane_step);
        break;
      case core::StepKind::host_work:
        if (!bindings_.host_work) core::throw_bad_input("no function is bound to host work");
        break;
      case core::StepKind::send:
      case core::StepKind::receive:
        core::throw_unavailable("messages need the MPI backend, which this executor does not have");
    }
    const std::size_t position = lane_position(step);
    lane_of_step_.push_back(
        {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(program_.lanes[position].steps.size())});
    program_.lanes[position].steps.push_back(lane_step);
  }

  [[nodiscard]] std::size_t device_of(const core::Step& step) const {
    const std::size_t device = core::index(step.device);
    if (device >= resources_.device_count()) {
      core::throw_bad_input("the plan needs device " + std::to_string(device) +
                            " (counted from 0); devices open: " + std::to_string(resources_.device_count()));
    }
    return device;
  }

  BufferMemory& memory_of(core::BufferId id, std::size_t device) {
    const core::Buffer& buffer = plan_.buffers.at(core::index(id));
    if (core::index(buffer.device) != device) {
      core::throw_bad_input("buffer " + std::to_string(core::index(id)) + " is on another device");
    }
    std::shared_ptr<BufferMemory>& memory = program_.buffers[core::index(id)];
    if (!shares_.shares(id)) {
      if (!memory) memory = resources_.memory(core::index(id), device, buffer.bytes, buffer.memory);
    } else if (!memory || !memory->device()) {
      memory = shares_.make(id, program_.buffers);
    }
    return *memory;
  }

  void add_copy(const core::Step& step, LaneStep& lane_step) {
    const std::size_t device = device_of(step);
    if (step.buffer == core::none<core::BufferId>()) {
      if (step.amount > 0) core::throw_bad_input("the copy names no buffer; only simulators run such a plan");
      return;
    }
    lane_step.memory = &memory_of(step.buffer, device);
    if (step.items + step.amount > static_cast<double>(plan_.buffers[core::index(step.buffer)].bytes)) {
      core::throw_bad_input("the copy is larger than its buffer");
    }
    lane_step.commands = step.amount > 0 ? step.count : 0;
  }

  void add_kernel(const core::Step& step, LaneStep& lane_step) {
    const std::size_t device = device_of(step);
    const core::KernelCall& call = plan_.call_of(step);
    const std::string& name = plan_.kernels[core::index(call.kernel)];
    std::shared_ptr<Kernel>& kernel = kernels_[{device, name}];
    if (!kernel) {
      kernel = resources_.kernel(device, name, source_of(bindings_, name, device));
      program_.kernels.push_back(kernel);
    }
    lane_step.kernel = kernel.get();
    lane_step.first_argument = static_cast<std::uint32_t>(program_.arguments.size());
    for (const core::Argument& argument : plan_.arguments_of(call)) {
      program_.arguments.push_back(std::visit([&](auto value) { return resolve(value, device); }, argument));
    }
    lane_step.argument_count = call.argument_count;
    const bool empty = std::any_of(call.global_size.begin(), call.global_size.end(), [](auto n) { return n == 0; });
    lane_step.commands = empty ? 0 : step.count;
  }

  ResolvedArgument resolve(core::BufferId buffer, std::size_t device) {
    const BufferMemory& memory = memory_of(buffer, device);
    if (shares_.shares(buffer)) program_.shared_arguments.emplace_back(program_.arguments.size(), &memory);
    return memory.device();
  }
  template <class T>
  ResolvedArgument resolve(T value, std::size_t) {
    return value;
  }

  std::size_t lane_position(const core::Step& step) {
    std::size_t& position = position_[core::index(step.lane)];
    if (position != SIZE_MAX) return position;
    LaneProgram lane;
    lane.lane = step.lane;
    if (step.kind == core::StepKind::copy || step.kind == core::StepKind::kernel) {
      lane.device = core::index(step.device);
      lane.queue = queue_for(step, lane.device);
    }
    position = program_.lanes.size();
    program_.lanes.push_back(std::move(lane));
    return position;
  }

  std::shared_ptr<Queue> queue_for(const core::Step& step, std::size_t device) {
    const core::LaneKind purpose = plan_.lanes[core::index(step.lane)].kind;
    const core::Direction direction =
        step.kind == core::StepKind::copy ? step.direction : core::Direction::host_to_device;
    const std::size_t ordinal = queue_count_[{device, purpose, direction}]++;
    if (std::find(program_.devices.begin(), program_.devices.end(), device) == program_.devices.end()) {
      program_.devices.push_back(device);
    }
    return resources_.queue(device, purpose, direction, ordinal);
  }

  LaneStep& lane_step(std::size_t i) { return program_.lanes[lane_of_step_[i].first].steps[lane_of_step_[i].second]; }

  /// A lane is in order, so a wait for a step covers the steps before it on the same lane.
  void resolve_dependencies() {
    const std::size_t lanes = program_.lanes.size();
    waited_.assign(lanes * lanes, -1);
    std::vector<std::size_t> latest(lanes, SIZE_MAX);  ///< by producing lane: the last step that is waited for
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      std::vector<std::size_t> producers;
      for (const core::StepId dependency : plan_.dependencies_of(plan_.steps[i])) {
        const std::size_t step = core::index(dependency) - plan_.first_id;
        std::size_t& last = latest[lane_of_step_[step].first];
        if (last == SIZE_MAX) producers.push_back(lane_of_step_[step].first);
        if (last == SIZE_MAX || step > last) last = step;
      }
      lane_step(i).first_wait = static_cast<std::uint32_t>(program_.waits.size());
      for (const std::size_t producer : producers) add_wait(i, std::exchange(latest[producer], SIZE_MAX));
      LaneStep& step = lane_step(i);
      step.wait_count = static_cast<std::uint32_t>(program_.waits.size()) - step.first_wait;
    }
  }

  void add_wait(std::size_t step, std::size_t producer) {
    const std::size_t lane = lane_of_step_[step].first;
    const auto [other, place] = lane_of_step_[producer];
    std::int64_t& last = waited_[lane * program_.lanes.size() + other];
    if (other == lane || last >= place) return;
    last = place;
    program_.waits.push_back(slot_of(producer));
  }

  std::uint32_t slot_of(std::size_t producer) {
    LaneStep& step = lane_step(producer);
    if (step.slot == kNoSlot) {
      step.slot = static_cast<std::uint32_t>(program_.producer.size());
      program_.producer.push_back(lane_of_step_[producer].first);
    }
    return step.slot;
  }

  const core::Plan& plan_;
  const core::Bindings& bindings_;
  Resources& resources_;
  Shares shares_;
  Program program_;
  std::vector<std::size_t> position_;                                  ///< of each lane of the plan in program_.lanes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lane_of_step_;  ///< lane and place on it
  std::vector<std::int64_t> waited_;  ///< by waiting and producing lane: place of the last step waited for
  std::map<std::pair<std::size_t, std::string>, std::shared_ptr<Kernel>> kernels_;
  std::map<std::tuple<std::size_t, core::LaneKind, core::Direction>, std::size_t> queue_count_;
};

}  // namespace

void refresh_shared_memory(Program& program, Resources& resources) {
  for (const auto& memory : program.buffers) {
    if (memory && memory->slot) resources.grow(*memory->slot, memory->device_index, memory->bytes);
  }
  for (const auto& [position, memory] : program.shared_arguments) program.arguments[position] = memory->device();
}

const core::KernelSource& source_of(const core::Bindings& bindings, const std::string& name, std::size_t device) {
  static const core::KernelSource builtin;
  const auto own = bindings.device_kernels.find({core::make_id<core::DeviceId>(device), name});
  if (own != bindings.device_kernels.end()) return own->second;
  const auto found = bindings.kernels.find(name);
  return found != bindings.kernels.end() ? found->second : builtin;
}

bool is_of_user(const core::Bindings& bindings, const std::string& name) {
  const auto found = bindings.kernels.find(name);
  if (found != bindings.kernels.end() && !found->second.text.empty()) return true;
  return std::any_of(bindings.device_kernels.begin(), bindings.device_kernels.end(),
                     [&](const auto& entry) { return entry.first.second == name && !entry.second.text.empty(); });
}

Program make_program(const core::Plan& plan, const core::Bindings& bindings, Resources& resources) {
  return ProgramMaker(plan, bindings, resources).make();
}

}  // namespace forelap::hw::execute
