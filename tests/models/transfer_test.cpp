#include "models/transfer.hpp"

#include <gtest/gtest.h>

namespace {

using namespace forelap;

core::TransferModel two_pieces() {
  core::TransferModel model;
  model.pieces.push_back({0, 1000, {.value = 5e-6}, {.value = 1e-9}});
  model.pieces.push_back({1000, 1e9, {.value = 8e-6}, {.value = 2e-11}});
  return model;
}

TEST(Transfer, IsALineOnEachPiece) {
  const auto model = two_pieces();
  EXPECT_DOUBLE_EQ(models::transfer_seconds(model, 0), 5e-6);
  EXPECT_DOUBLE_EQ(models::transfer_seconds(model, 999), 5e-6 + 999e-9);
  EXPECT_DOUBLE_EQ(models::transfer_seconds(model, 1000), 8e-6 + 2e-8);
  EXPECT_DOUBLE_EQ(models::transfer_seconds(model, 1e10), 8e-6 + 0.2);
}

TEST(Transfer, FindsTheSizeThatMeetsADuration) {
  const auto model = two_pieces();
  for (const double bytes : {10.0, 500.0, 5e5, 1e8, 5e9}) {
    EXPECT_NEAR(models::transfer_bytes(model, models::transfer_seconds(model, bytes)), bytes, 1e-6 * bytes + 1e-6);
  }
  EXPECT_EQ(models::transfer_bytes(model, 1e-6), 0);
}

}  // namespace
