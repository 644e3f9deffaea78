#include "evolve/gp/source.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;
using testing::Not;

const PreparedProblem& keijzer() {
  static const PreparedProblem problem = prepare(keijzer_6());
  return problem;
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> five = {"x", "sinf(x)", "x * x", "expf(x)", "x - 00.10f"};
  return five;
}

Source made(const SourceOptions& options) {
  return make_source(keijzer(), texts(), options);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string line_of(const std::string& text, std::uint32_t number) {
  std::size_t begin = 0;
  while (--number > 0) begin = text.find('\n', begin) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Source, ThePapersLayoutIsOneKernelWithAllInSequence) {
  const Source source = made({});
  ASSERT_EQ(source.kernels.size(), 1U);
  EXPECT_EQ(source.kernels[0].count, 5U);
  EXPECT_FALSE(source.kernels[0].switched);
  EXPECT_EQ(count(source.text, "__global__"), 1U);
  EXPECT_EQ(count(source.text, "results["), 5U);
  EXPECT_THAT(source.text, HasSubstr("y = sinf(x);"));
  EXPECT_THAT(source.text, Not(HasSubstr("switch")));
}

TEST(Source, AKernelEachAndSwitchesInParts) {
  SourceOptions each;
  each.part = 1;
  const Source single = made(each);
  ASSERT_EQ(single.kernels.size(), 5U);
  EXPECT_EQ(single.kernels[3].name, "gp_part_3");
  EXPECT_EQ(single.kernels[3].first, 3U);
  EXPECT_EQ(count(single.text, "__global__"), 5U);

  SourceOptions parts;
  parts.layout = Layout::switched;
  parts.part = 2;
  const Source switched = made(parts);
  ASSERT_EQ(switched.kernels.size(), 3U);
  EXPECT_TRUE(switched.kernels[2].switched);
  EXPECT_EQ(switched.kernels[2].first, 4U);
  EXPECT_EQ(switched.kernels[2].count, 1U);
  EXPECT_EQ(count(switched.text, "switch (gp_individual)"), 3U);
  EXPECT_EQ(count(switched.text, "results["), 3U) << "one store a kernel";
  EXPECT_THAT(switched.text, HasSubstr("(4u + gp_individual)"));
}

TEST(Source, LinesLeadBackToTheIndividual) {
  for (const Layout layout : {Layout::sequence, Layout::switched}) {
    SourceOptions options;
    options.layout = layout;
    options.part = 2;
    const Source source = made(options);
    ASSERT_EQ(source.lines.size(), 5U);
    for (std::uint32_t i = 0; i < 5; ++i) {
      EXPECT_EQ(line_of(source.text, source.lines[i].first), "y = " + texts()[i] + ";");
      EXPECT_EQ(source.individual_at(source.lines[i].first), i);
    }
    EXPECT_FALSE(source.individual_at(1).has_value());
  }
}

TEST(Source, SurroundingCodeAndDeclarationsStandWhereTheyBelong) {
  Problem problem = multiplier_5_bit();
  problem.declarations = "typedef int bit;";
  const std::vector<std::string> one = {"o0 = a0;"};
  const std::string text = make_source(prepare(problem), one, {}).text;
  EXPECT_LT(text.find("typedef int bit;"), text.find("__global__"));
  EXPECT_THAT(text, HasSubstr("const int factors = (int)gp_row[0];"));
  EXPECT_THAT(text, HasSubstr("const int b1 = (factors >> 6) & 1;"));
  EXPECT_THAT(text, HasSubstr("int o9 = 0;"));
  EXPECT_LT(text.find("o0 = a0;"), text.find("product = (o0 & 1) | ((o1 & 1) << 1)"));
  EXPECT_THAT(text, HasSubstr("(unsigned int)product;"));
}

TEST(Source, ArraysAreReadInTheCasesRow) {
  const std::vector<std::string> one = {"OUTPUT = INPUT[0];"};
  const PreparedProblem problem = prepare(search());
  const std::string cuda = make_source(problem, one, {}).text;
  EXPECT_THAT(cuda, HasSubstr("const unsigned int* INPUT = (GP_ROW const unsigned int*)(gp_row + 2);"));
  EXPECT_THAT(cuda, HasSubstr("gp_case * 22u;"));
  EXPECT_THAT(cuda, HasSubstr("i = 0; tmp = 0; OUTPUT = -1; OUTPUT = INPUT[0];"));
}

TEST(Source, EachDialectHasItsOwnHead) {
  SourceOptions options;
  options.dialect = Dialect::opencl;
  const std::string opencl = made(options).text;
  EXPECT_THAT(opencl, HasSubstr("__kernel void gp_part_0(__global const unsigned int* restrict inputs"));
  EXPECT_THAT(opencl, HasSubstr("#define sinf(v) sin((float)(v))"));
  EXPECT_THAT(opencl, HasSubstr("FP_CONTRACT OFF"));
  options.dialect = Dialect::cpp;
  const std::string cpp = made(options).text;
  EXPECT_THAT(cpp, HasSubstr("extern \"C\" void gp_part_0("));
  EXPECT_THAT(cpp, Not(HasSubstr("__global")));
}

TEST(Source, CalledHelpersAreMadeForTheFunctionsThatOccur) {
  SourceOptions options;
  options.called_helpers = true;
  const std::string text = made(options).text;
  EXPECT_THAT(text, HasSubstr("float gp_sinf(float a) { return sinf(a); }"));
  EXPECT_THAT(text, HasSubstr("#define sinf gp_sinf"));
  EXPECT_THAT(text, Not(HasSubstr("floor_mod"))) << "not used here";
  const std::vector<std::string> one = {"OUTPUT = INPUT[floor_mod(i, LENINPUT)];"};
  EXPECT_THAT(make_source(prepare(search()), one, options).text, HasSubstr("GP_CALLED int floor_mod"));
  EXPECT_THAT(text, Not(HasSubstr("gp_tanhf")));
}

TEST(Source, WithoutIndividualsThereIsNone) {
  EXPECT_THAT(refusal_of([] { make_source(keijzer(), {}, {}); }), HasSubstr("at least one individual"));
}

TEST(Source, PartsForWorkersDifferByOneAtMost) {
  for (const std::size_t total : {1U, 7U, 20U, 300U}) {
    for (const std::size_t workers : {1U, 2U, 6U, 7U, 16U}) {
      const std::vector<IndividualRange> parts = split_evenly(total, workers);
      ASSERT_EQ(parts.size(), std::min<std::size_t>(total, workers));
      std::size_t next = 0;
      for (const IndividualRange& part : parts) {
        EXPECT_EQ(part.first, next);
        EXPECT_GE(part.count, 1U);
        EXPECT_LE(parts.front().count - part.count, 1U);
        next += part.count;
      }
      EXPECT_EQ(next, total);
    }
  }
  EXPECT_TRUE(split_evenly(0, 4).empty());
}

}  // namespace
}  // namespace forelap::evolve::gp
