#include "evolve/gp/bytecode.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

Scope scope() {
  Scope scope;
  scope.add("n", Type::int32, 0, false);
  scope.add("list", Type::int32, 4, false);
  scope.add("i", Type::int32, 0, true);
  scope.add("k", Type::int32, 0, true);
  scope.add("u", Type::uint32, 0, true);
  scope.add("y", Type::float32, 0, true);
  return scope;
}

struct Ran {
  Outcome outcome;
  std::vector<std::uint32_t> slots;
};

/// n = 7, list = {4, 9, 2, 7}, the locals 0.
Ran ran(const std::string& text, std::uint64_t step_limit = kStepLimit) {
  Ran result{Outcome::finished, {7, 4, 9, 2, 7, 0, 0, 0, 0}};
  std::vector<std::uint32_t> stack;
  result.outcome = run(emit(parse_program(scope(), text)), result.slots, stack, step_limit);
  return result;
}

std::int32_t whole(const std::string& expression) {
  return static_cast<std::int32_t>(ran("i = " + expression + ";").slots[5]);
}
float real(const std::string& expression) {
  return std::bit_cast<float>(ran("y = " + expression + ";").slots[8]);
}

TEST(Bytecode, IsPostfixOverSlots) {
  const Bytecode program = emit(parse_program(scope(), "i = n + 2 * list[1];"));
  std::vector<std::string> ops;
  for (const Instruction& instruction : program.code) ops.emplace_back(op_name(static_cast<Op>(instruction.op)));
  EXPECT_THAT(ops, testing::ElementsAre("load", "constant", "constant", "element", "multiply", "add", "store"));
  EXPECT_EQ(program.stack, 3U);
  EXPECT_EQ(program.nodes, 6U);
  EXPECT_TRUE(program.straight);
  EXPECT_EQ(program.code[3].operand, 1U | 4U << 16U) << "slot 1, four elements";
}

TEST(Bytecode, WholeNumbersFollowC) {
  EXPECT_EQ(whole("n - 10 * 2 + 1"), -12);
  EXPECT_EQ(whole("-n / 2"), -3);
  EXPECT_EQ(whole("-n % 4"), -3);
  EXPECT_EQ(whole("floor_mod(-n, 4)"), 1);
  EXPECT_EQ(whole("floor_mod(n, -4) + floor_mod(n, 0)"), 0) << "no positive divisor";
  EXPECT_EQ(whole("~n & 0xF | n << 4 ^ 1"), 0x79);
  EXPECT_EQ(whole("-8 >> 1"), -4);
  EXPECT_EQ(whole("(unsigned)(-8) >> 28"), 15);
  EXPECT_EQ(whole("-1 < 1"), 1);
  EXPECT_EQ(whole("-1 < 1u"), 0) << "compared as unsigned";
  EXPECT_EQ(whole("(n > 6) + (n >= 7) + (n <= 6) + (n != 7) + (n == 7)"), 3);
  EXPECT_EQ(whole("n && 0 || !0"), 1);
  EXPECT_EQ(whole("n > 3 ? 10 : 20"), 10);
  EXPECT_EQ(whole("2147483647 + 1"), std::numeric_limits<std::int32_t>::min()) << "wraps";
  EXPECT_EQ(whole("2 && 1"), 1) << "truths, not bits";
}

TEST(Bytecode, FloatsFollowSinglePrecision) {
  EXPECT_EQ(real("1.0f / 3"), 1.0F / 3.0F);
  EXPECT_EQ(real("sqrtf(fabsf(-2.25f))"), 1.5F);
  EXPECT_EQ(real("-n"), -7.0F);
  EXPECT_EQ(real("4294967295u"), 4294967296.0F);
  EXPECT_EQ(real("fminf(2.0f, 3.0f) + fmaxf(2.0f, 3.0f) * powf(2.0f, 3.0f)"), 26.0F);
  EXPECT_EQ(real("sinf(1.0f)"), std::sin(1.0F));
  EXPECT_EQ(real("logf(expf(0.0f)) + cosf(0.0f) + tanhf(0.0f)"), 1.0F);
  EXPECT_EQ(real("0.1f + 0.2f"), 0.1F + 0.2F);
  EXPECT_EQ(real("00.50f"), 0.5F);
}

TEST(Bytecode, DivisionByZeroGivesInfinityOrNotANumber) {
  EXPECT_TRUE(std::isinf(real("1.0f / 0.0f")));
  EXPECT_TRUE(std::isnan(real("0.0f / 0.0f")));
  EXPECT_EQ(whole("0.0f / 0.0f == 0.0f / 0.0f"), 0);
  EXPECT_EQ(whole("1.0f < 0.0f / 0.0f"), 0);
}

TEST(Bytecode, StatementsRunInOrder) {
  EXPECT_EQ(ran("i = 3; i += n; i *= 2; i--; ++i; k = i - 1;").slots[6], 19U);
  EXPECT_EQ(ran("if (n > 5) i = 1; else i = 2;").slots[5], 1U);
  EXPECT_EQ(ran("if (n > 9) i = 1; else i = 2;").slots[5], 2U);
  EXPECT_EQ(ran("if (0.5f) i = 1;").slots[5], 1U) << "a float is true unless it is zero";
  EXPECT_EQ(ran("for (k = 0; k < 4; k++) { if (list[k] == n) i = k; }").slots[5], 3U);
  EXPECT_EQ(ran("for (k = 0; k < 3; k++) for (u = 0; u < 5; u++) i++;").slots[5], 15U);
  EXPECT_EQ(ran("while (i < 100) { i += n; }").slots[5], 105U);
  EXPECT_FALSE(emit(parse_program(scope(), "while (i < 100) i++;")).straight);
}

TEST(Bytecode, AnEndlessLoopIsEndedByItsStepLimit) {
  EXPECT_EQ(ran("for (;;) i++;", 1000).outcome, Outcome::step_limit);
  EXPECT_EQ(ran("while (1) ;", 1000).outcome, Outcome::step_limit);
  EXPECT_EQ(ran("i = 1;", 2).outcome, Outcome::finished);
  EXPECT_EQ(ran("i = 1;", 1).outcome, Outcome::step_limit);
}

TEST(Bytecode, AnElementBeyondTheArrayEndsTheProgram) {
  EXPECT_EQ(ran("i = list[n];").outcome, Outcome::index_out_of_range);
  EXPECT_EQ(ran("i = list[-1];").outcome, Outcome::index_out_of_range);
  EXPECT_EQ(ran("i = list[3];").outcome, Outcome::finished);
}

TEST(Bytecode, WhatIsNoProgramIsNotEmitted) {
  EXPECT_THAT(refusal_of([] { emit(parse_program(scope(), "goto x;")); }), testing::HasSubstr("outside the subset"));
}

TEST(Bytecode, EveryOperationHasANameOfItsOwn) {
  for (std::uint32_t a = 0; a < kOpCount; ++a) {
    EXPECT_FALSE(op_name(static_cast<Op>(a)).empty()) << a;
    for (std::uint32_t b = 0; b < a; ++b) EXPECT_NE(op_name(static_cast<Op>(a)), op_name(static_cast<Op>(b)));
  }
  EXPECT_EQ(op_name(Op::select), "select");
  EXPECT_EQ(operands_of(Op::select), 3U);
  EXPECT_EQ(op_name(Op::less_equal_f), "less_equal_f");
  EXPECT_EQ(op_name(Op::floor_mod), "floor_mod");
}

}  // namespace
}  // namespace forelap::evolve::gp
