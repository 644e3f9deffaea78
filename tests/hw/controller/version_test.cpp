// Which version of a kernel a device takes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/controller/blas.hpp"
#include "hw/cpu/cores.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

unsigned some_core() {
  return cpu::core_budget().cores.front();
}

/// Kernels of a test's own, since versions are given to a kernel for good.
FORELAP_KERNEL(plain, (i), (out<int> x), { x(i) = 1; });
FORELAP_KERNEL(special, (i), (out<int> x), { x(i) = 1; });
FORELAP_KERNEL(wrapped, (i), (out<int> x, int value), { x(i) = value; });
FORELAP_KERNEL(product, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
  float sum = 0.0f;
  for (long k = 0; k < extent(b, 0); ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
});

void set_to_two(long first, long last, Out<int> x) {
  for (long i = first; i < last; ++i) x(i) = 2;
}

TEST(Versions, AreGenericWithoutOthers) {
  Stage stage;
  stage.knows(plain);
  Multi multi(list(fake(stage), cores("cpu:0", {some_core()})), {});
  EXPECT_EQ(multi.version_of(plain.definition(), 0).version, "generic");
  EXPECT_THAT(multi.version_of(plain.definition(), 0).reason, HasSubstr("no other version for CUDA devices"));
  EXPECT_THAT(multi.version_of(plain.definition(), 1).reason, HasSubstr("no other version for CPU cores"));
  EXPECT_THAT(words_of([&] { multi.version_of(plain.definition(), 2); }), HasSubstr("there is no device 2"));
}

TEST(Versions, AreSpecialisedWhereThereIsOneUnlessTheGenericOneIsWishedFor) {
  special.cpu_version(set_to_two);
  Multi multi(list(cores("cpu:0", {some_core()})), {});
  EXPECT_EQ(multi.version_of(special.definition(), 0).version, "specialised");
  Tile<int> x({5}, "x");
  partition(multi, x);
  launch(multi, special, x);
  detach(multi, x);
  EXPECT_EQ(x(4), 2);
  Multi plainly(list(cores("cpu:0", {some_core()})), {.version = VersionWish::generic});
  EXPECT_EQ(plainly.version_of(special.definition(), 0).version, "generic");
  partition(plainly, x);
  launch(plainly, special, x);
  detach(plainly, x);
  EXPECT_EQ(x(4), 1);
}

TEST(Versions, AreSpecialisedForOneKindOfDeviceOnly) {
  Stage stage;
  stage.knows(wrapped);
  wrapped.version(DeviceKind::cuda, "{ if (inside) x(i) = value; }", {64, 1, 1});
  Multi multi(list(fake(stage), cores("cpu:0", {some_core()})), {.version = VersionWish::specialised});
  EXPECT_EQ(multi.version_of(wrapped.definition(), 0).version, "specialised");
  EXPECT_EQ(multi.version_of(wrapped.definition(), 1).version, "generic");
}

TEST(Versions, CallAWrapperWithTheDevicesOwnHandles) {
  Stage stage;
  stage.knows(wrapped);
  std::int64_t rows = 0;
  wrapped.wrapper(DeviceKind::cuda, [&rows](const NativeLaunch& native) {
    rows += native.rows;
    EXPECT_NE(native.queue, nullptr);
    auto* memory = reinterpret_cast<int*>(native.arguments[0].memory);
    const int value = std::get<int>(native.arguments[1].value);
    for (std::int64_t i = 0; i < native.rows; ++i) memory[native.first + i - native.arguments[0].first] = value;
  });
  Multi multi(list(cores("cpu:0", {some_core()}), fake(stage)), {});
  EXPECT_EQ(multi.version_of(wrapped.definition(), 1).version, "wrapper");
  Tile<int> x({8}, "x");
  partition(multi, x);
  launch(multi, wrapped, x, 7);
  detach(multi, x);
  EXPECT_EQ(rows, 4);
  for (const int value : x) EXPECT_EQ(value, 7);
}

TEST(Versions, SayWhatIsMissingWhereALibraryIsNotHere) {
  for (const BlasChoice* choice : {&find_cblas(), &find_cublas()}) {
    EXPECT_THAT(choice->reason,
                choice->library.empty() ? HasSubstr("here (") : HasSubstr("the kernel is a matrix product"));
  }
}

TEST(Versions, MultiplyMatricesByALibraryWhereOneIsHere) {
  product.is_matrix_product();
  Multi multi(list(cores("cpu:0", {some_core()})), {});
  const ChosenVersion chosen = multi.version_of(product.definition(), 0);
  if (find_cblas().library.empty()) {
    EXPECT_EQ(chosen.version, "generic");
    EXPECT_THAT(chosen.reason, HasSubstr("Debian: libopenblas0-pthread"));
  } else {
    EXPECT_THAT(chosen.version, HasSubstr("CBLAS"));
  }
  Tile<float, 2> a({70, 33}, "a");
  Tile<float, 2> b({33, 21}, "b");
  Tile<float, 2> c({70, 21}, "c");
  for (int i = 0; i < 70; ++i) a(i, i % 33) = static_cast<float>(i);
  count_up(b);
  partition(multi, a, c);
  multi.attach(b.state(), whole());
  launch(multi, product, a, b, c);
  detach(multi, a, b, c);
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 21; ++j) EXPECT_EQ(c(i, j), static_cast<float>(i) * b(i % 33, j));
  }
}

}  // namespace
}  // namespace forelap::hw::controller::test
