#include "run/online_driver.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>

namespace forelap::run {
namespace {

using core::TaskKey;
using core::Tick;

class Driver {
 public:
  Driver(core::Session& session, OnlinePlans& plans, ArrivalSequence arrivals, core::Policy& policy,
         const TaskFacts& facts, std::size_t queue)
      : session_(session),
        plans_(plans),
        arrivals_(std::move(arrivals)),
        policy_(policy),
        facts_(facts),
        queue_(queue),
        started_(session.now()) {
    run_.latencies.resize(arrivals_.total());
  }

  OnlineRun run(const core::StopToken& stop) {
    act();
    while (const auto event = session_.next_event()) {
      if (stop.stop_requested()) {
        run_.complete = false;
        return std::move(run_);
      }
      take(*event);
      act();
    }
    if (ended_ != arrivals_.total()) throw std::logic_error("policy " + policy_.name() + " left tasks behind");
    return std::move(run_);
  }

 private:
  /// What a step of the session is.
  struct Meaning {
    bool timer = false;
    bool last_htod = false;
    bool last = false;
    std::uint32_t task = 0;
  };

  [[nodiscard]] Tick now() const { return session_.now() - started_; }

  void act() {
    // A group that needs no transfers leaves the way free for the next one at once.
    do admit();
    while (submit_group());
    if (!waiting_.empty()) policy_.prepare(now(), {});
    set_timer();
  }

  void admit() {
    while (arrivals_.next_time() && *arrivals_.next_time() <= now()) held_back_.push_back(arrivals_.take());
    while (!held_back_.empty() && waiting_.size() < queue_) {
      const Coming coming = held_back_.front();
      held_back_.pop_front();
      core::OpenTask task = facts_.at(coming.position);
      task.key = coming.number;
      task.worker = coming.worker;
      waiting_[task.key] = coming;
      policy_.arrived(task, now());
    }
  }

  /// False where the policy has nothing to submit.
  bool submit_group() {
    const std::vector<TaskKey> keys = policy_.next(now(), {});
    if (keys.empty()) return false;
    std::vector<Coming> group;
    std::vector<std::uint32_t> positions;
    for (const TaskKey key : keys) {
      const auto at = waiting_.find(key);
      if (at == waiting_.end()) throw std::logic_error("policy " + policy_.name() + " named a task that does not wait");
      group.push_back(at->second);
      positions.push_back(at->second.position);
      run_.order.push_back(at->second.number);
      waiting_.erase(at);
    }
    run_.groups.push_back(static_cast<std::uint32_t>(group.size()));
    const GroupFragment fragment = plans_.group(positions);
    for (const auto& step : fragment.steps) {
      meanings_.push_back({false, step.last_htod, step.last, group[step.place].number});
    }
    for (const Coming& task : group) tasks_[task.number] = task;
    if (!fragment.plan.steps.empty()) session_.submit(fragment.plan);
    for (const Coming& task : group) {
      if (!plans_.has_htod(task.position)) policy_.transferred(task.number, now());
      if (!plans_.has_steps(task.position)) end(task.number, now());
    }
    return true;
  }

  void set_timer() {
    const auto next = arrivals_.next_time();
    if (timer_set_ || !next) return;
    // On hardware time has gone on since they were last looked at.
    session_.submit(plans_.timer(std::max<Tick>(1, *next - now())));
    meanings_.push_back({true, false, false, 0});
    timer_set_ = true;
  }

  void take(const core::StepEvent& event) {
    const Meaning meaning = meanings_.at(index(event.step));
    if (meaning.timer) {
      timer_set_ = false;
      return;
    }
    if (meaning.last_htod) policy_.transferred(meaning.task, now());
    if (meaning.last) end(meaning.task, event.end - started_);
  }

  void end(std::uint32_t number, Tick time) {
    const auto at = tasks_.find(number);
    run_.latencies[number] = time - at->second.wished;
    run_.makespan = std::max(run_.makespan, time);
    ++ended_;
    policy_.finished(number, now());
    arrivals_.ended(at->second.worker, now());
    tasks_.erase(at);
  }

  core::Session& session_;
  OnlinePlans& plans_;
  ArrivalSequence arrivals_;
  core::Policy& policy_;
  const TaskFacts& facts_;
  std::size_t queue_;
  Tick started_;
  OnlineRun run_;
  std::deque<Coming> held_back_;
  std::map<TaskKey, Coming> waiting_;      ///< told to the policy, not submitted
  std::map<std::uint32_t, Coming> tasks_;  ///< submitted, not ended
  std::vector<Meaning> meanings_;          ///< by step
  std::size_t ended_ = 0;
  bool timer_set_ = false;
};

}  // namespace

OnlineRun run_online(core::Session& session, OnlinePlans& plans, ArrivalSequence arrivals, core::Policy& policy,
                     const TaskFacts& facts, std::size_t queue, const core::StopToken& stop) {
  return Driver(session, plans, std::move(arrivals), policy, facts, queue).run(stop);
}

}  // namespace forelap::run
