#include "app/interrupt.hpp"

#include <csignal>

namespace forelap::app {
namespace {

/// What the handler reaches; never destroyed, since a signal may come at any time.
core::StopSource* stop_source = nullptr;

extern "C" void on_interrupt(int) {
  stop_source->request_stop();
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

}  // namespace forelap::app
