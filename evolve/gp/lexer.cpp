#include "evolve/gp/lexer.hpp"

#include <array>

#include "core/text.hpp"

namespace forelap::evolve::gp {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Longest first among those with a common beginning.
constexpr std::array<std::string_view, 48> kMarks = {
    "<<=", ">>=", "&&", "||", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "++", "--", "->", "::", "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",
    "<",   ">",   "=",  "(",  ")",  "[",  "]",  "{",  "}",  ";",  ",",  "?",  ":",  ".",  "#",  "@"};

std::size_t number_end(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_name_part(text[at]) || text[at] == '.')) {
    const char c = text[at++];
    const bool exponent = c == 'e' || c == 'E';
    if (exponent && at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  }
  return at;
}

/// Behind a comment that begins at `at`; `at` itself if none does; npos if it has no end.
std::size_t comment_end(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") {
    const std::size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  if (text.substr(at, 2) != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? end : end + 2;
}

/// Length of the mark at `at`; 0 if there is none.
std::size_t mark_length(std::string_view text, std::size_t at) {
  for (const std::string_view mark : kMarks) {
    if (text.substr(at, mark.size()) == mark) return mark.size();
  }
  return 0;
}

}  // namespace

Tokens tokenise(std::string_view text) {
  Tokens result;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    const std::size_t behind = comment_end(text, at);
    if (is_space(c) || behind != at) {
      if (behind == std::string_view::npos) {
        result.fault = "a comment has no end";
        break;
      }
      at = behind == at ? at + 1 : behind;
      continue;
    }
    TokenKind kind = TokenKind::mark;
    std::size_t end = at;
    if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      kind = TokenKind::number;
      end = number_end(text, at);
    } else if (is_name_part(c)) {
      kind = TokenKind::name;
      while (end < text.size() && is_name_part(text[end])) ++end;
    } else {
      end = at + mark_length(text, at);
    }
    if (end == at) {
      result.fault = "'" + core::printable(text.substr(at, 1)) + "' is no operator";
      break;
    }
    result.tokens.push_back({kind, text.substr(at, end - at), at});
    at = end;
  }
  result.tokens.push_back({TokenKind::end, {}, at});
  return result;
}

}  // namespace forelap::evolve::gp
