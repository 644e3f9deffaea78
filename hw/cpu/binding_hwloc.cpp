// The module forelap_hwloc: binds threads by hwloc, which also knows systems whose scheduler call differs.

#include <hwloc.h>

#include <new>

#include "hw/cpu/binding.hpp"

namespace forelap::hw::cpu {
namespace {

class HwlocBinding : public Binding {
 public:
  explicit HwlocBinding(hwloc_topology_t topology) : topology_(topology) {}
  ~HwlocBinding() override { hwloc_topology_destroy(topology_); }
  HwlocBinding(const HwlocBinding&) = delete;
  HwlocBinding& operator=(const HwlocBinding&) = delete;

  [[nodiscard]] std::string name() const override { return "hwloc"; }

  bool bind_thread(const std::vector<unsigned>& cores) override {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == nullptr) return false;
    for (const unsigned core : cores) hwloc_bitmap_set(set, core);
    const bool bound = hwloc_set_cpubind(topology_, set, HWLOC_CPUBIND_THREAD) == 0;
    hwloc_bitmap_free(set);
    return bound;
  }

 private:
  hwloc_topology_t topology_;
};

}  // namespace
}  // namespace forelap::hw::cpu

/// Null where hwloc cannot read this machine.
extern "C" forelap::hw::cpu::Binding* forelap_make_binding() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  if (hwloc_topology_load(topology) != 0) {
    hwloc_topology_destroy(topology);
    return nullptr;
  }
  return new (std::nothrow) forelap::hw::cpu::HwlocBinding(topology);
}
