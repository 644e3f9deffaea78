#include "evolve/de/vectors.hpp"

namespace forelap::evolve::de {

const VectorCode& vector_code() {
  return kPlainVectors;
}

}  // namespace forelap::evolve::de
