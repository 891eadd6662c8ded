#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace example::permute {
namespace {

std::sig_atomic_t volatile received = 0;

extern "C" void take_signal(int number) { received = number; }

}  // namespace

void catch_interrupts() {
  for (int const number : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that is ignored, as under nohup or in a script's background job, stays ignored.
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = take_signal;
    // A second signal ends the program at once, even if a write to a pipe without a reader blocks.
    action.sa_flags = SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

int interrupt() { return received; }

}  // namespace example::permute
