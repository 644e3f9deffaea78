#include "evolve/gp/features.hpp"

#include <set>
#include <string>
#include <vector>

#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

TEST(Features, CountOperatorsAndFunctions) {
  const Features features = features_of("y = sinf(x + 1.0f) / sqrtf(fabsf(x * -x)) - tanhf(expf(x)) + logf(2.0f);");
  EXPECT_EQ(at(features, Feature::assignments), 1);
  EXPECT_EQ(at(features, Feature::additions), 4) << "+, two -, +";
  EXPECT_EQ(at(features, Feature::multiplications), 1);
  EXPECT_EQ(at(features, Feature::divisions), 1);
  EXPECT_EQ(at(features, Feature::sines), 1);
  EXPECT_EQ(at(features, Feature::square_roots), 1);
  EXPECT_EQ(at(features, Feature::absolutes), 1);
  EXPECT_EQ(at(features, Feature::hyperbolic_tangents), 1);
  EXPECT_EQ(at(features, Feature::exponentials), 1);
  EXPECT_EQ(at(features, Feature::logarithms), 1);
  EXPECT_EQ(at(features, Feature::literals), 2);
  EXPECT_EQ(at(features, Feature::variables), 5);
  EXPECT_EQ(at(features, Feature::other_calls), 0);
}

TEST(Features, CountStatements) {
  const Features features =
      features_of("for (i = 0; i < n; i++) { if ((int)(a[i]) == 1) b |= ~c; else b = f(2) && !c; } while (b) b -= 1;");
  EXPECT_EQ(at(features, Feature::loops), 2);
  EXPECT_EQ(at(features, Feature::conditions), 1);
  EXPECT_EQ(at(features, Feature::assignments), 4);
  EXPECT_EQ(at(features, Feature::comparisons), 2);
  EXPECT_EQ(at(features, Feature::bit_operations), 2);
  EXPECT_EQ(at(features, Feature::additions), 2);
  EXPECT_EQ(at(features, Feature::logical), 2);
  EXPECT_EQ(at(features, Feature::elements), 1);
  EXPECT_EQ(at(features, Feature::other_calls), 1);
}

TEST(Features, ADerivationAddsItsTree) {
  const Grammar grammar = parse_grammar("<start> ::= <a> + <a>\n<a> ::= x | <b>\n<b> ::= y\n");
  const std::vector<Codon> codons = {0, 0, 1, 0};
  const Features features = features_of(derive(grammar, codons));
  EXPECT_EQ(at(features, Feature::nodes), 4);
  EXPECT_EQ(at(features, Feature::depth), 3);
  EXPECT_EQ(at(features, Feature::text_bytes), 5);
}

TEST(Features, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFeatureCount; ++i) names.insert(feature_name(static_cast<Feature>(i)));
  EXPECT_EQ(names.size(), kFeatureCount);
  EXPECT_EQ(feature_name(Feature::other_calls), "other_calls");
}

}  // namespace
}  // namespace forelap::evolve::gp
