#pragma once

// Permutes without bank conflicts, using an edge colouring that was computed before:
//   K. Nakano, "Simple memory machine models for GPUs", IPDPSW 2012; A. Kasagi, K. Nakano, Y. Ito, "Offline permutation
//   on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D (2014), doi 10.1587/transinf.2014PAP0010, section 6.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::matrix_permute {

/// Moves cell from(k w + p) of the source to cell to(k w + p) of the target, for all k and p. Cell c is in row c mod w.
/// Requires that for each k, the source cells of all processors p are in different rows, and the target cells are in
/// different rows. The permutation takes one step, with two time units per column.
template <class Processors, class Source, class Target, class From, class To>
KOKKOS_FUNCTION void permute_by_schedule(Processors& processors, Source const& source,
                                         Target const& target, From const& from, To const& to) {
  std::uint32_t const rows = processors.rows();
  processors.step([&](std::uint32_t p) {
    for (std::uint32_t k = 0; k < source.columns(); ++k) {
      auto const i = static_cast<std::uint32_t>(from(k * rows + p));
      auto const j = static_cast<std::uint32_t>(to(k * rows + p));
      target.write(j % rows, j / rows, source.read(i % rows, i / rows));
    }
  });
}

}  // namespace riffle::detail::matrix_permute
