#include "evolve/gp/syntax.hpp"

#include <algorithm>
#include <string>

#include "evolve/gp/problems.hpp"
#include "evolve/gp/random.hpp"
#include "evolve/gp/variation.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;

Scope scope() {
  Scope scope;
  scope.add("n", Type::int32, 0, false);
  scope.add("list", Type::int32, 4, false);
  scope.add("i", Type::int32, 0, true);
  scope.add("u", Type::uint32, 0, true);
  scope.add("y", Type::float32, 0, true);
  return scope;
}

std::string refusal(const std::string& text) {
  return parse_program(scope(), text).refusal;
}

TEST(Syntax, SlotsFollowTheOrderOfDeclaration) {
  const Scope made = scope();
  EXPECT_EQ(made.find("list")->slot, 1U);
  EXPECT_EQ(made.find("i")->slot, 5U);
  EXPECT_EQ(made.slots, 8U);
  EXPECT_EQ(made.find("nothing"), nullptr);
}

TEST(Syntax, NamesThatCannotBeVariablesAreRefused) {
  Scope made = scope();
  EXPECT_THAT(refusal_of([&] { made.add("i", Type::int32, 0, true); }), HasSubstr("'i' is declared twice"));
  EXPECT_THAT(refusal_of([&] { made.add("2x", Type::int32, 0, true); }), HasSubstr("is no name"));
  EXPECT_THAT(refusal_of([&] { made.add("for", Type::int32, 0, true); }), HasSubstr("meaning of its own"));
  EXPECT_THAT(refusal_of([&] { made.add("sinf", Type::int32, 0, true); }), HasSubstr("meaning of its own"));
  EXPECT_THAT(refusal_of([&] { made.add("big", Type::int32, 5000, false); }), HasSubstr("4096 words"));
}

TEST(Syntax, OperatorsBindAsInC) {
  const Syntax sum = parse_expression(scope(), "i + n * 2", Type::int32);
  ASSERT_TRUE(sum.ok()) << sum.refusal;
  EXPECT_EQ(sum.nodes[sum.root].op, Op::add);
  const Syntax bits = parse_expression(scope(), "i & n == 2", Type::int32);
  EXPECT_EQ(bits.nodes[bits.root].op, Op::bit_and);
  const Syntax minus = parse_expression(scope(), "i - n - 2", Type::int32);
  EXPECT_EQ(minus.nodes[minus.nodes[minus.root].child[0]].op, Op::subtract) << "from the left";
}

TEST(Syntax, MixedTypesFollowC) {
  const Syntax real = parse_expression(scope(), "y + i", Type::float32);
  EXPECT_EQ(real.nodes[real.root].op, Op::add_f);
  const Syntax without_sign = parse_expression(scope(), "i < u", Type::int32);
  EXPECT_EQ(without_sign.nodes[without_sign.root].op, Op::less_u);
  const Syntax with_sign = parse_expression(scope(), "(int)(u) < (int)(i)", Type::int32);
  EXPECT_EQ(with_sign.nodes[with_sign.root].op, Op::less_i);
}

TEST(Syntax, ProgramsOfTheSubsetAreTaken) {
  for (const char* text : {"", ";", "i = 1;", "i += 2; i++; --i; u <<= 3; u ^= 1u;", "{ i = 0; { u = 2; } }",
                           "if (i) y = 1.0f; else if (y) y = 2.0f; else { }", "while (i < n) i++;",
                           "for (i = 0; i < n; i++) { y = y + list[i]; }", "for (;;) ;", "y = i > 2 ? 1.0f : -y;",
                           "y = fmaxf(y, 2.5f) / 0x1F; // end", "i = !i && ~n || (u >> 3) % 7u;"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
}

TEST(Syntax, WhatLiesOutsideIsRefusedWithReasonAndPlace) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"int k = 1;", "'int' begins no statement"},
      {"i = 1", "the text ends where ';' is expected"},
      {"i = ;", "';' where a value is expected"},
      {"k = 1;", "'k' begins no statement of the subset and is no variable"},
      {"n = 1;", "'n' is given by the case"},
      {"list[0] = 1;", "'list' is given by the case"},
      {"i = k;", "'k' is no variable"},
      {"i = list;", "where '[' is expected"},
      {"i = n[0];", "'n' is no array"},
      {"y = 12.5;", "is a double; write 12.5f"},
      {"y = 1f;", "is no"},
      {"i = 077;", "is no decimal"},
      {"i = 4294967295;", "is no decimal"},
      {"i = y;", "a float becomes a whole number"},
      {"i = (int)y;", "a float becomes a whole number"},
      {"i = i / n;", "positive constant"},
      {"i = i % 0;", "positive constant"},
      {"i = i << n;", "constant of 0 to 31"},
      {"i = i >> 32;", "constant of 0 to 31"},
      {"i = y & 1;", "needs whole numbers"},
      {"y = cbrtf(y);", "'cbrtf' is no function"},
      {"y = sinf(y, y);", "where ')' is expected"},
      {"y = fminf(y);", "where ',' is expected"},
      {"return i;", "begins no statement"},
      {"{ i = 1;", "the text ends where '}' is expected"},
      {"i = 1; }", "'}' where a statement is expected"},
      {"i = 1 $ 2;", "'$' is no operator"},
      {"asm(\"x\");", "is no operator"},
  };
  for (const auto& [text, reason] : kRefused) {
    EXPECT_THAT(refusal(text), HasSubstr(reason)) << text;
    EXPECT_THAT(refusal(text), testing::StartsWith("at byte ")) << text;
  }
}

TEST(Syntax, NestingIsBounded) {
  EXPECT_THAT(refusal("i = " + std::string(100000, '(')), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal("i = " + std::string(100000, '~') + "1;"), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal(std::string(100000, '{')), HasSubstr("nested deeper"));
  std::string chain = "i = 1";
  for (int k = 0; k < 100000; ++k) chain += "+1";
  EXPECT_THAT(refusal(chain + ";"), HasSubstr("nested deeper")) << "a long chain is a deep tree";
  std::string otherwise;
  for (int k = 0; k < 10000; ++k) otherwise += "if (i) i = 1; else ";
  EXPECT_THAT(refusal(otherwise + ";"), HasSubstr("nested deeper"));
  std::string sequence;
  for (int k = 0; k < 100000; ++k) sequence += "i=1;";
  EXPECT_EQ(refusal(sequence), "") << "statements in a row nest nothing";
}

TEST(Syntax, DamagedProgramsAreTakenOrRefused) {
  const PreparedProblem problem = prepare(search());
  Random random(23);
  std::size_t taken = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text = derive(problem.grammar, random_codons(221, random)).text;
    for (std::uint64_t k = random.below(4); k > 0 && !text.empty(); --k) {
      const std::size_t at = random.below(text.size());
      if (random.below(2) == 0) {
        text.erase(at, 1 + random.below(5));
      } else {
        text[at] = static_cast<char>(random.below(256));
      }
    }
    const Syntax syntax = parse_program(problem.scope, text);
    EXPECT_EQ(syntax.ok(), syntax.root != SyntaxNode::kNone);
    taken += syntax.ok() ? 1U : 0U;
  }
  EXPECT_GT(taken, 200U);
  EXPECT_LT(taken, 1000U);
}

}  // namespace
}  // namespace forelap::evolve::gp
