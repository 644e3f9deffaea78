#pragma once
// From a genotype to a program: grammatical evolution (Ryan, Collins and O'Neill 1998). The leftmost non-terminal is
// expanded first; every expansion, also of a rule with one alternative, takes the next codon, and codon modulo number
// of alternatives is the alternative taken. Behind the last codon reading goes on at the first (wrapping).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evolve/gp/grammar.hpp"

namespace forelap::evolve::gp {

using Codon = std::uint32_t;

/// One expansion. Nodes lie in preorder, so node k was chosen by codon k (modulo the number of codons), its first child
/// is node k + 1 and `end` is the first node behind its subtree.
struct DerivationNode {
  std::uint32_t rule = 0;
  std::uint32_t alternative = 0;
  std::uint32_t end = 0;
  std::uint32_t depth = 0;  ///< 1 at the root
};

/// Where a derivation is given up. The paper wraps without limit and has no bound; a derivation that never ends would
/// never return.
struct DerivationLimits {
  std::uint32_t nodes = 4096;
  std::uint32_t depth = 256;
  std::uint32_t wraps = 0xffffffffU;  ///< passes over the genotype beyond the first
  std::uint32_t text_bytes = 65536;
};

enum class DerivationState {
  complete,
  too_many_nodes,
  too_deep,
  too_many_wraps,
  text_too_long,
  no_codons,
};

struct Derivation {
  DerivationState state = DerivationState::no_codons;
  std::vector<DerivationNode> nodes;  ///< empty unless complete
  std::uint32_t wraps = 0;
  std::string text;  ///< empty unless complete
  [[nodiscard]] bool valid() const { return state == DerivationState::complete; }
};

Derivation derive(const Grammar& grammar, std::span<const Codon> codons, const DerivationLimits& limits = {});

/// The text of the subtree at `root` of a complete derivation.
std::string text_of(const Grammar& grammar, std::span<const DerivationNode> nodes, std::uint32_t root = 0);

/// For messages: "complete", "more nodes than allowed" ...
std::string describe(DerivationState state);

}  // namespace forelap::evolve::gp
