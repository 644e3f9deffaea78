#include "evolve/gp/cases.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;

Scope inputs(const std::vector<Input>& declared) {
  Scope scope;
  for (const Input& input : declared) scope.add(input.name, input.type, input.length, false);
  scope.input_words = scope.slots;
  return scope;
}

TEST(Cases, HarmonicNumbersAreTheTargetOfKeijzer6) {
  const Cases cases = prepare(keijzer_6()).cases;
  ASSERT_EQ(cases.count(), 64U);
  EXPECT_EQ(number_of(cases.row(3)[0], Type::float32), 4);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(cases.expected[3]), 25.0F / 12.0F);
  EXPECT_NEAR(number_of(cases.expected[63], Type::float32), 4.74389, 1e-5);
}

TEST(Cases, MultiplierHoldsEveryPairOnce) {
  const Cases cases = prepare(multiplier_5_bit()).cases;
  ASSERT_EQ(cases.count(), 1024U);
  for (std::uint32_t i = 0; i < 1024; ++i) {
    EXPECT_EQ(cases.row(i)[0], i);
    EXPECT_EQ(cases.expected[i], (i & 31U) * (i >> 5U));
  }
}

TEST(Cases, HalfOfTheListsHoldTheWantedValueOnce) {
  const Cases cases = prepare(search()).cases;
  ASSERT_EQ(cases.count(), 32U);
  ASSERT_EQ(cases.row_words, 22U);
  int present = 0;
  for (std::size_t i = 0; i < cases.count(); ++i) {
    const auto row = cases.row(i);
    const std::uint32_t length = row[1];
    EXPECT_GE(length, 3U);
    EXPECT_LE(length, 20U);
    EXPECT_TRUE(std::all_of(row.begin() + 2, row.end(), [](std::uint32_t value) { return value <= 50; }));
    const auto list = row.subspan(2, length);
    const auto times = std::count(list.begin(), list.end(), row[0]);
    if (cases.expected[i] == 0xffffffffU) {
      EXPECT_EQ(times, 0);
    } else {
      EXPECT_EQ(times, 1);
      EXPECT_EQ(list[cases.expected[i]], row[0]);
      ++present;
    }
  }
  EXPECT_EQ(present, 16);
}

TEST(Cases, ListsDependOnTheSeedOnly) {
  Problem problem = search();
  const Cases first = prepare(problem).cases;
  EXPECT_EQ(prepare(problem).cases.inputs, first.inputs);
  std::get<CaseGenerator>(problem.cases).seed = 2;
  EXPECT_NE(prepare(problem).cases.inputs, first.inputs);
}

TEST(Cases, ARangeComputesWhatIsExpected) {
  const Scope scope = inputs({{"x", Type::float32, 0}});
  const Cases cases = cases_of(CaseGenerator{"range", 1, {{"first", -1}, {"last", 1}, {"count", 5}}, "x * x + 1"},
                               scope, Type::float32);
  ASSERT_EQ(cases.count(), 5U);
  EXPECT_EQ(number_of(cases.inputs[1], Type::float32), -0.5);
  EXPECT_EQ(number_of(cases.expected[1], Type::float32), 1.25);
}

TEST(Cases, ATableFillsInputsByName) {
  const Scope scope = inputs({{"n", Type::int32, 0}, {"list", Type::float32, 3}});
  const CaseTable table{{"expected", "list[2]", "n", "list[0]"}, {{1, 2.5, -3, 4}, {0, 0, 7, 1}}};
  const Cases cases = cases_of(table, scope, Type::int32);
  ASSERT_EQ(cases.count(), 2U);
  EXPECT_EQ(number_of(cases.row(0)[0], Type::int32), -3);
  EXPECT_EQ(number_of(cases.row(0)[1], Type::float32), 4);
  EXPECT_EQ(cases.row(0)[2], 0U) << "an element without a column";
  EXPECT_EQ(number_of(cases.row(0)[3], Type::float32), 2.5);
  EXPECT_EQ(cases.expected[0], 1U);
}

TEST(Cases, TablesThatDoNotFitAreRefused) {
  const Scope scope = inputs({{"n", Type::int32, 0}, {"list", Type::float32, 3}});
  const auto refused = [&](const CaseTable& table) { return refusal_of([&] { cases_of(table, scope, Type::int32); }); };
  EXPECT_THAT(refused({{"n"}, {{1}}}), HasSubstr("no column 'expected'"));
  EXPECT_THAT(refused({{"expected"}, {{1}}}), HasSubstr("no column 'n'"));
  EXPECT_THAT(refused({{"expected", "n", "m"}, {{1, 1, 1}}}), HasSubstr("column 'm'"));
  EXPECT_THAT(refused({{"expected", "n", "list[3]"}, {{1, 1, 1}}}), HasSubstr("column 'list[3]'"));
  EXPECT_THAT(refused({{"expected", "n", "list[x"}, {{1, 1, 1}}}), HasSubstr("column 'list[x'"));
  EXPECT_THAT(refused({{"expected", "n", "n"}, {{1, 1, 1}}}), HasSubstr("stands twice"));
  EXPECT_THAT(refused({{"expected", "n"}, {}}), HasSubstr("no rows"));
  EXPECT_THAT(refused({{"expected", "n"}, {{1, 1}, {1}}}), HasSubstr("case 2 has 1 values"));
  EXPECT_THAT(refused({{"expected", "n"}, {{1, 1.5}}}), HasSubstr("'n' of case 1 is 1.5, which no int holds"));
  EXPECT_THAT(refused({{"expected", "n"}, {{1, 1e10}}}), HasSubstr("which no int holds"));
}

TEST(Cases, GeneratorsNameWhatTheyCannotUse) {
  const Scope one = inputs({{"x", Type::float32, 0}});
  const auto refused = [&](const CaseGenerator& generator) {
    return refusal_of([&] { cases_of(generator, one, Type::int32); });
  };
  EXPECT_THAT(refused({"none", 1, {}, {}}), HasSubstr("unknown generator of cases 'none'; known are harmonic"));
  EXPECT_THAT(refused({"harmonic", 1, {{"size", 3}}, {}}), HasSubstr("unknown parameter 'size'; known are first"));
  EXPECT_THAT(refused({"multiplier", 1, {{"bits", 11}}, {}}),
              HasSubstr("bits is 11; expected a whole number of 1 to 10"));
  EXPECT_THAT(refused({"multiplier", 1, {{"bits", 2.5}}, {}}), HasSubstr("bits is 2.5"));
  EXPECT_THAT(refused({"search_lists", 1, {}, {}}), HasSubstr("declare these inputs"));
  EXPECT_THAT(refused({"range", 1, {}, "x +"}), HasSubstr("the text ends where a value is expected"));
  EXPECT_THAT(refused({"harmonic", 1, {}, "x"}), HasSubstr("only the generator 'range'"));
  EXPECT_THAT(refused({"harmonic", 1, {}, {}}), HasSubstr("which no int holds")) << "sums are no whole numbers";
}

}  // namespace
}  // namespace forelap::evolve::gp
