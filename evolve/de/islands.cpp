#include "evolve/de/islands.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.hpp"

namespace forelap::evolve::de {

namespace {

// Individuals from the best to the worst, equals by index.
std::vector<std::size_t> ranking(const SansdeState& island) {
  std::vector<std::size_t> order(island.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return island.fitness[a] < island.fitness[b]; });
  return order;
}

// Moves `count` random ones of `order` to its front.
void choose(std::vector<std::size_t>& order, std::size_t count, Random& random) {
  for (std::size_t k = 0; k < count; ++k) std::swap(order[k], order[k + random.below(order.size() - k)]);
}

void take_in(SansdeState& island, const IslandOrder& order, const Migration& migration) {
  if (order.fitness.empty()) return;
  std::vector<std::size_t> places = ranking(island);
  places.erase(places.begin());  // the best stays
  std::reverse(places.begin(), places.end());
  if (migration.replaced == Replaced::random) choose(places, order.fitness.size(), island.random);
  for (std::size_t k = 0; k < order.fitness.size(); ++k) {
    const std::size_t place = places[k];
    if (migration.only_better && order.fitness[k] >= island.fitness[place]) continue;
    std::copy_n(&order.immigrants[k * island.dimension], island.dimension, &island.x[place * island.dimension]);
    island.fitness[place] = order.fitness[k];
  }
}

}  // namespace

void check(const IslandSettings& settings) {
  if (settings.islands == 0) core::throw_bad_input("no island: give at least one");
  if (settings.population < kLeastPopulation) {
    core::throw_bad_input("islands of " + std::to_string(settings.population) +
                          ": differential evolution needs at least 5 individuals");
  }
  if (settings.migration.every == 0) core::throw_bad_input("migration every 0 generations: give at least 1");
  if (settings.migration.count >= settings.population) {
    core::throw_bad_input(std::to_string(settings.migration.count) + " migrants of an island of " +
                          std::to_string(settings.population) + ": give fewer than live there");
  }
}

SansdeState begin_island(const IslandSettings& settings, const Box& box, std::size_t rank, Objective& objective) {
  check(settings);
  const std::uint64_t key = stream_key(settings.seed, Purpose::island, {rank});
  SansdeState island = random_population(box, settings.population, Random(key));
  evaluate_all(island, objective);
  replace_unusable(island, box, objective);
  return island;
}

IslandReply carry_out(SansdeState& island, const IslandOrder& order, const IslandSettings& settings, const Box& box,
                      Objective& objective) {
  const Migration& migration = settings.migration;
  if (order.immigrants.size() != order.fitness.size() * island.dimension || order.fitness.size() >= island.count) {
    core::throw_bad_input("an island of " + std::to_string(island.count) + " individuals of " +
                          std::to_string(island.dimension) + " variables got " +
                          std::to_string(order.immigrants.size()) + " numbers of " +
                          std::to_string(order.fitness.size()) + " immigrants");
  }
  take_in(island, order, migration);
  optimise(island, box, objective, migration.every);
  std::vector<std::size_t> leaving = ranking(island);
  const std::size_t best = leaving.front();
  if (migration.emigrants == Emigrants::random) choose(leaving, migration.count, island.random);
  IslandReply reply;
  reply.rank = order.rank;
  reply.round = order.round;
  for (std::size_t k = 0; k < migration.count; ++k) {
    const auto row = island.individual(leaving[k]);
    reply.emigrants.insert(reply.emigrants.end(), row.begin(), row.end());
    reply.fitness.push_back(island.fitness[leaving[k]]);
  }
  const auto row = island.individual(best);
  reply.best.assign(row.begin(), row.end());
  reply.best_value = island.fitness[best];
  reply.evaluations = island.evaluations;
  reply.rejected = island.rejected;
  return reply;
}

Islands::Islands(IslandSettings settings, Box box) : settings_(settings), box_(std::move(box)) {
  check(settings_);
  check(box_);
}

// From whom each rank gets immigrants.
std::vector<std::size_t> Islands::senders() const {
  std::vector<std::size_t> ring(settings_.islands), sender(settings_.islands);
  std::iota(ring.begin(), ring.end(), std::size_t{0});
  if (settings_.migration.topology == Topology::shuffled_ring) {
    Random random(stream_key(settings_.seed, Purpose::migration, {round_}));
    choose(ring, ring.size(), random);
  }
  for (std::size_t k = 0; k < ring.size(); ++k) sender[ring[(k + 1) % ring.size()]] = ring[k];
  return sender;
}

IslandOrder Islands::order(std::size_t rank) const {
  if (rank >= settings_.islands) {
    core::throw_bad_input("island " + std::to_string(rank) + " of " + std::to_string(settings_.islands));
  }
  IslandOrder result{rank, round_, {}, {}};
  if (last_.empty() || settings_.islands == 1) return result;
  const IslandReply& from = last_[senders()[rank]];
  result.immigrants = from.emigrants;
  result.fitness = from.fitness;
  return result;
}

void Islands::merge(std::vector<IslandReply> replies) {
  std::sort(replies.begin(), replies.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  const std::size_t migrants = settings_.migration.count, n = box_.dimension();
  bool whole = replies.size() == settings_.islands;
  for (std::size_t rank = 0; whole && rank < replies.size(); ++rank) {
    const IslandReply& reply = replies[rank];
    whole = reply.rank == rank && reply.round == round_ && reply.fitness.size() == migrants &&
            reply.emigrants.size() == migrants * n && reply.best.size() == n;
  }
  if (!whole) {
    core::throw_bad_input(std::to_string(replies.size()) + " replies do not answer the orders of round " +
                          std::to_string(round_) + " to " + std::to_string(settings_.islands) + " islands");
  }
  last_ = std::move(replies);
  for (const IslandReply& reply : last_) {
    if (!(reply.best_value < best_value_)) continue;
    best_value_ = reply.best_value;
    best_ = reply.best;
  }
  ++round_;
}

void Islands::round(std::vector<SansdeState>& states, Objective& objective) {
  std::vector<IslandReply> replies;
  for (std::size_t rank = 0; rank < settings_.islands; ++rank) {
    if (states.size() == rank) states.push_back(begin_island(settings_, box_, rank, objective));
    replies.push_back(carry_out(states[rank], order(rank), settings_, box_, objective));
  }
  merge(std::move(replies));
}

std::uint64_t Islands::evaluations() const {
  std::uint64_t sum = 0;
  for (const IslandReply& reply : last_) sum += reply.evaluations;
  return sum;
}

std::uint64_t Islands::rejected() const {
  std::uint64_t sum = 0;
  for (const IslandReply& reply : last_) sum += reply.rejected;
  return sum;
}

}  // namespace forelap::evolve::de
