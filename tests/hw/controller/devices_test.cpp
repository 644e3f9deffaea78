// The controller on the devices of this machine: every kernel gives on each what it gives on one core.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hw/controller/blas.hpp"
#include "hw/cpu/cores.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

using ::testing::HasSubstr;

FORELAP_FUNCTION(float, distribution, (float d), {
  const float t = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float tail = 0.398942280f * exp(-0.5f * d * d) * t;
  return d > 0.0f ? 1.0f - tail : tail;
});
/// OpenCL C has a function of this name.
FORELAP_FUNCTION(float, mix, (float x, float y), { return 0.5f * (x + y); });
FORELAP_KERNEL(every_word, (i),
               (in<float> x, in<double> y, inout<float> z, out<int> w, int n, long m, float f, double d), {
                 float sum = exp(x(i)) + log(x(i) + 1.0f) + sqrt(x(i)) + sin(x(i)) + cos(x(i)) + tan(0.1f * x(i));
                 sum += erf(x(i)) + floor(x(i)) + ceil(x(i)) + pow(x(i) + 1.0f, 0.5f);
                 sum += fmin(x(i), f) + fmax(x(i), f) + mix(distribution(x(i)), f);
                 z(i) = z(i) + sum + (float)(y(i) * d);
                 w(i) = min(n, (int)i) + (int)max(m, extent(x, 0));
               });
FORELAP_KERNEL(product_here, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
  float sum = 0.0f;
  for (long k = 0; k < extent(b, 0); ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
});
FORELAP_KERNEL(wrong_on_devices, (i), (out<int> x), {
  struct Words : std::true_type {};
  x(i) = Words::value ? 1 : 0;
});

std::string one_core() {
  return "cpu:" + std::to_string(cpu::core_budget().cores.front());
}

/// Lists of devices: each kind alone, and beside a core.
class OnDevices : public ::testing::TestWithParam<std::vector<std::string>> {
 protected:
  void SetUp() override {
    for (const std::string& spec : GetParam()) {
      if (spec == "core") continue;
      std::string reason;
      if (hw::test::try_open(spec, reason)) continue;
      if (hw::test::is_required(spec)) FAIL() << reason;
      GTEST_SKIP() << reason;
    }
  }
  static std::unique_ptr<Multi> open(const Options& options = {}) {
    std::vector<std::string> specs;
    for (const std::string& spec : GetParam()) specs.push_back(spec == "core" ? one_core() : spec);
    return std::make_unique<Multi>(open_devices(specs), options);
  }
};

/// Results of `every_word` over n items.
struct Results {
  std::vector<float> z;
  std::vector<int> w;
};
Results run_every_word(Multi& multi, int n) {
  Tile<float> x({n}, "x");
  Tile<double> y({n}, "y");
  Tile<float> z({n}, "z");
  Tile<int> w({n}, "w");
  for (int i = 0; i < n; ++i) {
    x(i) = 0.01F * static_cast<float>(i % 300);
    y(i) = 0.5 * i;
    z(i) = static_cast<float>(i);
  }
  partition(multi, x, y, z, w);
  launch(multi, every_word, x, y, z, w, 50, 7L, 0.25F, 1e-3);
  detach(multi, x, y, z, w);
  return {{z.begin(), z.end()}, {w.begin(), w.end()}};
}

TEST_P(OnDevices, EveryWordMeansTheSame) {
  Multi reference(open_devices({one_core()}), {});
  const auto multi = open();
  for (const int n : {1, 2, 997, 100003}) {
    const Results expected = run_every_word(reference, n);
    const Results found = run_every_word(*multi, n);
    EXPECT_EQ(found.w, expected.w);
    for (std::size_t i = 0; i < found.z.size(); ++i) {
      ASSERT_NEAR(found.z[i], expected.z[i], 1e-4F * (10 + std::abs(expected.z[i]))) << i;
    }
  }
}

TEST_P(OnDevices, MatricesAreAddedInEveryTransferMode) {
  for (const Transfers transfers : {Transfers::lazy, Transfers::immediate, Transfers::chunked}) {
    const auto multi = open({.transfers = transfers, .chunks = 5});
    Tile<float, 2> a(multi->make_tile("a", 4, 2, {101, 203, 1}));
    Tile<float, 2> b(multi->make_tile("b", 4, 2, {101, 203, 1}));
    Tile<float, 2> c(multi->make_tile("c", 4, 2, {101, 203, 1}));
    count_up(a);
    count_up(b);
    for (int repetition = 0; repetition < 3; ++repetition) {
      c.fill(0);
      partition(*multi, a, b, c);
      launch(*multi, add, a, b, c);
      detach(*multi, a, b, c);
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c.values()[i], 2 * static_cast<float>(i));
    }
  }
}

TEST_P(OnDevices, MatricesAreMultipliedByEveryVersion) {
  product_here.is_matrix_product();
  for (const VersionWish wish : {VersionWish::automatic, VersionWish::generic}) {
    const auto multi = open({.transfers = Transfers::chunked, .chunks = 3, .version = wish});
    Tile<float, 2> a({61, 40}, "a");
    Tile<float, 2> b({40, 50}, "b");
    Tile<float, 2> c({61, 50}, "c");
    for (std::size_t i = 0; i < a.size(); ++i) a.values()[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b.values()[i] = static_cast<float>(i % 5) - 2;
    partition(*multi, a, c);
    multi->attach(b.state(), whole());
    launch(*multi, product_here, a, b, c);
    detach(*multi, a, b, c);
    for (int i = 0; i < 61; ++i) {
      for (int j = 0; j < 50; ++j) {
        float sum = 0;
        for (int k = 0; k < 40; ++k) sum += a(i, k) * b(k, j);
        ASSERT_EQ(c(i, j), sum);
      }
    }
  }
}

TEST_P(OnDevices, ThreeDimensionsAreNumbered) {
  const auto multi = open();
  for (const Extents& extents : std::vector<Extents>{{1, 1, 1}, {5, 3, 2}, {31, 7, 33}, {2, 100, 1}}) {
    Tile<long, 3> x({extents[0], extents[1], extents[2]}, "x");
    partition(*multi, x);
    launch(*multi, place, x);
    detach(*multi, x);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x.values()[i], static_cast<long>(i));
  }
}

TEST_P(OnDevices, TilesAreStreamedWhereTheMemoryIsSmall) {
  const auto multi = open({.memory_limit = 100000});
  Tile<float, 2> a({500, 100}, "a");
  Tile<float, 2> b({500, 100}, "b");
  Tile<float, 2> c({500, 100}, "c");
  count_up(a);
  count_up(b);
  for (int repetition = 0; repetition < 3; ++repetition) {
    partition(*multi, a, b, c);
    launch(*multi, add, a, b, c);
    launch(*multi, add, a, b, c);
    detach(*multi, a, b, c);
    for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c.values()[i], 2 * static_cast<float>(i));
  }
}

TEST_P(OnDevices, ManyLaunchesFollowEachOther) {
  const auto multi = open({.timing = true});
  Tile<float> x({1000}, "x");
  x.fill(1);
  partition(*multi, x);
  for (int i = 0; i < 2048; ++i) launch(*multi, scale, x, i % 2 == 0 ? 2.0F : 0.5F);
  detach(*multi, x);
  for (const float value : x) ASSERT_EQ(value, 1);
  for (const DeviceTimes& times : multi->times()) {
    EXPECT_EQ(times.launches, 2048U);
    EXPECT_GT(times.computation, 0) << times.device;
  }
}

TEST_P(OnDevices, TwoControllersShareThem) {
  const auto one = open();
  const auto other = open();
  Tile<float> x({1009}, "x");
  Tile<float> y({1009}, "y");
  x.fill(1);
  y.fill(1);
  partition(*one, x);
  partition(*other, y);
  for (int i = 0; i < 5; ++i) {
    launch(*one, scale, x, 2.0F);
    launch(*other, scale, y, 3.0F);
  }
  detach(*one, x);
  detach(*other, y);
  for (const float value : x) ASSERT_EQ(value, 32);
  for (const float value : y) ASSERT_EQ(value, 243);
}

INSTANTIATE_TEST_SUITE_P(All, OnDevices,
                         ::testing::Values(std::vector<std::string>{"core"}, std::vector<std::string>{"opencl:0"},
                                           std::vector<std::string>{"opencl:0", "core"},
                                           std::vector<std::string>{"cuda:0"},
                                           std::vector<std::string>{"cuda:0", "core"},
                                           std::vector<std::string>{"cuda:0", "opencl:0", "core"},
                                           std::vector<std::string>{"cuda:0", "cuda:1"},
                                           std::vector<std::string>{"cuda:0", "cuda:1", "core"}),
                         [](const auto& parameter) {
                           std::string name;
                           for (const std::string& spec : parameter.param) {
                             for (const char c : spec) {
                               if (c != ':') name += c;
                             }
                           }
                           return name;
                         });

TEST(OnDevice, KernelsThatAreNotOfTheCommonLanguageAreToldWithTheCompilersWords) {
  std::string reason;
  if (!hw::test::try_open("opencl:0", reason)) GTEST_SKIP() << reason;
  Multi multi(open_devices({"opencl:0"}), {});
  Tile<int> x({8}, "x");
  partition(multi, x);
  EXPECT_THAT(words_of([&] { launch(multi, wrong_on_devices, x); }), HasSubstr("devices_test.cpp"));
  detach(multi, x);
}

TEST(OnDevice, CublasMultipliesWhereItIsHere) {
  std::string reason;
  if (!hw::test::try_open("cuda:0", reason)) GTEST_SKIP() << reason;
  if (find_cublas().library.empty()) GTEST_SKIP() << find_cublas().reason;
  product_here.is_matrix_product();
  Multi multi(open_devices({"cuda:0"}), {});
  EXPECT_THAT(multi.version_of(product_here.definition(), 0).version, HasSubstr("cuBLAS"));
}

}  // namespace
}  // namespace forelap::hw::controller::test
