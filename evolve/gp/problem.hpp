#pragma once
// A problem of grammatical genetic programming as data: what its programs may look like, what surrounds them, on which
// cases they run and how they are judged. A new problem is such a record and nothing else.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "evolve/gp/bytecode.hpp"
#include "evolve/gp/cases.hpp"
#include "evolve/gp/direction.hpp"
#include "evolve/gp/fitness.hpp"
#include "evolve/gp/grammar.hpp"
#include "evolve/gp/op.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {

/// What a case hands in: a number, or an array of `length` numbers. Programs only read it.
struct Input {
  std::string name;
  Type type = Type::int32;
  std::uint32_t length = 0;
};

/// A constant of the case, computed once from the inputs and the constants before it.
struct Given {
  std::string name;
  Type type = Type::int32;
  std::string expression;
};

/// A variable of the programs, 0 when a program begins.
struct Local {
  std::string name;
  Type type = Type::int32;
};

struct Problem {
  std::string name;
  std::string grammar_name;  ///< for messages: the grammar's file
  std::string grammar;       ///< its text
  std::string declarations;  ///< C at file scope for generated sources; the front end does not see it
  std::vector<Input> inputs;
  std::vector<Given> givens;
  std::vector<Local> locals;
  std::string result;  ///< the local that holds the answer at a program's end
  std::string before;  ///< C before the derived text of each individual, pasted: "y = "
  std::string after;   ///< C behind it: ";"
  std::variant<CaseGenerator, CaseTable> cases;
  FitnessRule fitness;
  Direction direction = Direction::minimise;
  std::optional<double> solved;  ///< a fitness this good ends a run
};

/// A problem whose every part has been read and checked.
struct PreparedProblem {
  Problem problem;
  Grammar grammar;
  Scope scope;
  Bytecode setup;  ///< computes the givens of a case
  std::uint32_t result_slot = 0;
  Type result_type = Type::int32;
  Cases cases;
  Fitness fitness;
};

/// Throws core::Error (bad_input) naming the problem and the part that is wrong.
PreparedProblem prepare(const Problem& problem);

/// What runs for an individual: before, text, after.
std::string code_of(const Problem& problem, std::string_view text);

/// The program of an individual, or why it is outside the subset.
struct CompiledText {
  Bytecode program;
  std::string refusal;
  [[nodiscard]] bool ok() const { return refusal.empty(); }
};
CompiledText compile_text(const PreparedProblem& problem, std::string_view text);

/// The reference: runs programs on all cases of a problem, on the CPU. Not for use by two threads at once.
class Evaluator {
 public:
  explicit Evaluator(const PreparedProblem& problem);

  struct Evaluation {
    Outcome outcome = Outcome::finished;  ///< of the first case that did not finish
    std::vector<std::uint32_t> results;   ///< one word a case; up to the case that did not finish
    double fitness = 0;                   ///< the worst one unless all cases finished
  };
  Evaluation evaluate(const Bytecode& program, std::uint64_t step_limit = kStepLimit);
  /// The fitness of a derived text; the worst one for a text outside the subset.
  double fitness(std::string_view text, std::uint64_t step_limit = kStepLimit);

 private:
  const PreparedProblem& problem_;
  std::vector<std::uint32_t> rows_;  ///< a row of all slots a case, the locals 0
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace forelap::evolve::gp
