#include "evolve/gp/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::evolve::gp {
namespace {

Scope input_scope(const Problem& problem) {
  Scope scope;
  for (const Input& input : problem.inputs) scope.add(input.name, input.type, input.length, false);
  scope.input_words = scope.slots;
  scope.first_local = scope.slots;
  return scope;
}

void append(Bytecode& whole, const Bytecode& part) {
  whole.code.insert(whole.code.end(), part.code.begin(), part.code.end());
  whole.stack = std::max(whole.stack, part.stack);
  whole.nodes += part.nodes;
}

/// Adds the givens to the scope; a given may name those before it.
Bytecode setup_of(const Problem& problem, Scope& scope) {
  Bytecode setup;
  for (const Given& given : problem.givens) {
    const Syntax value = parse_expression(scope, given.expression, given.type);
    if (!value.ok()) core::throw_bad_input("value of '" + core::printable(given.name) + "', " + value.refusal);
    append(setup, emit_value(value, scope.slots));
    scope.add(given.name, given.type, 0, false);
  }
  scope.first_local = scope.slots;
  return setup;
}

const Variable& result_of(const Problem& problem, const Scope& scope) {
  const Variable* result = scope.find(problem.result);
  if (result == nullptr || !result->assignable) {
    core::throw_bad_input("the result '" + core::printable(problem.result) + "' is none of the locals");
  }
  return *result;
}

PreparedProblem prepared(const Problem& problem) {
  Grammar grammar = parse_grammar(problem.grammar, problem.grammar_name.empty() ? "grammar" : problem.grammar_name);
  Scope scope = input_scope(problem);
  const Scope inputs = scope;
  Bytecode setup = setup_of(problem, scope);
  for (const Local& local : problem.locals) scope.add(local.name, local.type, 0, true);
  const Variable result = result_of(problem, scope);
  Cases cases = std::visit([&](const auto& source) { return cases_of(source, inputs, result.type); }, problem.cases);
  if (cases.count() == 0) core::throw_bad_input("there are no cases");
  return {problem,     std::move(grammar), std::move(scope), std::move(setup),
          result.slot, result.type,        std::move(cases), Fitness(problem.fitness, result.type)};
}

}  // namespace

PreparedProblem prepare(const Problem& problem) {
  try {
    return prepared(problem);
  } catch (const core::Error& error) {
    throw core::Error(error.kind(), "problem '" + core::printable(problem.name) + "': " + error.what());
  }
}

std::string code_of(const Problem& problem, std::string_view text) {
  return problem.before + std::string(text) + problem.after;
}

CompiledText compile_text(const PreparedProblem& problem, std::string_view text) {
  const std::string code = code_of(problem.problem, text);
  const Syntax syntax = parse_program(problem.scope, code);
  if (!syntax.ok()) return {{}, syntax.refusal};
  return {emit(syntax), {}};
}

Evaluator::Evaluator(const PreparedProblem& problem) : problem_(problem) {
  const std::size_t slots = problem.scope.slots;
  rows_.assign(problem.cases.count() * slots, 0);
  row_.resize(slots);
  for (std::size_t i = 0; i < problem.cases.count(); ++i) {
    const std::span<std::uint32_t> row = std::span(rows_).subspan(i * slots, slots);
    std::ranges::copy(problem.cases.row(i), row.begin());
    if (run(problem.setup, row, stack_) != Outcome::finished) {
      core::throw_bad_input("problem '" + core::printable(problem.problem.name) +
                            "': a given value reads outside an array in case " + std::to_string(i + 1));
    }
  }
}

Evaluator::Evaluation Evaluator::evaluate(const Bytecode& program, std::uint64_t step_limit) {
  const std::size_t slots = problem_.scope.slots;
  Evaluation evaluation;
  evaluation.fitness = worst_fitness(problem_.problem.direction);
  for (std::size_t i = 0; i < problem_.cases.count(); ++i) {
    std::ranges::copy(std::span(rows_).subspan(i * slots, slots), row_.begin());
    evaluation.outcome = run(program, row_, stack_, step_limit);
    if (evaluation.outcome != Outcome::finished) return evaluation;
    evaluation.results.push_back(row_[problem_.result_slot]);
  }
  evaluation.fitness =
      ranked_fitness(problem_.fitness.of(evaluation.results, problem_.cases.expected), problem_.problem.direction);
  return evaluation;
}

double Evaluator::fitness(std::string_view text, std::uint64_t step_limit) {
  const CompiledText compiled = compile_text(problem_, text);
  if (!compiled.ok()) return worst_fitness(problem_.problem.direction);
  return evaluate(compiled.program, step_limit).fitness;
}

}  // namespace forelap::evolve::gp
