#pragma once
// Ctrl-C asks the work to stop, so that what was measured is kept; a second Ctrl-C ends the program.

#include "core/stop_token.hpp"

namespace forelap::app {

/// Installs the handler of SIGINT on the first call.
core::StopToken stop_on_interrupt();

/// From here on a memory fault or another fatal signal of the hardware ends the program with a message and the exit
/// code of a failed device: kernels of CPU devices run inside the program, and one that goes astray takes it down.
/// Leaves handlers alone that others (sanitizers) have installed.
void say_what_faults();

}  // namespace forelap::app
