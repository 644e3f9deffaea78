#include "hw/host_view.hpp"

#include <stdexcept>
#include <utility>

namespace forelap::hw {

HostView::HostView(std::shared_ptr<HostMemory> owner, std::uint64_t offset, std::uint64_t bytes)
    : owner_(std::move(owner)) {
  const std::span<std::byte> all = owner_->bytes();
  if (offset > all.size() || bytes > all.size() - offset) {
    throw std::invalid_argument("HostView: the stretch reaches beyond the host memory");
  }
  bytes_ = all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
}

}  // namespace forelap::hw
