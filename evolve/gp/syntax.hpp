#pragma once
// The front end for the C subset that derived programs are written in: text -> syntax tree. Code generators and
// interpreters build on the tree, so that they agree on what a program means.
//
// The subset: assignments (= += -= *= /= %= &= |= ^= <<= >>=, ++ and -- as statements), if and else, for, while,
// blocks; expressions of int, unsigned int and float with + - * / % & | ^ ~ ! << >> < <= > >= == != && || ?: and casts
// between them, array elements, the functions of `function_names()`. Types follow C: float before unsigned before int.
//
// Differences from C, so that every device gives the same: whole numbers wrap (generated C lets signed ones overflow as
// the compiler likes, so problems that need it use unsigned); && || ?: evaluate both sides, which nothing can tell as
// expressions change nothing. Refused, with the reason: declarations, pointers, other functions, double literals, float
// to whole number, whole division by anything but a positive constant, shifts by anything but a constant of 0 to 31.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/gp/op.hpp"

namespace forelap::evolve::gp {

/// A variable of the programs of one problem. Variables live in 32-bit slots of one row a case.
struct Variable {
  std::string name;
  Type type = Type::int32;
  std::uint32_t slot = 0;
  std::uint32_t length = 0;  ///< 0 for a scalar, else elements of an array
  bool assignable = false;   ///< programs may write locals only
};

/// What a program may name. The first `input_words` slots hold the case, the next ones what is given once from it, the
/// last ones, from `first_local` on, the locals, which are 0 when a program begins.
struct Scope {
  std::vector<Variable> variables;
  std::uint32_t input_words = 0;
  std::uint32_t first_local = 0;
  std::uint32_t slots = 0;

  [[nodiscard]] const Variable* find(std::string_view name) const;
  /// Adds a variable behind the last slot. Throws core::Error (bad_input) for a name that is no name, is taken, or is
  /// a word of C or of the generated sources.
  void add(const std::string& name, Type type, std::uint32_t length, bool assignable);
};

enum class NodeKind : std::uint8_t {
  operation,  ///< op with children (Op::constant: value; Op::load, Op::element: slot in `value`, length in `length`)
  assign,     ///< slot `value` = child 0
  if_else,    ///< child 0: condition, 1: then, 2: else or kNone
  loop,       ///< while child 0 (kNone: for ever): child 1, then child 2 (kNone: nothing)
  block,      ///< child 0: first statement or kNone; statements are linked by `next`
};

struct SyntaxNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  NodeKind kind = NodeKind::operation;
  Op op = Op::constant;
  Type type = Type::int32;
  std::uint32_t value = 0;
  std::uint32_t length = 0;
  std::array<std::uint32_t, 3> child = {kNone, kNone, kNone};
  std::uint32_t next = kNone;
};

/// A program or expression: nodes and the root's index.
struct Syntax {
  std::vector<SyntaxNode> nodes;
  std::uint32_t root = SyntaxNode::kNone;
  std::string refusal;  ///< why the text is outside the subset and where ("at byte 12: ..."), else empty
  [[nodiscard]] bool ok() const { return refusal.empty(); }
};

/// Nesting beyond this is refused: trees are walked by recursion, on devices' compilers too.
inline constexpr std::uint32_t kMaxNesting = 400;

/// A sequence of statements. Any bytes may come in; what is no program of the subset comes back as a refusal.
Syntax parse_program(const Scope& scope, std::string_view text);
/// One expression, converted to `type`.
Syntax parse_expression(const Scope& scope, std::string_view text, Type type);

struct Function {
  std::string_view name;
  Op op;
  std::uint32_t arguments;
  Type type;  ///< of arguments and value
};
/// The functions of the subset: sqrtf fabsf sinf cosf tanhf expf logf fminf fmaxf powf floor_mod.
std::span<const Function> functions();

}  // namespace forelap::evolve::gp
