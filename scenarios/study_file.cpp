// How files write a study: the `study` map.

#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

Codec<std::uint32_t> study_orders_codec() {
  const auto number = whole32_codec(1, 100'000);
  Codec<std::uint32_t> codec;
  codec.expected = "all, or a number of random orders";
  codec.read = [number](const Cursor& cursor) {
    return cursor.is(Node::Kind::scalar) && cursor.node().text == "all" ? 0 : number.read(cursor);
  };
  codec.write = [number](const std::uint32_t& orders) {
    return orders == 0 ? Node::scalar("all") : number.write(orders);
  };
  codec.schema = [number] { return schema_any({Node::map().add("const", schema_text("all")), number.schema()}); };
  return codec;
}

void check_all(const Cursor& cursor, const Study& study) {
  if (study.orders != 0) return;
  if (study.rounds > 1)
    cursor.at("rounds").fail("found all orders of several rounds; give a number of random `orders`");
}

void check_queues(const Cursor& cursor, const Study& study) {
  if (study.kernel_queues.size() < 2 || study.kernel_queues[0] != study.kernel_queues[1]) return;
  cursor.at("kernel_queues").at(1).fail("found the same way of handing kernels over a second time");
}

}  // namespace

Codec<Study> study_codec() {
  Table<Study> table("a study");
  table
      .add(Need::optional, "workers", "tasks of a round; more than the case has are drawn of them at random",
           whole32_codec(1, 64), &Study::workers)
      .add(Need::optional, "rounds", "tasks that each worker sends, the next when the last has ended",
           whole32_codec(1, 64), &Study::rounds)
      .add(Need::optional, "orders", "orders that are measured: all, or so many at random", study_orders_codec(),
           &Study::orders)
      .add(Need::optional, "extremes", "so many of the model's best and worst orders besides", whole32_codec(0, 1000),
           &Study::extremes)
      .add(Need::optional, "candidates", "so many of the fastest orders are measured again", whole32_codec(1, 1000),
           &Study::candidates)
      .add(Need::optional, "final_runs", "runs of each of those", whole32_codec(1, 100'000), &Study::final_runs)
      .add(
          Need::optional, "kernel_queues", "how kernels are handed over",
          list_codec(choice_codec<KernelQueues>({{"one", KernelQueues::one}, {"one_a_task", KernelQueues::one_a_task}}),
                     1, Single::allowed),
          &Study::kernel_queues)
      .rule(check_all)
      .rule(check_queues);
  return table_codec(std::move(table));
}

}  // namespace forelap::scenarios
