#pragma once
// Test cases: rows of 32-bit words for the inputs of a problem, and the expected result of each.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "evolve/gp/op.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {

/// Cases as read from a table (a CSV file). A column is an input's name, "NAME[k]" for an element of an array (elements
/// without a column are 0), or "expected".
struct CaseTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

/// Cases made by name. Inputs are taken in the order of their declaration:
///   harmonic      x = first .. last (1, 64); expected: the sum of 1/n for n = 1 .. x. One scalar input
///   multiplier    all pairs of numbers of `bits` bits (5, at most 10), packed a | b << bits; expected: a * b. One
///   scalar search_lists  count (32) lists of least_length .. most_length (3, 20) numbers in 0 .. most_value (50);
///   every other
///                 one holds the wanted value, exactly once; expected: its position, -1 where it is missing. Wanted
///                 value, length, array of most_length elements
///   range         x = first .. last (0, 1) in `count` (64) even steps; expected: the expression `expected` of the
///                 inputs. One scalar
struct CaseGenerator {
  std::string name;
  std::uint64_t seed = 1;
  std::map<std::string, double> parameters;
  std::string expected;  ///< range: an expression of the C subset
};

struct Cases {
  std::uint32_t row_words = 0;
  std::vector<std::uint32_t> inputs;    ///< row after row
  std::vector<std::uint32_t> expected;  ///< one a case
  [[nodiscard]] std::size_t count() const { return expected.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t index) const {
    return std::span(inputs).subspan(index * row_words, row_words);
  }
};

/// Most words of all cases together.
inline constexpr std::size_t kMaxCaseWords = std::size_t{1} << 28U;

/// `value` as a word of `type`. Throws core::Error (bad_input) naming `what` if the type cannot hold it.
std::uint32_t word_of(double value, Type type, const std::string& what);
/// A word as a number.
double number_of(std::uint32_t word, Type type);

/// `scope` holds the inputs only. All throw core::Error (bad_input).
Cases cases_of(const CaseTable& table, const Scope& scope, Type result);
Cases cases_of(const CaseGenerator& generator, const Scope& scope, Type result);

}  // namespace forelap::evolve::gp
