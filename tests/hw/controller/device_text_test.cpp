#include "hw/controller/device_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/controller/kernel_functions.hpp"
#include "tests/hw/controller/support.hpp"

namespace forelap::hw::controller::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

#define LARGEST 4.0f
FORELAP_FUNCTION(float, square_of, (float x), { return x * x; });
FORELAP_FUNCTION(float, fourth_of, (float x), { return square_of(square_of(x)); });
FORELAP_KERNEL(powers, (i), (in<float> x, out<double> y, long n), {
  if (i >= n) return;
  y(i) = fourth_of(fmin(x(i), LARGEST));
});

std::string text_of(const KernelDefinition& kernel, DeviceKind kind) {
  return device_source(kernel, kind, nullptr);
}

TEST(Parameters, AreNamedByTheirLastWord) {
  EXPECT_THAT(parameter_names("(in<float, 2> a, const long  n_2 , out<int>b)"), ElementsAre("a", "n_2", "b"));
  EXPECT_THAT(parameter_names("(i)"), ElementsAre("i"));
  EXPECT_THROW(parameter_names("a, b"), std::invalid_argument);
  EXPECT_THROW(parameter_names("(a, )"), std::invalid_argument);
}

TEST(Definitions, HoldNamesFromTheTextAndTypesFromTheCompiler) {
  const KernelDefinition& kernel = *powers.definition();
  EXPECT_EQ(kernel.name, "powers");
  EXPECT_THAT(kernel.origin, HasSubstr("device_text_test.cpp:"));
  EXPECT_THAT(kernel.indices, ElementsAre("i"));
  ASSERT_EQ(kernel.parameters.size(), 3U);
  EXPECT_EQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[0].role, Role::in);
  EXPECT_EQ(kernel.parameters[1].type, "double");
  EXPECT_EQ(kernel.parameters[1].role, Role::out);
  EXPECT_EQ(kernel.parameters[2].type, "long");
  EXPECT_EQ(kernel.parameters[2].role, Role::value);
  EXPECT_EQ(scale.definition()->parameters[0].role, Role::inout);
}

TEST(DeviceText, HoldsTheBodyWithMacrosReplaced) {
  const std::string text = text_of(*powers.definition(), DeviceKind::opencl);
  EXPECT_THAT(text, HasSubstr("fourth_of(fmin(x(i), 4.0f))"));
  EXPECT_THAT(text, HasSubstr("FL_GLOBAL const float* FL_RESTRICT fl_data_x, long fl_first_x, long fl_extent_x_0"));
  EXPECT_THAT(text, HasSubstr("long n, long fl_first, long fl_last)"));
}

TEST(DeviceText, HoldsTheFunctionsThatAreCalledBeforeTheirCallersAndNoOthers) {
  const std::string text = text_of(*powers.definition(), DeviceKind::cuda);
  const std::size_t square = text.find("FL_FUNCTION float square_of(float x)");
  const std::size_t fourth = text.find("FL_FUNCTION float fourth_of(float x)");
  ASSERT_NE(square, std::string::npos);
  ASSERT_NE(fourth, std::string::npos);
  EXPECT_LT(square, fourth);
  EXPECT_LT(fourth, text.find("FL_KERNEL void"));
  EXPECT_THAT(text_of(*add.definition(), DeviceKind::cuda), Not(HasSubstr("square_of")));
}

TEST(DeviceText, AsksForDoublePrecisionWhereItIsUsed) {
  EXPECT_THAT(text_of(*powers.definition(), DeviceKind::opencl), HasSubstr("cl_khr_fp64"));
  EXPECT_THAT(text_of(*add.definition(), DeviceKind::opencl), Not(HasSubstr("cl_khr_fp64")));
  EXPECT_THAT(text_of(*powers.definition(), DeviceKind::cuda), Not(HasSubstr("cl_khr_fp64")));
}

TEST(DeviceText, LetsTheLastIndexRunFastest) {
  const std::string text = text_of(*place.definition(), DeviceKind::cuda);
  EXPECT_THAT(text, HasSubstr("const long i = fl_first + (long)FL_ITEM_2;"));
  EXPECT_THAT(text, HasSubstr("const long k = (long)FL_ITEM_0;"));
  EXPECT_THAT(text, HasSubstr("if (!(i < fl_last && j < fl_extent_1 && k < fl_extent_2)) return;"));
}

TEST(DeviceText, OfASpecialisedVersionHasItsBodyAndLeavesTheGuardToIt) {
  const TextVersion version{"{ if (inside) x(i) = 3; }", {}};
  const std::string text = device_source(*number.definition(), DeviceKind::cuda, &version);
  EXPECT_THAT(text, HasSubstr("const bool inside = i < fl_last;"));
  EXPECT_THAT(text, HasSubstr("{ if (inside) x(i) = 3; }"));
  EXPECT_THAT(text, Not(HasSubstr("return;")));
}

TEST(DeviceText, RefusesFunctionsThatSeveralOtherFilesDefine) {
  const KernelFunction one("float", "twice_defined", "(float x)", "{ return x; }", "one.cpp");
  const KernelFunction other("float", "twice_defined", "(float x)", "{ return x; }", "other.cpp");
  KernelDefinition kernel;
  kernel.name = "k";
  kernel.file = "third.cpp";
  kernel.indices = {"i"};
  kernel.body = "{ twice_defined(1.0f); }";
  EXPECT_THAT(words_of([&] { text_of(kernel, DeviceKind::cuda); }),
              HasSubstr("calls twice_defined, which 2 other files define (one.cpp, other.cpp"));
  kernel.file = "one.cpp";
  EXPECT_THAT(text_of(kernel, DeviceKind::cuda), HasSubstr("twice_defined(float x)"));
}

}  // namespace
}  // namespace forelap::hw::controller::test
