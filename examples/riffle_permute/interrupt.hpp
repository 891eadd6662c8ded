#pragma once

namespace example::permute {

/// After this call the first Ctrl-C, SIGTERM or SIGHUP sets interrupt(); a second one ends the program at once.
void catch_interrupts();

/// The number of the signal that was received, or 0.
int interrupt();

}  // namespace example::permute
