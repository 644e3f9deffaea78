#pragma once
// Which fitness is better. A fitness that is not a number, of a program that does not derive, compile or finish too, is
// the worst there is.

#include <cmath>
#include <limits>

namespace forelap::evolve::gp {

enum class Direction { minimise, maximise };

inline double worst_fitness(Direction direction) {
  const double infinity = std::numeric_limits<double>::infinity();
  return direction == Direction::minimise ? infinity : -infinity;
}

/// `fitness`, or the worst one where it is not a number.
inline double ranked_fitness(double fitness, Direction direction) {
  return std::isnan(fitness) ? worst_fitness(direction) : fitness;
}

inline bool is_better(double a, double b, Direction direction) {
  const double left = ranked_fitness(a, direction);
  const double right = ranked_fitness(b, direction);
  return direction == Direction::minimise ? left < right : left > right;
}

}  // namespace forelap::evolve::gp
