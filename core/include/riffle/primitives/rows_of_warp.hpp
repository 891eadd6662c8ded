#pragma once

// How the warps of a GPU copy rows together, for rooms whose kernels make the permutation that they gather by.

#include <riffle/primitives/detail/gpu/rows_by_warps.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/row_sets.hpp>

namespace riffle::detail {

/// Whether all rows are written one after the other, and none in several parts.
template <class Copies>
bool are_by_rows(Copies const& copies) {
  bool all = true;
  for_each_view(copies, [&](auto const& copy) { all = all && copy.by_rows; });
  return all && part_count(copies) <= 1;
}

}  // namespace riffle::detail
