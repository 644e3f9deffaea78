#pragma once
// Binding threads to cores: by hwloc where its module is here, else by the scheduler's own call.

#include <memory>
#include <string>
#include <vector>

namespace forelap::hw::cpu {

class Binding {
 public:
  virtual ~Binding() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Binds the calling thread to `cores`, as the kernel numbers them; false where the system refuses, and the thread
  /// then runs where it may.
  virtual bool bind_thread(const std::vector<unsigned>& cores) = 0;
};

/// The binding of this process, chosen at the first call. Thread-safe.
Binding& binding();
/// By sched_setaffinity.
std::unique_ptr<Binding> make_scheduler_binding();

}  // namespace forelap::hw::cpu
