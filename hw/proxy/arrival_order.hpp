#pragma once
// The policy that decides nothing: tasks go in the order in which they came.

#include <cstddef>
#include <deque>

#include "core/policy.hpp"

namespace forelap::hw::proxy {

class ArrivalOrder : public core::Policy {
 public:
  /// Groups hold at most `largest_group` tasks (at least 1): what is submitted can no longer be cancelled.
  explicit ArrivalOrder(std::size_t largest_group = 64);

  [[nodiscard]] std::string name() const override { return "arrival"; }
  void arrived(const core::OpenTask& task, core::Tick now) override;
  void withdrawn(core::TaskKey task, core::Tick now) override;
  void transferred(core::TaskKey, core::Tick) override {}
  void finished(core::TaskKey, core::Tick) override {}
  std::vector<core::TaskKey> next(core::Tick now, const core::StopToken& hurry) override;
  [[nodiscard]] bool knows_next() const override { return true; }
  void prepare(core::Tick, const core::StopToken&) override {}

 private:
  std::size_t largest_group_;
  std::deque<core::TaskKey> waiting_;
};

}  // namespace forelap::hw::proxy
