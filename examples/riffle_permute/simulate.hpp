#pragma once

#include <string>

#include "settings.hpp"

namespace example::permute {

/// Writes simulated gene expression, log2, as CSV: a header "gene" and the samples' names, then one row per gene, with five
/// decimals. The first half of the samples is the control group, the second half is treated; samples alternate between two
/// batches.
///
///   x(g, i) = m(g) + s(g) (z(g, i) + 0.5 b(g) batch(i) + d treated(i)),   d = 1.5 for the first `affected` genes, else 0
///
/// m is uniform on [4, 12), s on [0.2, 1); z and b are standard normal. All come from std::mt19937_64 seeded with `seed`, for
/// each gene in the order m, s, b, z(g, 0), z(g, 1), ... A uniform number is the upper 53 bits of one output divided by 2^53;
/// a normal number is Box and Muller's sqrt(-2 ln(1 - u)) cos(2 pi v) of two uniform numbers.
///
/// The design (sample, group, batch) is written to simulation.design, unless that is empty. Returns the program's exit code: 1
/// if a file cannot be written, after one line per file. Throws InputError before anything is written.
int simulate(Simulation const& simulation);

}  // namespace example::permute
