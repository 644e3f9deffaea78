// SaNSDE's state as bytes.

#include <string>

#include "core/error.hpp"
#include "evolve/de/sansde.hpp"

namespace forelap::evolve::de {

namespace {

void write(ByteWriter& out, const StrategyCounts& counts) {
  for (const std::uint64_t value : counts.successes) out.word(value);
  for (const std::uint64_t value : counts.failures) out.word(value);
}

StrategyCounts read_counts(ByteReader& in) {
  StrategyCounts counts;
  for (std::uint64_t& value : counts.successes) value = in.word();
  for (std::uint64_t& value : counts.failures) value = in.word();
  return counts;
}

}  // namespace

void write(ByteWriter& out, const SansdeState& state) {
  out.word(state.count);
  out.word(state.dimension);
  out.numbers(state.x);
  out.numbers(state.fitness);
  const Adaptation& adaptation = state.adaptation;
  out.number(adaptation.p);
  out.number(adaptation.fp);
  out.number(adaptation.cr_mean);
  write(out, adaptation.mutation);
  write(out, adaptation.scale);
  out.number(adaptation.gains);
  out.number(adaptation.gains_times_cr);
  out.word(adaptation.generation);
  out.numbers(adaptation.cr);
  out.word(state.random.state());
  out.word(state.evaluations);
  out.word(state.rejected);
}

SansdeState read_sansde(ByteReader& in) {
  SansdeState state;
  state.count = static_cast<std::size_t>(in.word());
  state.dimension = static_cast<std::size_t>(in.word());
  state.x = in.numbers();
  state.fitness = in.numbers();
  Adaptation& adaptation = state.adaptation;
  adaptation.p = in.number();
  adaptation.fp = in.number();
  adaptation.cr_mean = in.number();
  adaptation.mutation = read_counts(in);
  adaptation.scale = read_counts(in);
  adaptation.gains = in.number();
  adaptation.gains_times_cr = in.number();
  adaptation.generation = in.word();
  adaptation.cr = in.numbers();
  state.random = Random(in.word());
  state.evaluations = in.word();
  state.rejected = in.word();
  const bool whole = state.fitness.size() == state.count && state.count != 0 &&
                     state.x.size() / state.count == state.dimension && state.x.size() % state.count == 0;
  if (!whole || (!adaptation.cr.empty() && adaptation.cr.size() != state.count)) {
    core::throw_bad_input("a saved population of " + std::to_string(state.count) + " individuals of " +
                          std::to_string(state.dimension) + " variables has other sizes than it says");
  }
  return state;
}

}  // namespace forelap::evolve::de
