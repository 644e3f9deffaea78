#include <algorithm>

#include "hw/execute/near_device.hpp"
#include "hw/execute/program.hpp"
#include "hw/kernels/library.hpp"
#include "hw/kernels/partition.hpp"

namespace forelap::hw::execute {
namespace {

using Filler = void (*)(std::span<std::byte>, std::uint64_t);

/// What is put into a buffer, and whether it must be: what only built-in kernels write needs no fill.
struct Content {
  Filler filler = nullptr;
  bool is_result = false;
};

/// What the built-in kernel called `name` wants as its argument `position`.
Content content_for(const std::string& name, std::size_t position) {
  if (const kernels::BuiltinKernel* builtin = kernels::find_builtin(name)) return {builtin->fill, false};
  const kernels::PartitionKernel* kernel = kernels::find_partition_kernel(name);
  if (kernel == nullptr || position >= kernel->fills.size()) return {};
  return {kernel->fills[position], kernel->uses[position] == kernels::Use::out};
}

/// By buffer (the owner, for those that share host memory), what the first kernel that uses it says.
std::vector<Content> contents(const core::Plan& plan, const core::Bindings& bindings) {
  std::vector<Content> result(plan.buffers.size());
  std::vector<bool> known(plan.buffers.size(), false);
  for (const core::KernelCall& call : plan.calls) {
    const std::string& name = plan.kernels[core::index(call.kernel)];
    const bool of_user = is_of_user(bindings, name);
    const auto arguments = plan.arguments_of(call);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const auto* buffer = std::get_if<core::BufferId>(&arguments[a]);
      if (buffer == nullptr) continue;
      const std::size_t owner = core::index(core::host_owner(plan, *buffer));
      const Content wanted = of_user ? Content{} : content_for(name, a);
      if (!known[owner]) {
        result[owner] = wanted;
        known[owner] = true;
      }
      // An array that one kernel writes and another reads first must be defined.
      result[owner].is_result = result[owner].is_result && wanted.is_result;
      if (result[owner].filler == nullptr) result[owner].filler = wanted.filler;
    }
  }
  return result;
}

void fill(std::span<std::byte> host, const core::Bindings& bindings, const Content& content, std::size_t buffer) {
  if (bindings.fill) {
    bindings.fill(core::make_id<core::BufferId>(buffer), host);
  } else if (content.filler != nullptr) {
    content.filler(host, buffer);
  } else {
    std::fill(host.begin(), host.end(), std::byte{0});
  }
}

/// Whether memory stands as `content` wants it.
bool stands(const FillMark& mark, const Content& content, std::uint64_t bytes, const core::Bindings& bindings) {
  return !bindings.fill && mark.untouched && mark.filler == content.filler && mark.bytes == bytes;
}

/// Uploads through the first queue for copies to the device, and waits.
void upload(BufferMemory& memory, std::uint64_t bytes, Resources& resources) {
  if (bytes == 0) return;
  Queue& queue = *resources.queue(memory.device_index, core::LaneKind::copy, core::Direction::host_to_device, 0);
  queue.set_stamping(false);
  queue.copy(core::Direction::host_to_device, *memory.host, *memory.device(), bytes);
  const EventPtr done = queue.record();
  queue.flush();
  done->wait();
}

}  // namespace

void fill_buffers(const core::Plan& plan, const core::Bindings& bindings, Program& program, Resources& resources) {
  const std::vector<Content> wanted = contents(plan, bindings);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (!program.buffers[i] || plan.buffers[i].host_of != core::none<core::BufferId>()) continue;
    BufferMemory& memory = *program.buffers[i];
    const std::uint64_t bytes = plan.buffers[i].bytes;
    FillMark& mark = memory.block ? memory.block->mark : memory.mark;
    if (stands(mark, wanted[i], bytes, bindings)) continue;
    // Host memory comes zeroed or with the result of an earlier plan; either will do for what is overwritten.
    if (memory.block && wanted[i].is_result && !bindings.fill) continue;
    mark.untouched = false;
    const std::size_t device = memory.block ? memory.block->device_index : memory.device_index;
    const NearDevice near(resources.device(device).info());
    fill(memory.host->bytes().first(bytes), bindings, wanted[i], i);
    if (!memory.block) upload(memory, bytes, resources);
    mark = {!bindings.fill, wanted[i].filler, bytes};
  }
}

}  // namespace forelap::hw::execute
