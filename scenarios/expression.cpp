#include "scenarios/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::scenarios {
namespace {

constexpr std::size_t kLongestText = 1000;
constexpr int kDeepest = 50;

constexpr std::array<std::string_view, 4> kOneArgument = {"sqrt", "floor", "ceil", "log2"};
constexpr std::array<std::string_view, 2> kTwoArguments = {"min", "max"};

double call1(std::size_t function, double x) {
  switch (function) {
    case 0:
      return std::sqrt(x);
    case 1:
      return std::floor(x);
    case 2:
      return std::ceil(x);
    default:
      return std::log2(x);
  }
}

double call2(std::size_t function, double x, double y) {
  return function == 0 ? std::min(x, y) : std::max(x, y);
}

}  // namespace

/// Recursive descent to a postfix program: sum = product {(+|-) product}, product = signed {(*|/) signed},
/// signed = [-] power, power = atom [^ signed].
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  Expression run() {
    if (text_.size() > kLongestText) {
      core::throw_bad_input("expression of " + std::to_string(text_.size()) + " characters; at most " +
                            std::to_string(kLongestText) + " are read");
    }
    result_.text_ = std::string(core::trim(text_));
    sum();
    if (peek() != '\0') fail("expected an operator or the end");
    return std::move(result_);
  }

 private:
  using Code = Expression::Instruction::Code;

  [[noreturn]] void fail(const std::string& expected) {
    const std::string found = at_ < text_.size() ? "\"" + std::string(text_.substr(at_, 12)) + "\"" : "the end";
    core::throw_bad_input("expression \"" + result_.text_ + "\": found " + found + " at character " +
                          std::to_string(at_ + 1) + ", " + expected);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void need(char c) {
    if (!take(c)) fail(std::string("expected \"") + c + "\"");
  }

  void emit(Code code, double number = 0, std::size_t operand = 0) {
    result_.program_.push_back({code, number, operand});
  }

  void sum() {
    if (++depth_ > kDeepest) fail("expected an expression nested less deeply");
    product();
    for (;;) {
      if (take('+')) {
        product();
        emit(Code::add);
      } else if (take('-')) {
        product();
        emit(Code::subtract);
      } else {
        break;
      }
    }
    --depth_;
  }

  void product() {
    signed_power();
    for (;;) {
      if (take('*')) {
        signed_power();
        emit(Code::multiply);
      } else if (take('/')) {
        signed_power();
        emit(Code::divide);
      } else {
        break;
      }
    }
  }

  void signed_power() {
    if (++depth_ > kDeepest) fail("expected an expression nested less deeply");
    if (take('-')) {
      signed_power();
      emit(Code::negate);
    } else {
      atom();
      if (take('^')) {
        signed_power();
        emit(Code::power);
      }
    }
    --depth_;
  }

  void atom() {
    const char c = peek();
    if (take('(')) {
      sum();
      need(')');
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      number();
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name();
    } else {
      fail("expected a number, a name or \"(\"");
    }
  }

  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) fail("expected a finite number");
    at_ += static_cast<std::size_t>(stop - begin);
    emit(Code::number, value);
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (peek() == '(') return call(word, begin);
    const auto known = std::find(names_.begin(), names_.end(), word);
    if (known == names_.end()) unknown(word, begin, names_, "name");
    emit(Code::name, 0, static_cast<std::size_t>(known - names_.begin()));
  }

  void call(const std::string& word, std::size_t begin) {
    need('(');
    sum();
    const auto one = std::find(kOneArgument.begin(), kOneArgument.end(), word);
    const auto two = std::find(kTwoArguments.begin(), kTwoArguments.end(), word);
    if (one != kOneArgument.end()) {
      emit(Code::call1, 0, static_cast<std::size_t>(one - kOneArgument.begin()));
    } else if (two != kTwoArguments.end()) {
      need(',');
      sum();
      emit(Code::call2, 0, static_cast<std::size_t>(two - kTwoArguments.begin()));
    } else {
      std::vector<std::string> functions(kOneArgument.begin(), kOneArgument.end());
      functions.insert(functions.end(), kTwoArguments.begin(), kTwoArguments.end());
      unknown(word, begin, functions, "function");
    }
    need(')');
  }

  [[noreturn]] void unknown(const std::string& word, std::size_t begin, const std::vector<std::string>& known,
                            const std::string& what) {
    at_ = begin;
    const std::string near = core::nearest(word, known);
    const std::string advice = near.empty() ? "" : " (did you mean \"" + near + "\"?)";
    fail("which is no known " + what + advice + "; known are " + core::join_names(known));
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  Expression result_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression Expression::parse(std::string_view text, const std::vector<std::string>& names) {
  return ExpressionParser(text, names).run();
}

double Expression::evaluate(const std::vector<double>& values) const {
  using Code = Instruction::Code;
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Instruction& i : program_) {
    if (i.code == Code::number || i.code == Code::name) {
      stack.push_back(i.code == Code::number ? i.number : values.at(i.operand));
      continue;
    }
    const double y = pop();
    if (i.code == Code::negate || i.code == Code::call1) {
      stack.push_back(i.code == Code::negate ? -y : call1(i.operand, y));
      continue;
    }
    const double x = pop();
    switch (i.code) {
      case Code::add:
        stack.push_back(x + y);
        break;
      case Code::subtract:
        stack.push_back(x - y);
        break;
      case Code::multiply:
        stack.push_back(x * y);
        break;
      case Code::divide:
        stack.push_back(x / y);
        break;
      case Code::power:
        stack.push_back(std::pow(x, y));
        break;
      default:
        stack.push_back(call2(i.operand, x, y));
        break;
    }
  }
  return stack.empty() ? 0 : stack.back();
}

}  // namespace forelap::scenarios
