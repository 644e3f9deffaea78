#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "evolve/gp/parser.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::uint32_t kNone = SyntaxNode::kNone;
constexpr std::uint32_t kMaxSlots = 4096;

/// Words that cannot name a variable: of C, CUDA and OpenCL, as far as they would read well and mean something else.
constexpr std::string_view kReserved[] = {
    "auto",     "bool",   "break",    "case",   "char",     "const",  "constant", "continue", "default",  "do",
    "double",   "else",   "enum",     "extern", "float",    "for",    "global",   "goto",     "half",     "if",
    "inline",   "int",    "kernel",   "local",  "long",     "main",   "private",  "register", "restrict", "return",
    "short",    "signed", "sizeof",   "static", "struct",   "switch", "this",     "typedef",  "uint",     "union",
    "unsigned", "void",   "volatile", "while",  "template", "class",  "new",      "delete",   "operator", "try"};

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_reserved(std::string_view name) {
  const bool word = std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
  const auto known = functions();
  const bool function = std::any_of(known.begin(), known.end(), [&](const Function& f) { return f.name == name; });
  return word || function || name.starts_with("gp_") || name.starts_with("__");
}

template <class Parse>
Syntax guarded(const Scope& scope, std::string_view text, Parse parse) {
  Syntax result;
  try {
    Parser parser(scope, text);
    result.root = parse(parser);
    result.nodes = parser.take();
  } catch (const Refused& refused) {
    result.refusal = "at byte " + std::to_string(refused.offset) + ": " + refused.reason;
  }
  return result;
}

}  // namespace

const Variable* Scope::find(std::string_view name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& variable) { return variable.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

void Scope::add(const std::string& name, Type type, std::uint32_t length, bool assignable) {
  const std::string shown = "variable '" + core::printable(name) + "'";
  if (!is_name(name)) core::throw_bad_input(shown + " is no name; expected letters, digits and '_'");
  if (is_reserved(name)) core::throw_bad_input(shown + " has a name with a meaning of its own; choose another");
  if (find(name) != nullptr) core::throw_bad_input(shown + " is declared twice");
  const std::uint32_t words = std::max(length, 1U);
  if (words > kMaxSlots || slots + words > kMaxSlots) {
    core::throw_bad_input(shown + " goes beyond the " + std::to_string(kMaxSlots) + " words that a program may use");
  }
  variables.push_back({name, type, slots, length, assignable});
  slots += words;
}

Syntax parse_program(const Scope& scope, std::string_view text) {
  return guarded(scope, text, [](Parser& parser) { return parser.program(); });
}

Syntax parse_expression(const Scope& scope, std::string_view text, Type type) {
  return guarded(scope, text, [type](Parser& parser) { return parser.whole_expression(type); });
}

Parser::Parser(const Scope& scope, std::string_view text) : scope_(scope) {
  Tokens tokens = tokenise(text);
  if (!tokens.fault.empty()) throw Refused{tokens.fault, tokens.tokens.back().offset};
  tokens_ = std::move(tokens.tokens);
}

bool Parser::next_is(std::string_view mark) const {
  return peek().kind != TokenKind::end && peek().kind != TokenKind::number && peek().text == mark;
}

bool Parser::accept(std::string_view mark) {
  if (!next_is(mark)) return false;
  ++at_;
  return true;
}

void Parser::expect(std::string_view mark) {
  if (accept(mark)) return;
  const bool at_end = peek().kind == TokenKind::end;
  const std::string found = at_end ? "the text ends" : "'" + core::printable(peek().text) + "'";
  refuse(found + " where '" + std::string(mark) + "' is expected");
}

void Parser::refuse(const std::string& reason) const {
  throw Refused{reason, peek().offset};
}

std::uint32_t Parser::program() {
  std::vector<std::uint32_t> statements;
  while (peek().kind != TokenKind::end) statements.push_back(statement());
  return sequence(statements);
}

std::uint32_t Parser::whole_expression(Type type) {
  const std::uint32_t value = converted(expression(), type);
  if (peek().kind != TokenKind::end) refuse("'" + core::printable(peek().text) + "' behind the expression");
  return value;
}

std::uint32_t Parser::statement() {
  const Nesting nesting(*this);
  if (accept(";")) return sequence({});
  if (next_is("{")) return block();
  if (accept("if")) return if_else();
  if (accept("for")) return for_loop();
  if (accept("while")) return while_loop();
  const std::uint32_t node = assignment();
  expect(";");
  return node;
}

std::uint32_t Parser::block() {
  expect("{");
  std::vector<std::uint32_t> statements;
  while (!next_is("}")) {
    if (peek().kind == TokenKind::end) expect("}");
    statements.push_back(statement());
  }
  expect("}");
  return sequence(statements);
}

std::uint32_t Parser::if_else() {
  expect("(");
  const std::uint32_t condition = truth(expression());
  expect(")");
  SyntaxNode node{.kind = NodeKind::if_else};
  node.child[0] = condition;
  node.child[1] = statement();
  if (accept("else")) node.child[2] = statement();
  return add(node);
}

std::uint32_t Parser::for_loop() {
  expect("(");
  std::vector<std::uint32_t> statements;
  if (!next_is(";")) statements.push_back(assignment());
  expect(";");
  SyntaxNode node{.kind = NodeKind::loop};
  if (!next_is(";")) node.child[0] = truth(expression());
  expect(";");
  if (!next_is(")")) node.child[2] = assignment();
  expect(")");
  node.child[1] = statement();
  statements.push_back(add(node));
  return sequence(statements);
}

std::uint32_t Parser::while_loop() {
  expect("(");
  SyntaxNode node{.kind = NodeKind::loop};
  node.child[0] = truth(expression());
  expect(")");
  node.child[1] = statement();
  return add(node);
}

std::uint32_t Parser::assignment() {
  if (accept("++")) return step(target(), "+");
  if (accept("--")) return step(target(), "-");
  const Variable& variable = target();
  if (accept("++")) return step(variable, "+");
  if (accept("--")) return step(variable, "-");
  if (accept("=")) return store(variable, expression());
  const std::string_view mark = peek().text;
  const bool compound = peek().kind == TokenKind::mark && mark.size() >= 2 && mark.back() == '=' && mark != "==" &&
                        mark != "<=" && mark != ">=" && mark != "!=";
  if (!compound) expect("=");
  ++at_;
  const std::uint32_t value = expression();
  return store(variable, apply(mark.substr(0, mark.size() - 1), load(variable), value));
}

std::uint32_t Parser::step(const Variable& variable, std::string_view mark) {
  const std::uint32_t before = load(variable);
  return store(variable, apply(mark, before, constant(1, Type::int32)));
}

const Variable& Parser::target() {
  const std::string shown = "'" + core::printable(peek().text) + "'";
  if (peek().kind != TokenKind::name)
    refuse((peek().text.empty() ? "the text ends" : shown) + " where a statement is expected");
  const Variable* variable = scope_.find(peek().text);
  if (variable == nullptr) refuse(shown + " begins no statement of the subset and is no variable of the problem");
  if (!variable->assignable) refuse(shown + " is given by the case and cannot be assigned");
  if (variable->length > 0) refuse(shown + " is an array; arrays can be read only");
  ++at_;
  return *variable;
}

std::uint32_t Parser::store(const Variable& variable, std::uint32_t value) {
  SyntaxNode node{.kind = NodeKind::assign, .type = variable.type, .value = variable.slot};
  node.child[0] = converted(value, variable.type);
  return add(node);
}

std::uint32_t Parser::sequence(const std::vector<std::uint32_t>& statements) {
  SyntaxNode node{.kind = NodeKind::block};
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i + 1 < statements.size()) nodes_[statements[i]].next = statements[i + 1];
    depth = std::max(depth, depths_[statements[i]]);
  }
  if (!statements.empty()) node.child[0] = statements[0];
  const std::uint32_t index = add(node);
  depths_[index] = depth + 1;
  if (depth + 1 > kMaxNesting) refuse("nested deeper than " + std::to_string(kMaxNesting));
  return index;
}

std::uint32_t Parser::add(const SyntaxNode& node) {
  std::uint32_t depth = 0;
  for (const std::uint32_t child : node.child) {
    if (child != kNone) depth = std::max(depth, depths_[child]);
  }
  if (depth + 1 > kMaxNesting) refuse("nested deeper than " + std::to_string(kMaxNesting));
  nodes_.push_back(node);
  depths_.push_back(depth + 1);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Parser::constant(std::uint32_t bits, Type type) {
  return add({.op = Op::constant, .type = type, .value = bits});
}

std::uint32_t Parser::load(const Variable& variable) {
  return add({.op = Op::load, .type = variable.type, .value = variable.slot});
}

std::uint32_t Parser::operation(Op op, Type type, std::initializer_list<std::uint32_t> children) {
  SyntaxNode node{.op = op, .type = type};
  std::copy(children.begin(), children.end(), node.child.begin());
  return add(node);
}

bool Parser::is_constant(std::uint32_t node) const {
  const SyntaxNode& looked = nodes_[node];
  return looked.kind == NodeKind::operation && looked.op == Op::constant && looked.type != Type::float32 &&
         (looked.type == Type::uint32 || looked.value <= 0x7fffffffU);
}

}  // namespace forelap::evolve::gp
