// The controller over groups of cores and fake devices.

#include "hw/controller/multi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "hw/cpu/cores.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

unsigned some_core() {
  return cpu::core_budget().cores.front();
}

/// a, b and c of the same shape, a and b counted up.
struct Matrices {
  Matrices(int rows, int columns) : a({rows, columns}, "a"), b({rows, columns}, "b"), c({rows, columns}, "c") {
    count_up(a);
    count_up(b);
    c.fill(-1);
  }
  [[nodiscard]] bool added() const {
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c.values()[i] != 2 * static_cast<float>(i)) return false;
    }
    return true;
  }
  Tile<float, 2> a, b, c;
};

/// Two fake devices and a group of cores, by weights.
struct Three {
  explicit Three(Options options = {}) {
    for (Stage* stage : {&one, &other}) {
      stage->knows(add);
      stage->knows(scale);
      stage->knows(number);
      stage->knows(multiply);
      stage->knows(place);
    }
    std::vector<OpenedDevice> devices = list(fake(one, "fake:0"), fake(other, "fake:1"));
    devices.push_back(cores("cpu:0", {some_core()}));
    multi = std::make_unique<Multi>(std::move(devices), std::move(options));
  }
  Stage one, other;
  std::unique_ptr<Multi> multi;
};

TEST(Multi, AddsMatricesOverSeveralDevices) {
  for (const int rows : {1, 2, 3, 7, 97}) {
    Three three({.weights = {0.5, 0.3, 0.2}});
    Matrices m(rows, 13);
    partition(*three.multi, m.a, m.b, m.c);
    launch(*three.multi, add, m.a, m.b, m.c);
    detach(*three.multi, m.a, m.b, m.c);
    EXPECT_TRUE(m.added()) << rows;
  }
}

TEST(Multi, AddsInEveryTransferMode) {
  for (const Transfers transfers : {Transfers::lazy, Transfers::immediate, Transfers::chunked}) {
    for (const unsigned chunks : {1U, 3U, 1000U}) {
      Three three({.weights = {1, 1, 1}, .transfers = transfers, .chunks = chunks});
      Matrices m(50, 11);
      partition(*three.multi, m.a, m.b, m.c);
      launch(*three.multi, add, m.a, m.b, m.c);
      detach(*three.multi, m.c, m.b, m.a);
      EXPECT_TRUE(m.added());
    }
  }
}

TEST(Multi, IndexesWholeAndPartitionedTilesAlike) {
  Three three({.weights = {2, 1, 1}});
  Tile<float, 2> a({9, 4}, "a");
  Tile<float, 2> b({4, 5}, "b");
  Tile<float, 2> c({9, 5}, "c");
  count_up(a);
  count_up(b);
  partition(*three.multi, a, c);
  three.multi->attach(b.state(), whole());
  launch(*three.multi, multiply, a, b, c);
  detach(*three.multi, a, b, c);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 5; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += a(i, k) * b(k, j);
      EXPECT_EQ(c(i, j), sum);
    }
  }
}

TEST(Multi, NumbersThreeDimensions) {
  Three three({.weights = {1, 1, 1}});
  Tile<long, 3> x({7, 3, 5}, "x");
  partition(*three.multi, x);
  launch(*three.multi, place, x);
  detach(*three.multi, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x.values()[i], static_cast<long>(i));
}

TEST(Multi, KeepsDataOnTheDeviceBetweenLaunches) {
  Three three({.weights = {1, 1, 1}});
  Tile<float> x({30}, "x");
  x.fill(1);
  partition(*three.multi, x);
  for (int i = 0; i < 10; ++i) launch(*three.multi, scale, x, 2.0F);
  detach(*three.multi, x);
  EXPECT_EQ(x(0), 1024);
  EXPECT_EQ(x(29), 1024);
  EXPECT_EQ(three.one.script->count("in copies"), 1U);
  EXPECT_EQ(three.one.script->count("out copies"), 1U);
  EXPECT_EQ(three.one.script->count("run launches"), 10U);
}

TEST(Multi, SendsNothingForWhatIsOnlyWritten) {
  Three three({.weights = {1, 1, 1}});
  Tile<int> x({30}, "x");
  partition(*three.multi, x);
  launch(*three.multi, number, x, 5);
  detach(*three.multi, x);
  EXPECT_EQ(x(29), 34);
  EXPECT_EQ(three.one.script->count("in copies"), 0U);
}

TEST(Multi, BringsNothingBackThatWasOnlyRead) {
  Three three({.weights = {1, 1, 1}});
  Matrices m(9, 2);
  partition(*three.multi, m.a, m.b, m.c);
  launch(*three.multi, add, m.a, m.b, m.c);
  detach(*three.multi, m.a, m.b);
  EXPECT_EQ(three.one.script->count("out copies"), 0U);
  detach(*three.multi, m.c);
  EXPECT_EQ(three.one.script->count("out copies"), 1U);
}

TEST(Multi, SendsAtOnceWhereTransfersAreImmediate) {
  Three three({.weights = {1, 1, 1}, .transfers = Transfers::immediate});
  Tile<float> x({30}, "x");
  partition(*three.multi, x);
  three.multi->wait();
  EXPECT_EQ(three.one.script->count("in copies"), 1U);
}

TEST(Multi, WritesOnlyAfterWhatWasSentAtOnceHasArrived) {
  Three three({.weights = {1, 0, 0}, .transfers = Transfers::immediate});
  Tile<int> x({30}, "x");
  partition(*three.multi, x);
  launch(*three.multi, number, x, 5);
  detach(*three.multi, x);
  EXPECT_EQ(x(29), 34);
  EXPECT_LT(three.one.script->position("run waits for in"), three.one.script->position("run launches"));
}

TEST(Multi, GivesAShareOfZeroNothingToDo) {
  Three three({.weights = {0, 1, 0}});
  Matrices m(5, 3);
  partition(*three.multi, m.a, m.b, m.c);
  EXPECT_THAT(three.multi->shares_of(m.a.state()), ElementsAre(0, 5, 0));
  launch(*three.multi, add, m.a, m.b, m.c);
  detach(*three.multi, m.a, m.b, m.c);
  EXPECT_TRUE(m.added());
  EXPECT_EQ(three.one.script->count("run launches"), 0U);
  EXPECT_EQ(three.one.script->count("allocates"), 0U);
}

TEST(Multi, LaunchesNothingOverNothing) {
  Three three({.weights = {1, 1, 1}});
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{0, 5}, {5, 0}, {0, 0}}) {
    Matrices m(rows, columns);
    partition(*three.multi, m.a, m.b, m.c);
    launch(*three.multi, add, m.a, m.b, m.c);
    detach(*three.multi, m.a, m.b, m.c);
  }
  EXPECT_EQ(three.one.script->count("run launches"), 0U);
}

TEST(Multi, TakesWeightsOfATile) {
  Three three;
  Tile<float> x({10}, "x");
  three.multi->attach(x.state(), partitioned({0.1, 0.2, 0.7}));
  EXPECT_THAT(three.multi->shares_of(x.state()), ElementsAre(1, 2, 7));
}

TEST(Multi, AsksTheChooserWhenTheKernelIsKnown) {
  struct Chooser : WeightChooser {
    std::vector<double> weights(const WeightQuestion& question) override {
      asked = question;
      return {3, 1, 0};
    }
    WeightQuestion asked;
  };
  const auto chooser = std::make_shared<Chooser>();
  Three three({.chooser = chooser});
  Matrices m(8, 4);
  partition(*three.multi, m.a, m.b, m.c);
  EXPECT_TRUE(chooser->asked.devices.empty());
  launch(*three.multi, add, m.a, m.b, m.c);
  EXPECT_EQ(chooser->asked.kernel, "add");
  EXPECT_THAT(chooser->asked.devices, ElementsAre("fake:0", "fake:1", "cpu:0"));
  EXPECT_THAT(chooser->asked.extents, ElementsAre(8, 4, 1));
  EXPECT_EQ(chooser->asked.bytes_in, 2 * 8 * 4 * 4);
  EXPECT_EQ(chooser->asked.bytes_out, 8 * 4 * 4);
  EXPECT_THAT(three.multi->shares_of(m.c.state()), ElementsAre(6, 2, 0));
  detach(*three.multi, m.a, m.b, m.c);
  EXPECT_TRUE(m.added());
}

TEST(Multi, ComparesWeightsThatTheChooserGives) {
  struct Chooser : WeightChooser {
    std::vector<double> weights(const WeightQuestion&) override { return {1, std::nan(""), 0}; }
  };
  Three three({.chooser = std::make_shared<Chooser>()});
  Tile<int> x({8}, "x");
  partition(*three.multi, x);
  EXPECT_THAT(words_of([&] { launch(*three.multi, number, x, 1); }), HasSubstr("weight 2 of the chooser"));
  detach(*three.multi, x);
}

TEST(Multi, OverlapsTheChunksOfALaunch) {
  Three three({.weights = {1, 0, 0}, .transfers = Transfers::chunked, .chunks = 2});
  Matrices m(4, 2);
  partition(*three.multi, m.a, m.b, m.c);
  launch(*three.multi, add, m.a, m.b, m.c);
  detach(*three.multi, m.a, m.b, m.c);
  EXPECT_TRUE(m.added());
  const auto& script = *three.one.script;
  // The second chunk is sent without waiting for the first launch, and the first one comes back without waiting for the
  // second launch.
  EXPECT_EQ(script.count("in copies 16"), 4U);
  EXPECT_EQ(script.count("in waits"), 0U);
  EXPECT_EQ(script.count("run launches 0-2"), 1U);
  EXPECT_EQ(script.count("run launches 2-4"), 1U);
  EXPECT_LT(script.position("out waits for run1"), script.position("out copies 16 at 0"));
  EXPECT_LT(script.position("out copies 16 at 0"), script.position("out waits for run2"));
  EXPECT_LT(script.position("out waits for run2"), script.position("out copies 16 at 16"));
}

TEST(Multi, LaunchesInOnePieceOnceDataIsThere) {
  Three three({.weights = {1, 0, 0}, .transfers = Transfers::chunked, .chunks = 4});
  Tile<float> x({16}, "x");
  x.fill(1);
  partition(*three.multi, x);
  for (int i = 0; i < 3; ++i) launch(*three.multi, scale, x, 2.0F);
  detach(*three.multi, x);
  EXPECT_EQ(x(15), 8);
  EXPECT_EQ(three.one.script->count("run launches"), 4U + 2U);
}

TEST(Multi, WorksAsynchronously) {
  Stage stage;
  stage.knows(number);
  stage.open = std::make_shared<hw::test::Latch>();
  Multi multi(list(fake(stage)), {});
  Tile<int> x({8}, "x");
  multi.attach(x.state(), partitioned());
  // Would never return if it waited.
  launch(multi, number, x, 1);
  launch(multi, number, x, 2);
  stage.open->open();
  detach(multi, x);
  EXPECT_EQ(x(0), 2);
}

TEST(Multi, CompilesEachKernelOnce) {
  Three three({.weights = {1, 1, 1}});
  three.multi->prepare(number.definition());
  Tile<int> x({8}, "x");
  partition(*three.multi, x);
  launch(*three.multi, number, x, 1);
  launch(*three.multi, number, x, 2);
  detach(*three.multi, x);
  EXPECT_EQ(three.one.script->count("builds number"), 1U);
}

TEST(Multi, GivesPinnedTilesWhereADeviceIsAGpu) {
  Three three;
  const auto pinned = three.multi->make_tile("t", 4, 1, {8, 1, 1});
  EXPECT_TRUE(pinned->pinned);
  EXPECT_EQ(three.one.script->count("allocates 32 host bytes"), 1U);
  Multi alone(list(cores("cpu:0", {some_core()})), {});
  EXPECT_FALSE(alone.make_tile("t", 4, 1, {8, 1, 1})->pinned);
}

TEST(Multi, ReportsTimesAndItems) {
  Three three({.weights = {1, 1, 1}, .timing = true});
  Matrices m(9, 100);
  partition(*three.multi, m.a, m.b, m.c);
  launch(*three.multi, add, m.a, m.b, m.c);
  detach(*three.multi, m.a, m.b, m.c);
  const std::vector<DeviceTimes> times = three.multi->times();
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].device, "fake:0 (Fake)");
  EXPECT_EQ(times[0].launches, 1U);
  EXPECT_EQ(times[0].items, 3U);
  EXPECT_EQ(times[0].bytes_to, 2U * 3 * 100 * 4);
  EXPECT_EQ(times[0].bytes_from, 3U * 100 * 4);
  EXPECT_GT(times[0].computation, 0);
  EXPECT_GT(times[0].to_device, 0);
  EXPECT_GT(times[0].from_device, 0);
  EXPECT_GT(times[2].computation, 0);
  EXPECT_EQ(times[2].bytes_to, 0U);
  const std::vector<double> weights = three.multi->measured_weights();
  EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-12);
  three.multi->reset_times();
  EXPECT_EQ(three.multi->times()[0].launches, 0U);
}

TEST(Multi, TakesNoTimesUnlessAsked) {
  Three three;
  EXPECT_THAT(words_of([&] { three.multi->times(); }), HasSubstr("`timing`"));
}

TEST(Multi, UsesALargerGridInPieces) {
  Stage stage;
  stage.knows(add);
  Multi multi(list(fake(stage)), {});
  const int rows = 65535 * 256 + 10;
  Tile<float, 2> a({rows, 1}, "a");
  Tile<float, 2> b({rows, 1}, "b");
  Tile<float, 2> c({rows, 1}, "c");
  a.fill(1);
  partition(multi, a, b, c);
  launch(multi, add, a, b, c);
  detach(multi, a, b, c);
  EXPECT_EQ(stage.script->count("run launches"), 2U);
  EXPECT_EQ(c(0, 0), 1);
  EXPECT_EQ(c(rows - 1, 0), 1);
}

TEST(Multi, KeepsDeviceMemoryForTheNextTileOfItsSize) {
  Three three({.weights = {1, 1, 1}});
  Matrices m(9, 7);
  for (int i = 0; i < 3; ++i) {
    partition(*three.multi, m.a, m.b, m.c);
    launch(*three.multi, add, m.a, m.b, m.c);
    detach(*three.multi, m.a, m.b, m.c);
    EXPECT_TRUE(m.added());
  }
  EXPECT_EQ(three.one.script->count("allocates"), 3U);
}

}  // namespace
}  // namespace forelap::hw::controller::test
