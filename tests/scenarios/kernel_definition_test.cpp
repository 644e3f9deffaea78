#include "scenarios/kernel_definition.hpp"

#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;

const KernelDefinition& builtin(const std::string& name) {
  for (const KernelDefinition& kernel : builtin_definitions()) {
    if (kernel.name == name) return kernel;
  }
  throw std::out_of_range(name);
}

KernelDefinition kernel_with(const std::string& items, const std::string& work, KernelArgument::Type type,
                             const std::string& argument) {
  KernelDefinition kernel;
  kernel.name = "mine";
  kernel.items = Expression::parse(items, expression_names());
  kernel.work = Expression::parse(work, expression_names());
  kernel.arguments = {{type, Expression::parse(argument, expression_names())}};
  return kernel;
}

constexpr core::BufferId kBuffer{7};

TEST(MakeLaunch, OfSyntheticPassesBufferSizeRepeatAndFactor) {
  const Launch launch = make_launch(builtin("synthetic"), kBuffer, 4003, 10);
  const std::vector<core::Argument> expected = {kBuffer, std::int32_t{1000}, std::int32_t{10}, std::int32_t{3}};
  EXPECT_EQ(launch.arguments, expected);
  EXPECT_EQ(launch.items, 1000);
  EXPECT_EQ(launch.work, 10000);
  EXPECT_EQ(launch.call.global_size[0], 1000U);
  EXPECT_EQ(launch.call.group_size[0], 0U);
}

TEST(MakeLaunch, OfVectorAddWorksOnThirds) {
  const Launch launch = make_launch(builtin("vector_add"), kBuffer, 400, 5);
  const std::vector<core::Argument> expected = {kBuffer, std::int32_t{33}, std::int32_t{5}};
  EXPECT_EQ(launch.arguments, expected);
  EXPECT_EQ(launch.items, 33);
  EXPECT_EQ(launch.work, 165);
}

TEST(MakeLaunch, OfMatrixMultiplyIsCubicInTheSide) {
  const Launch launch = make_launch(builtin("matrix_multiply"), kBuffer, std::uint64_t{4} * 3 * 60 * 60 + 40, 2);
  const std::vector<core::Argument> expected = {kBuffer, std::int32_t{60}, std::int32_t{2}};
  EXPECT_EQ(launch.arguments, expected);
  EXPECT_EQ(launch.items, 3600);
  EXPECT_EQ(launch.work, 2 * 60 * 60 * 60);
}

TEST(MakeLaunch, LargeSquareMatricesComeInWholeTiles) {
  for (const char* name : {"matrix_multiply", "floyd_warshall"}) {
    const auto side = [name](std::uint64_t cells) {
      return std::get<std::int32_t>(make_launch(builtin(name), kBuffer, 12 * cells, 1).arguments.at(1));
    };
    EXPECT_EQ(side(63 * 63), 63) << name;
    EXPECT_EQ(side(64 * 64), 64) << name;
    EXPECT_EQ(side(100 * 100), 96) << name;
    EXPECT_EQ(side(1024 * 1024), 1024) << name;
  }
}

TEST(MakeLaunch, OfAKernelInPassesIsThatOfOnePass) {
  // 2 * 2^4 words and some: 16 elements, 4 passes a round, 8 pairs a pass.
  const Launch walsh = make_launch(builtin("fast_walsh"), kBuffer, 4 * 37, 3);
  const std::vector<core::Argument> expected = {kBuffer, std::int32_t{4}, std::int32_t{0}};
  EXPECT_EQ(walsh.arguments, expected);
  EXPECT_EQ(walsh.call.pass_argument, 2);
  EXPECT_EQ(walsh.passes, 12U);
  EXPECT_EQ(walsh.items, 8);
  EXPECT_EQ(walsh.work, 8);
  EXPECT_EQ(walsh.result, 64U);

  const Launch paths = make_launch(builtin("floyd_warshall"), kBuffer, std::uint64_t{12} * 50 * 50, 2);
  EXPECT_EQ(paths.passes, 100U);
  EXPECT_EQ(paths.items, 2500);
  EXPECT_EQ(paths.work * paths.passes, 2 * 50 * 50 * 50) << "cubic in the number of vertices";
  EXPECT_EQ(paths.result, 10000U);

  const Launch image = make_launch(builtin("convolution"), kBuffer, std::uint64_t{12} * 30 * 30, 1);
  EXPECT_EQ(image.passes, 2U);
  EXPECT_EQ(image.work, 17 * 900);
  EXPECT_EQ(image.result, 7200U);

  const Launch blocks = make_launch(builtin("dct"), kBuffer, std::uint64_t{12} * 20 * 20, 1);
  EXPECT_EQ(std::get<std::int32_t>(blocks.arguments[1]), 16);
  EXPECT_EQ(blocks.items, 32);
  EXPECT_EQ(blocks.result, std::uint64_t{8} * 16 * 16);
}

TEST(MakeLaunch, OfOnePassHasNoPassArgumentAndAResultWhereItLies) {
  const Launch sum = make_launch(builtin("vector_add"), kBuffer, 1200, 5);
  EXPECT_EQ(sum.call.pass_argument, -1);
  EXPECT_EQ(sum.passes, 1U);
  EXPECT_EQ(sum.result, 800U);
  EXPECT_EQ(make_launch(builtin("matrix_multiply"), kBuffer, 1200, 1).result, 800U);
  EXPECT_EQ(make_launch(builtin("black_scholes"), kBuffer, 1200, 1).result, 400U);
  EXPECT_EQ(make_launch(builtin("synthetic"), kBuffer, 1200, 1).result, 0U);
  const Launch turned = make_launch(builtin("transpose"), kBuffer, 8 * 100, 7);
  EXPECT_EQ(turned.passes, 7U);
  EXPECT_EQ(turned.items, 256) << "whole patches of 8 by 8";
  EXPECT_EQ(turned.work, 100);
  EXPECT_EQ(turned.result, 400U);
}

TEST(MakeLaunch, RefusesPassesAndResultsThatAreNone) {
  KernelDefinition kernel = kernel_with("n", "n", KernelArgument::Type::float64, "1");
  const auto error = [&] { return message_of([&] { make_launch(kernel, kBuffer, 64, 1); }); };
  kernel.passes = Expression::parse("n - 16", expression_names());
  EXPECT_THAT(error(), HasSubstr("its number of passes (\"n - 16\") comes to 0"));
  kernel.passes = Expression::parse("n / 3", expression_names());
  EXPECT_THAT(error(), HasSubstr("not a whole number"));
  kernel.passes.reset();
  kernel.result = Expression::parse("bytes + 4", expression_names());
  EXPECT_THAT(error(), HasSubstr("the offset of its result (\"bytes + 4\") comes to 68"));
  EXPECT_THAT(message_of([&] { make_launch(builtin("fast_walsh"), kBuffer, 4, 1); }), HasSubstr("work-items"));
}

TEST(MakeLaunch, ConvertsNumbersToTheirTypes) {
  using Type = KernelArgument::Type;
  const auto argument = [](Type type, const std::string& text) {
    return make_launch(kernel_with("n", "n", type, text), kBuffer, 64, 1).arguments.at(0);
  };
  EXPECT_EQ(argument(Type::int64, "n * 2 ^ 40"), core::Argument(std::int64_t{16} << 40));
  EXPECT_EQ(argument(Type::float32, "0.5"), core::Argument(0.5F));
  EXPECT_EQ(argument(Type::float64, "0.1"), core::Argument(0.1));
  EXPECT_EQ(argument(Type::int32, "-3"), core::Argument(std::int32_t{-3}));
}

TEST(MakeLaunch, RefusesNumbersBeyondTheirTypes) {
  const auto error = [](const KernelDefinition& kernel, std::uint64_t bytes) {
    return message_of([&] { make_launch(kernel, kBuffer, bytes, 1); });
  };
  using Type = KernelArgument::Type;
  EXPECT_THAT(error(builtin("synthetic"), std::uint64_t{1} << 34),
              HasSubstr("kernel \"synthetic\": argument 2, int32 (\"n\") comes to 4294967296 for a buffer of "
                        "17179869184 bytes, outside -2147483648 to 2147483647"));
  EXPECT_THAT(error(kernel_with("n", "n", Type::int32, "n / 3"), 64), HasSubstr("not a whole number; use floor(...)"));
  EXPECT_THAT(error(kernel_with("n", "n", Type::float32, "10 ^ 300"), 64), HasSubstr("cannot hold"));
  EXPECT_THAT(error(kernel_with("n", "n", Type::float64, "1 / 0"), 64), HasSubstr("not a finite number"));
  EXPECT_THAT(error(kernel_with("n", "0 / 0", Type::float64, "1"), 64), HasSubstr("its work"));
  EXPECT_THAT(error(kernel_with("n", "-n", Type::float64, "1"), 64), HasSubstr("comes to -16"));
  EXPECT_THAT(error(kernel_with("n - 16", "n", Type::float64, "1"), 64),
              HasSubstr("its number of work-items (\"n - 16\") comes to 0"));
}

}  // namespace
}  // namespace forelap::scenarios
