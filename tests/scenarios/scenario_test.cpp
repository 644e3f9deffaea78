#include "scenarios/scenario.hpp"

#include <algorithm>

#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;
using Order = std::vector<std::uint32_t>;

TaskCase case_of(std::size_t tasks) {
  TaskCase c;
  c.tasks.resize(tasks);
  return c;
}

TEST(OrdersOf, GivenIsTheOneOrderOfTheFile) {
  EXPECT_EQ(orders_of(case_of(3), OrderMode::given), std::vector<Order>({{0, 1, 2}}));
}

TEST(OrdersOf, AllAreThePermutationsFromTheGivenOneOnInLexicographicOrder) {
  const auto orders = orders_of(case_of(4), OrderMode::all);
  EXPECT_EQ(orders.size(), 24U);
  EXPECT_EQ(orders.front(), Order({0, 1, 2, 3}));
  EXPECT_EQ(orders.back(), Order({3, 2, 1, 0}));
  EXPECT_TRUE(std::is_sorted(orders.begin(), orders.end()));
}

TEST(OrdersOf, AllKeepWhatComesAfterWhat) {
  TaskCase c = case_of(3);
  c.tasks[2].after = {0};
  EXPECT_EQ(orders_of(c, OrderMode::all), std::vector<Order>({{0, 1, 2}, {0, 2, 1}, {1, 0, 2}}));
}

TEST(OrdersOf, ListIsPassedThrough) {
  TaskCase c = case_of(2);
  c.orders = {{1, 0}};
  EXPECT_EQ(orders_of(c, OrderMode::list), c.orders);
}

TEST(OrdersOf, RefusesTooManyWithTheirNumber) {
  EXPECT_THAT(message_of([] { orders_of(case_of(9), OrderMode::all); }),
              HasSubstr("`order: all` of 9 tasks means 362880 orders, and at most 50000 are listed"));
  TaskCase chained = case_of(10);
  chained.tasks[9].after = {0, 1, 2};
  EXPECT_THAT(message_of([&] { orders_of(chained, OrderMode::all); }), HasSubstr("means 907200 orders"));
  EXPECT_THAT(message_of([] { orders_of(case_of(1000), OrderMode::all); }), HasSubstr("more than 50000 orders"));
}

TEST(FindDefinition, PrefersTheScenariosKernelAndKnowsTheBuiltInOnes) {
  Scenario scenario;
  scenario.kernels.resize(1);
  scenario.kernels[0].name = "mine";
  EXPECT_EQ(find_definition(scenario, "mine"), scenario.kernels.data());
  EXPECT_EQ(find_definition(scenario, "synthetic"), builtin_definitions().data());
  EXPECT_EQ(find_definition(scenario, "none"), nullptr);
}

}  // namespace
}  // namespace forelap::scenarios
