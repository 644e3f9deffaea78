#include <algorithm>

#include "hw/execute/near_device.hpp"
#include "hw/execute/program.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::execute {
namespace {

using Filler = void (*)(std::span<std::byte>, std::uint64_t);

/// By buffer, the fill of the first built-in kernel that uses it.
std::vector<Filler> builtin_fillers(const core::Plan& plan, const core::Bindings& bindings) {
  std::vector<Filler> fillers(plan.buffers.size(), nullptr);
  for (const core::KernelCall& call : plan.calls) {
    const std::string& name = plan.kernels[core::index(call.kernel)];
    const kernels::BuiltinKernel* builtin = kernels::find_builtin(name);
    if (builtin == nullptr || !source_of(bindings, name).text.empty()) continue;
    for (const core::Argument& argument : plan.arguments_of(call)) {
      const auto* buffer = std::get_if<core::BufferId>(&argument);
      if (buffer != nullptr && fillers[core::index(*buffer)] == nullptr) fillers[core::index(*buffer)] = builtin->fill;
    }
  }
  return fillers;
}

/// Uploads through the first queue for copies to the device, and waits.
void upload(BufferMemory& memory, std::uint64_t bytes, Resources& resources) {
  if (bytes == 0) return;
  Queue& queue = *resources.queue(memory.device_index, core::LaneKind::copy, core::Direction::host_to_device, 0);
  queue.set_stamping(false);
  queue.copy(core::Direction::host_to_device, *memory.host, *memory.device, bytes);
  const EventPtr done = queue.record();
  queue.flush();
  done->wait();
}

}  // namespace

void fill_buffers(const core::Plan& plan, const core::Bindings& bindings, Program& program, Resources& resources) {
  const std::vector<Filler> fillers = builtin_fillers(plan, bindings);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (!program.buffers[i]) continue;
    BufferMemory& memory = *program.buffers[i];
    const std::uint64_t bytes = plan.buffers[i].bytes;
    FillMark& mark = memory.mark;
    if (!bindings.fill && mark.untouched && mark.filler == fillers[i] && mark.bytes == bytes) continue;
    mark.untouched = false;
    const NearDevice near(resources.device(memory.device_index).info());
    const std::span<std::byte> host = memory.host->bytes().first(bytes);
    if (bindings.fill) {
      bindings.fill(core::make_id<core::BufferId>(i), host);
    } else if (fillers[i] != nullptr) {
      fillers[i](host, i);
    } else {
      std::fill(host.begin(), host.end(), std::byte{0});
    }
    upload(memory, bytes, resources);
    mark = {!bindings.fill, fillers[i], bytes};
  }
}

}  // namespace forelap::hw::execute
