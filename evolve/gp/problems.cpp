#include "evolve/gp/problems.hpp"

#include <cstdint>
#include <string>

namespace forelap::evolve::gp {
namespace {

constexpr const char* kKeijzer6 =
    R"(# Symbolic regression of one variable; deeper levels hold more variables and constants.
<start> ::= <e>
<e>  ::= <e2> + <e2> | <e2> - <e2> | <e2> * <e2> | <e2> / <e2>
       | sqrtf(fabsf(<e2>)) | sinf(<e2>) | tanhf(<e2>) | expf(<e2>) | logf(fabsf(<e2>) + 1.0f)
       | x | x | x | x
       | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f
<e2> ::= <e3> + <e3> | <e3> - <e3> | <e3> * <e3> | <e3> / <e3>
       | sqrtf(fabsf(<e3>)) | sinf(<e3>) | tanhf(<e3>) | expf(<e3>) | logf(fabsf(<e3>) + 1.0f)
       | x | x | x | x | x | x
       | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f
<e3> ::= <e3> + <e3> | <e3> - <e3> | <e3> * <e3> | <e3> / <e3>
       | sqrtf(fabsf(<e3>)) | sinf(<e3>) | tanhf(<e3>) | expf(<e3>) | logf(fabsf(<e3>) + 1.0f)
       | x | x | x | x | x | x | x | x
       | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f
       | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f | <c><c>.<c><c>f
<c>  ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
)";

constexpr const char* kMultiplier = R"(# Ten boolean functions of ten bits; only the lowest bit of each value counts.
<start> ::= o0 = <expr>; o1 = <expr>; o2 = <expr>; o3 = <expr>; o4 = <expr>;
            o5 = <expr>; o6 = <expr>; o7 = <expr>; o8 = <expr>; o9 = <expr>;
<expr>  ::= (<expr2> <op> <expr2>) | <var> | (~ <var>)
<expr2> ::= (<expr2> <op> <expr2>) | <var> | (~ <var>) | <var> | (~ <var>)
<op>    ::= & | "|"
<var>   ::= a0 | a1 | a2 | a3 | a4 | b0 | b1 | b2 | b3 | b4
)";

constexpr const char* kSearch = R"(# Programs over a list: where is SEARCH among the first LENINPUT numbers of INPUT?
<start>       ::= <block>
<block>       ::= <statement> | <statement> <statement> | <statement> <statement> <statement>
<statement>   ::= <assignment> | <if> | <loop>
<if>          ::= if (<condition>) { <body> }
<loop>        ::= for (i = 0; i "<" LENINPUT; i++) { <body> }
<body>        ::= <inner> | <inner> <inner> | <inner> <inner> <inner>
<inner>       ::= <assignment> | <if2>
<if2>         ::= if (<condition>) { <body2> }
<body2>       ::= <assignment> | <assignment> <assignment> | <assignment> <assignment> <assignment>
<condition>   ::= (int)(<expr>) <relation> (int)(<expr>)
<relation>    ::= "<" | ">" | == | !=
<assignment>  ::= <target> = <expr>;
<target>      ::= tmp | OUTPUT
<expr>        ::= <e2> <sign> <e2> | <e2>
<sign>        ::= + | -
<e2>          ::= 1 | 2 | (-1) | tmp | i | OUTPUT | SEARCH | INPUT[floor_mod(<var>, LENINPUT)]
<var>         ::= tmp | i | OUTPUT | SEARCH
)";

}  // namespace

Problem keijzer_6() {
  Problem problem;
  problem.name = "keijzer-6";
  problem.grammar_name = "keijzer-6.bnf";
  problem.grammar = kKeijzer6;
  problem.inputs = {{"x", Type::float32, 0}};
  problem.locals = {{"y", Type::float32}};
  problem.result = "y";
  problem.before = "y = ";
  problem.after = ";";
  problem.cases = CaseGenerator{"harmonic", 1, {{"first", 1}, {"last", 64}}, {}};
  problem.fitness = {"rmse", {}, "sum"};
  problem.direction = Direction::minimise;
  return problem;
}

Problem multiplier_5_bit() {
  Problem problem;
  problem.name = "multiplier";
  problem.grammar_name = "multiplier.bnf";
  problem.grammar = kMultiplier;
  problem.inputs = {{"factors", Type::int32, 0}};
  for (int bit = 0; bit < 10; ++bit) {
    const std::string name = (bit < 5 ? "a" : "b") + std::to_string(bit % 5);
    problem.givens.push_back({name, Type::int32, "(factors >> " + std::to_string(bit) + ") & 1"});
    const std::string output = "o" + std::to_string(bit);
    problem.locals.push_back({output, Type::int32});
    const std::string lowest = "(" + output + " & 1)";
    problem.after += bit == 0 ? " product = " + lowest : " | (" + lowest + " << " + std::to_string(bit) + ")";
  }
  problem.after += ";";
  problem.locals.push_back({"product", Type::int32});
  problem.result = "product";
  problem.cases = CaseGenerator{"multiplier", 1, {{"bits", 5}}, {}};
  problem.fitness = {"wrong_bits", {}, "sum"};
  problem.direction = Direction::minimise;
  problem.solved = 0;
  return problem;
}

Problem search() {
  Problem problem;
  problem.name = "search";
  problem.grammar_name = "search.bnf";
  problem.grammar = kSearch;
  problem.inputs = {{"SEARCH", Type::uint32, 0}, {"LENINPUT", Type::uint32, 0}, {"INPUT", Type::uint32, 20}};
  problem.locals = {{"i", Type::uint32}, {"tmp", Type::uint32}, {"OUTPUT", Type::uint32}};
  problem.result = "OUTPUT";
  problem.before = "i = 0; tmp = 0; OUTPUT = -1; ";
  problem.cases = CaseGenerator{"search_lists", 1, {}, {}};
  problem.fitness = {"correct", {}, "sum"};
  problem.direction = Direction::maximise;
  problem.solved = 32;
  return problem;
}

}  // namespace forelap::evolve::gp
