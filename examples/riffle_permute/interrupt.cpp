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
    // Who runs it by nohup or in the background of a script does not want it interrupted.
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = take_signal;
    // The second one ends the program, and none is waited out: a pipe may have no reader.
    action.sa_flags = SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

int interrupt() { return received; }

}  // namespace example::permute
