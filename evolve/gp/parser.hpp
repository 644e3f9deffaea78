#pragma once
// Inner part of the front end: one parser, its expressions in parse_expression.cpp, its statements and the entry points
// in parse_statement.cpp.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/gp/lexer.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {

/// Leaves the parser at the first thing outside the subset; caught by its entry points.
struct Refused {
  std::string reason;
  std::size_t offset;
};

class Parser {
 public:
  Parser(const Scope& scope, std::string_view text);

  std::uint32_t program();
  std::uint32_t whole_expression(Type type);
  std::vector<SyntaxNode> take() { return std::move(nodes_); }

 private:
  struct Nesting;

  // Tokens.
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  [[nodiscard]] bool next_is(std::string_view mark) const;
  bool accept(std::string_view mark);
  void expect(std::string_view mark);
  [[noreturn]] void refuse(const std::string& reason) const;

  // Expressions; each gives the index of its node.
  std::uint32_t expression();
  std::uint32_t conditional();
  std::uint32_t binary(int least);
  std::uint32_t unary();
  std::uint32_t parenthesis();
  std::uint32_t primary();
  std::uint32_t number(const Token& token);
  std::uint32_t whole_number(const Token& token);
  std::uint32_t call(const Token& name);
  std::uint32_t element(const Variable& variable);
  std::uint32_t apply(std::string_view mark, std::uint32_t left, std::uint32_t right);
  std::uint32_t compare(std::string_view mark, std::uint32_t left, std::uint32_t right);
  std::uint32_t arithmetic(std::string_view mark, std::uint32_t left, std::uint32_t right);
  std::uint32_t bitwise(std::string_view mark, std::uint32_t left, std::uint32_t right);
  std::uint32_t shift(std::string_view mark, std::uint32_t left, std::uint32_t right);
  std::uint32_t truth(std::uint32_t node);
  std::uint32_t converted(std::uint32_t node, Type type);
  void require_whole(std::uint32_t node, std::string_view mark) const;

  // Statements.
  std::uint32_t statement();
  std::uint32_t block();
  std::uint32_t if_else();
  std::uint32_t for_loop();
  std::uint32_t while_loop();
  std::uint32_t assignment();
  std::uint32_t step(const Variable& variable, std::string_view mark);
  const Variable& target();
  std::uint32_t store(const Variable& variable, std::uint32_t value);
  std::uint32_t sequence(const std::vector<std::uint32_t>& statements);

  // Nodes.
  std::uint32_t add(const SyntaxNode& node);
  std::uint32_t constant(std::uint32_t bits, Type type);
  std::uint32_t load(const Variable& variable);
  std::uint32_t operation(Op op, Type type, std::initializer_list<std::uint32_t> children);
  [[nodiscard]] Type type_of(std::uint32_t node) const { return nodes_[node].type; }
  [[nodiscard]] bool is_constant(std::uint32_t node) const;

  const Scope& scope_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0;
  std::vector<SyntaxNode> nodes_;
  std::vector<std::uint32_t> depths_;  ///< of the subtree of each node
};

/// Counts how deep the parser is in its own recursion.
struct Parser::Nesting {
  explicit Nesting(Parser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMaxNesting) parser_.refuse("nested deeper than " + std::to_string(kMaxNesting));
  }
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  Parser& parser_;
};

}  // namespace forelap::evolve::gp
