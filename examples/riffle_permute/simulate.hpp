#pragma once

#include <string>

#include "settings.hpp"

namespace example::permute {

/// Writes simulated gene expression, log2, as CSV: "gene" and the samples' names, then a row for each gene, in five
/// decimals. The first half of the samples is the control, the second is treated; samples alternate between two batches.
///
///   x(g, i) = m(g) + s(g) (z(g, i) + 0.5 b(g) batch(i) + d treated(i)),   d = 1.5 for the first `affected` genes, else 0
///
/// m is uniform from 4 to 12, s from 0.2 to 1, z and b are normal, all by std::mt19937_64 seeded with `seed`: for each gene m,
/// s, b, z(g, 0), ..., in this order. A uniform number is the upper 53 bits of one output, divided by 2^53; normal ones are by
/// Box and Muller, sqrt(-2 ln(1 - u)) cos(2 pi v) of two uniform ones.
///
/// The design (sample, group, batch) goes to simulation.design, unless that is empty. Returns the program's exit code: 1, after a
/// line each, where a file cannot be written. Throws InputError before anything is written.
int simulate(Simulation const& simulation);

}  // namespace example::permute
