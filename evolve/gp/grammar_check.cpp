#include "evolve/gp/grammar_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace forelap::evolve::gp {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

bool is_defined(const Rule& rule) {
  return rule.line != 0;
}

std::string bracketed(const Rule& rule) {
  return "<" + rule.name + ">";
}

/// The depth of the flattest tree of an alternative, kNever as long as none is known.
std::uint32_t least_depth(const Grammar& grammar, const Alternative& alternative) {
  std::uint32_t deepest = 0;
  for (const std::uint32_t rule : alternative.rules) deepest = std::max(deepest, grammar.rules[rule].least_depth);
  return deepest == kNever ? kNever : deepest + 1;
}

/// Undefined rules count as ending, so that one fault is not reported as many.
void set_least_depths(Grammar& grammar) {
  for (Rule& rule : grammar.rules) rule.least_depth = is_defined(rule) ? kNever : 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (Rule& rule : grammar.rules) {
      for (const Alternative& alternative : rule.alternatives) {
        const std::uint32_t depth = least_depth(grammar, alternative);
        if (depth >= rule.least_depth) continue;
        rule.least_depth = depth;
        changed = true;
      }
    }
  }
}

std::vector<bool> reachable_rules(const Grammar& grammar) {
  std::vector<bool> reached(grammar.rules.size(), false);
  std::vector<std::uint32_t> open = {grammar.start};
  reached[grammar.start] = true;
  while (!open.empty()) {
    const std::uint32_t rule = open.back();
    open.pop_back();
    for (const Alternative& alternative : grammar.rules[rule].alternatives) {
      for (const std::uint32_t next : alternative.rules) {
        if (reached[next]) continue;
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return reached;
}

/// Of a rule that never ends: the rule that its first alternative begins with, if it never ends either.
std::uint32_t first_on_the_left(const Grammar& grammar, std::uint32_t rule) {
  for (const Alternative& alternative : grammar.rules[rule].alternatives) {
    if (alternative.symbols.empty() || alternative.symbols[0].is_terminal()) continue;
    const std::uint32_t next = alternative.symbols[0].rule;
    if (grammar.rules[next].least_depth == kNever) return next;
  }
  return kNever;
}

/// "<a> -> <b> -> <a>" when following the leftmost symbols from `rule` comes back to it; else empty.
std::string left_cycle(const Grammar& grammar, std::uint32_t rule) {
  std::string path = bracketed(grammar.rules[rule]);
  std::uint32_t at = rule;
  for (std::size_t steps = 0; steps < grammar.rules.size(); ++steps) {
    at = first_on_the_left(grammar, at);
    if (at == kNever) return {};
    path += " -> " + bracketed(grammar.rules[at]);
    if (at == rule) return path;
  }
  return {};
}

void report_endless(const Grammar& grammar, std::vector<Finding>& findings) {
  for (std::uint32_t index = 0; index < grammar.rules.size(); ++index) {
    const Rule& rule = grammar.rules[index];
    if (rule.least_depth != kNever) continue;
    const std::string cycle = left_cycle(grammar, index);
    if (cycle.empty()) {
      findings.push_back({rule.line, bracketed(rule) + " never ends: every alternative leads to a non-terminal that "
                                                       "never ends; give one an alternative of text only"});
    } else {
      findings.push_back({rule.line, "left recursion without end: " + cycle +
                                         "; give one of them an alternative that does not come back"});
    }
  }
}

}  // namespace

void check_rules(Grammar& grammar, const std::vector<int>& first_use, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < grammar.rules.size(); ++i) {
    const Rule& rule = grammar.rules[i];
    if (is_defined(rule)) continue;
    findings.push_back({first_use[i], bracketed(rule) + " is used here but never defined; add " + bracketed(rule) +
                                          " ::= ... or correct its name"});
  }
  const std::vector<bool> reached = reachable_rules(grammar);
  for (std::size_t i = 0; i < grammar.rules.size(); ++i) {
    const Rule& rule = grammar.rules[i];
    if (reached[i] || !is_defined(rule)) continue;
    findings.push_back({rule.line, bracketed(rule) + " cannot be reached from <start>; use it or remove it"});
  }
  set_least_depths(grammar);
  report_endless(grammar, findings);
}

}  // namespace forelap::evolve::gp
