#include "models/kernel.hpp"

#include <gtest/gtest.h>

namespace {

using namespace forelap;

core::KernelModel model_of_two() {
  core::KernelModel model{"k", {.value = 1}, {}};
  model.pieces.push_back({100, 1e4, 0, 1e9, {.value = 3e-6}, {.value = 1e-12}, {.value = 2e-12}});
  model.pieces.push_back({1e4, 1e8, 1e6, 1e12, {.value = 4e-6}, {.value = 5e-13}, {.value = 3e-12}});
  return model;
}

TEST(Kernel, AddsLaunchWorkAndItemsOfThePieceForItsSize) {
  EXPECT_DOUBLE_EQ(models::kernel_seconds(model_of_two(), 1e5, 5e3), 3e-6 + 1e-7 + 1e-8);
  EXPECT_DOUBLE_EQ(models::kernel_seconds(model_of_two(), 1e9, 1e6), 4e-6 + 5e-4 + 3e-6);
  EXPECT_DOUBLE_EQ(models::kernel_seconds(model_of_two(), 1e9, 1e9), 4e-6 + 5e-4 + 3e-3) << "beyond: the nearest";
}

TEST(Kernel, FindsTheWorkThatMeetsADuration) {
  const auto model = model_of_two();
  for (const double items : {1e3, 1e6}) {
    for (const double work : {1e3, 9e5, 1e8, 1e11}) {
      const double seconds = models::kernel_seconds(model, work, items);
      EXPECT_NEAR(models::kernel_work(model, seconds, items), work, 1e-6 * work + 1e-3);
    }
  }
  EXPECT_EQ(models::kernel_work(model, 1e-6, 0), 0);
}

TEST(Kernel, OfFewItemsWorksAtThePartOfTheDeviceThatItOccupies) {
  auto model = model_of_two();
  model.fill.value = 0.8;
  model.full_items.value = 4e4;
  EXPECT_DOUBLE_EQ(models::kernel_fill(model, 1e4), 0.2);
  EXPECT_DOUBLE_EQ(models::kernel_fill(model, 4e4), 0.8);
  EXPECT_DOUBLE_EQ(models::kernel_fill(model, 4e6), 0.8);
  EXPECT_DOUBLE_EQ(models::kernel_fill(model, 0), 0.8) << "of unknown size";
  EXPECT_DOUBLE_EQ(models::kernel_seconds(model, 1e9, 1e4), 4e-6 + 4 * (5e-4 + 3e-8));
  EXPECT_DOUBLE_EQ(models::kernel_seconds(model, 1e9, 1e6), 4e-6 + 5e-4 + 3e-6);
  for (const double items : {1e3, 1e4, 1e6}) {
    EXPECT_NEAR(models::kernel_work(model, models::kernel_seconds(model, 1e9, items), items), 1e9, 1e3);
  }
  EXPECT_DOUBLE_EQ(models::kernel_fill(model_of_two(), 1), 1) << "without full_items no size matters";
}

TEST(Kernel, SmallLaunchesThatShareTheDeviceTakeAsLongAsOneOfAllTheirItems) {
  // The reason for a part in proportion to the items.
  auto model = model_of_two();
  model.full_items.value = 4e5;
  const double items = 2e5, repeat = 1e4;
  const double launch = 4e-6;
  const double together = (models::kernel_seconds(model, items * repeat, items) - launch) *
                          models::side_by_side_stretch(models::kernel_fill(model, items), 4);
  EXPECT_DOUBLE_EQ(together + launch, models::kernel_seconds(model, 4 * items * repeat, 4 * items));
}

TEST(Kernel, SideBySideALaterLaunchTakesWhatEarlierOnesLeave) {
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(0.25, 4), 1);
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(0.5, 4), 2);
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(1, 4), 4);
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(1, 1), 1);
  // The second works at 3/7 of its rate until the first has ended.
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(0.7, 2), 1 + 4.0 / 7);
  // Three at full rate, the fourth at a third.
  EXPECT_DOUBLE_EQ(models::side_by_side_stretch(0.3, 4), 1 + 2.0 / 3);
}

}  // namespace
