// The islands' messages and checkpoints as bytes.

#include <string>

#include "core/error.hpp"
#include "evolve/de/islands.hpp"

namespace forelap::evolve::de {

namespace {

constexpr const char* kKind = "set of islands";

}  // namespace

void write(ByteWriter& out, const IslandOrder& order) {
  out.word(order.rank);
  out.word(order.round);
  out.numbers(order.immigrants);
  out.numbers(order.fitness);
}

IslandOrder read_island_order(ByteReader& in) {
  IslandOrder order;
  order.rank = static_cast<std::size_t>(in.word());
  order.round = in.word();
  order.immigrants = in.numbers();
  order.fitness = in.numbers();
  return order;
}

void write(ByteWriter& out, const IslandReply& reply) {
  out.word(reply.rank);
  out.word(reply.round);
  out.numbers(reply.emigrants);
  out.numbers(reply.fitness);
  out.numbers(reply.best);
  out.number(reply.best_value);
  out.word(reply.evaluations);
  out.word(reply.rejected);
}

IslandReply read_island_reply(ByteReader& in) {
  IslandReply reply;
  reply.rank = static_cast<std::size_t>(in.word());
  reply.round = in.word();
  reply.emigrants = in.numbers();
  reply.fitness = in.numbers();
  reply.best = in.numbers();
  reply.best_value = in.number();
  reply.evaluations = in.word();
  reply.rejected = in.word();
  return reply;
}

std::uint64_t Islands::identity() const {
  ByteWriter out;
  out.word(settings_.islands);
  out.word(settings_.population);
  out.word(settings_.seed);
  const Migration& migration = settings_.migration;
  out.word(migration.every);
  out.word(migration.count);
  out.word(static_cast<std::uint64_t>(migration.topology));
  out.word(static_cast<std::uint64_t>(migration.emigrants));
  out.word(static_cast<std::uint64_t>(migration.replaced));
  out.word(migration.only_better ? 1 : 0);
  out.numbers(box_.lower);
  out.numbers(box_.upper);
  return hash_of(out.bytes());
}

Bytes Islands::save(std::span<const SansdeState> states) const {
  if (states.size() != (last_.empty() ? 0 : settings_.islands)) {
    core::throw_bad_input("the states of " + std::to_string(states.size()) + " islands to be saved, of " +
                          std::to_string(settings_.islands) + ": gather all, between two rounds");
  }
  ByteWriter out;
  out.word(round_);
  out.number(best_value_);
  out.numbers(best_);
  out.word(last_.size());
  for (const IslandReply& reply : last_) write(out, reply);
  for (const SansdeState& state : states) write(out, state);
  return out.sealed(kKind, identity());
}

Islands Islands::restore(IslandSettings settings, Box box, std::span<const std::byte> bytes,
                         std::vector<SansdeState>& states) {
  Islands result(settings, std::move(box));
  ByteReader in(bytes, kKind, result.identity());
  result.round_ = in.word();
  result.best_value_ = in.number();
  result.best_ = in.numbers();
  const std::uint64_t count = in.word();
  if (count != 0 && count != settings.islands) core::throw_bad_input("saved islands have another number than they say");
  for (std::uint64_t rank = 0; rank < count; ++rank) result.last_.push_back(read_island_reply(in));
  std::vector<SansdeState> found;
  for (std::uint64_t rank = 0; rank < count; ++rank) found.push_back(read_sansde(in));
  in.expect_end();
  states = std::move(found);
  return result;
}

}  // namespace forelap::evolve::de
