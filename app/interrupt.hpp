#pragma once
// Ctrl-C asks the work to stop, so that what was measured is kept; a second Ctrl-C ends the program.

#include "core/stop_token.hpp"

namespace forelap::app {

/// Installs the handler of SIGINT on the first call.
core::StopToken stop_on_interrupt();

}  // namespace forelap::app
