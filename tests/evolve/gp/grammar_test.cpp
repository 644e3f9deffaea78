#include "evolve/gp/grammar.hpp"

#include <string>
#include <vector>

#include "evolve/gp/derivation.hpp"
#include "evolve/gp/problems.hpp"
#include "evolve/gp/random.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text) {
  return refusal_of([&] { parse_grammar(text, "g.bnf"); });
}

/// The text of the only derivation of a grammar without choice.
std::string only_text(const std::string& text) {
  const std::vector<Codon> codons = {0};
  return derive(parse_grammar(text), codons).text;
}

TEST(Grammar, RulesKeepTheirAlternativesInOrderWithTheirLines) {
  const Grammar grammar = parse_grammar("# comment\n<start> ::= <a> b\n  | c\n\n<a> ::= x | y | z\n");
  ASSERT_EQ(grammar.rules.size(), 2U);
  EXPECT_EQ(grammar.rules[0].name, "start");
  EXPECT_EQ(grammar.rules[0].line, 2);
  EXPECT_EQ(grammar.rules[0].alternatives.size(), 2U);
  EXPECT_EQ(grammar.rules[1].line, 5);
  EXPECT_EQ(grammar.rules[1].alternatives[2].symbols[0].text, "z");
  EXPECT_EQ(grammar.rules[0].least_depth, 1U);
}

TEST(Grammar, WhiteSpaceBetweenSymbolsIsOneSpaceAndNoneIsAdded) {
  EXPECT_EQ(only_text("<start> ::=   <a>   +\t<a>  \n<a> ::= x\n"), "x + x");
  EXPECT_EQ(only_text("<start> ::= <a><a>.<a>f\n<a> ::= 1\n"), "11.1f");
  EXPECT_EQ(only_text("<start> ::= a\n   b\n"), "a b");
  EXPECT_EQ(only_text("<start> ::= a\r\n"), "a");
}

TEST(Grammar, QuotesHoldWhatWouldMeanSomethingElse) {
  EXPECT_EQ(only_text("<start> ::= a \"|\" b \"<\" c \">\" \"\\\"\\\\\\n\\t\""), "a | b < c > \"\\\n\t");
  EXPECT_EQ(only_text("<start> ::= \"\""), "");
  EXPECT_EQ(only_text("<start> ::= \"\" x"), " x");
}

TEST(Grammar, TheStartMayBeAnyRuleOfThatName) {
  EXPECT_EQ(only_text("<a> ::= x\n<start> ::= (<a>)\n"), "(x)");
}

TEST(Grammar, RulesStandInTheOrderOfTheirDefinition) {
  const Grammar grammar = parse_grammar("<start> ::= <b> <a>\n<a> ::= x <b>\n<b> ::= y\n");
  EXPECT_EQ(grammar.rules[1].name, "a");
  EXPECT_EQ(grammar.rules[2].name, "b");
  EXPECT_EQ(only_text("<start> ::= <b> <a>\n<a> ::= x <b>\n<b> ::= y\n"), "y x y");
}

TEST(Grammar, AnEmptyOneIsRefused) {
  EXPECT_THAT(fault(""), HasSubstr("g.bnf: the grammar is empty"));
  EXPECT_THAT(fault("# only a comment\n\n"), HasSubstr("the grammar is empty"));
}

TEST(Grammar, OneWithoutStartIsRefusedAtItsFirstRule) {
  EXPECT_THAT(fault("\n<a> ::= x\n"), HasSubstr("g.bnf:2: no <start>"));
  EXPECT_THAT(fault("<a> ::= x <start>\n"), HasSubstr("g.bnf:1: no <start>"));
}

TEST(Grammar, AnUndefinedNonTerminalIsNamedWithTheLineOfItsUse) {
  EXPECT_THAT(fault("<start> ::= x\n  | <nothing>\n"), HasSubstr("g.bnf:2: <nothing> is used here but never defined"));
}

TEST(Grammar, AnUnreachableNonTerminalIsNamedWithItsLine) {
  const std::string message = fault("<start> ::= x\n<a> ::= y <b>\n<b> ::= z\n");
  EXPECT_THAT(message, HasSubstr("g.bnf:2: <a> cannot be reached"));
  EXPECT_THAT(message, HasSubstr("g.bnf:3: <b> cannot be reached"));
}

TEST(Grammar, LeftRecursionWithoutEndIsNamedWithItsWay) {
  EXPECT_THAT(fault("<start> ::= <a>\n<a> ::= <b> x\n<b> ::= <a> y\n"),
              HasSubstr("g.bnf:2: left recursion without end: <a> -> <b> -> <a>"));
  EXPECT_THAT(fault("<start> ::= <start>"), HasSubstr("g.bnf:1: left recursion without end: <start> -> <start>"));
}

TEST(Grammar, ANonTerminalThatNeverEndsIsNamed) {
  const std::string message = fault("<start> ::= x | <a>\n<a> ::= ( <a> ) | [ <a> ]\n");
  EXPECT_THAT(message, HasSubstr("g.bnf:2: <a> never ends"));
  EXPECT_THAT(message, testing::Not(HasSubstr("<start> never"))) << "<start> can end by x";
}

TEST(Grammar, LeftRecursionThatCanEndIsNoFault) {
  const Grammar grammar = parse_grammar("<start> ::= <start> + x | <start> * x | x");
  EXPECT_EQ(grammar.rules[0].alternatives.size(), 3U);
}

TEST(Grammar, SlipsOfWritingAreNamedWithTheirLine) {
  EXPECT_THAT(fault("x ::= y\n"), HasSubstr("g.bnf:1: text before the first rule"));
  EXPECT_THAT(fault("<start> ::= a |\n"), HasSubstr("g.bnf:1: alternative 2 of <start> is empty"));
  EXPECT_THAT(fault("<start> ::= a\n<start> ::= b\n"),
              HasSubstr("g.bnf:2: <start> is defined again; it was defined in line 1"));
  EXPECT_THAT(fault("<start> ::= a < b\n"), HasSubstr("g.bnf:1: '<' does not begin a non-terminal"));
  EXPECT_THAT(fault("<start> ::= a > b\n"), HasSubstr("g.bnf:1: '>' without"));
  EXPECT_THAT(fault("<start> ::= \"a\n"), HasSubstr("g.bnf:1: a quoted text has no closing quote"));
  EXPECT_THAT(fault("<start> ::= \"\\q\"\n"), HasSubstr("g.bnf:1: unknown escape"));
  EXPECT_THAT(fault("<start> ::= a\n b ::= c\n"), HasSubstr("g.bnf:2: '::=' inside a rule"));
  EXPECT_THAT(fault(std::string("<start> ::= a\0b\n", 16)), HasSubstr("is not printable ASCII"));
  EXPECT_THAT(fault("<start> ::= \xc3\xa4\n"), HasSubstr("g.bnf:1: the byte"));
}

TEST(Grammar, AHugeOneIsRefusedAndNotRead) {
  EXPECT_THAT(fault(std::string(kMaxGrammarBytes + 1, ' ')), HasSubstr("a grammar has at most"));
  std::string many = "<start> ::= x";
  for (std::size_t i = 0; i < kMaxRules; ++i) many += " | <r" + std::to_string(i) + ">";
  EXPECT_THAT(fault(many), HasSubstr("more than 4096 non-terminals"));
}

TEST(Grammar, WrittenOutItReadsBackTheSame) {
  for (const Problem& problem : {keijzer_6(), multiplier_5_bit(), search()}) {
    const Grammar grammar = parse_grammar(problem.grammar);
    const std::string written = to_text(grammar);
    EXPECT_EQ(to_text(parse_grammar(written)), written);
    Random random(3);
    std::vector<Codon> codons(221);
    for (Codon& codon : codons) codon = static_cast<Codon>(random.below(1000));
    EXPECT_EQ(derive(parse_grammar(written), codons).text, derive(grammar, codons).text);
  }
}

/// Some bytes of `text` changed, removed, doubled.
std::string damaged(std::string text, Random& random) {
  static const std::string kBytes = std::string("<>|\":=# \n\t\\ax0\0\xff", 17);
  for (std::uint64_t changes = 1 + random.below(6); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random.below(text.size());
    const char byte = kBytes[random.below(kBytes.size())];
    switch (random.below(4)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.erase(at, 1 + random.below(20));
        break;
      case 2:
        text.insert(at, 1, byte);
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), random.below(40)));
    }
  }
  return text;
}

TEST(Grammar, DamagedTextIsReadOrRefusedAndWhatIsReadDerives) {
  Random random(11);
  const std::vector<std::string> seeds = {search().grammar, multiplier_5_bit().grammar,
                                          "<start> ::= <a> | \"\"\n<a> ::= x | (<a>)\n"};
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string text = damaged(seeds[random.below(seeds.size())], random);
    const std::string message = refusal_of([&] {
      const Grammar grammar = parse_grammar(text);
      ++read;
      const std::vector<Codon> codons = {static_cast<Codon>(random.below(1000)), 7, 2, 9};
      const Derivation derivation = derive(grammar, codons);
      EXPECT_EQ(derivation.valid(), !derivation.nodes.empty());
      EXPECT_EQ(to_text(parse_grammar(to_text(grammar))), to_text(grammar)) << text;
    });
    if (!message.empty()) ++refused;
  }
  EXPECT_GT(read, 100U);
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace forelap::evolve::gp
