#pragma once

namespace example::permute {

/// From here on Ctrl-C, SIGTERM or SIGHUP asks the program to stop; given a second time it ends the program at once.
void catch_interrupts();

/// The number of the signal that came, or 0.
int interrupt();

}  // namespace example::permute
