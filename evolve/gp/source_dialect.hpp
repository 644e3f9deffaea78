#pragma once
// Inner part of the source generator: what differs between CUDA, OpenCL and C++.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "evolve/gp/op.hpp"
#include "evolve/gp/source.hpp"

namespace forelap::evolve::gp {

/// Macros and helper functions before everything else: GP_WORD_OF_FLOAT, GP_FLOAT_OF_WORD, and of the subset's
/// functions those that occur in `used`: floor_mod, and called forms of the others where asked.
std::string prelude_of(const SourceOptions& options, std::string_view used);

/// From the kernel's head to where `gp_row` (the case's words), `gp_case` and `gp_individual` (of dimension 1) are
/// known.
std::string kernel_head(Dialect dialect, const std::string& name, std::uint32_t individuals, std::uint32_t row_words);
std::string kernel_tail(Dialect dialect);

/// A type's name in the sources; the same in all dialects.
inline std::string source_type(Type type) {
  return std::string(type_name(type));
}

}  // namespace forelap::evolve::gp
