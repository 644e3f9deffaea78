#include "hw/plan_executor.hpp"

#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/execute/prepared.hpp"
#include "hw/execute/resources.hpp"
#include "hw/execute/session.hpp"

namespace forelap::hw {
namespace {

class PlanExecutor : public core::Executor {
 public:
  explicit PlanExecutor(std::vector<std::shared_ptr<Device>> devices)
      : resources_(std::make_shared<execute::Resources>(std::move(devices))) {}

  [[nodiscard]] std::string name() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < resources_->device_count(); ++i) {
      names.push_back(resources_->device(i).info().identity.backend);
    }
    return "hardware (" + core::join_names(names) + ")";
  }

  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings) override {
    return execute::prepare(plan, bindings, resources_);
  }

  std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings) override {
    return execute::open_session(frame, bindings, resources_);
  }

 private:
  std::shared_ptr<execute::Resources> resources_;
};

/// Groups of cores that work side by side have cores of their own.
void refuse_shared_cores(const std::vector<std::shared_ptr<Device>>& devices) {
  std::map<unsigned, std::size_t> owner;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (const unsigned core : devices[d]->info().host_cores) {
      const auto [at, fresh] = owner.emplace(core, d);
      if (fresh) continue;
      core::throw_bad_input(
          "devices " + std::to_string(at->second) + " (cpu:" + cpu::cores_text(devices[at->second]->info().host_cores) +
          ") and " + std::to_string(d) + " (cpu:" + cpu::cores_text(devices[d]->info().host_cores) +
          ") both have core " + std::to_string(core) + "; groups of cores that work together must not overlap");
    }
  }
}

}  // namespace

std::unique_ptr<core::Executor> make_plan_executor(std::vector<std::shared_ptr<Device>> devices) {
  for (const auto& device : devices) {
    if (!device) core::throw_bad_input("an executor needs open devices");
  }
  refuse_shared_cores(devices);
  return std::make_unique<PlanExecutor>(std::move(devices));
}

}  // namespace forelap::hw
