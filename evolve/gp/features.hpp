#pragma once
// What a derived program is made of, for models of what compiling it costs. Counted on the text's tokens, so that
// programs outside the subset of the front end have features too.

#include <array>
#include <cstddef>
#include <string_view>

#include "evolve/gp/derivation.hpp"

namespace forelap::evolve::gp {

enum class Feature : std::size_t {
  text_bytes,
  nodes,  ///< of the derivation tree
  depth,  ///< of the derivation tree
  assignments,
  conditions,  ///< if, ?:
  loops,       ///< for, while
  additions,   ///< + and -, with one operand or two, ++ and --
  multiplications,
  divisions,  ///< '/'
  modulos,    ///< '%' and floor_mod
  bit_operations,
  comparisons,
  logical,  ///< && || !
  elements,
  literals,
  variables,  ///< uses of a name that is neither called nor indexed
  square_roots,
  absolutes,
  sines,  ///< sinf, cosf
  hyperbolic_tangents,
  exponentials,  ///< expf, powf
  logarithms,
  other_calls,
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::other_calls) + 1;

using Features = std::array<double, kFeatureCount>;

std::string_view feature_name(Feature feature);

/// Of a text alone; nodes and depth are 0.
Features features_of(std::string_view text);
/// Of a complete derivation.
Features features_of(const Derivation& derivation);

inline double& at(Features& features, Feature feature) {
  return features[static_cast<std::size_t>(feature)];
}
inline double at(const Features& features, Feature feature) {
  return features[static_cast<std::size_t>(feature)];
}

}  // namespace forelap::evolve::gp
