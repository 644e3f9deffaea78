#pragma once
// Grammars in Backus-Naur form, read from text. How the text is written:
//
//   # a comment: a line whose first character is '#'
//   <start> ::= <term> + <term> | sinf(<term>)
//   <term>  ::= x | "a|b" | ""
//             | <start>
//
// A rule begins on the line of its `::=`; other lines continue the rule above them. Alternatives are separated by '|'.
// White space between two symbols gives one space in the derived text, none is lost or added elsewhere:
// "<c><c>.<c>" derives "12.3", "<a> + <a>" derives "x + x". Text with '|', '<', '>', quotes, or with spaces that must
// stay stands in double quotes, where \" \\ \n \t are known; "" is the empty text. Derivation begins at <start>.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::evolve::gp {

/// A terminal (its text) or a non-terminal (the index of its rule).
struct Symbol {
  static constexpr std::uint32_t kTerminal = 0xffffffffU;
  std::uint32_t rule = kTerminal;
  std::string text;
  [[nodiscard]] bool is_terminal() const { return rule == kTerminal; }
};

struct Alternative {
  std::vector<Symbol> symbols;
  std::vector<std::uint32_t> rules;  ///< the non-terminals among the symbols, in order
};

struct Rule {
  std::string name;  ///< without the angle brackets
  int line = 0;      ///< of its definition, from 1
  std::vector<Alternative> alternatives;
  std::uint32_t least_depth = 0;  ///< of the flattest tree that it can derive; 1 = terminals only
};

struct Grammar {
  std::vector<Rule> rules;
  std::uint32_t start = 0;
};

/// What a grammar may be at most.
inline constexpr std::size_t kMaxGrammarBytes = 1U << 20U;
inline constexpr std::size_t kMaxRules = 4096;

/// Reads and checks a grammar. `name` stands for the text in messages (a file's name). Throws core::Error (bad_input)
/// with one line "name:line: what and what to do" for each fault: not a grammar, an empty one, no <start>, an undefined
/// or unreachable non-terminal, a rule defined twice, left recursion without end, a non-terminal that never ends.
Grammar parse_grammar(std::string_view text, std::string_view name = "grammar");

/// The grammar as text that reads back to the same grammar.
std::string to_text(const Grammar& grammar);

}  // namespace forelap::evolve::gp
