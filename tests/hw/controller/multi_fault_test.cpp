// Wrong use of the controller, and devices that fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "hw/cpu/cores.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

unsigned some_core() {
  return cpu::core_budget().cores.front();
}

FORELAP_KERNEL(picky, (i), (inout<int> x, int limit), {
  x(i) = x(i) + 1;
  if (i >= limit) x(i) = -1;
});
/// Throws on the CPU for the second half of its items, as an assertion of a user's would.
void throw_from(long first, long last, InOut<int> x, int limit) {
  for (long i = first; i < last; ++i) {
    if (i >= limit) throw std::out_of_range("item " + std::to_string(i));
    x(i) += 1;
  }
}

struct Two {
  explicit Two(Options options = {}) {
    for (Stage* stage : {&one, &other}) {
      stage->knows(add);
      stage->knows(scale);
      stage->knows(number);
      stage->knows(multiply);
    }
    multi = std::make_unique<Multi>(list(fake(one, "fake:0"), fake(other, "fake:1")), std::move(options));
  }
  Stage one, other;
  std::unique_ptr<Multi> multi;
};

TEST(WrongUse, OfATileThatIsAttachedAlreadyNamesIt) {
  Two two;
  Tile<float> x({8}, "x");
  partition(*two.multi, x);
  EXPECT_THAT(words_of([&] { partition(*two.multi, x); }), HasSubstr("tile \"x\" is attached already"));
  Two others;
  EXPECT_THAT(words_of([&] { partition(*others.multi, x); }), HasSubstr("tile \"x\" is attached already"));
  detach(*two.multi, x);
  partition(*others.multi, x);
  detach(*others.multi, x);
}

TEST(WrongUse, OfAnAttachedTileByTheHostNamesIt) {
  Two two;
  Tile<float> x({8}, "x");
  partition(*two.multi, x);
  EXPECT_THAT(words_of([&] { x(0) = 1; }), HasSubstr("tile \"x\" is attached to devices"));
  detach(*two.multi, x);
  x(0) = 1;
}

TEST(WrongUse, OfATileThatIsNotAttachedNamesIt) {
  Two two;
  Tile<float> x({8}, "x");
  EXPECT_THAT(words_of([&] { launch(*two.multi, scale, x, 2.0F); }),
              HasSubstr("kernel scale: tile \"x\" is not attached to these devices"));
  EXPECT_THAT(words_of([&] { detach(*two.multi, x); }), HasSubstr("tile \"x\" is not attached"));
  EXPECT_THAT(words_of([&] { two.multi->shares_of(x.state()); }), HasSubstr("tile \"x\" is not attached"));
}

TEST(WrongUse, OfTilesOfOtherShapesNamesThem) {
  Two two;
  Tile<float, 2> a({8, 3}, "a");
  Tile<float, 2> b({7, 3}, "b");
  Tile<float, 2> c({8, 3}, "c");
  partition(*two.multi, a, b, c);
  EXPECT_THAT(words_of([&] { launch(*two.multi, add, a, b, c); }),
              AllOf(HasSubstr("partitioned tile \"b\" of 7 x 3"), HasSubstr("index space of 8 x 3")));
  detach(*two.multi, a, b, c);
}

TEST(WrongUse, OfTilesWithOtherWeightsNamesThem) {
  Two two;
  Tile<float, 2> a({8, 3}, "a");
  Tile<float, 2> b({8, 3}, "b");
  Tile<float, 2> c({8, 3}, "c");
  partition(*two.multi, a, c);
  two.multi->attach(b.state(), partitioned({0.9, 0.1}));
  EXPECT_THAT(words_of([&] { launch(*two.multi, add, a, b, c); }),
              HasSubstr("tiles \"a\" and \"b\" are partitioned by different weights"));
}

TEST(WrongUse, OfOneTileAsInputAndOutputNamesIt) {
  Two two;
  Tile<float, 2> a({8, 3}, "a");
  Tile<float, 2> b({8, 3}, "b");
  partition(*two.multi, a, b);
  EXPECT_THAT(words_of([&] { launch(*two.multi, add, a, b, b); }), HasSubstr("tile \"b\" stands for both b and c"));
  Tile<float, 2> c({8, 3}, "c");
  partition(*two.multi, c);
  launch(*two.multi, add, a, a, c);
}

TEST(WrongUse, OfAWholeTileAsOutputOfSeveralDevicesNamesIt) {
  Two two;
  Tile<float> x({8}, "x");
  two.multi->attach(x.state(), whole());
  EXPECT_THAT(words_of([&] { launch(*two.multi, scale, x, 2.0F); }),
              HasSubstr("tile \"x\" is attached whole to 2 devices and is written"));
}

TEST(WrongUse, OfWeightsSaysWhatIsWrong) {
  Two two;
  Tile<float> x({8}, "x");
  EXPECT_THAT(words_of([&] { two.multi->attach(x.state(), partitioned({1})); }), HasSubstr("1 numbers for 2 devices"));
  EXPECT_THAT(words_of([&] {
                two.multi->attach(x.state(), partitioned({1, -1}));
              }),
              HasSubstr("weight 2 of tile \"x\""));
  EXPECT_FALSE(x.attached());
  EXPECT_THAT(words_of([&] { two.multi->set_weights({0, 0}); }), HasSubstr("are all 0"));
  EXPECT_THAT(words_of([&] { Two({.weights = {1, 2, 3}}); }), HasSubstr("the weights of the controller"));
}

TEST(WrongUse, OfAKernelThatDoesNotCompileIsToldAtTheLaunch) {
  Two two;
  Tile<int> x({8}, "x");
  partition(*two.multi, x);
  EXPECT_THAT(words_of([&] { launch(*two.multi, picky, x, 3); }), HasSubstr("does not compile: picky"));
  // The controller is as before.
  launch(*two.multi, number, x, 1);
  detach(*two.multi, x);
  EXPECT_EQ(x(7), 8);
}

TEST(Faults, OfAllocationOnOneDeviceReleaseTheOthers) {
  Two two;
  two.other.refuse_above = 10;
  Tile<float> x({8}, "x");
  EXPECT_THAT(words_of([&] { partition(*two.multi, x); }),
              AllOf(HasSubstr("fake:1 (Fake) has no room for tile \"x\" (16 bytes)"), HasSubstr("refused 16 bytes")));
  EXPECT_FALSE(x.attached());
  x(0) = 1;
  two.other.refuse_above = UINT64_MAX;
  partition(*two.multi, x);
  launch(*two.multi, scale, x, 3.0F);
  detach(*two.multi, x);
  EXPECT_EQ(x(0), 3);
  two.multi.reset();
  EXPECT_EQ(two.one.live_bytes, 0);
  EXPECT_EQ(two.other.live_bytes, 0);
}

TEST(Faults, OfADeviceThatIsLostNameItAndLeaveItsPartAsItWas) {
  Two two;
  Tile<float> x({8}, "x");
  count_up(x);
  partition(*two.multi, x);
  two.other.lost = true;
  launch(*two.multi, scale, x, 10.0F);
  EXPECT_THAT(words_of([&] { detach(*two.multi, x); }),
              AllOf(HasSubstr("fake:1 (Fake)"), HasSubstr("the device fell off the bus")));
  EXPECT_FALSE(x.attached());
  EXPECT_EQ(x(3), 30);
  EXPECT_EQ(x(4), 4);
  EXPECT_EQ(x(7), 7);
}

TEST(Faults, OfADeviceStayUntilTheControllerIsGone) {
  Two two;
  Tile<float> x({8}, "x");
  partition(*two.multi, x);
  two.one.lost = true;
  launch(*two.multi, scale, x, 10.0F);
  EXPECT_THAT(words_of([&] { two.multi->wait(); }), HasSubstr("fake:0 (Fake): the device fell off the bus"));
  EXPECT_THAT(words_of([&] { launch(*two.multi, scale, x, 10.0F); }), HasSubstr("fake:0 (Fake)"));
  EXPECT_THAT(words_of([&] { detach(*two.multi, x); }), HasSubstr("fake:0 (Fake)"));
  x(0) = 2;
}

TEST(Faults, OfACallAreToldByTheNextThatWaits) {
  for (const std::string call : {"copy in", "launch", "copy out", "record"}) {
    Two two;
    two.other.script->fail(call);
    Tile<float> x({8}, "x");
    count_up(x);
    partition(*two.multi, x);
    launch(*two.multi, scale, x, 10.0F);
    EXPECT_THAT(words_of([&] { detach(*two.multi, x); }), HasSubstr("fake:1 (Fake): injected failure of " + call));
    EXPECT_EQ(x(0), 0);
    EXPECT_EQ(x(3), 30);
    EXPECT_EQ(x(4), 4);
  }
}

TEST(Faults, DoNotHangTheEndOfAController) {
  Tile<float> x({8}, "x");
  {
    Two two;
    partition(*two.multi, x);
    two.one.lost = true;
    launch(*two.multi, scale, x, 10.0F);
  }
  EXPECT_FALSE(x.attached());
}

TEST(Faults, OfAKernelOnCoresReachTheCaller) {
  picky.cpu_version(throw_from);
  Multi multi(list(cores("cpu:0", {some_core()})), {});
  Tile<int> x({8}, "x");
  partition(multi, x);
  launch(multi, picky, x, 4);
  EXPECT_THROW(detach(multi, x), std::out_of_range);
  EXPECT_FALSE(x.attached());
  // The cores are well.
  partition(multi, x);
  launch(multi, picky, x, 8);
  detach(multi, x);
  EXPECT_GE(x(7), 1);
}

TEST(EndOfAController, BringsBackWhatIsStillAttached) {
  Tile<float> x({8}, "x");
  x.fill(2);
  {
    Two two;
    partition(*two.multi, x);
    launch(*two.multi, scale, x, 10.0F);
  }
  EXPECT_EQ(x(0), 20);
  EXPECT_EQ(x(7), 20);
}

TEST(EndOfATile, WhileItIsAttachedKeepsItsMemory) {
  Two two;
  {
    Tile<float> x({8}, "x");
    partition(*two.multi, x);
    launch(*two.multi, scale, x, 10.0F);
  }
  two.multi.reset();
}

TEST(SmallDevices, StreamTilesThatDoNotFit) {
  for (const std::uint64_t limit : {24ULL, 100ULL, 200ULL, 500ULL}) {
    Two two({.memory_limit = limit});
    Tile<float, 2> a({50, 2}, "a");
    Tile<float, 2> b({50, 2}, "b");
    Tile<float, 2> c({50, 2}, "c");
    count_up(a);
    count_up(b);
    partition(*two.multi, a, b, c);
    launch(*two.multi, add, a, b, c);
    detach(*two.multi, a, b, c);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c.values()[i], 2 * static_cast<float>(i)) << limit;
    EXPECT_LE(two.one.live_bytes, static_cast<std::int64_t>(limit));
    EXPECT_GT(two.one.script->count("run launches"), 1U);
  }
}

TEST(SmallDevices, SeeWhatAnEarlierLaunchWrote) {
  Two two({.memory_limit = 64});
  Tile<float> x({100}, "x");
  x.fill(1);
  partition(*two.multi, x);
  for (int i = 0; i < 5; ++i) launch(*two.multi, scale, x, 2.0F);
  detach(*two.multi, x);
  for (const float value : x) EXPECT_EQ(value, 32);
}

TEST(SmallDevices, StreamBesideTilesThatAreThere) {
  Two two({.memory_limit = 500});
  Tile<float, 2> a({60, 4}, "a");
  Tile<float, 2> b({4, 4}, "b");
  Tile<float, 2> c({60, 4}, "c");
  count_up(a);
  for (int i = 0; i < 4; ++i) b(i, i) = 1;
  two.multi->attach(b.state(), whole());
  partition(*two.multi, a, c);
  launch(*two.multi, multiply, a, b, c);
  detach(*two.multi, a, b, c);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c.values()[i], static_cast<float>(i));
}

TEST(SmallDevices, RefuseWholeTilesThatDoNotFitWithTheSizes) {
  Two two({.memory_limit = 100});
  Tile<float> x({50}, "x");
  EXPECT_THAT(words_of([&] { two.multi->attach(x.state(), whole()); }),
              AllOf(HasSubstr("tile \"x\" takes 200 bytes whole"), HasSubstr("fake:0 (Fake) has room for 100 bytes")));
  EXPECT_FALSE(x.attached());
}

TEST(SmallDevices, RefuseRowsThatDoNotFitWithTheSizes) {
  Two two({.memory_limit = 100});
  Tile<float, 2> a({4, 20}, "a");
  Tile<float, 2> b({4, 20}, "b");
  Tile<float, 2> c({4, 20}, "c");
  partition(*two.multi, a, b, c);
  EXPECT_THAT(words_of([&] { launch(*two.multi, add, a, b, c); }),
              AllOf(HasSubstr("one row of \"a\", \"b\", \"c\" takes 240 bytes"), HasSubstr("has room for 100 bytes")));
  detach(*two.multi, a, b, c);
}

TEST(TwoControllers, ShareADevice) {
  Stage stage;
  stage.knows(scale);
  const OpenedDevice device = fake(stage);
  Multi one(list(device), {});
  Multi other(list(device), {});
  Tile<float> x({8}, "x");
  Tile<float> y({8}, "y");
  x.fill(1);
  y.fill(1);
  partition(one, x);
  partition(other, y);
  for (int i = 0; i < 3; ++i) {
    launch(one, scale, x, 2.0F);
    launch(other, scale, y, 3.0F);
  }
  detach(one, x);
  detach(other, y);
  EXPECT_EQ(x(7), 8);
  EXPECT_EQ(y(0), 27);
}

}  // namespace
}  // namespace forelap::hw::controller::test
