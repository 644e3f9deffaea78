#include "evolve/gp/variation.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "evolve/gp/problems.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

const Grammar& grammar() {
  static const Grammar parsed = parse_grammar(search().grammar);
  return parsed;
}

Individual individual(const std::vector<Codon>& codons) {
  return {codons, derive(grammar(), codons)};
}

Individual fresh(Random& random) {
  for (;;) {
    Individual made = individual(random_codons(221, random));
    if (made.derivation.valid()) return made;
  }
}

TEST(Random, TheSameSeedAndStreamGiveTheSameNumbers) {
  Random a(7, 3);
  Random b(7, 3);
  Random other_stream(7, 4);
  Random other_seed(8, 3);
  const std::uint64_t first = a.next();
  EXPECT_EQ(b.next(), first);
  EXPECT_EQ(Random(42).next(), 1865750160070900731U) << "recorded once";
  EXPECT_NE(other_stream.next(), first);
  EXPECT_NE(other_seed.next(), first);
}

TEST(Random, SmallRangesAreEven) {
  Random random(1);
  std::vector<int> counts(6, 0);
  for (int i = 0; i < 60000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.unit();
    EXPECT_TRUE(value >= 0 && value < 1);
  }
}

TEST(Variation, OneCutJoinsAHeadAndATail) {
  Random random(2);
  const Individual a{{1, 1, 1, 1, 1, 1}, {}};
  const Individual b{{2, 2, 2, 2, 2, 2}, {}};
  std::set<std::ptrdiff_t> cuts;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Codon> child = cross_codons(a, b, false, random);
    ASSERT_EQ(child.size(), 6U);
    EXPECT_TRUE(std::is_sorted(child.begin(), child.end()));
    cuts.insert(std::count(child.begin(), child.end(), 1U));
  }
  EXPECT_EQ(cuts, (std::set<std::ptrdiff_t>{1, 2, 3, 4, 5})) << "every cut comes, no child is a copy";
  EXPECT_EQ(cross_codons({{9}, {}}, b, false, random), std::vector<Codon>{9}) << "nothing to cut";
}

TEST(Variation, OneCodonChangesAtMost) {
  Random random(3);
  const std::vector<Codon> before(50, 1U << 31U);  // no drawn codon is that large
  std::set<std::size_t> places;
  for (int i = 0; i < 500; ++i) {
    std::vector<Codon> codons = before;
    mutate_codon(codons, 10, true, random);
    ASSERT_EQ(std::count(codons.begin(), codons.end(), 1U << 31U), 49);
    places.insert(static_cast<std::size_t>(
        std::find_if(codons.begin(), codons.end(), [](Codon codon) { return codon < 1U << 31U; }) - codons.begin()));
  }
  EXPECT_EQ(places.size(), 10U) << "the used ones, all of them";
  EXPECT_EQ(*places.rbegin(), 9U);
}

TEST(Variation, UsedCodonsDeriveTheSameWithoutWrapping) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Individual long_one = individual(random_codons(12, random));
    if (!long_one.derivation.valid()) continue;
    const Individual unrolled = individual(used_codons(long_one));
    EXPECT_EQ(unrolled.derivation.text, long_one.derivation.text);
    EXPECT_EQ(unrolled.derivation.wraps, 0U);
  }
}

TEST(Variation, SubtreesChangePlacesOnlyWithTheirLike) {
  Random random(5);
  int changed = 0;
  for (int i = 0; i < 200; ++i) {
    const Individual a = fresh(random);
    const Individual b = fresh(random);
    const Individual child = individual(cross_subtrees(a, b, 4096, random));
    ASSERT_TRUE(child.derivation.valid());
    EXPECT_EQ(child.derivation.wraps, 0U) << "the codons are exactly those of the tree";
    changed += child.derivation.text != a.derivation.text ? 1 : 0;
  }
  EXPECT_GT(changed, 100);
}

TEST(Variation, ASubtreeThatWouldNotFitIsNotTaken) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    const Individual a = fresh(random);
    const Individual b = fresh(random);
    const std::size_t most = a.derivation.nodes.size();
    EXPECT_LE(individual(cross_subtrees(a, b, most, random)).derivation.nodes.size(), most);
  }
}

TEST(Variation, GrownSubtreesKeepTheirDepth) {
  Random random(7);
  for (std::uint32_t depth = 1; depth < 14; ++depth) {
    for (int i = 0; i < 20; ++i) {
      const std::vector<Codon> codons = grow(grammar(), grammar().start, depth, 4096, random);
      const Derivation derivation = derive(grammar(), codons);
      ASSERT_TRUE(derivation.valid());
      ASSERT_EQ(derivation.nodes.size(), codons.size());
      std::uint32_t deepest = 0;
      for (const DerivationNode& node : derivation.nodes) deepest = std::max(deepest, node.depth);
      EXPECT_LE(deepest, std::max(depth, grammar().rules[grammar().start].least_depth));
    }
  }
}

TEST(Variation, RegrownIndividualsDeriveWithinTheirBound) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    const Individual a = fresh(random);
    const Individual child = individual(regrow_subtree(grammar(), a, 4, 300, random));
    EXPECT_TRUE(child.derivation.valid());
  }
}

}  // namespace
}  // namespace forelap::evolve::gp
