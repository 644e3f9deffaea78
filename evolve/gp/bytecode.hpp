#pragma once
// Derived programs as postfix code, for interpreters on devices, and its evaluation here, which says what they must
// give. Arithmetic is single precision and 32-bit words, every operation rounded on its own (no fused multiply-add);
// sin, tanh and their like come from the library of the machine, so they may differ in the last bits between devices.

#include <cstdint>
#include <span>
#include <vector>

#include "evolve/gp/op.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {

/// 8 bytes, as devices read it.
struct Instruction {
  std::uint32_t op = 0;  ///< an Op
  std::uint32_t operand = 0;
};
static_assert(sizeof(Instruction) == 8);

struct Bytecode {
  std::vector<Instruction> code;  ///< ends by running behind the last instruction
  std::uint32_t stack = 0;        ///< words that it needs at most
  bool straight = true;           ///< without jumps: every case takes the same way
  std::uint32_t nodes = 0;        ///< instructions that compute or read a value, the unit of an interpreter's speed
};

/// Of a program of the subset; throws core::Error (bad_input) with the refusal if it is none.
Bytecode emit(const Syntax& program);
/// Of an expression whose value goes into `slot`.
Bytecode emit_value(const Syntax& expression, std::uint32_t slot);

enum class Outcome : std::uint8_t { finished, step_limit, index_out_of_range };

/// Instructions that a case may take before it counts as endless.
inline constexpr std::uint64_t kStepLimit = 1'000'000;

/// Runs over one case: `slots` is its row (Scope::slots words). `stack` is scratch memory, kept between calls.
Outcome run(const Bytecode& program, std::span<std::uint32_t> slots, std::vector<std::uint32_t>& stack,
            std::uint64_t step_limit = kStepLimit);

}  // namespace forelap::evolve::gp
