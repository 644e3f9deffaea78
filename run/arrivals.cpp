#include "run/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"

namespace forelap::run {

ArrivalSequence::ArrivalSequence(const scenarios::Online& online, std::size_t tasks_of_case, std::uint64_t seed)
    : closed_(online.arrivals == scenarios::Arrivals::closed),
      workers_(closed_ ? online.workers : 1),
      think_(core::ticks_from_seconds(online.think)) {
  const std::size_t each = online.tasks != 0 ? online.tasks : closed_ ? 1 : tasks_of_case;
  positions_.resize(each * workers_);
  core::Random random(seed);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const bool drawn = online.draw == scenarios::Draw::random;
    positions_[i] = static_cast<std::uint32_t>(drawn ? random.below(tasks_of_case) : i % tasks_of_case);
  }
  if (!closed_) {
    schedule_open(online, random.next());
    return;
  }
  sent_.assign(workers_, 1);
  for (std::uint32_t w = 0; w < workers_; ++w) scheduled_.push_back({w, positions_[w], w, 0});
}

void ArrivalSequence::schedule_open(const scenarios::Online& online, std::uint64_t seed) {
  core::Random random(seed);
  double time = 0;
  for (std::uint32_t i = 0; i < positions_.size(); ++i) {
    scheduled_.push_back({i, positions_[i], i, core::ticks_from_seconds(time)});
    if (online.arrivals == scenarios::Arrivals::every) time += online.interval;
    // 1 - u lies in (0, 1], where the logarithm is finite.
    if (online.arrivals == scenarios::Arrivals::poisson) time -= online.interval * std::log(1 - random.uniform());
    time = std::min(time, core::kLongestSeconds);
  }
}

std::optional<core::Tick> ArrivalSequence::next_time() const {
  if (scheduled_.empty()) return std::nullopt;
  return scheduled_.front().wished;
}

Coming ArrivalSequence::take() {
  const Coming next = scheduled_.front();
  scheduled_.pop_front();
  return next;
}

void ArrivalSequence::ended(std::uint32_t worker, core::Tick now) {
  if (!closed_) return;
  const std::uint32_t number = sent_.at(worker) * workers_ + worker;
  if (number >= positions_.size()) return;
  ++sent_[worker];
  // All think equally long, so what is scheduled later comes later.
  scheduled_.push_back({number, positions_[number], worker, now + think_});
}

}  // namespace forelap::run
