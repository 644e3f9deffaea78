#include "hw/cuda/memory_policy.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>

namespace forelap::hw::cuda {
namespace {

// Kernels are built for at most 1,024 nodes; the calls count one bit more than they read.
constexpr std::size_t kNodes = 1024;
constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
constexpr unsigned long kMaxNode = kNodes + 1;
using NodeMask = std::array<unsigned long, kNodes / kWordBits>;

}  // namespace

PreferNode::PreferNode(std::optional<unsigned> node) {
  if (!node || *node >= kNodes) return;
  int mode = 0;
  NodeMask mask{};
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), kMaxNode, nullptr, 0UL) != 0 || mode != MPOL_DEFAULT) return;
  mask = {};
  mask[*node / kWordBits] = 1UL << (*node % kWordBits);
  active_ = syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), kMaxNode) == 0;
}

PreferNode::~PreferNode() {
  if (active_) (void)syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL);
}

}  // namespace forelap::hw::cuda
