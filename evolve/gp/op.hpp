#pragma once
// The operations of derived programs: of syntax trees and of the bytecode alike. Operands are 32-bit words: two's
// complement whole numbers that wrap, or IEEE single precision. `i`, `u`, `f`: signed, unsigned, float.

#include <cstdint>
#include <string_view>

namespace forelap::evolve::gp {

enum class Type : std::uint8_t { int32, uint32, float32 };

/// "int", "unsigned int", "float".
std::string_view type_name(Type type);

/// In bytecode: [before] -> [after] is what happens to the stack, the right end is its top.
enum class Op : std::uint8_t {
  constant,      ///< [] -> [operand]
  load,          ///< [] -> [slot operand]
  element,       ///< [index] -> [slot (operand & 0xffff) + index]; the index, unsigned, is below operand >> 16 or the
                 ///< program stops with Outcome::index_out_of_range
  store,         ///< [value] -> []; into slot operand
  jump,          ///< goes on at instruction `operand`
  jump_if_zero,  ///< [value] -> []; jumps if the word is 0
  // [a] -> [op a]
  int_to_float,
  uint_to_float,
  negate,
  negate_f,
  bit_not,
  is_zero,      ///< 1 if the word is 0, else 0
  is_not_zero,  ///< 1 if the word is not 0, else 0
  // [a, b] -> [a op b]
  add,
  subtract,
  multiply,
  divide_i,  ///< the divisor is a positive constant: the front end refuses all others
  divide_u,
  modulo_i,  ///< the same
  modulo_u,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,  ///< by a constant of 0 .. 31
  shift_right_i,
  shift_right_u,
  equal,
  not_equal,
  less_i,
  less_u,
  less_equal_i,
  less_equal_u,
  add_f,
  subtract_f,
  multiply_f,
  divide_f,
  equal_f,
  not_equal_f,
  less_f,
  less_equal_f,
  // functions, [a] -> [f(a)]
  sqrt_f,
  abs_f,
  sin_f,
  cos_f,
  tanh_f,
  exp_f,
  log_f,
  // functions, [a, b] -> [f(a, b)]
  min_f,
  max_f,
  pow_f,
  floor_mod,  ///< floor modulo of signed numbers; 0 if the divisor is not positive
  select,     ///< [condition, a, b] -> [a if condition is not 0, else b]
};
inline constexpr std::uint32_t kOpCount = static_cast<std::uint32_t>(Op::select) + 1;

/// "add_f" ...
std::string_view op_name(Op op);
/// Words taken from the stack, 0 to 3.
std::uint32_t operands_of(Op op);

}  // namespace forelap::evolve::gp
