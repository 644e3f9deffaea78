#include "sim/simgrid/helper_simulation.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <tuple>
#include <utility>

// clang-format off: version.h does not include what it needs, so it must come after s4u.hpp.
#include <simgrid/version.h>
// clang-format on

namespace forelap::sim::simgrid {
namespace {

namespace s4u = ::simgrid::s4u;
using core::ActivityClass;
using models::kNoDomain;

/// Settings of the engine. One simulated second stands for one picosecond: as seconds, plans of microseconds would
/// drown in SimGrid's precision of 1e-9. The lazy update (the default) does not notice that a rate changed on a host
/// where nothing started or ended.
std::vector<std::string> engine_arguments() {
  return {"forelap-simgrid",
          "--cfg=cpu/optim:Full",
          "--cfg=surf/precision:1e-9",
          "--cfg=contexts/stack-size:256",
          "--cfg=debug/verbose-exit:0",
          "--log=root.thres:critical",
          "--log=no_loc"};
}

/// Runs a plan: an actor a lane takes the lane's steps in order. Fixed parts are sleeps, work parts are executions on a
/// host that stands for one class in one pair of domains; kernels have a host a lane, since each has a rate of its own.
/// SimGrid shares the host among its executions, advances the clock and asks for the host's speed whenever anything
/// starts or ends. A host whose speed is zero is passed over, and its execution stays until there is speed again.
class Simulation {
 public:
  explicit Simulation(const CostedPlan& plan)
      : plan_(plan),
        active_(plan.domains.size()),
        kernels_(plan.domains.size()),
        intervals_(plan.steps.size()),
        waiting_for_(plan.steps.size()),
        lanes_(plan.hops.size()) {
    for (std::uint32_t id = 0; id < plan.steps.size(); ++id) lanes_[plan.steps[id].lane].steps.push_back(id);
    link_dependents();
  }

  std::vector<StepInterval> run(s4u::Engine& engine) {
    auto* zone = s4u::create_full_zone("plan");
    auto* control = zone->create_host("control", 1.0);
    for (const CostedStep& step : plan_.steps) hosts_of_steps_.push_back(host_for(*zone, step));
    zone->seal();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].steps.empty()) continue;
      lanes_[i].gate = s4u::Semaphore::create(0);
      s4u::Actor::create("lane" + std::to_string(i), control, [this, i] { run_lane(lanes_[i]); });
    }
    engine.run();
    return std::move(intervals_);
  }

 private:
  static constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();

  /// Orders work parts: when one began, then its step. The time is the sum of what led to it: the clock, which comes
  /// there by several sleeps, would tell apart what begins together.
  using Start = std::pair<double, std::uint32_t>;

  struct Lane {
    std::vector<std::uint32_t> steps;
    Start start{};           ///< of the work part under way
    s4u::SemaphorePtr gate;  ///< released when the step that the lane waits for may go on
    std::uint32_t held_step = kNoStep;
  };

  [[nodiscard]] std::span<const std::uint32_t> dependencies_of(const CostedStep& step) const {
    return std::span(plan_.dependencies).subspan(step.first_dependency, step.dependency_count);
  }

  /// Inverts the dependencies between lanes; those within a lane are kept by its order.
  void link_dependents() {
    first_dependent_.assign(plan_.steps.size() + 1, 0);
    const auto for_each_link = [this](auto&& visit) {
      for (std::uint32_t id = 0; id < plan_.steps.size(); ++id) {
        for (const std::uint32_t before : dependencies_of(plan_.steps[id])) {
          if (plan_.steps[before].lane != plan_.steps[id].lane) visit(before, id);
        }
      }
    };
    for_each_link([this](std::uint32_t before, std::uint32_t id) {
      ++first_dependent_[before + 1];
      ++waiting_for_[id];
    });
    for (std::size_t i = 1; i < first_dependent_.size(); ++i) first_dependent_[i] += first_dependent_[i - 1];
    dependents_.resize(first_dependent_.back());
    std::vector<std::size_t> next = first_dependent_;
    for_each_link([&](std::uint32_t before, std::uint32_t id) { dependents_[next[before]++] = id; });
  }

  s4u::Host* host_for(s4u::NetZone& zone, const CostedStep& step) {
    const models::StepCost& cost = step.cost;
    const bool is_kernel = cost.activity == ActivityClass::kernel;
    const auto key = std::make_tuple(cost.activity, cost.domains[0], cost.domains[1], is_kernel ? step.lane : 0);
    const auto known = hosts_.find(key);
    if (known != hosts_.end()) return known->second;
    s4u::Host* host = zone.create_host("work" + std::to_string(hosts_.size()), 1.0);
    // `executions` share what is returned evenly, so that each gets the rate.
    host->set_sharing_policy(
        s4u::Host::SharingPolicy::NONLINEAR,
        [this, activity = cost.activity, domains = cost.domains, lane = step.lane](double, int executions) {
          double rate = 1;
          // Kernels take turns on their device, the first domain, and share their host evenly.
          if (const std::uint32_t d = domains[0]; d != kNoDomain) {
            rate = plan_.domains[d].rate(activity, active_[d]) * share(lane, d);
          }
          if (const std::uint32_t d = domains[1]; d != kNoDomain) {
            rate = std::min(rate, plan_.domains[d].rate_shared(activity, active_[d]));
          }
          return executions * rate;
        });
    hosts_.emplace(key, host);
    return host;
  }

  /// What the kernels that began earlier leave to the kernel of `lane`; 1 where no kernel is under way.
  [[nodiscard]] double share(std::uint32_t lane, std::uint32_t domain) const {
    const auto& kernels = kernels_[domain];
    const auto own = kernels.find(lanes_[lane].start);
    if (own == kernels.end()) return 1;
    double earlier = 0;
    for (auto kernel = kernels.begin(); kernel != own; ++kernel) earlier += kernel->second;
    return plan_.domains[domain].kernel_share(earlier, own->second);
  }

  void run_lane(Lane& lane) {
    for (const std::uint32_t id : lane.steps) {
      const CostedStep& step = plan_.steps[id];
      if (waiting_for_[id] > 0) {
        lane.held_step = id;
        lane.gate->acquire();
        lane.held_step = kNoStep;
      }
      const double ready = std::max(s4u::Engine::get_clock(), ready_time(step));
      s4u::this_actor::sleep_until(ready);
      intervals_[id].begin = s4u::Engine::get_clock();
      double from = ready;
      for (std::uint32_t launch = 0; launch < step.cost.launches; ++launch) {
        if (step.cost.fixed > 0) s4u::this_actor::sleep_for(step.cost.fixed);
        lane.start = {from + step.cost.fixed, id};
        if (step.cost.work > 0) execute(step.cost, lane.start, hosts_of_steps_[id]);
        from = s4u::Engine::get_clock();
      }
      intervals_[id].end = s4u::Engine::get_clock();
      release_dependents(id);
    }
  }

  [[nodiscard]] double ready_time(const CostedStep& step) const {
    double ready = step.release;
    for (const std::uint32_t before : dependencies_of(step)) {
      if (plan_.steps[before].lane != step.lane)
        ready = std::max(ready, intervals_[before].end + plan_.hops[step.lane]);
    }
    return ready;
  }

  void execute(const models::StepCost& cost, Start start, s4u::Host* host) {
    const bool is_kernel = cost.activity == ActivityClass::kernel;
    // Two equal domains are one: the work part is active in it once.
    const std::size_t count = cost.domains[0] == cost.domains[1] ? 1 : 2;
    const auto domains = std::span(cost.domains).first(count);
    for (const std::uint32_t d : domains) {
      if (d == kNoDomain) continue;
      active_[d].add(cost.activity);
      if (is_kernel && d == domains[0]) kernels_[d].emplace(start, cost.fill);
    }
    s4u::ExecPtr exec = s4u::Exec::init()->set_flops_amount(cost.work)->set_host(host);
    exec->start();
    exec->wait();
    for (const std::uint32_t d : domains) {
      if (d == kNoDomain) continue;
      active_[d].remove(cost.activity);
      if (is_kernel && d == domains[0]) kernels_[d].erase(start);
    }
  }

  void release_dependents(std::uint32_t id) {
    const auto all = std::span(dependents_).first(first_dependent_[id + 1]).subspan(first_dependent_[id]);
    for (const std::uint32_t dependent : all) {
      if (--waiting_for_[dependent] > 0) continue;
      Lane& lane = lanes_[plan_.steps[dependent].lane];
      if (lane.held_step == dependent) lane.gate->release();
    }
  }

  const CostedPlan& plan_;
  std::vector<models::ActiveCounts> active_;      // by domain
  std::vector<std::map<Start, double>> kernels_;  // by domain: fills of those at work, in the order of their start
  std::vector<StepInterval> intervals_;
  std::vector<std::uint32_t> waiting_for_;  // by step: dependencies on other lanes that have not ended
  std::vector<std::size_t> first_dependent_;
  std::vector<std::uint32_t> dependents_;
  std::vector<Lane> lanes_;
  std::map<std::tuple<ActivityClass, std::uint32_t, std::uint32_t, std::uint32_t>, s4u::Host*> hosts_;
  std::vector<s4u::Host*> hosts_of_steps_;
};

}  // namespace

std::vector<StepInterval> simulate(const CostedPlan& plan) {
  std::vector<std::string> arguments = engine_arguments();
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, pointers.data());
  Simulation simulation(plan);
  return simulation.run(engine);
}

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  std::string version = std::to_string(major) + "." + std::to_string(minor);
  if (patch != 0) version += "." + std::to_string(patch);
  return version;
}

}  // namespace forelap::sim::simgrid
