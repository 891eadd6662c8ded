#pragma once

// The random numbers of by_communication.hpp. Every row computes them by itself.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail::matrix_permute {

enum class Draw : std::uint32_t { shift = 0, hash = 1, offset = 2, fingerprint = 3 };

KOKKOS_INLINE_FUNCTION Philox4x32::Block draw(std::uint64_t seed, Draw kind, std::uint32_t round,
                                              std::uint32_t index) {
  std::uint64_t const stream = std::uint64_t{static_cast<std::uint32_t>(kind)} << 32 | round;
  return random_block(seed, stream, Purpose::team_permute, index);
}

/// Returns a random number less than `bound`. The probability of each number differs from 1 / bound
/// by at most 2^-32.
KOKKOS_INLINE_FUNCTION std::uint32_t draw_below(std::uint32_t bound, std::uint64_t seed, Draw kind,
                                                std::uint32_t round, std::uint32_t index) {
  return static_cast<std::uint32_t>(std::uint64_t{draw(seed, kind, round, index)[0]} * bound >> 32);
}

/// The colours of labels in a round: label (i, j) has colour k if j = (h(i) + k) mod m.
///
/// The paper takes h from a family of hash functions by Pagh and Pagh (Theorem 3), because a table
/// of w random values does not fit in a row. One row builds a data structure of O(m) words for h
/// and sends it to all rows. On the labels of a row, h is then m-wise independent except with
/// probability m^-c. Here h(i) is block i of a counter-based generator whose key consists of the
/// seed and the round. Any row can compute any h(i) from these 64 bits, so nothing is built or
/// sent. All values are as independent as Philox blocks, so no row is unlucky in the paper's sense.
struct Colouring {
  std::uint64_t seed;
  std::uint32_t round;
  Labels labels;

  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t label) const {
    std::uint32_t const m = labels.columns;
    std::uint32_t const j = labels.column(label);
    std::uint32_t const h = draw_below(m, seed, Draw::hash, round, labels.row(label));
    return j >= h ? j - h : j + m - h;
  }
};

}  // namespace riffle::detail::matrix_permute
