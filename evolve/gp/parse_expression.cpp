#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/text.hpp"
#include "evolve/gp/parser.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::array<Function, 11> kFunctions = {{{"sqrtf", Op::sqrt_f, 1, Type::float32},
                                                  {"fabsf", Op::abs_f, 1, Type::float32},
                                                  {"sinf", Op::sin_f, 1, Type::float32},
                                                  {"cosf", Op::cos_f, 1, Type::float32},
                                                  {"tanhf", Op::tanh_f, 1, Type::float32},
                                                  {"expf", Op::exp_f, 1, Type::float32},
                                                  {"logf", Op::log_f, 1, Type::float32},
                                                  {"fminf", Op::min_f, 2, Type::float32},
                                                  {"fmaxf", Op::max_f, 2, Type::float32},
                                                  {"powf", Op::pow_f, 2, Type::float32},
                                                  {"floor_mod", Op::floor_mod, 2, Type::int32}}};

/// C's binary operators, loosest first.
int precedence(std::string_view mark) {
  static constexpr std::array<std::pair<std::string_view, int>, 18> kLevels = {{{"||", 1},
                                                                                {"&&", 2},
                                                                                {"|", 3},
                                                                                {"^", 4},
                                                                                {"&", 5},
                                                                                {"==", 6},
                                                                                {"!=", 6},
                                                                                {"<", 7},
                                                                                {">", 7},
                                                                                {"<=", 7},
                                                                                {">=", 7},
                                                                                {"<<", 8},
                                                                                {">>", 8},
                                                                                {"+", 9},
                                                                                {"-", 9},
                                                                                {"*", 10},
                                                                                {"/", 10},
                                                                                {"%", 10}}};
  for (const auto& [name, level] : kLevels) {
    if (name == mark) return level;
  }
  return 0;
}

Type common(Type a, Type b) {
  if (a == Type::float32 || b == Type::float32) return Type::float32;
  return a == Type::uint32 || b == Type::uint32 ? Type::uint32 : Type::int32;
}

std::string quoted(std::string_view text) {
  return "'" + core::printable(text) + "'";
}

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

std::uint32_t Parser::expression() {
  const Nesting nesting(*this);
  return conditional();
}

std::uint32_t Parser::conditional() {
  const std::uint32_t condition = binary(1);
  if (!accept("?")) return condition;
  const std::uint32_t yes = expression();
  expect(":");
  const std::uint32_t no = expression();
  const Type type = common(type_of(yes), type_of(no));
  return operation(Op::select, type, {truth(condition), converted(yes, type), converted(no, type)});
}

std::uint32_t Parser::binary(int least) {
  std::uint32_t left = unary();
  while (peek().kind == TokenKind::mark) {
    const std::string_view mark = peek().text;
    const int level = precedence(mark);
    if (level == 0 || level < least) break;
    ++at_;
    left = apply(mark, left, binary(level + 1));
  }
  return left;
}

std::uint32_t Parser::unary() {
  const Nesting nesting(*this);
  if (accept("+")) return unary();
  if (accept("!")) return operation(Op::is_zero, Type::int32, {truth(unary())});
  if (accept("-")) {
    const std::uint32_t value = unary();
    const Type type = type_of(value);
    return operation(type == Type::float32 ? Op::negate_f : Op::negate, type, {value});
  }
  if (accept("~")) {
    const std::uint32_t value = unary();
    require_whole(value, "~");
    return operation(Op::bit_not, type_of(value), {value});
  }
  if (next_is("(")) return parenthesis();
  return primary();
}

/// "(expression)" or a cast.
std::uint32_t Parser::parenthesis() {
  expect("(");
  const std::string_view word = peek().text;
  if (word != "int" && word != "unsigned" && word != "float") {
    const std::uint32_t inner = expression();
    expect(")");
    return inner;
  }
  ++at_;
  if (word == "unsigned" && peek().text == "int") ++at_;
  expect(")");
  const Type type = word == "float" ? Type::float32 : word == "int" ? Type::int32 : Type::uint32;
  return converted(unary(), type);
}

std::uint32_t Parser::primary() {
  const Token token = peek();
  if (token.kind == TokenKind::end) refuse("the text ends where a value is expected");
  if (token.kind == TokenKind::mark) refuse(quoted(token.text) + " where a value is expected");
  ++at_;
  if (token.kind == TokenKind::number) return number(token);
  if (next_is("(")) return call(token);
  const Variable* variable = scope_.find(token.text);
  if (variable == nullptr) {
    --at_;
    refuse(quoted(token.text) + " is no variable of the problem");
  }
  if (variable->length > 0) return element(*variable);
  if (next_is("[")) refuse(quoted(token.text) + " is no array");
  return load(*variable);
}

std::uint32_t Parser::number(const Token& token) {
  std::string_view text = token.text;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal || text.find_first_of(".eEfF") == std::string_view::npos) return whole_number(token);
  if (text.back() != 'f' && text.back() != 'F') {
    --at_;
    refuse(quoted(token.text) + " is a double; write " + core::printable(token.text) + "f");
  }
  text.remove_suffix(1);
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.find_first_of(".eE") == text.npos) {
    --at_;
    refuse(quoted(token.text) + " is no number of single precision");
  }
  return constant(std::bit_cast<std::uint32_t>(value), Type::float32);
}

std::uint32_t Parser::whole_number(const Token& token) {
  std::string_view text = token.text;
  const bool without_sign = text.back() == 'u' || text.back() == 'U';
  if (without_sign) text.remove_suffix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const bool octal = !hexadecimal && text.size() > 1 && text.front() == '0';
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  const bool too_large = !without_sign && value > 0x7fffffffU;
  if (octal || too_large || error != std::errc() || end != text.data() + text.size()) {
    --at_;
    refuse(quoted(token.text) + " is no decimal or hexadecimal number of 32 bits");
  }
  return constant(value, without_sign ? Type::uint32 : Type::int32);
}

std::uint32_t Parser::call(const Token& name) {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [&](const Function& function) { return function.name == name.text; });
  if (found == kFunctions.end()) {
    --at_;
    refuse(quoted(name.text) + " is no function of the subset");
  }
  expect("(");
  std::array<std::uint32_t, 2> arguments{};
  for (std::uint32_t i = 0; i < found->arguments; ++i) {
    if (i > 0) expect(",");
    arguments[i] = converted(expression(), found->type);
  }
  expect(")");
  if (found->arguments == 1) return operation(found->op, found->type, {arguments[0]});
  return operation(found->op, found->type, {arguments[0], arguments[1]});
}

std::uint32_t Parser::element(const Variable& variable) {
  expect("[");
  const std::uint32_t index = expression();
  require_whole(index, "[]");
  expect("]");
  const std::uint32_t node = operation(Op::element, variable.type, {index});
  nodes_[node].value = variable.slot;
  nodes_[node].length = variable.length;
  return node;
}

std::uint32_t Parser::apply(std::string_view mark, std::uint32_t left, std::uint32_t right) {
  if (mark == "&&" || mark == "||") {
    const Op op = mark == "&&" ? Op::bit_and : Op::bit_or;
    const std::uint32_t first = truth(left);
    return operation(op, Type::int32, {first, truth(right)});
  }
  if (mark == "|" || mark == "^" || mark == "&") return bitwise(mark, left, right);
  if (mark == "<<" || mark == ">>") return shift(mark, left, right);
  const int level = precedence(mark);
  return level == 6 || level == 7 ? compare(mark, left, right) : arithmetic(mark, left, right);
}

std::uint32_t Parser::compare(std::string_view mark, std::uint32_t left, std::uint32_t right) {
  const Type type = common(type_of(left), type_of(right));
  left = converted(left, type);
  right = converted(right, type);
  const bool real = type == Type::float32;
  if (mark == "==") return operation(real ? Op::equal_f : Op::equal, Type::int32, {left, right});
  if (mark == "!=") return operation(real ? Op::not_equal_f : Op::not_equal, Type::int32, {left, right});
  const bool strict = mark == "<" || mark == ">";
  Op op = strict ? Op::less_f : Op::less_equal_f;
  if (type == Type::int32) op = strict ? Op::less_i : Op::less_equal_i;
  if (type == Type::uint32) op = strict ? Op::less_u : Op::less_equal_u;
  if (mark == ">" || mark == ">=") std::swap(left, right);
  return operation(op, Type::int32, {left, right});
}

std::uint32_t Parser::arithmetic(std::string_view mark, std::uint32_t left, std::uint32_t right) {
  const Type type = common(type_of(left), type_of(right));
  const bool real = type == Type::float32;
  const bool positive = is_constant(right) && nodes_[right].value > 0;
  left = converted(left, type);
  right = converted(right, type);
  if (mark == "+") return operation(real ? Op::add_f : Op::add, type, {left, right});
  if (mark == "-") return operation(real ? Op::subtract_f : Op::subtract, type, {left, right});
  if (mark == "*") return operation(real ? Op::multiply_f : Op::multiply, type, {left, right});
  if (mark == "/" && real) return operation(Op::divide_f, type, {left, right});
  require_whole(left, mark);
  require_whole(right, mark);
  if (!positive) {
    refuse("whole numbers " + quoted(mark) +
           " by anything but a positive constant (what a zero divisor gives differs between devices); floor_mod(a, b) "
           "is defined for all");
  }
  const bool is_signed = type == Type::int32;
  if (mark == "/") return operation(is_signed ? Op::divide_i : Op::divide_u, type, {left, right});
  return operation(is_signed ? Op::modulo_i : Op::modulo_u, type, {left, right});
}

std::uint32_t Parser::bitwise(std::string_view mark, std::uint32_t left, std::uint32_t right) {
  require_whole(left, mark);
  require_whole(right, mark);
  const Op op = mark == "|" ? Op::bit_or : mark == "^" ? Op::bit_xor : Op::bit_and;
  return operation(op, common(type_of(left), type_of(right)), {left, right});
}

std::uint32_t Parser::shift(std::string_view mark, std::uint32_t left, std::uint32_t right) {
  require_whole(left, mark);
  require_whole(right, mark);
  if (!is_constant(right) || nodes_[right].value > 31) {
    refuse(quoted(mark) + " by anything but a constant of 0 to 31 differs between devices");
  }
  const Type type = type_of(left);
  if (mark == "<<") return operation(Op::shift_left, type, {left, right});
  return operation(type == Type::int32 ? Op::shift_right_i : Op::shift_right_u, type, {left, right});
}

/// The value as 0 or 1; comparisons are already.
std::uint32_t Parser::truth(std::uint32_t node) {
  if (type_of(node) == Type::float32) {
    const std::uint32_t zero = constant(0, Type::float32);
    return operation(Op::not_equal_f, Type::int32, {node, zero});
  }
  switch (nodes_[node].op) {
    case Op::is_zero:
    case Op::is_not_zero:
    case Op::equal:
    case Op::not_equal:
    case Op::less_i:
    case Op::less_u:
    case Op::less_equal_i:
    case Op::less_equal_u:
    case Op::equal_f:
    case Op::not_equal_f:
    case Op::less_f:
    case Op::less_equal_f:
      return node;
    default:
      return operation(Op::is_not_zero, Type::int32, {node});
  }
}

std::uint32_t Parser::converted(std::uint32_t node, Type type) {
  const Type from = type_of(node);
  if (from == type) return node;
  if (type == Type::float32) {
    return operation(from == Type::int32 ? Op::int_to_float : Op::uint_to_float, Type::float32, {node});
  }
  if (from == Type::float32) {
    refuse("a float becomes a whole number (what is out of range differs between devices)");
  }
  // The bits stay; a copy carries the other type, since the node may be looked at as it was.
  SyntaxNode same = nodes_[node];
  same.type = type;
  const std::uint32_t copy = add(same);
  depths_[copy] = depths_[node];
  return copy;
}

void Parser::require_whole(std::uint32_t node, std::string_view mark) const {
  if (type_of(node) == Type::float32) refuse(quoted(mark) + " needs whole numbers");
}

}  // namespace forelap::evolve::gp
