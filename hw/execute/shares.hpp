#pragma once
// Memory of the buffers of a plan that share it: one array on the host, divided over devices, and device memory that
// buffers take turns in.

#include <memory>
#include <vector>

#include "core/executor.hpp"
#include "hw/execute/resources.hpp"

namespace forelap::hw::execute {

class Shares {
 public:
  using Buffers = std::vector<std::shared_ptr<BufferMemory>>;

  Shares(const core::Plan& plan, Resources& resources);

  /// Whether the buffer shares memory of either side, is shared, is in place, or is host memory only.
  [[nodiscard]] bool shares(core::BufferId buffer) const { return shares_[core::index(buffer)]; }
  /// Allocates the host memory that is shared; its size is the owner's, whatever its parts are.
  void make_owners(Buffers& buffers);
  /// Both sides of a buffer that shares; what it shares is made where it is not there yet.
  std::shared_ptr<BufferMemory> make(core::BufferId buffer, Buffers& buffers);
  /// The blocks of host memory that a run writes: by copies, and by kernels in place unless they are built in and only
  /// read it.
  [[nodiscard]] std::vector<std::shared_ptr<HostBlock>> written(const core::Bindings& bindings,
                                                                const Buffers& buffers) const;

 private:
  /// Position among the buffers of its device with shared device memory: the same in the plans of a sweep, whatever the
  /// sizes are.
  [[nodiscard]] std::size_t ordinal(std::size_t buffer) const;
  void make_device_side(std::size_t buffer, BufferMemory& memory, Buffers& buffers);

  const core::Plan& plan_;
  Resources& resources_;
  std::vector<bool> shares_;  ///< by buffer
};

}  // namespace forelap::hw::execute
