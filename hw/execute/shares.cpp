#include "hw/execute/shares.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "hw/execute/program.hpp"
#include "hw/host_view.hpp"
#include "hw/kernels/partition.hpp"

namespace forelap::hw::execute {
namespace {

constexpr auto kNone = core::none<core::BufferId>();

/// Whether the kernel of a call may write what its argument `position` holds.
bool may_write(const core::Plan& plan, const core::Bindings& bindings, const core::KernelCall& call,
               std::size_t position) {
  const std::string& name = plan.kernels[core::index(call.kernel)];
  if (is_of_user(bindings, name)) return true;
  const kernels::PartitionKernel* kernel = kernels::find_partition_kernel(name);
  return kernel == nullptr || position >= kernel->uses.size() || kernel->uses[position] != kernels::Use::in;
}

}  // namespace

Shares::Shares(const core::Plan& plan, Resources& resources)
    : plan_(plan), resources_(resources), shares_(plan.buffers.size(), false) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const core::Buffer& buffer = plan.buffers[i];
    if (buffer.in_place || buffer.device == core::none<core::DeviceId>()) shares_[i] = true;
    for (const core::BufferId other : {buffer.host_of, buffer.device_of}) {
      if (other != kNone) shares_[i] = shares_[core::index(other)] = true;
    }
  }
}

void Shares::make_owners(Buffers& buffers) {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const core::Buffer& buffer = plan_.buffers[i];
    if (!shares_[i] || buffer.host_of != kNone) continue;
    auto memory = std::make_shared<BufferMemory>();
    memory->block = resources_.host_block(i, buffer.bytes, buffer.memory);
    memory->host = memory->block->memory;
    memory->bytes = buffer.bytes;
    buffers[i] = std::move(memory);
  }
}

std::shared_ptr<BufferMemory> Shares::make(core::BufferId id, Buffers& buffers) {
  const std::size_t i = core::index(id);
  const core::Buffer& buffer = plan_.buffers[i];
  std::shared_ptr<BufferMemory> memory = buffers[i];
  if (!memory) {
    memory = std::make_shared<BufferMemory>();
    memory->block = buffers[core::index(buffer.host_of)]->block;
    memory->host = std::make_shared<HostView>(memory->block->memory, buffer.host_offset, buffer.bytes);
    memory->bytes = buffer.bytes;
  }
  memory->device_index = core::index(buffer.device);
  make_device_side(i, *memory, buffers);
  buffers[i] = memory;
  return memory;
}

void Shares::make_device_side(std::size_t i, BufferMemory& memory, Buffers& buffers) {
  const core::Buffer& buffer = plan_.buffers[i];
  const std::size_t device = memory.device_index;
  if (buffer.in_place) {
    memory.mapped = resources_.device(device).map(*memory.block->memory, buffer.host_offset, buffer.bytes);
    return;
  }
  if (buffer.device_of == kNone) {
    memory.slot = resources_.slot(device, ordinal(i), buffer.bytes);
    return;
  }
  const std::size_t lender = core::index(buffer.device_of);
  if (!buffers[lender] || !buffers[lender]->slot) make(buffer.device_of, buffers);
  memory.slot = buffers[lender]->slot;
}

std::size_t Shares::ordinal(std::size_t buffer) const {
  std::size_t before = 0;
  for (std::size_t i = 0; i < buffer; ++i) {
    const core::Buffer& other = plan_.buffers[i];
    if (shares_[i] && other.device == plan_.buffers[buffer].device && !other.in_place && other.device_of == kNone) {
      ++before;
    }
  }
  return before;
}

std::vector<std::shared_ptr<HostBlock>> Shares::written(const core::Bindings& bindings, const Buffers& buffers) const {
  std::vector<std::shared_ptr<HostBlock>> blocks;
  const auto add = [&](core::BufferId buffer) {
    if (!shares(buffer)) return;
    const std::shared_ptr<HostBlock>& block = buffers[core::index(buffer)]->block;
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
  };
  for (const core::Step& step : plan_.steps) {
    if (step.kind == core::StepKind::copy) {
      if (step.direction == core::Direction::device_to_host && step.buffer != kNone) add(step.buffer);
      continue;
    }
    if (step.kind != core::StepKind::kernel) continue;
    const core::KernelCall& call = plan_.call_of(step);
    const auto arguments = plan_.arguments_of(call);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const auto* buffer = std::get_if<core::BufferId>(&arguments[a]);
      if (buffer == nullptr || !plan_.buffers[core::index(*buffer)].in_place) continue;
      if (may_write(plan_, bindings, call, a)) add(*buffer);
    }
  }
  return blocks;
}

}  // namespace forelap::hw::execute
