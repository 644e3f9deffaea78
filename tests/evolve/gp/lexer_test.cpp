#include "evolve/gp/lexer.hpp"

#include <string>
#include <vector>

#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> found;
  for (const Token& token : tokenise(text).tokens) found.emplace_back(token.text);
  found.pop_back();  // the end
  return found;
}

TEST(Lexer, TheLongestOperatorWins) {
  EXPECT_THAT(pieces("a<<=b<c<=d"), testing::ElementsAre("a", "<<=", "b", "<", "c", "<=", "d"));
  EXPECT_THAT(pieces("i++<-1"), testing::ElementsAre("i", "++", "<", "-", "1"));
}

TEST(Lexer, NumbersKeepExponentAndSuffix) {
  EXPECT_THAT(pieces("1.5e-3f+0x1Fu .5f"), testing::ElementsAre("1.5e-3f", "+", "0x1Fu", ".5f"));
}

TEST(Lexer, CommentsAndSpacesAreSkipped) {
  EXPECT_THAT(pieces(" a /* b */ c // d\n e"), testing::ElementsAre("a", "c", "e"));
  EXPECT_EQ(tokenise("a /* b").fault, "a comment has no end");
}

TEST(Lexer, OtherBytesAreNamed) {
  EXPECT_THAT(tokenise("a $ b").fault, testing::HasSubstr("'$'"));
  EXPECT_THAT(tokenise(std::string_view("a\0b", 3)).fault, testing::HasSubstr("is no operator"));
}

}  // namespace
}  // namespace forelap::evolve::gp
