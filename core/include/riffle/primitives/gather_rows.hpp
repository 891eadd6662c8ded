#pragma once

// Gathers rows: out(i) = in(sigma(i)), where sigma(i) can be evaluated for any i. Also stores permutations: out(i) =
// sigma(i). Views of words are gathered by for_each_image.hpp, wider values and rows by gather_rows_cpu.hpp and
// gather_rows_gpu.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/detail/cpu/gather_rows_cpu.hpp>
#include <riffle/primitives/detail/gpu/gather_rows_gpu.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

template <class In, class Out>
struct GatherRow {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    copy_row(in, image, out, i);
  }
};

/// Whether a row set is one View whose values can each be moved by one instruction.
template <class Out>
inline constexpr bool is_word_array = false;
template <class Out>
requires(is_value_array<Out>) inline constexpr bool is_word_array<Out> =
    sizeof(typename Out::value_type) <= alignof(typename Out::value_type) &&
    sizeof(typename Out::value_type) <= sizeof(Word16);

/// Sets out(i) = in(sigma(i)) for i < n, in one kernel. Moves the values or rows of one View, or of each View of a
/// pack. If `in` and `out` are functions, calls out(i, in(sigma(i))).
///
/// sigma is any function that kernels of `exec` can call. If sigma can evaluate blocks of consecutive values, or has
/// specialized forms, these are used.
template <class Exec, class Sigma, class In, class Out>
void gather_rows(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma, In const& in,
                 Out const& out) {
  if constexpr (is_word_array<Out> || RowSink<Out, In>) {
    for_each_image(context, n, sigma, GatherRow<In, Out>{in, out});
  } else {
    auto const copies = row_copies(in, out);
    if (n == 0 || part_count(copies) == 0) return;
    if constexpr (backend::is_cpu<Exec>) {
      gather_by_blocks(context, n, sigma, copies);
    } else {
      gather_by_warps(context, n, sigma, copies);
    }
  }
}

template <class Out>
struct WriteImage {
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    out(i) = static_cast<typename Out::value_type>(image);
  }
};

/// Sets out(i) = sigma(i) for i < out.extent(0).
template <class Exec, class Sigma, class Out>
void write_images(Context<Exec> const& context, Sigma const& sigma, Out const& out) {
  for_each_image(context, out.extent(0), sigma, WriteImage<Out>{out});
}

/// Whether the rows of all Views are copied as a whole: row by row, and not in several parts.
template <class Copies>
bool are_copied_by_rows(Copies const& copies) {
  bool all = true;
  for_each_view(copies, [&](auto const& copy) { all = all && copy.by_rows; });
  return all && part_count(copies) <= 1;
}

}  // namespace riffle::detail
