#include "evolve/gp/derivation.hpp"

#include <string>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "evolve/gp/variation.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

// Two operators, two leaves, a rule without choice: enough to work by hand.
const Grammar& small() {
  static const Grammar grammar = parse_grammar(
      "<start> ::= <e>\n"
      "<e> ::= (<e> <op> <e>) | <v>\n"
      "<op> ::= + | -\n"
      "<v> ::= x | y | 1\n");
  return grammar;
}

Derivation from(const std::vector<Codon>& codons, const DerivationLimits& limits = {}) {
  return derive(small(), codons, limits);
}

TEST(Derivation, TakesOneCodonANonTerminalLeftmostFirst) {
  // start:5 (one alternative), e:2%2=0 (op), e:3%2=1, v:4%3=1 y, op:7%2=1 -, e:1, v:9%3=0 x.
  const Derivation derivation = from({5, 2, 3, 4, 7, 1, 9});
  ASSERT_TRUE(derivation.valid());
  EXPECT_EQ(derivation.text, "(y - x)");
  EXPECT_EQ(derivation.nodes.size(), 7U) << "also a rule with one alternative takes a codon";
  EXPECT_EQ(derivation.wraps, 0U);
}

TEST(Derivation, ReadsTheCodonsAgainBehindTheLast) {
  // start:0, e:1 -> v, v:0 (wrapped) x.
  const Derivation derivation = from({0, 1});
  EXPECT_EQ(derivation.text, "x");
  EXPECT_EQ(derivation.wraps, 1U);
  DerivationLimits limits;
  limits.wraps = 0;
  EXPECT_EQ(from({0, 1}, limits).state, DerivationState::too_many_wraps);
}

TEST(Derivation, OneThatNeverEndsIsBoundedAndInvalid) {
  const Derivation derivation = from({0});
  EXPECT_EQ(derivation.state, DerivationState::too_deep);
  EXPECT_TRUE(derivation.nodes.empty());
  EXPECT_TRUE(derivation.text.empty());
  DerivationLimits deep;
  deep.depth = 1000000;
  EXPECT_EQ(from({0}, deep).state, DerivationState::too_many_nodes);
}

TEST(Derivation, TextIsBoundedToo) {
  DerivationLimits limits;
  limits.text_bytes = 6;
  EXPECT_EQ(from({5, 2, 3, 4, 7, 1, 9}, limits).state, DerivationState::text_too_long);
  limits.text_bytes = 7;
  EXPECT_TRUE(from({5, 2, 3, 4, 7, 1, 9}, limits).valid());
}

TEST(Derivation, NoCodonsDeriveNothing) {
  EXPECT_EQ(from({}).state, DerivationState::no_codons);
  EXPECT_NE(describe(DerivationState::no_codons), describe(DerivationState::too_deep));
}

TEST(Derivation, TheTreeTellsSubtreesAndTheirText) {
  const Derivation derivation = from({5, 2, 3, 4, 7, 1, 9});
  const std::vector<DerivationNode>& nodes = derivation.nodes;
  EXPECT_EQ(nodes[0].end, 7U);
  EXPECT_EQ(nodes[2].end, 4U);
  EXPECT_EQ(nodes[3].depth, 4U);
  EXPECT_EQ(text_of(small(), nodes, 2), "y");
  EXPECT_EQ(text_of(small(), nodes, 4), "-");
  EXPECT_EQ(text_of(small(), nodes, 0), derivation.text);
}

TEST(Derivation, SubtreesNestAndCoverTheirChildren) {
  const Grammar grammar = parse_grammar(search().grammar);
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Derivation derivation = derive(grammar, random_codons(221, random));
    if (!derivation.valid()) continue;
    for (std::size_t k = 0; k < derivation.nodes.size(); ++k) {
      const DerivationNode& node = derivation.nodes[k];
      ASSERT_GT(node.end, k);
      std::size_t child = k + 1;
      for (const std::uint32_t rule : grammar.rules[node.rule].alternatives[node.alternative].rules) {
        ASSERT_EQ(derivation.nodes[child].rule, rule);
        ASSERT_EQ(derivation.nodes[child].depth, node.depth + 1);
        child = derivation.nodes[child].end;
      }
      ASSERT_EQ(child, node.end);
    }
  }
}

double mean_nodes(const Problem& problem) {
  const Grammar grammar = parse_grammar(problem.grammar);
  Random random(1);
  double sum = 0;
  int valid = 0;
  for (int i = 0; i < 4000; ++i) {
    const Derivation derivation = derive(grammar, random_codons(221, random));
    if (!derivation.valid()) continue;
    sum += static_cast<double>(derivation.nodes.size());
    ++valid;
  }
  EXPECT_GT(valid, 3950);
  return sum / valid;
}

TEST(Derivation, FreshMultipliersUseAsManyCodonsAsThePapersDataSays) {
  // By its rules: 1 + 10 * 4.22, as <expr2> = 1 + (2 <expr2> + 1) / 5 + 4 / 5 and <expr> likewise by thirds.
  EXPECT_NEAR(mean_nodes(multiplier_5_bit()), 43.2, 1.5);
}

}  // namespace
}  // namespace forelap::evolve::gp
