#include "evolve/gp/features.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "evolve/gp/lexer.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::array<std::string_view, kFeatureCount> kNames = {
    "text_bytes",     "nodes",        "depth",           "assignments", "conditions",
    "loops",          "additions",    "multiplications", "divisions",   "modulos",
    "bit_operations", "comparisons",  "logical",         "elements",    "literals",
    "variables",      "square_roots", "absolutes",       "sines",       "hyperbolic_tangents",
    "exponentials",   "logarithms",   "other_calls"};

using Meaning = std::pair<std::string_view, Feature>;

constexpr std::array<Meaning, 30> kMarks = {
    {{"=", Feature::assignments},      {"?", Feature::conditions},      {"+", Feature::additions},
     {"-", Feature::additions},        {"++", Feature::additions},      {"--", Feature::additions},
     {"*", Feature::multiplications},  {"/", Feature::divisions},       {"%", Feature::modulos},
     {"&", Feature::bit_operations},   {"|", Feature::bit_operations},  {"^", Feature::bit_operations},
     {"~", Feature::bit_operations},   {"<<", Feature::bit_operations}, {">>", Feature::bit_operations},
     {"<", Feature::comparisons},      {">", Feature::comparisons},     {"<=", Feature::comparisons},
     {">=", Feature::comparisons},     {"==", Feature::comparisons},    {"!=", Feature::comparisons},
     {"&&", Feature::logical},         {"||", Feature::logical},        {"!", Feature::logical},
     {"[", Feature::elements},         {"+=", Feature::additions},      {"-=", Feature::additions},
     {"*=", Feature::multiplications}, {"/=", Feature::divisions},      {"%=", Feature::modulos}}};

constexpr std::array<Meaning, 12> kCalls = {{{"sqrtf", Feature::square_roots},
                                             {"fabsf", Feature::absolutes},
                                             {"sinf", Feature::sines},
                                             {"cosf", Feature::sines},
                                             {"tanhf", Feature::hyperbolic_tangents},
                                             {"expf", Feature::exponentials},
                                             {"powf", Feature::exponentials},
                                             {"logf", Feature::logarithms},
                                             {"floor_mod", Feature::modulos},
                                             {"if", Feature::conditions},
                                             {"for", Feature::loops},
                                             {"while", Feature::loops}}};

constexpr std::array<std::string_view, 4> kTypeWords = {"int", "unsigned", "float", "else"};

template <std::size_t Count>
std::optional<Feature> find(const std::array<Meaning, Count>& table, std::string_view text) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Meaning& meaning) { return meaning.first == text; });
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

void count_mark(std::string_view mark, Features& features) {
  if (const auto feature = find(kMarks, mark)) ++at(features, *feature);
  const bool compound =
      mark.size() >= 2 && mark.back() == '=' && mark != "==" && mark != "!=" && mark != "<=" && mark != ">=";
  if (!compound) return;
  ++at(features, Feature::assignments);
  if (!find(kMarks, mark)) ++at(features, Feature::bit_operations);  // &= |= ^= <<= >>=
}

void count_name(std::string_view name, std::string_view behind, Features& features) {
  if (std::find(kTypeWords.begin(), kTypeWords.end(), name) != kTypeWords.end()) return;
  if (behind == "[") return;  // counted at the bracket
  if (behind == "(") {
    ++at(features, find(kCalls, name).value_or(Feature::other_calls));
  } else {
    ++at(features, Feature::variables);
  }
}

}  // namespace

std::string_view feature_name(Feature feature) {
  return kNames[static_cast<std::size_t>(feature)];
}

Features features_of(std::string_view text) {
  Features features{};
  at(features, Feature::text_bytes) = static_cast<double>(text.size());
  const Tokens tokens = tokenise(text);
  for (std::size_t i = 0; i + 1 < tokens.tokens.size(); ++i) {
    const Token& token = tokens.tokens[i];
    if (token.kind == TokenKind::number) ++at(features, Feature::literals);
    if (token.kind == TokenKind::mark) count_mark(token.text, features);
    if (token.kind == TokenKind::name) count_name(token.text, tokens.tokens[i + 1].text, features);
  }
  return features;
}

Features features_of(const Derivation& derivation) {
  Features features = features_of(derivation.text);
  at(features, Feature::nodes) = static_cast<double>(derivation.nodes.size());
  std::uint32_t depth = 0;
  for (const DerivationNode& node : derivation.nodes) depth = std::max(depth, node.depth);
  at(features, Feature::depth) = depth;
  return features;
}

}  // namespace forelap::evolve::gp
