#include "app/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "app/command.hpp"

namespace forelap::app {
namespace {

/// What the handler reaches; never destroyed, since a signal may come at any time.
core::StopSource* stop_source = nullptr;

constexpr char kStopping[] =
    "forelap: stopping when the command at work is done, to keep what was measured; Ctrl-C again ends at once\n";
constexpr char kFault[] =
    "forelap: a fault of memory or arithmetic while a device was at work (signal SIGSEGV, SIGBUS, SIGILL or SIGFPE).\n"
    "Kernels of CPU devices run inside this program, and one that reads or writes outside its buffer ends it: look for "
    "that in the scenario's kernels. Results of scenarios finished before are kept\n";

/// Of what a handler may call, only write(2) is of use.
template <std::size_t N>
void say(const char (&message)[N]) {
  [[maybe_unused]] const auto ignored = ::write(2, message, N - 1);
}

extern "C" void on_interrupt(int) {
  stop_source->request_stop();
  say(kStopping);
}

extern "C" void on_fault(int) {
  say(kFault);
  ::_exit(kDeviceFailed);
}

}  // namespace

core::StopToken stop_on_interrupt() {
  if (stop_source == nullptr) {
    stop_source = new core::StopSource;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
  }
  return stop_source->token();
}

void say_what_faults() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = on_fault;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace forelap::app
