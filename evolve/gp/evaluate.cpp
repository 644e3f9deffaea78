#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "evolve/gp/bytecode.hpp"

namespace forelap::evolve::gp {
namespace {

using Word = std::uint32_t;

float real(Word word) {
  return std::bit_cast<float>(word);
}
Word bits(float value) {
  return std::bit_cast<Word>(value);
}
std::int32_t whole(Word word) {
  return std::bit_cast<std::int32_t>(word);
}
Word bits(std::int32_t value) {
  return std::bit_cast<Word>(value);
}
Word bits(bool value) {
  return value ? 1U : 0U;
}

Word unary(Op op, Word a) {
  switch (op) {
    case Op::int_to_float:
      return bits(static_cast<float>(whole(a)));
    case Op::uint_to_float:
      return bits(static_cast<float>(a));
    case Op::negate:
      return 0U - a;
    case Op::negate_f:
      return bits(-real(a));
    case Op::bit_not:
      return ~a;
    case Op::is_zero:
      return bits(a == 0);
    case Op::is_not_zero:
      return bits(a != 0);
    case Op::sqrt_f:
      return bits(std::sqrt(real(a)));
    case Op::abs_f:
      return bits(std::fabs(real(a)));
    case Op::sin_f:
      return bits(std::sin(real(a)));
    case Op::cos_f:
      return bits(std::cos(real(a)));
    case Op::tanh_f:
      return bits(std::tanh(real(a)));
    case Op::exp_f:
      return bits(std::exp(real(a)));
    default:
      return bits(std::log(real(a)));
  }
}

Word floor_mod(Word a, Word n) {
  if (whole(n) <= 0) return 0;
  const std::int32_t rest = whole(a) % whole(n);
  return bits(rest < 0 ? rest + whole(n) : rest);
}

Word real_binary(Op op, float a, float b) {
  switch (op) {
    case Op::add_f:
      return bits(a + b);
    case Op::subtract_f:
      return bits(a - b);
    case Op::multiply_f:
      return bits(a * b);
    case Op::divide_f:
      return bits(a / b);
    case Op::equal_f:
      return bits(a == b);
    case Op::not_equal_f:
      return bits(a != b);
    case Op::less_f:
      return bits(a < b);
    case Op::less_equal_f:
      return bits(a <= b);
    case Op::min_f:
      return bits(std::fmin(a, b));
    case Op::max_f:
      return bits(std::fmax(a, b));
    default:
      return bits(std::pow(a, b));
  }
}

Word compare(Op op, Word a, Word b) {
  switch (op) {
    case Op::equal:
      return bits(a == b);
    case Op::not_equal:
      return bits(a != b);
    case Op::less_i:
      return bits(whole(a) < whole(b));
    case Op::less_u:
      return bits(a < b);
    case Op::less_equal_i:
      return bits(whole(a) <= whole(b));
    default:
      return bits(a <= b);
  }
}

Word binary(Op op, Word a, Word b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide_i:
      return bits(whole(a) / whole(b));
    case Op::divide_u:
      return a / b;
    case Op::modulo_i:
      return bits(whole(a) % whole(b));
    case Op::modulo_u:
      return a % b;
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::shift_left:
      return a << b;
    case Op::shift_right_i:
      return bits(whole(a) >> b);
    case Op::shift_right_u:
      return a >> b;
    case Op::floor_mod:
      return floor_mod(a, b);
    default:
      return op <= Op::less_equal_u ? compare(op, a, b) : real_binary(op, real(a), real(b));
  }
}

/// The stack; never asked for more than the program's own need.
class Stack {
 public:
  explicit Stack(std::vector<Word>& words) : words_(words) {}
  void push(Word word) { words_[top_++] = word; }
  Word pop() { return words_[--top_]; }

 private:
  std::vector<Word>& words_;
  std::size_t top_ = 0;
};

/// An operation that only takes from the stack and gives to it.
void compute(Op op, Stack& stack) {
  const Word last = stack.pop();
  if (operands_of(op) == 1) return stack.push(unary(op, last));
  const Word middle = stack.pop();
  if (op == Op::select) {
    stack.push(stack.pop() != 0 ? middle : last);
  } else {
    stack.push(binary(op, middle, last));
  }
}

}  // namespace

Outcome run(const Bytecode& program, std::span<std::uint32_t> slots, std::vector<std::uint32_t>& memory,
            std::uint64_t step_limit) {
  if (memory.size() < program.stack) memory.resize(program.stack);
  Stack stack(memory);
  std::uint64_t steps = 0;
  for (std::size_t at = 0; at < program.code.size();) {
    if (++steps > step_limit) return Outcome::step_limit;
    const Word operand = program.code[at].operand;
    const Op op = static_cast<Op>(program.code[at].op);
    ++at;
    switch (op) {
      case Op::constant:
        stack.push(operand);
        break;
      case Op::load:
        stack.push(slots[operand]);
        break;
      case Op::element: {
        const Word index = stack.pop();
        if (index >= operand >> 16U) return Outcome::index_out_of_range;
        stack.push(slots[(operand & 0xffffU) + index]);
        break;
      }
      case Op::store:
        slots[operand] = stack.pop();
        break;
      case Op::jump:
        at = operand;
        break;
      case Op::jump_if_zero:
        if (stack.pop() == 0) at = operand;
        break;
      default:
        compute(op, stack);
    }
  }
  return Outcome::finished;
}

}  // namespace forelap::evolve::gp
