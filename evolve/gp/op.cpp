#include "evolve/gp/op.hpp"

#include <array>
#include <cstddef>

namespace forelap::evolve::gp {
namespace {

struct OpFacts {
  std::string_view name;
  std::uint32_t operands;
};

// In the order of the enumeration.
constexpr std::array<OpFacts, kOpCount> kFacts = {
    {{"constant", 0},      {"load", 0},         {"element", 1},       {"store", 1},      {"jump", 0},
     {"jump_if_zero", 1},  {"int_to_float", 1}, {"uint_to_float", 1}, {"negate", 1},     {"negate_f", 1},
     {"bit_not", 1},       {"is_zero", 1},      {"is_not_zero", 1},   {"add", 2},        {"subtract", 2},
     {"multiply", 2},      {"divide_i", 2},     {"divide_u", 2},      {"modulo_i", 2},   {"modulo_u", 2},
     {"bit_and", 2},       {"bit_or", 2},       {"bit_xor", 2},       {"shift_left", 2}, {"shift_right_i", 2},
     {"shift_right_u", 2}, {"equal", 2},        {"not_equal", 2},     {"less_i", 2},     {"less_u", 2},
     {"less_equal_i", 2},  {"less_equal_u", 2}, {"add_f", 2},         {"subtract_f", 2}, {"multiply_f", 2},
     {"divide_f", 2},      {"equal_f", 2},      {"not_equal_f", 2},   {"less_f", 2},     {"less_equal_f", 2},
     {"sqrt_f", 1},        {"abs_f", 1},        {"sin_f", 1},         {"cos_f", 1},      {"tanh_f", 1},
     {"exp_f", 1},         {"log_f", 1},        {"min_f", 2},         {"max_f", 2},      {"pow_f", 2},
     {"floor_mod", 2},     {"select", 3}}};

}  // namespace

std::string_view type_name(Type type) {
  if (type == Type::float32) return "float";
  return type == Type::int32 ? "int" : "unsigned int";
}

std::string_view op_name(Op op) {
  return kFacts[static_cast<std::size_t>(op)].name;
}

std::uint32_t operands_of(Op op) {
  return kFacts[static_cast<std::size_t>(op)].operands;
}

}  // namespace forelap::evolve::gp
