#include "evolve/de/coevolution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/error.hpp"

namespace forelap::evolve::de {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check(const CoevolutionSettings& settings) {
  if (settings.ranks == 0) core::throw_bad_input("no rank: give at least one");
  if (settings.generations == 0) core::throw_bad_input("no generation between exchanges: give at least one");
  if (settings.population < kLeastPopulation) {
    core::throw_bad_input("a population of " + std::to_string(settings.population) +
                          ": differential evolution needs at least 5 individuals");
  }
}

void put(std::vector<double>& vector, const Variables& variables, std::span<const double> part) {
  for (std::size_t j = 0; j < variables.size(); ++j) vector[variables[j]] = part[j];
}

// The part of `states` with the best individual, the first of equals.
std::size_t best_part(const std::vector<SansdeState>& states) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < states.size(); ++k) {
    if (states[k].fitness[states[k].best()] < states[best].fitness[states[best].best()]) best = k;
  }
  return best;
}

void check_reply(const RoundReply& reply, const RoundOrder& order) {
  bool same = reply.round == order.round && reply.results.size() == order.tasks.size();
  for (std::size_t i = 0; same && i < order.tasks.size(); ++i) {
    const SansdeState &sent = order.tasks[i].state, &got = reply.results[i].state;
    same = reply.results[i].group == order.tasks[i].group && reply.results[i].replica == order.tasks[i].replica &&
           got.count == sent.count && got.dimension == sent.dimension && got.x.size() == sent.x.size() &&
           got.fitness.size() == sent.fitness.size();
  }
  if (same) return;
  core::throw_bad_input("the reply of rank " + std::to_string(reply.rank) + " of round " + std::to_string(reply.round) +
                        " does not answer its order of round " + std::to_string(order.round));
}

}  // namespace

RoundReply carry_out(RoundOrder order, const Box& box, const Groups& groups, Objective& objective) {
  RoundReply reply{order.rank, order.round, {}};
  for (GroupTask& task : order.tasks) {
    const Variables& variables = groups.at(task.group);
    const auto part = objective.part(order.context, variables);
    evaluate_all(task.state, *part);
    std::vector<double> leader;
    Neighbours neighbours;
    if (order.pool) {
      for (const std::uint32_t i : variables) leader.push_back(order.context[i]);
      neighbours = {task.foreign, leader, order.context_value};
    }
    optimise(task.state, part_of(box, variables), *part, order.generations, neighbours);
    reply.results.push_back({task.group, task.replica, std::move(task.state)});
  }
  return reply;
}

std::uint64_t rounds_for(std::uint64_t evaluations, Budget budget, const CoevolutionSettings& settings,
                         std::size_t groups) {
  const std::uint64_t cost = settings.population * (settings.generations + 1);
  const std::uint64_t turns = budget == Budget::rounds ? groups : (groups + settings.ranks - 1) / settings.ranks;
  return std::max<std::uint64_t>(1, evaluations / std::max<std::uint64_t>(1, cost * turns));
}

Coevolution::Coevolution(CoevolutionSettings settings, Box box, Groups groups)
    : settings_(settings), box_(std::move(box)), groups_(std::move(groups)) {
  de::check(box_);
  de::check(groups_, box_.dimension());
  check(settings_);
  for (const Variables& group : groups_) boxes_.push_back(part_of(box_, group));
}

Coevolution::Coevolution(CoevolutionSettings settings, Box box, Groups groups, Objective& objective)
    : Coevolution(settings, std::move(box), std::move(groups)) {
  if (objective.dimension() != box_.dimension()) {
    core::throw_bad_input("a function of " + std::to_string(objective.dimension()) + " variables and bounds of " +
                          std::to_string(box_.dimension()));
  }
  SansdeState whole =
      random_population(box_, settings_.population, Random(stream_key(settings_.seed, Purpose::initial, {0})));
  evaluate_all(whole, objective);
  replace_unusable(whole, box_, objective);
  evaluations_ = whole.evaluations;
  rejected_ = whole.rejected;
  const auto best = whole.individual(whole.best());
  context_.assign(best.begin(), best.end());
  merged_value_ = context_value_ = whole.fitness[whole.best()];
  split(whole);
}

void Coevolution::split(const SansdeState& whole) {
  states_.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t parts = pooled() ? replicas_of(g) : 1;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::uint64_t key = stream_key(settings_.seed, Purpose::initial, {1, g, k});
      states_[g].push_back(random_population(boxes_[g], settings_.population, Random(key)));
    }
    SansdeState& first = states_[g].front();
    for (std::size_t i = 0; i < first.count; ++i) {
      for (std::size_t j = 0; j < first.dimension; ++j) {
        first.x[i * first.dimension + j] = whole.x[i * whole.dimension + groups_[g][j]];
      }
    }
    first.fitness = whole.fitness;
  }
}

std::size_t Coevolution::replicas_of(std::size_t group) const {
  if (settings_.ranks <= groups_.size()) return 1;
  return settings_.ranks / groups_.size() + (group < settings_.ranks % groups_.size() ? 1 : 0);
}

GroupTask Coevolution::task(std::size_t group, std::size_t replica) const {
  const std::vector<SansdeState>& states = states_[group];
  GroupTask result{group, replica, states[pooled() ? replica : 0], {}};
  if (!settings_.keep_adaptation) result.state.adaptation = {};
  result.state.random = Random(stream_key(settings_.seed, Purpose::group, {group, replica, round_}));
  result.state.evaluations = result.state.rejected = 0;
  for (std::size_t k = 0; pooled() && k < states.size(); ++k) {
    if (k != replica) result.foreign.insert(result.foreign.end(), states[k].x.begin(), states[k].x.end());
  }
  return result;
}

RoundOrder Coevolution::order(std::size_t rank) const {
  if (rank >= settings_.ranks) {
    core::throw_bad_input("rank " + std::to_string(rank) + " of " + std::to_string(settings_.ranks));
  }
  RoundOrder result{rank, round_, settings_.generations, pooled(), context_value_, context_, {}};
  const std::size_t groups = groups_.size();
  if (settings_.ranks > groups) {
    result.tasks.push_back(task(rank % groups, rank / groups));
  } else {
    for (std::size_t g = rank; g < groups; g += settings_.ranks) result.tasks.push_back(task(g, 0));
  }
  return result;
}

void Coevolution::keep(GroupResult&& result) {
  evaluations_ += result.state.evaluations;
  rejected_ += result.state.rejected;
  SansdeState& kept = states_[result.group][pooled() ? result.replica : 0];
  // Replicas come in ascending order: the first replaces last round's state, the others only where strictly better.
  SansdeState& found = result.state;
  const bool better = found.fitness[found.best()] < kept.fitness[kept.best()];
  if (pooled() || result.replica == 0) {
    kept = std::move(found);
  } else if (settings_.sharing == Sharing::best_rank) {
    if (better) kept = std::move(found);
  } else {
    for (std::size_t i = 0; i < kept.count; ++i) {
      if (found.fitness[i] >= kept.fitness[i]) continue;
      kept.fitness[i] = found.fitness[i];
      const auto row = found.individual(i);
      std::copy(row.begin(), row.end(), kept.x.begin() + static_cast<std::ptrdiff_t>(i * kept.dimension));
    }
    if (better) kept.adaptation = std::move(found.adaptation);
  }
}

void Coevolution::merge(std::vector<RoundReply> replies, Objective& objective) {
  std::sort(replies.begin(), replies.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (replies.size() != settings_.ranks) {
    core::throw_bad_input(std::to_string(replies.size()) + " replies of " + std::to_string(settings_.ranks) + " ranks");
  }
  for (std::size_t rank = 0; rank < replies.size(); ++rank) {
    if (replies[rank].rank != rank) {
      core::throw_bad_input("no reply of rank " + std::to_string(rank) + ", or one of rank " +
                            std::to_string(replies[rank].rank) + " too many");
    }
    check_reply(replies[rank], order(rank));
  }
  for (RoundReply& reply : replies) {
    for (GroupResult& result : reply.results) keep(std::move(result));
  }
  next_context(objective);
  ++round_;
}

void Coevolution::next_context(Objective& objective) {
  const std::size_t n = context_.size();
  std::vector<double> merged = context_, single = context_;
  double best_single = kInfinity;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const SansdeState& state = states_[g][best_part(states_[g])];
    const std::size_t best = state.best();
    if (state.fitness[best] > context_value_) continue;  // the context's own part is better
    put(merged, groups_[g], state.individual(best));
    if (state.fitness[best] >= best_single) continue;
    best_single = state.fitness[best];
    single = context_;
    put(single, groups_[g], state.individual(best));
  }
  std::vector<double> both = merged, values(2);
  both.insert(both.end(), single.begin(), single.end());
  objective.evaluate(both, values);
  evaluations_ += 2;
  for (const double value : values) rejected_ += std::isfinite(value) ? 0 : 1;
  merged_value_ = values[0];
  for (std::size_t k = 0; k < 2; ++k) {
    if (!std::isfinite(values[k]) || values[k] > context_value_) continue;
    context_value_ = values[k];
    const auto first = both.begin() + static_cast<std::ptrdiff_t>(k * n);
    context_.assign(first, first + static_cast<std::ptrdiff_t>(n));
  }
}

void Coevolution::round(Objective& objective) {
  std::vector<RoundReply> replies;
  for (std::size_t rank = 0; rank < settings_.ranks; ++rank) {
    replies.push_back(carry_out(order(rank), box_, groups_, objective));
  }
  merge(std::move(replies), objective);
}

void Coevolution::serial_round(Objective& objective) {
  if (settings_.ranks != 1 || pooled()) {
    core::throw_bad_input("groups that wait for each other are for one rank without a pool");
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    RoundOrder one{0, round_, settings_.generations, false, context_value_, context_, {}};
    one.tasks.push_back(task(g, 0));
    keep(std::move(carry_out(std::move(one), box_, groups_, objective).results.front()));
    const SansdeState& state = states_[g].front();
    const std::size_t best = state.best();
    if (state.fitness[best] > context_value_) continue;
    put(context_, groups_[g], state.individual(best));
    context_value_ = state.fitness[best];
  }
  // The parts' values may differ from the whole's by rounding.
  double value = 0.0;
  objective.evaluate(context_, std::span<double>(&value, 1));
  ++evaluations_;
  if (std::isfinite(value)) {
    context_value_ = value;
  } else {
    ++rejected_;
  }
  merged_value_ = value;
  ++round_;
}

SansdeState Coevolution::elite(std::size_t group) const {
  const std::vector<SansdeState>& parts = states_.at(group);
  std::vector<std::pair<double, std::size_t>> order;
  const std::size_t count = settings_.population;
  for (std::size_t k = 0; k < parts.size() * count; ++k) order.emplace_back(parts[k / count].fitness[k % count], k);
  std::sort(order.begin(), order.end());
  SansdeState result = parts[best_part(parts)];
  for (std::size_t i = 0; i < count; ++i) {
    const auto [fitness, k] = order[i];
    const auto row = parts[k / count].individual(k % count);
    std::copy(row.begin(), row.end(), result.x.begin() + static_cast<std::ptrdiff_t>(i * result.dimension));
    result.fitness[i] = fitness;
  }
  return result;
}

}  // namespace forelap::evolve::de
