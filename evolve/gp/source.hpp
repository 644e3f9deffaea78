#pragma once
// Derived texts as one source file for a compiler. All layouts and dialects run the same code on the same rows of cases
// and write the same results.
//
// A kernel's arguments: `const unsigned int* inputs` (rows of Scope::input_words words, one a case), `unsigned int*
// results` (individual after individual, one word a case) and `unsigned int cases`. CUDA and OpenCL: dimension 0 is the
// case (the kernel lets those beyond the last return at once), dimension 1 (CUDA: blocks of height 1) the individual of
// a switched kernel. C++: a function with loops over both.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/gp/problem.hpp"

namespace forelap::evolve::gp {

enum class Dialect : std::uint8_t { cuda, opencl, cpp };

enum class Layout : std::uint8_t {
  sequence,  ///< the paper's: a kernel runs its individuals one after another, thread = case
  switched,  ///< a switch over the individuals of the kernel, dimension 1 chooses
};

struct SourceOptions {
  Dialect dialect = Dialect::cuda;
  Layout layout = Layout::sequence;
  /// Individuals of one kernel, 0 = all: (sequence, 0) is the paper's layout, (sequence, 1) a kernel each, (switched,
  /// 0) one switch over all, (switched, m) a switch in parts of m.
  std::size_t part = 0;
  /// Functions (sinf, floor_mod ...) are called, not inlined: much less to compile, the same results.
  bool called_helpers = false;
  std::string prefix = "gp_part_";  ///< of the kernels' names, then their number
};

struct SourceKernel {
  std::string name;
  std::uint32_t first = 0;  ///< individual, of this source
  std::uint32_t count = 0;
  bool switched = false;  ///< needs `count` in dimension 1, else 1
};

/// Where an individual's code stands, lines from 1, `last` included.
struct SourceLines {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Source {
  std::string text;
  std::vector<SourceKernel> kernels;
  std::vector<SourceLines> lines;  ///< one an individual
  /// The individual in whose code a line of a compiler's message lies.
  [[nodiscard]] std::optional<std::uint32_t> individual_at(std::uint32_t line) const;
};

/// One source for these derived texts (not empty), in their order.
Source make_source(const PreparedProblem& problem, std::span<const std::string> texts, const SourceOptions& options);

/// Individuals of a part.
struct IndividualRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Parts of `count` individuals for `workers`, sizes differing by at most one, the larger ones first, none empty: the
/// paper's split.
std::vector<IndividualRange> split_evenly(std::size_t count, std::size_t workers);

}  // namespace forelap::evolve::gp
