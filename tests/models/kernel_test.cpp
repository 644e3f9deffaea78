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

}  // namespace
