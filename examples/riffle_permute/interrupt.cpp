#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace example::permute {
namespace {

std::sig_atomic_t volatile received = 0;

extern "C" void take_signal(int number) {
  received = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  for (int const number : {SIGINT, SIGTERM}) {
    // Who runs it by nohup or in the background of a script does not want it interrupted.
    if (std::signal(number, take_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

int interrupt() { return received; }

}  // namespace example::permute
