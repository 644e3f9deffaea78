#include "evolve/gp/problem.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "evolve/gp/features.hpp"
#include "evolve/gp/problems.hpp"
#include "evolve/gp/variation.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;

TEST(Problem, EveryDerivedTextOfTheThreeLiesInTheSubset) {
  for (const Problem& problem : {keijzer_6(), multiplier_5_bit(), search()}) {
    const PreparedProblem prepared = prepare(problem);
    Evaluator evaluator(prepared);
    Random random(9);
    int valid = 0;
    for (int i = 0; i < 300; ++i) {
      const Derivation derivation = derive(prepared.grammar, random_codons(221, random));
      if (!derivation.valid()) continue;
      const CompiledText compiled = compile_text(prepared, derivation.text);
      ASSERT_EQ(compiled.refusal, "") << derivation.text;
      EXPECT_EQ(evaluator.evaluate(compiled.program).outcome, Outcome::finished) << derivation.text;
      ++valid;
    }
    EXPECT_GT(valid, 290) << problem.name;
  }
}

TEST(Problem, AKnownSolutionOfSearchSolvesEveryCase) {
  const PreparedProblem problem = prepare(search());
  Evaluator evaluator(problem);
  const std::string solution =
      "for (i = 0; i < LENINPUT; i++) { if ((int)(INPUT[floor_mod(i, LENINPUT)]) == (int)(SEARCH)) { OUTPUT = i; } }";
  EXPECT_EQ(evaluator.fitness(solution), 32);
  EXPECT_EQ(evaluator.fitness("tmp = 1;"), 16) << "always -1 is right for the missing half";
}

TEST(Problem, AKnownFormulaOfKeijzer6IsNear) {
  const PreparedProblem problem = prepare(keijzer_6());
  Evaluator evaluator(problem);
  EXPECT_LT(evaluator.fitness("logf(fabsf(x) + 1.0f) + 00.50f"), 0.1);
  EXPECT_TRUE(std::isinf(evaluator.fitness("x / 00.00f - x / 00.00f"))) << "not a number is the worst";
  EXPECT_TRUE(std::isinf(evaluator.fitness("nonsense")));
}

TEST(Problem, TheMultiplierCountsBitsOfItsProducts) {
  const PreparedProblem problem = prepare(multiplier_5_bit());
  Evaluator evaluator(problem);
  std::string zeros;
  for (int bit = 0; bit < 10; ++bit) zeros += "o" + std::to_string(bit) + " = (a0 & (~ a0)); ";
  double ones = 0;
  double odd = 0;
  for (unsigned a = 0; a < 32; ++a) {
    for (unsigned b = 0; b < 32; ++b) {
      ones += __builtin_popcount(a * b);
      odd += a * b & 1U;
    }
  }
  EXPECT_EQ(evaluator.fitness(zeros), ones);
  EXPECT_EQ(evaluator.fitness(zeros + "o0 = (a0 & b0);"), ones - odd) << "the lowest bit is right everywhere";
}

TEST(Problem, FreshSearchesHoldTwoThirdsOfALoop) {
  const Grammar grammar = parse_grammar(search().grammar);
  Random random(1);
  double loops = 0;
  for (int i = 0; i < 3000; ++i) {
    loops += at(features_of(derive(grammar, random_codons(221, random))), Feature::loops);
  }
  EXPECT_NEAR(loops / 3000, 0.667, 0.05);
}

TEST(Problem, FreshFormulasHaveAsManyNodesAsThePapersDataSays) {
  const Grammar grammar = parse_grammar(keijzer_6().grammar);
  Random random(1);
  double nodes = 0;
  for (int i = 0; i < 4000; ++i) {
    const Derivation derivation = derive(grammar, random_codons(221, random));
    for (const DerivationNode& node : derivation.nodes) {
      nodes += grammar.rules[node.rule].name.starts_with("e") ? 1 : 0;
    }
  }
  EXPECT_NEAR(nodes / 4000, 2.75, 0.15);
}

TEST(Problem, GivensAreComputedFromInputsAndEarlierOnes) {
  Problem problem = keijzer_6();
  problem.givens = {{"twice", Type::float32, "x * 2"}, {"four", Type::float32, "twice * 2"}};
  const PreparedProblem prepared = prepare(problem);
  Evaluator evaluator(prepared);
  const CompiledText compiled = compile_text(prepared, "four");
  const std::vector<std::uint32_t> results = evaluator.evaluate(compiled.program).results;
  EXPECT_EQ(number_of(results[4], Type::float32), 20);
}

TEST(Problem, LocalsBeginAtZeroForEveryCase) {
  const PreparedProblem prepared = prepare(keijzer_6());
  Evaluator evaluator(prepared);
  const std::vector<std::uint32_t> results = evaluator.evaluate(compile_text(prepared, "y + 1.0f").program).results;
  for (const std::uint32_t word : results) EXPECT_EQ(number_of(word, Type::float32), 1);
}

TEST(Problem, AProgramThatDoesNotFinishGetsTheWorstFitness) {
  Problem problem = search();
  const PreparedProblem prepared = prepare(problem);
  Evaluator evaluator(prepared);
  EXPECT_TRUE(std::isinf(evaluator.fitness("while (1) { tmp = tmp + 1; }", 5000)));
  EXPECT_TRUE(std::isinf(evaluator.fitness("OUTPUT = INPUT[20];")));
  EXPECT_EQ(evaluator.fitness("OUTPUT = -1;"), 16) << "the evaluator goes on with the next one";
}

TEST(Problem, WhatIsWrongIsNamedWithTheProblem) {
  const auto refused = [](auto change) {
    Problem problem = keijzer_6();
    change(problem);
    return refusal_of([&] { prepare(problem); });
  };
  EXPECT_THAT(refused([](Problem& p) { p.grammar = "<start> ::= <a>"; }),
              HasSubstr("problem 'keijzer-6': keijzer-6.bnf:1: <a> is used here"));
  EXPECT_THAT(refused([](Problem& p) { p.result = "z"; }), HasSubstr("the result 'z' is none of the locals"));
  EXPECT_THAT(refused([](Problem& p) { p.result = "x"; }), HasSubstr("the result 'x' is none of the locals"));
  EXPECT_THAT(refused([](Problem& p) { p.locals.push_back({"x", Type::int32}); }), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(refused([](Problem& p) { p.givens = {{"g", Type::int32, "z"}}; }), HasSubstr("value of 'g', at byte 0"));
  EXPECT_THAT(refused([](Problem& p) { p.givens = {{"g", Type::float32, "y"}}; }), HasSubstr("'y' is no variable"));
  EXPECT_THAT(refused([](Problem& p) { p.fitness.name = "good"; }), HasSubstr("unknown fitness 'good'"));
  EXPECT_THAT(refused([](Problem& p) { p.cases = CaseGenerator{"x", 1, {}, {}}; }), HasSubstr("unknown generator"));
  EXPECT_THAT(refused([](Problem& p) { p.cases = CaseTable{}; }), HasSubstr("no column 'expected'"));
}

}  // namespace
}  // namespace forelap::evolve::gp
