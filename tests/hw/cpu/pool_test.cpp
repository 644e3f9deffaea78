#include "hw/cpu/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "hw/cpu/cores.hpp"

namespace forelap::hw::cpu {
namespace {

TEST(Pool, RunsEachItemOnce) {
  Pool pool({0, 0, 0});
  std::vector<std::atomic<int>> seen(10'007);
  pool.run(seen.size(), 100, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
}

TEST(Pool, NoItemsAreNoWork) {
  Pool pool({0});
  pool.run(0, 1, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(Pool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  Pool pool({0, 0});
  const auto bad = [](std::size_t begin, std::size_t) {
    if (begin >= 50) throw std::runtime_error("block failed");
  };
  EXPECT_THROW(pool.run(1000, 10, bad), std::runtime_error);
  std::atomic<std::size_t> items{0};
  pool.run(1000, 10, [&](std::size_t begin, std::size_t end) { items += end - begin; });
  EXPECT_EQ(items.load(), 1000U);
}

TEST(Pool, ServesSeveralCallersAtOnce) {
  Pool pool(core_budget().cores);
  std::atomic<std::size_t> items{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        pool.run(100, 7, [&](std::size_t begin, std::size_t end) { items += end - begin; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(items.load(), 4U * 50U * 100U);
}

}  // namespace
}  // namespace forelap::hw::cpu
