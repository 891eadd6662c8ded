#pragma once

#include <string>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// 64-bit hashes (FNV-1a) of all inputs that determine the replicates and their comparison with the observed statistics. The
/// number of random replicates is not included, so that a resumed run may have more.
struct Fingerprint {
  std::string data;    // names and values of the tested variables and observations
  std::string design;  // groups, covariates, terms, blocks
  // statistic, alternative, seed, permutation scheme, whether all arrangements are evaluated
  std::string settings;
};

Fingerprint fingerprint_of(Task const& task, Settings const& settings, Plan const& plan);

/// The content of a state file: the counts as JSON, and a checksum of the text before it.
std::string state_text(Fingerprint const& fingerprint, Settings const& settings,
                       Counts const& counts);

/// Reads a state file. Throws InputError if it is not one, is truncated or changed, or belongs to other data, another design
/// or other settings; the message says which.
Counts load_state(std::string const& place, Fingerprint const& fingerprint, Task const& task,
                  Plan const& plan);

}  // namespace example::permute
