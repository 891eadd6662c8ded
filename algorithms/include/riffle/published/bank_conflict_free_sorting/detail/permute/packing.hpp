#pragma once

// Packs the last waiting items into few columns:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   appendix B.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/random.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/tally.hpp>

namespace riffle::detail::matrix_permute {

/// Returns ceil(log2 n). Requires n > 0.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t ceil_log2(std::uint32_t n) {
  std::uint32_t result = 0;
  while (std::uint64_t{1} << result < n) ++result;
  return result;
}

/// Returns the number of rows with which each row is matched: Theta(log^2 w) in the paper.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t matchings(std::uint32_t rows) {
  return ceil_log2(rows) * ceil_log2(rows);
}

/// given(own, other) is the number of items that a row gives to the row with which it is matched, where `own` and
/// `other` are the numbers of items of the two rows. It is min(batch, own - width, width - other), or 0 if own <= width
/// or other >= width.
struct Packing {
  std::uint32_t width;
  std::uint32_t batch;

  KOKKOS_FUNCTION std::uint32_t given(std::uint32_t own, std::uint32_t other) const {
    if (own <= width || other >= width) return 0;
    std::uint32_t const fit = own - width < width - other ? own - width : width - other;
    return fit < batch ? fit : batch;
  }
};

/// Matches row p with row p + offset, modulo the number of rows. A row may give items, receive items, or do neither.
/// Column 0 of `counts` contains the number of items of each row. Items are read in columns >= `width` of the row that
/// gives them, and written to columns < `width` of the other row.
template <class Processors, class Items, class Words>
KOKKOS_FUNCTION void give_to_row(Processors& processors, Items const& items, Words const& counts,
                                 Packing const& packing, std::uint32_t offset) {
  std::uint32_t const rows = processors.rows();
  auto own = processors.template registers<std::uint32_t>();
  auto other = processors.template registers<std::uint32_t>();
  processors.step([&](std::uint32_t p) {
    own[p] = counts.read(p, 0);
    other[p] = counts.read((p + offset) % rows, 0);
  });
  processors.step([&](std::uint32_t p) {
    std::uint32_t const given = packing.given(own[p], other[p]);
    if (given == 0) return;
    std::uint32_t const to = (p + offset) % rows;
    for (std::uint32_t i = 0; i < given; ++i) {
      items.write(to, other[p] + i, items.read(p, own[p] - 1 - i));
    }
    counts.write(p, 0, own[p] - given);
    counts.write(to, 0, other[p] + given);
  });
}

/// Moves items from rows with more than `width` items to rows with fewer, in O(m + log^2 w) time. Returns the total
/// number of items, and the maximum number in a row. If packing was unlucky, this maximum exceeds `width`. In the
/// paper, a row knows whether it is lucky, and a row gives items to the first lucky row with which it is matched. Here
/// every row with free cells receives the items that fit, which is sufficient.
template <class Processors, class Items, class Words, class Tallies, class Counts>
KOKKOS_FUNCTION Tally pack(Processors& processors, Items const& items, Words const& counts,
                           Tallies const& tallies, std::uint32_t width, std::uint64_t seed,
                           std::uint32_t round, Counts& waiting) {
  std::uint32_t const rows = processors.rows();
  processors.step([&](std::uint32_t p) { counts.write(p, 0, waiting[p]); });
  std::uint32_t const times = rows == 1 ? 0 : matchings(rows);
  Packing const packing{width, times == 0 ? 0 : (2 * items.columns() + times - 1) / times};
  for (std::uint32_t i = 0; i < times; ++i) {
    std::uint32_t const offset = 1 + draw_below(rows - 1, seed, Draw::offset, round, i);
    give_to_row(processors, items, counts, packing, offset);
  }
  processors.step([&](std::uint32_t p) { waiting[p] = counts.read(p, 0); });
  return combine_rows(processors, tallies, [&](std::uint32_t p) {
    return Tally{waiting[p], waiting[p]};
  });
}

}  // namespace riffle::detail::matrix_permute
