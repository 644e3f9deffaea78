#pragma once
// Arithmetic in scenario files: numbers, names, + - * / ^, parentheses, and sqrt, floor, ceil, min, max, log2. Locale
// plays no part.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::scenarios {

class Expression {
 public:
  Expression() = default;  ///< the constant 0
  /// Throws core::Error (bad_input) saying what stands where and what was expected; names outside `names` are refused
  /// with the nearest one. Depth and length are bounded.
  static Expression parse(std::string_view text, const std::vector<std::string>& names);
  /// The value with `values[i]` for `names[i]` of the parse. May be NaN or infinite (division by zero): the caller says
  /// what range it accepts.
  [[nodiscard]] double evaluate(const std::vector<double>& values) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Instruction {
    enum class Code : unsigned char { number, name, add, subtract, multiply, divide, power, negate, call1, call2 };
    Code code = Code::number;
    double number = 0;
    std::size_t operand = 0;  ///< index of the name or function
  };
  friend class ExpressionParser;
  std::vector<Instruction> program_;  ///< postfix
  std::string text_;
};

}  // namespace forelap::scenarios
