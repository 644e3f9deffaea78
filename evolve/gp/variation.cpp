#include "evolve/gp/variation.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace forelap::evolve::gp {
namespace {

Codon random_codon(Random& random) {
  return static_cast<Codon>(random.below(1U << 31U));
}

std::uint32_t needed_depth(const Grammar& grammar, const Alternative& alternative) {
  std::uint32_t deepest = 0;
  for (const std::uint32_t rule : alternative.rules) deepest = std::max(deepest, grammar.rules[rule].least_depth);
  return deepest + 1;
}

/// Uniform among the alternatives that need at most `depth`.
std::uint32_t choose_alternative(const Grammar& grammar, const Rule& rule, std::uint32_t depth, Random& random) {
  std::vector<std::uint32_t> fitting;
  for (std::uint32_t i = 0; i < rule.alternatives.size(); ++i) {
    if (needed_depth(grammar, rule.alternatives[i]) <= depth) fitting.push_back(i);
  }
  return fitting[random.below(fitting.size())];
}

using Offset = std::vector<Codon>::difference_type;

std::vector<Codon> splice(const std::vector<Codon>& whole, const DerivationNode& node, std::size_t at,
                          std::span<const Codon> part) {
  std::vector<Codon> result(whole.begin(), whole.begin() + static_cast<Offset>(at));
  result.insert(result.end(), part.begin(), part.end());
  result.insert(result.end(), whole.begin() + static_cast<Offset>(node.end), whole.end());
  return result;
}

}  // namespace

std::vector<Codon> random_codons(std::size_t count, Random& random) {
  std::vector<Codon> codons(count);
  for (Codon& codon : codons) codon = random_codon(random);
  return codons;
}

std::vector<Codon> grow(const Grammar& grammar, std::uint32_t rule, std::uint32_t depth, std::size_t most_nodes,
                        Random& random) {
  std::vector<Codon> codons;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pending = {{rule, depth}};
  while (!pending.empty()) {
    const auto [at, left] = pending.back();
    pending.pop_back();
    const Rule& expanded = grammar.rules[at];
    const bool full = codons.size() + pending.size() >= most_nodes;
    const std::uint32_t allowed = full ? expanded.least_depth : std::max(left, expanded.least_depth);
    const std::uint32_t chosen = choose_alternative(grammar, expanded, allowed, random);
    codons.push_back(chosen);
    const std::vector<std::uint32_t>& children = expanded.alternatives[chosen].rules;
    for (auto child = children.rbegin(); child != children.rend(); ++child) pending.emplace_back(*child, allowed - 1);
  }
  return codons;
}

std::vector<Codon> used_codons(const Individual& individual) {
  const std::size_t count = individual.derivation.nodes.size();
  std::vector<Codon> used(count);
  for (std::size_t k = 0; k < count; ++k) used[k] = individual.codons[k % individual.codons.size()];
  return used;
}

std::vector<Codon> cross_codons(const Individual& a, const Individual& b, bool within_used, Random& random) {
  std::size_t length = std::min(a.codons.size(), b.codons.size());
  if (within_used && a.derivation.valid() && b.derivation.valid()) {
    length = std::min({length, a.derivation.nodes.size(), b.derivation.nodes.size()});
  }
  if (length < 2) return a.codons;
  const auto cut = static_cast<Offset>(1 + random.below(length - 1));
  std::vector<Codon> child(a.codons.begin(), a.codons.begin() + cut);
  child.insert(child.end(), b.codons.begin() + cut, b.codons.end());
  return child;
}

std::vector<Codon> cross_subtrees(const Individual& a, const Individual& b, std::size_t most_nodes, Random& random) {
  const std::vector<DerivationNode>& mine = a.derivation.nodes;
  const std::vector<DerivationNode>& theirs = b.derivation.nodes;
  const std::size_t at = random.below(mine.size());
  std::vector<std::uint32_t> matches;
  for (std::uint32_t k = 0; k < theirs.size(); ++k) {
    if (theirs[k].rule == mine[at].rule) matches.push_back(k);
  }
  if (matches.empty()) return a.codons;
  const std::uint32_t from = matches[random.below(matches.size())];
  const std::size_t length = theirs[from].end - from;
  if (mine.size() - (mine[at].end - at) + length > most_nodes) return a.codons;
  const std::vector<Codon> donor = used_codons(b);
  return splice(used_codons(a), mine[at], at, std::span(donor).subspan(from, length));
}

void mutate_codon(std::vector<Codon>& codons, std::size_t used, bool within_used, Random& random) {
  if (codons.empty()) return;
  const std::size_t range = within_used && used > 0 ? std::min(used, codons.size()) : codons.size();
  codons[random.below(range)] = random_codon(random);
}

std::vector<Codon> regrow_subtree(const Grammar& grammar, const Individual& individual, std::uint32_t extra_depth,
                                  std::size_t most_nodes, Random& random) {
  const std::vector<DerivationNode>& nodes = individual.derivation.nodes;
  const std::size_t at = random.below(nodes.size());
  const std::size_t others = nodes.size() - (nodes[at].end - at);
  const std::size_t room = most_nodes > others ? most_nodes - others : 1;
  const std::uint32_t depth = grammar.rules[nodes[at].rule].least_depth + extra_depth;
  const std::vector<Codon> fresh = grow(grammar, nodes[at].rule, depth, room, random);
  return splice(used_codons(individual), nodes[at], at, fresh);
}

}  // namespace forelap::evolve::gp
