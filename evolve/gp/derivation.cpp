#include "evolve/gp/derivation.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace forelap::evolve::gp {
namespace {

struct Pending {
  std::uint32_t rule;
  std::uint32_t depth;
};

const Alternative& alternative_of(const Grammar& grammar, const DerivationNode& node) {
  return grammar.rules[node.rule].alternatives[node.alternative];
}

/// Expands from the start; every pending non-terminal needs at least one node, so the bound is seen early.
DerivationState expand(const Grammar& grammar, std::span<const Codon> codons, const DerivationLimits& limits,
                       Derivation& result) {
  std::vector<Pending> pending = {{grammar.start, 1}};
  while (!pending.empty()) {
    const Pending at = pending.back();
    pending.pop_back();
    if (at.depth > limits.depth) return DerivationState::too_deep;
    const std::size_t index = result.nodes.size();
    const auto wraps = static_cast<std::uint32_t>(index / codons.size());
    if (wraps > limits.wraps) return DerivationState::too_many_wraps;
    result.wraps = wraps;
    const std::vector<Alternative>& alternatives = grammar.rules[at.rule].alternatives;
    const auto chosen = static_cast<std::uint32_t>(codons[index % codons.size()] % alternatives.size());
    result.nodes.push_back({at.rule, chosen, 0, at.depth});
    const std::vector<std::uint32_t>& children = alternatives[chosen].rules;
    if (result.nodes.size() + pending.size() + children.size() > limits.nodes) return DerivationState::too_many_nodes;
    for (auto child = children.rbegin(); child != children.rend(); ++child) pending.push_back({*child, at.depth + 1});
  }
  return DerivationState::complete;
}

void set_ends(const Grammar& grammar, std::vector<DerivationNode>& nodes) {
  for (std::size_t k = nodes.size(); k-- > 0;) {
    auto end = static_cast<std::uint32_t>(k + 1);
    for (std::size_t child = 0; child < alternative_of(grammar, nodes[k]).rules.size(); ++child) end = nodes[end].end;
    nodes[k].end = end;
  }
}

/// Writes the text of a subtree; false as soon as it would have more than `most` bytes.
bool write_text(const Grammar& grammar, std::span<const DerivationNode> nodes, std::uint32_t root, std::size_t most,
                std::string& text) {
  std::vector<std::pair<const Alternative*, std::size_t>> open = {{&alternative_of(grammar, nodes[root]), 0}};
  std::uint32_t next = root + 1;
  while (!open.empty()) {
    auto& [alternative, at] = open.back();
    if (at == alternative->symbols.size()) {
      open.pop_back();
      continue;
    }
    const Symbol& symbol = alternative->symbols[at++];
    if (symbol.is_terminal()) {
      if (text.size() + symbol.text.size() > most) return false;
      text += symbol.text;
    } else {
      open.emplace_back(&alternative_of(grammar, nodes[next++]), 0);
    }
  }
  return true;
}

}  // namespace

Derivation derive(const Grammar& grammar, std::span<const Codon> codons, const DerivationLimits& limits) {
  Derivation result;
  if (codons.empty()) return result;
  result.state = expand(grammar, codons, limits, result);
  if (result.valid()) {
    set_ends(grammar, result.nodes);
    if (!write_text(grammar, result.nodes, 0, limits.text_bytes, result.text)) {
      result.state = DerivationState::text_too_long;
    }
  }
  if (!result.valid()) {
    result.nodes.clear();
    result.text.clear();
  }
  return result;
}

std::string text_of(const Grammar& grammar, std::span<const DerivationNode> nodes, std::uint32_t root) {
  std::string text;
  write_text(grammar, nodes, root, std::numeric_limits<std::size_t>::max(), text);
  return text;
}

std::string describe(DerivationState state) {
  switch (state) {
    case DerivationState::complete:
      return "complete";
    case DerivationState::too_many_nodes:
      return "more nodes than allowed";
    case DerivationState::too_deep:
      return "deeper than allowed";
    case DerivationState::too_many_wraps:
      return "more wraps than allowed";
    case DerivationState::text_too_long:
      return "a longer text than allowed";
    case DerivationState::no_codons:
      return "a genotype without codons";
  }
  return "unknown";
}

}  // namespace forelap::evolve::gp
