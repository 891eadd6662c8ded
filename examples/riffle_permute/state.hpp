#pragma once

#include <string>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// 64-bit hashes (FNV-1a) of all that decides a replicate and what it is compared with.
struct Fingerprint {
  std::string data;    // names and values of those variables and observations that are tested
  std::string design;  // groups, covariates, terms, blocks
  std::string
      settings;  // statistic, alternative, seed, what is exchanged, whether all arrangements are evaluated
};

/// The number of random replicates has no part in it: counts can be resumed with more.
Fingerprint fingerprint_of(Task const& task, Settings const& settings, Plan const& plan);

/// What a state file holds: counts as JSON, and a checksum of all that stands before it.
std::string state_text(Fingerprint const& fingerprint, Settings const& settings,
                       Counts const& counts);

/// Reads such a file. Throws InputError where it is none, cut short, changed in any byte, or of other data, another design or other
/// settings, and says which.
Counts load_state(std::string const& place, Fingerprint const& fingerprint, Task const& task,
                  Plan const& plan);

}  // namespace example::permute
