#pragma once
// Generations of x86-64 processors beside the plain one.

#include "evolve/de/vectors.hpp"

namespace forelap::evolve::de {

extern const VectorCode kAvx2Vectors;
extern const VectorCode kAvx512Vectors;

}  // namespace forelap::evolve::de
