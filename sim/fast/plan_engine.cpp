#include "sim/fast/plan_engine.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace forelap::sim::fast {

PlanEngine::PlanEngine(const models::CostModel& model, std::size_t lanes, std::uint32_t first_id)
    : first_id_(first_id),
      whole_length_(model.mode() == core::InterferenceMode::full),
      lanes_(lanes),
      domains_(model.domain_count()),
      heap_(lanes),
      place_(lanes) {
  for (std::size_t i = 0; i < lanes; ++i) {
    lanes_[i].hop = model.hop(core::make_id<core::LaneId>(i));
    lanes_[i].submit = model.submit(core::make_id<core::LaneId>(i));
    heap_[i].lane = static_cast<std::uint32_t>(i);
    place_[i] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const models::RateTable& table = model.domain(i);
    if (table.is_trivial()) continue;
    domains_[i].table = &table;
    domains_[i].in_order = i < model.device_domains();
    for (std::size_t c = 0; c < kClasses; ++c) {
      if (table.capacity(static_cast<core::ActivityClass>(c)) < 1) domains_[i].one_fits = false;
    }
  }
}

void PlanEngine::reserve(std::size_t steps, std::size_t dependencies) {
  steps_.reserve(steps);
  edges_.reserve(dependencies);
}

void PlanEngine::append(const core::Plan& plan, StepObserver& observer) {
  if (plan.first_id != first_id_ + steps_.size()) {
    throw std::invalid_argument("the steps of a fragment must be numbered from " +
                                std::to_string(first_id_ + steps_.size()) + ", not from " +
                                std::to_string(plan.first_id));
  }
  for (Lane& lane : lanes_) {
    // The submitting thread starts anew unless it still has steps of an earlier submission to hand over.
    const double busy_until = lane.submit_start + lane.submit * (lane.appended - lane.submitted_from);
    if (busy_until <= now_) {
      lane.submit_start = now_;
      lane.submitted_from = lane.appended;
    }
  }
  const std::size_t first = steps_.size();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    add_step(plan, plan.steps[i], static_cast<std::uint32_t>(first + i));
  }
  unfinished_ += plan.steps.size();
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    if (lane.phase == Phase::idle && lane.head != kNone && steps_[lane.head].waiting_for == 0) begin_step(i, observer);
  }
  // Steps without work end at this very instant, and what waits for them begins at it: rates are those behind all that.
  if (heap_.empty() || heap_.front().time > now_) estimate_changed();
}

void PlanEngine::add_step(const core::Plan& plan, const core::Step& step, std::uint32_t id) {
  StepState state;
  state.lane = static_cast<std::uint32_t>(index(step.lane));
  Lane& lane = lanes_[state.lane];
  for (const core::StepId dependency : plan.dependencies_of(step)) {
    const auto named = static_cast<std::uint32_t>(index(dependency));
    if (named < first_id_) continue;
    if (named - first_id_ >= id) throw std::invalid_argument("a step depends on itself or a later one");
    StepState& before = steps_[named - first_id_];
    // The order of the lane already keeps this one.
    if (before.lane == state.lane) continue;
    if (before.waiting_for == kNone) {
      state.ready = std::max(state.ready, before.ready + lane.hop);
      continue;
    }
    edges_.push_back({id, before.first_edge});
    before.first_edge = static_cast<std::uint32_t>(edges_.size() - 1);
    ++state.waiting_for;
  }
  if (lane.head == kNone) {
    lane.head = id;
    lane.position = lane.appended;
  } else {
    steps_[lane.tail].next_on_lane = id;
  }
  lane.tail = id;
  ++lane.appended;
  steps_.push_back(state);
}

bool PlanEngine::advance(StepObserver& observer) {
  const double time = next_time();
  if (time == kNever) return false;
  now_ = time;
  while (heap_.front().time == time) {
    const std::uint32_t lane = heap_.front().lane;
    if (lanes_[lane].phase == Phase::work && lanes_[lane].rate == kNoRate) {
      // Work that began at this instant: its past event stays until it is estimated, unless it hides another.
      if (!hides_event_at(time)) break;
      set_event(lane, kNever, kNone);
    } else if (lanes_[lane].phase == Phase::before_work) {
      begin_work(lane);
    } else {
      finish_step(lane, observer);
    }
  }
  estimate_changed();
  return true;
}

/// Whether an event right below the first of the heap is at `time` too.
bool PlanEngine::hides_event_at(double time) const {
  return (heap_.size() > 1 && heap_[1].time == time) || (heap_.size() > 2 && heap_[2].time == time);
}

/// The head of the lane has all it waited for: decides when it begins and what happens next on the lane.
void PlanEngine::begin_step(std::uint32_t lane_id, StepObserver& observer) {
  Lane& lane = lanes_[lane_id];
  const std::uint32_t step = lane.head;
  const models::StepCost cost = observer.price(step + first_id_);
  lane.begin = std::max(now_, steps_[step].ready);
  if (lane.position > lane.submitted_from) {
    const double turn = lane.submit_start + lane.submit * (lane.position - lane.submitted_from);
    lane.begin = std::max(lane.begin, turn);
  }
  lane.fixed = cost.fixed;
  lane.launches_left = cost.launches;
  lane.work_begin = lane.begin + cost.fixed;
  lane.work = cost.work;
  if (!(cost.work > 0)) {
    lane.phase = Phase::last;
    set_event(lane_id, lane.work_begin + cost.fixed * (cost.launches - 1), step);
    return;
  }
  lane.activity = cost.activity;
  lane.fill = cost.fill;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::uint32_t domain = cost.domains[side];
    const bool slows =
        domain != models::kNoDomain && domains_[domain].table != nullptr && (side == 0 || domain != cost.domains[0]);
    lane.domains[side] = slows ? domain : models::kNoDomain;
    lane.domain_rates[side] = slows ? &domains_[domain].rates[static_cast<std::size_t>(cost.activity)] : &kFullRate;
  }
  if (lane.work_begin <= now_) {
    begin_work(lane_id);
  } else {
    lane.phase = Phase::before_work;
    set_event(lane_id, lane.work_begin, step);
  }
}

void PlanEngine::begin_work(std::uint32_t lane_id) {
  Lane& lane = lanes_[lane_id];
  lane.phase = Phase::work;
  lane.remaining = lane.work;
  lane.updated = now_;
  lane.rate = kNoRate;
  for (std::size_t side = 0; side < 2; ++side) {
    if (lane.domains[side] != models::kNoDomain) enter(lane_id, side);
  }
  fresh_lanes_.push_back(lane_id);
}

/// A launch has ended and the step has more: the next one queues up behind what waits for the device by now.
void PlanEngine::begin_next_launch(std::uint32_t lane_id) {
  Lane& lane = lanes_[lane_id];
  --lane.launches_left;
  lane.work_begin = now_ + lane.fixed;
  if (lane.work_begin <= now_) {
    begin_work(lane_id);
  } else {
    lane.phase = Phase::before_work;
    set_event(lane_id, lane.work_begin, lane.head);
  }
}

void PlanEngine::finish_step(std::uint32_t lane_id, StepObserver& observer) {
  Lane& lane = lanes_[lane_id];
  if (lane.phase == Phase::work) {
    end_work(lane);
    if (lane.launches_left > 1) {
      begin_next_launch(lane_id);
      return;
    }
  }
  const std::uint32_t step = lane.head;
  StepState& state = steps_[step];
  state.waiting_for = kNone;
  state.ready = now_;
  --unfinished_;
  observer.finished(step + first_id_, lane_id, lane.begin, now_);

  lane.phase = Phase::idle;
  lane.head = state.next_on_lane;
  ++lane.position;
  if (lane.head != kNone && steps_[lane.head].waiting_for == 0) {
    begin_step(lane_id, observer);
  } else {
    set_event(lane_id, kNever, kNone);
  }
  release(step, observer);
}

/// Tells the steps that wait for `step` that it has finished.
void PlanEngine::release(std::uint32_t step, StepObserver& observer) {
  for (std::uint32_t e = steps_[step].first_edge; e != kNone; e = edges_[e].next) {
    const std::uint32_t waiting = edges_[e].waiting;
    StepState& state = steps_[waiting];
    const Lane& lane = lanes_[state.lane];
    state.ready = std::max(state.ready, now_ + lane.hop);
    if (--state.waiting_for == 0 && lane.head == waiting) begin_step(state.lane, observer);
  }
}

void PlanEngine::end_work(Lane& lane) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (lane.domains[side] != models::kNoDomain) leave(lane, side);
  }
}

void PlanEngine::enter(std::uint32_t lane_id, std::size_t side) {
  Lane& lane = lanes_[lane_id];
  Domain& domain = domains_[lane.domains[side]];
  lane.member[side] = static_cast<std::uint32_t>(domain.members.size());
  domain.members.push_back(lane_id);
  domain.active.add(lane.activity);
  if (domain.active.count[static_cast<std::size_t>(lane.activity)] == 1) {
    ++domain.classes;
    domain.set |= core::bit(lane.activity);
  } else if (lane.activity == core::ActivityClass::kernel && domain.in_order) {
    enter_queue(lane_id, domain);
  }
  mark(lane.domains[side]);
}

/// Times do not go back, so the place is at the end but for other kernels of this instant.
void PlanEngine::enter_queue(std::uint32_t lane_id, Domain& domain) {
  if (domain.queue.empty()) {
    const auto is_kernel = [this](std::uint32_t id) { return lanes_[id].activity == core::ActivityClass::kernel; };
    domain.queue.push_back(*std::find_if(domain.members.begin(), domain.members.end(), is_kernel));
  }
  const Lane& lane = lanes_[lane_id];
  auto place = domain.queue.end();
  while (place != domain.queue.begin()) {
    const Lane& before = lanes_[*(place - 1)];
    if (before.work_begin != lane.work_begin || before.head < lane.head) break;
    --place;
  }
  domain.queue.insert(place, lane_id);
}

void PlanEngine::leave_queue(Lane& lane, Domain& domain) {
  const auto is_it = [&](std::uint32_t id) { return &lanes_[id] == &lane; };
  domain.queue.erase(std::find_if(domain.queue.begin(), domain.queue.end(), is_it));
  lane.share = 1;
  lane.served = 0;
}

void PlanEngine::leave(Lane& lane, std::size_t side) {
  const std::uint32_t id = lane.domains[side];
  Domain& domain = domains_[id];
  if (!domain.queue.empty() && lane.activity == core::ActivityClass::kernel) leave_queue(lane, domain);
  const std::uint32_t last = domain.members.back();
  domain.members[lane.member[side]] = last;
  lanes_[last].member[lanes_[last].domains[0] == id ? 0 : 1] = lane.member[side];
  domain.members.pop_back();
  domain.active.remove(lane.activity);
  if (domain.active.count[static_cast<std::size_t>(lane.activity)] == 0) {
    --domain.classes;
    domain.set &= ~unsigned{core::bit(lane.activity)};
  }
  mark(id);
}

void PlanEngine::mark(std::uint32_t domain) {
  if (domains_[domain].changed) return;
  domains_[domain].changed = true;
  changed_domains_.push_back(domain);
}

/// Whether a class that shares evenly has more than its capacity.
bool PlanEngine::is_crowded(const Domain& domain) {
  if (domain.one_fits && domain.members.size() == domain.classes) return false;
  const unsigned in_order = domain.in_order ? unsigned{core::bit(core::ActivityClass::kernel)} : 0U;
  for (unsigned left = domain.set & ~in_order; left != 0; left &= left - 1) {
    const auto c = static_cast<core::ActivityClass>(std::countr_zero(left));
    if (domain.active.count[static_cast<std::size_t>(c)] > domain.table->capacity(c)) return true;
  }
  return false;
}

/// The rates of what is active now, and which of them are new.
void PlanEngine::update_rates(Domain& domain) {
  domain.differ = 0;
  const bool crowded = is_crowded(domain);
  if (domain.set == domain.set_before && !crowded && !domain.crowded) return;
  unsigned differ = 0;
  for (unsigned left = domain.set; left != 0; left &= left - 1) {
    const auto c = static_cast<core::ActivityClass>(std::countr_zero(left));
    const double rate =
        crowded ? (domain.in_order ? domain.table->rate(c, domain.active) : domain.table->rate_shared(c, domain.active))
                : domain.table->rate_in_set(c, static_cast<core::ActivitySet>(domain.set));
    double& known = domain.rates[static_cast<std::size_t>(c)];
    if (rate != known) differ |= core::bit(c);
    known = rate;
  }
  domain.differ = differ & domain.set_before;
  domain.set_before = domain.set;
  domain.crowded = crowded;
}

/// What each kernel of the queue gets of the device.
void PlanEngine::update_shares(Domain& domain) {
  double earlier = 0;
  for (const std::uint32_t id : domain.queue) {
    Lane& lane = lanes_[id];
    const double share = domain.table->kernel_share(earlier, lane.fill);
    earlier += lane.fill;
    if (share == lane.share) continue;
    if (whole_length_) {
      lane.served += (now_ - lane.updated) * lane.share;
      lane.updated = now_;
    }
    lane.share = share;
    domain.differ |= core::bit(core::ActivityClass::kernel);
  }
}

/// Estimates the ends of the steps whose rates this instant has changed.
void PlanEngine::estimate_changed() {
  // Every domain first: a step in two of them takes the smaller of two rates of the same instant.
  for (const std::uint32_t id : changed_domains_) {
    update_rates(domains_[id]);
    if (!domains_[id].queue.empty()) update_shares(domains_[id]);
  }
  for (const std::uint32_t id : changed_domains_) {
    Domain& domain = domains_[id];
    domain.changed = false;
    if (domain.differ == 0) continue;
    for (const std::uint32_t lane : domain.members) {
      if ((domain.differ & core::bit(lanes_[lane].activity)) != 0) estimate(lane);
    }
  }
  changed_domains_.clear();
  for (const std::uint32_t lane : fresh_lanes_) estimate(lane);
  fresh_lanes_.clear();
}

void PlanEngine::estimate(std::uint32_t lane_id) {
  Lane& lane = lanes_[lane_id];
  if (lane.phase != Phase::work) return;
  if (whole_length_) {
    estimate_whole(lane_id);
    return;
  }
  const double rate = std::min(*lane.domain_rates[0], *lane.domain_rates[1]) * lane.share;
  if (rate == lane.rate) return;
  lane.remaining = std::max(0.0, lane.remaining - (now_ - lane.updated) * lane.rate);
  lane.updated = now_;
  lane.rate = rate;
  set_event(lane_id, rate > 0 ? now_ + lane.remaining / rate : kNever, lane.head);
}

/// The whole work takes as long as at the smallest rate it met; time in which only a part of it runs counts in part.
void PlanEngine::estimate_whole(std::uint32_t lane_id) {
  Lane& lane = lanes_[lane_id];
  const double rate = std::min(*lane.domain_rates[0], *lane.domain_rates[1]);
  const bool fresh = lane.rate == kNoRate;
  if (!fresh && rate >= lane.rate && lane.activity != core::ActivityClass::kernel) return;
  lane.rate = fresh ? rate : std::min(rate, lane.rate);
  const double left = std::max(0.0, lane.work / lane.rate - lane.served);
  set_event(lane_id, lane.share > 0 ? lane.updated + left / lane.share : kNever, lane.head);
}

void PlanEngine::set_event(std::uint32_t lane, double time, std::uint32_t step) {
  const std::size_t place = place_[lane];
  const Event event{time, step, lane};
  if (event.before(heap_[place])) {
    sift_up(place, event);
  } else {
    sift_down(place, event);
  }
}

void PlanEngine::put(std::size_t place, const Event& event) {
  heap_[place] = event;
  place_[event.lane] = static_cast<std::uint32_t>(place);
}

void PlanEngine::sift_up(std::size_t place, Event event) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!event.before(heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, event);
}

void PlanEngine::sift_down(std::size_t place, Event event) {
  const std::size_t size = heap_.size();
  for (std::size_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(event)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, event);
}

}  // namespace forelap::sim::fast
