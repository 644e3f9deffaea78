#pragma once
// Tokens of C-like text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::evolve::gp {

enum class TokenKind : std::uint8_t { name, number, mark, end };

/// A piece of a text that outlives it. Numbers keep their suffix; marks are operators and punctuation, the longest that
/// fits.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t offset = 0;
};

struct Tokens {
  std::vector<Token> tokens;  ///< the last one is `end`
  std::string fault;          ///< why the text is no sequence of tokens, else empty; then the tokens stop there
};

/// White space and comments (both kinds) are skipped. Any bytes may come in.
Tokens tokenise(std::string_view text);

}  // namespace forelap::evolve::gp
