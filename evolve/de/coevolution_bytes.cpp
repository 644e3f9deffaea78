// Co-evolution's messages and checkpoints as bytes.

#include <string>

#include "core/error.hpp"
#include "evolve/de/coevolution.hpp"

namespace forelap::evolve::de {

namespace {

constexpr const char* kKind = "co-evolution";

// Counts come before as many records of at least two words: a damaged one must not make memory run out.
std::size_t read_count(ByteReader& in) {
  const std::uint64_t count = in.word();
  if (count > UINT32_MAX) core::throw_bad_input("a message names " + std::to_string(count) + " records");
  return static_cast<std::size_t>(count);
}

}  // namespace

void write(ByteWriter& out, const RoundOrder& order) {
  out.word(order.rank);
  out.word(order.round);
  out.word(order.generations);
  out.word(order.pool ? 1 : 0);
  out.number(order.context_value);
  out.numbers(order.context);
  out.word(order.tasks.size());
  for (const GroupTask& task : order.tasks) {
    out.word(task.group);
    out.word(task.replica);
    write(out, task.state);
    out.numbers(task.foreign);
  }
}

RoundOrder read_order(ByteReader& in) {
  RoundOrder order;
  order.rank = static_cast<std::size_t>(in.word());
  order.round = in.word();
  order.generations = in.word();
  order.pool = in.word() != 0;
  order.context_value = in.number();
  order.context = in.numbers();
  for (std::size_t left = read_count(in); left != 0; --left) {
    GroupTask task;
    task.group = static_cast<std::size_t>(in.word());
    task.replica = static_cast<std::size_t>(in.word());
    task.state = read_sansde(in);
    task.foreign = in.numbers();
    order.tasks.push_back(std::move(task));
  }
  return order;
}

void write(ByteWriter& out, const RoundReply& reply) {
  out.word(reply.rank);
  out.word(reply.round);
  out.word(reply.results.size());
  for (const GroupResult& result : reply.results) {
    out.word(result.group);
    out.word(result.replica);
    write(out, result.state);
  }
}

RoundReply read_reply(ByteReader& in) {
  RoundReply reply;
  reply.rank = static_cast<std::size_t>(in.word());
  reply.round = in.word();
  for (std::size_t left = read_count(in); left != 0; --left) {
    GroupResult result;
    result.group = static_cast<std::size_t>(in.word());
    result.replica = static_cast<std::size_t>(in.word());
    result.state = read_sansde(in);
    reply.results.push_back(std::move(result));
  }
  return reply;
}

std::uint64_t Coevolution::identity() const {
  ByteWriter out;
  out.word(settings_.population);
  out.word(settings_.generations);
  out.word(settings_.ranks);
  out.word(static_cast<std::uint64_t>(settings_.sharing));
  out.word(settings_.keep_adaptation ? 1 : 0);
  out.word(settings_.seed);
  out.numbers(box_.lower);
  out.numbers(box_.upper);
  for (const Variables& group : groups_) {
    out.word(group.size());
    for (const std::uint32_t i : group) out.word(i);
  }
  return hash_of(out.bytes());
}

Bytes Coevolution::save() const {
  ByteWriter out;
  out.word(round_);
  out.word(evaluations_);
  out.word(rejected_);
  out.number(context_value_);
  out.number(merged_value_);
  out.numbers(context_);
  for (const std::vector<SansdeState>& parts : states_) {
    for (const SansdeState& state : parts) write(out, state);
  }
  return out.sealed(kKind, identity());
}

Coevolution Coevolution::restore(CoevolutionSettings settings, Box box, Groups groups,
                                 std::span<const std::byte> bytes) {
  Coevolution result(settings, std::move(box), std::move(groups));
  ByteReader in(bytes, kKind, result.identity());
  result.round_ = in.word();
  result.evaluations_ = in.word();
  result.rejected_ = in.word();
  result.context_value_ = in.number();
  result.merged_value_ = in.number();
  result.context_ = in.numbers();
  for (std::size_t g = 0; g < result.groups_.size(); ++g) {
    std::vector<SansdeState>& parts = result.states_.emplace_back();
    const std::size_t count = settings.sharing == Sharing::pool ? result.replicas_of(g) : 1;
    for (std::size_t k = 0; k < count; ++k) parts.push_back(read_sansde(in));
  }
  in.expect_end();
  return result;
}

}  // namespace forelap::evolve::de
