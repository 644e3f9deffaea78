#pragma once
// Puts host memory next to a device on machines with several memory nodes.

#include <optional>

namespace forelap::hw::cuda {

/// While it lives, the calling thread's new pages come from `node` where there is room. Does nothing without a node,
/// where the kernel refuses (containers often do), or where the user has chosen a policy (numactl): that one stays.
/// Restores the default policy at its end; must end on the thread that began it.
class PreferNode {
 public:
  explicit PreferNode(std::optional<unsigned> node);
  ~PreferNode();
  PreferNode(const PreferNode&) = delete;
  PreferNode& operator=(const PreferNode&) = delete;

  [[nodiscard]] bool active() const { return active_; }

 private:
  bool active_ = false;
};

}  // namespace forelap::hw::cuda
