#pragma once
// Crossover and mutation of genotypes. Two families: the paper's on the list of codons (one cut; one codon changed),
// and one on derivation trees (Whigham 1995: subtrees of the same non-terminal change places; a subtree grows anew),
// which disturbs less of a good program.

#include <cstdint>
#include <span>
#include <vector>

#include "evolve/gp/derivation.hpp"
#include "evolve/gp/random.hpp"

namespace forelap::evolve::gp {

struct Individual {
  std::vector<Codon> codons;
  Derivation derivation;  ///< of these codons
};

enum class VariationKind {
  codons,   ///< the paper's
  subtrees  ///< on derivation trees; individuals that do not derive are varied by codons
};

/// `count` codons, each uniform below 2^31.
std::vector<Codon> random_codons(std::size_t count, Random& random);

/// Codons that derive a subtree of `rule` at most `depth` deep, alternatives uniform among those that fit; where none
/// fits, or from `most_nodes` nodes on, among the flattest.
std::vector<Codon> grow(const Grammar& grammar, std::uint32_t rule, std::uint32_t depth, std::size_t most_nodes,
                        Random& random);

/// The codons in the order in which they were used, one a node; wrapped ones appear again.
std::vector<Codon> used_codons(const Individual& individual);

/// One cut at the same place in both, uniform in 1 .. shorter length - 1: the head of `a`, the tail of `b`.
/// `within_used`: the cut lies within the codons that the shorter derivation of both uses.
std::vector<Codon> cross_codons(const Individual& a, const Individual& b, bool within_used, Random& random);

/// A subtree of `a` is replaced by one of `b` with the same root; `a`'s codons where the result would have more than
/// `most_nodes` nodes or where they share no non-terminal.
std::vector<Codon> cross_subtrees(const Individual& a, const Individual& b, std::size_t most_nodes, Random& random);

/// One codon, uniform (`within_used`: among those that the derivation uses), gets a new uniform value.
void mutate_codon(std::vector<Codon>& codons, std::size_t used, bool within_used, Random& random);

/// A subtree, uniform among the nodes, grows anew, at most `extra_depth` deeper than its flattest form.
std::vector<Codon> regrow_subtree(const Grammar& grammar, const Individual& individual, std::uint32_t extra_depth,
                                  std::size_t most_nodes, Random& random);

}  // namespace forelap::evolve::gp
