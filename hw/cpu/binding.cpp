#include "hw/cpu/binding.hpp"

#include <sched.h>

#include "hw/module.hpp"

namespace forelap::hw::cpu {
namespace {

class SchedulerBinding : public Binding {
 public:
  [[nodiscard]] std::string name() const override { return "sched_setaffinity"; }

  bool bind_thread(const std::vector<unsigned>& cores) override {
    constexpr std::size_t kMostCores = 8192;
    cpu_set_t* set = CPU_ALLOC(kMostCores);
    if (set == nullptr) return false;
    const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
    CPU_ZERO_S(bytes, set);
    for (const unsigned core : cores) CPU_SET_S(core, bytes, set);
    const bool bound = sched_setaffinity(0, bytes, set) == 0;
    CPU_FREE(set);
    return bound;
  }
};

std::unique_ptr<Binding> choose_binding() {
  const ModuleLookup hwloc = load_module("hwloc", "forelap_make_binding", "FORELAP_HWLOC", module_directories());
  if (hwloc.function != nullptr) {
    std::unique_ptr<Binding> made(reinterpret_cast<Binding* (*)()>(hwloc.function)());
    if (made) return made;
  }
  return make_scheduler_binding();
}

}  // namespace

std::unique_ptr<Binding> make_scheduler_binding() {
  return std::make_unique<SchedulerBinding>();
}

Binding& binding() {
  static Binding& chosen = *choose_binding().release();
  return chosen;
}

}  // namespace forelap::hw::cpu
