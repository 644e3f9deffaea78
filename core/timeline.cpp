#include "core/timeline.hpp"

#include "core/error.hpp"

namespace forelap::core {

void throw_beyond_timeline() {
  throw_bad_input("the plan takes longer than 9e18 ps (104 days), beyond which time does not fit a timeline");
}

}  // namespace forelap::core
