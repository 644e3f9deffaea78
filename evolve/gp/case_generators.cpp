#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "evolve/gp/bytecode.hpp"
#include "evolve/gp/cases.hpp"
#include "evolve/gp/random.hpp"

namespace forelap::evolve::gp {
namespace {

/// A parameter of a generator with its value where none is given and its range; all are whole unless `real`.
struct Parameter {
  std::string name;
  double value;
  double least;
  double most;
  bool real = false;
};

class Parameters {
 public:
  Parameters(const CaseGenerator& generator, std::vector<Parameter> known) : known_(std::move(known)) {
    const std::string where = "generator '" + core::printable(generator.name) + "': ";
    for (const auto& [name, value] : generator.parameters) {
      Parameter* parameter = find(name);
      if (parameter == nullptr) {
        std::vector<std::string> names;
        for (const Parameter& each : known_) names.push_back(each.name);
        core::throw_bad_input(where + "unknown parameter '" + core::printable(name) + "'; known are " +
                              core::join_names(names));
      }
      const bool whole = parameter->real || value == std::floor(value);
      if (!(value >= parameter->least && value <= parameter->most && whole)) {
        core::throw_bad_input(where + name + " is " + core::shortest(value) + "; expected " +
                              (parameter->real ? "" : "a whole number of ") + core::shortest(parameter->least) +
                              " to " + core::shortest(parameter->most));
      }
      parameter->value = value;
    }
  }

  double real(const std::string& name) { return find(name)->value; }
  std::uint32_t whole(const std::string& name) { return static_cast<std::uint32_t>(real(name)); }

 private:
  Parameter* find(const std::string& name) {
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const Parameter& p) { return p.name == name; });
    return found == known_.end() ? nullptr : &*found;
  }
  std::vector<Parameter> known_;
};

void require_shape(const CaseGenerator& generator, const Scope& scope, std::span<const std::uint32_t> lengths,
                   const std::string& shape) {
  bool fits = scope.variables.size() == lengths.size();
  for (std::size_t i = 0; fits && i < lengths.size(); ++i) fits = scope.variables[i].length == lengths[i];
  if (!fits) core::throw_bad_input("generator '" + generator.name + "' makes " + shape + "; declare these inputs");
}

void require_scalar(const CaseGenerator& generator, const Scope& scope) {
  require_shape(generator, scope, std::vector<std::uint32_t>{0}, "one number a case");
}

Cases harmonic(const CaseGenerator& generator, const Scope& scope, Type result) {
  Parameters parameters(generator, {{"first", 1, 1, 1e6}, {"last", 64, 1, 1e6}});
  require_scalar(generator, scope);
  Cases cases{1, {}, {}};
  double sum = 0;
  for (std::uint32_t x = 1; x <= parameters.whole("last"); ++x) {
    sum += 1.0 / x;
    if (x < parameters.whole("first")) continue;
    cases.inputs.push_back(word_of(x, scope.variables[0].type, "x"));
    cases.expected.push_back(word_of(sum, result, "a sum of 1/n"));
  }
  return cases;
}

Cases multiplier(const CaseGenerator& generator, const Scope& scope, Type result) {
  Parameters parameters(generator, {{"bits", 5, 1, 10}});
  require_scalar(generator, scope);
  const std::uint32_t bits = parameters.whole("bits");
  Cases cases{1, {}, {}};
  for (std::uint32_t packed = 0; packed < 1U << (2 * bits); ++packed) {
    const std::uint32_t a = packed & ((1U << bits) - 1U);
    const std::uint32_t b = packed >> bits;
    cases.inputs.push_back(word_of(packed, scope.variables[0].type, "a pair of factors"));
    cases.expected.push_back(word_of(a * b, result, "a product"));
  }
  return cases;
}

/// A list without the wanted value, and its position where it is put in.
void add_list(Random& random, std::uint32_t length, std::uint32_t most_value, bool present, Type result, Cases& cases) {
  const std::size_t row = cases.inputs.size();
  cases.inputs.resize(row + cases.row_words, 0);
  const auto wanted = static_cast<std::uint32_t>(random.below(most_value + 1U));
  cases.inputs[row] = wanted;
  cases.inputs[row + 1] = length;
  for (std::uint32_t i = 0; i < length; ++i) {
    // One value of the range is left out: the wanted one.
    const auto drawn = static_cast<std::uint32_t>(random.below(most_value));
    cases.inputs[row + 2 + i] = drawn < wanted ? drawn : drawn + 1;
  }
  const auto position = static_cast<std::uint32_t>(random.below(length));
  if (present) cases.inputs[row + 2 + position] = wanted;
  cases.expected.push_back(word_of(present ? position : -1.0, result, "a position"));
}

Cases search_lists(const CaseGenerator& generator, const Scope& scope, Type result) {
  Parameters parameters(
      generator,
      {{"count", 32, 1, 1e6}, {"least_length", 3, 1, 1000}, {"most_length", 20, 1, 1000}, {"most_value", 50, 1, 1e9}});
  const std::uint32_t least = parameters.whole("least_length");
  const std::uint32_t most = parameters.whole("most_length");
  if (least > most) core::throw_bad_input("generator 'search_lists': least_length is above most_length");
  require_shape(generator, scope, std::vector<std::uint32_t>{0, 0, most},
                "the wanted value, the length and a list of " + std::to_string(most) + " a case");
  for (const Variable& variable : scope.variables) {
    if (variable.type == Type::float32) core::throw_bad_input("generator 'search_lists' makes whole numbers only");
  }
  Cases cases{scope.input_words, {}, {}};
  Random random(generator.seed);
  for (std::uint32_t i = 0; i < parameters.whole("count"); ++i) {
    const auto length = least + static_cast<std::uint32_t>(random.below(most - least + 1U));
    add_list(random, length, parameters.whole("most_value"), i % 2 == 0, result, cases);
  }
  return cases;
}

Cases range(const CaseGenerator& generator, const Scope& scope, Type result) {
  Parameters parameters(generator,
                        {{"first", 0, -1e9, 1e9, true}, {"last", 1, -1e9, 1e9, true}, {"count", 64, 2, 1e6}});
  require_scalar(generator, scope);
  const Syntax expected = parse_expression(scope, generator.expected, result);
  if (!expected.ok()) core::throw_bad_input("expected value of generator 'range': " + expected.refusal);
  const Bytecode program = emit_value(expected, scope.slots);
  Cases cases{1, {}, {}};
  std::vector<std::uint32_t> slots(scope.slots + 1);
  std::vector<std::uint32_t> stack;
  const double first = parameters.real("first");
  const double last = parameters.real("last");
  const std::uint32_t count = parameters.whole("count");
  for (std::uint32_t i = 0; i < count; ++i) {
    const double x = first + (last - first) * i / (count - 1);
    slots[0] = word_of(x, scope.variables[0].type, "x");
    run(program, slots, stack);
    cases.inputs.push_back(slots[0]);
    const std::uint32_t value = slots[scope.slots];
    cases.expected.push_back(
        word_of(number_of(value, result), result, "the expected value of case " + std::to_string(i + 1)));
  }
  return cases;
}

}  // namespace

Cases cases_of(const CaseGenerator& generator, const Scope& scope, Type result) {
  if (generator.name != "range" && !generator.expected.empty()) {
    core::throw_bad_input("only the generator 'range' takes an expression for the expected value");
  }
  if (generator.name == "harmonic") return harmonic(generator, scope, result);
  if (generator.name == "multiplier") return multiplier(generator, scope, result);
  if (generator.name == "search_lists") return search_lists(generator, scope, result);
  if (generator.name == "range") return range(generator, scope, result);
  core::throw_bad_input("unknown generator of cases '" + core::printable(generator.name) +
                        "'; known are harmonic, multiplier, search_lists and range");
}

}  // namespace forelap::evolve::gp
