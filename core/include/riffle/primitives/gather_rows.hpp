#pragma once

// Gathers through a permutation that can be evaluated anywhere.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/detail/cpu/rows_by_blocks.hpp>
#include <riffle/primitives/detail/gpu/rows_by_warps.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

template <class In, class Out>
struct GatherValue {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    out(i) = static_cast<typename Out::value_type>(in(image));
  }
};

/// Whether a row set is one View of values that one instruction moves.
template <class Out>
inline constexpr bool holds_words = false;
template <class Out>
requires(holds_values<Out>) inline constexpr bool holds_words<Out> =
    sizeof(typename Out::value_type) <= alignof(typename Out::value_type) &&
    sizeof(typename Out::value_type) <= sizeof(Word16);

/// out(i) = in(sigma(i)) for i < n, in one kernel: values or rows of one View, or of each of a pack.
///
/// sigma(i) is any function that kernels of `exec` can call; one that evaluates blocks, or has faster
/// forms, is asked for these.
template <class Exec, class Sigma, class In, class Out>
void gather_rows(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma, In const& in,
                 Out const& out) {
  if constexpr (holds_words<Out>) {
    for_each_image(context, n, sigma, GatherValue<In, Out>{in, out});
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

/// out(i) = sigma(i) for i < out.extent(0).
template <class Exec, class Sigma, class Out>
void write_images(Context<Exec> const& context, Sigma const& sigma, Out const& out) {
  for_each_image(context, out.extent(0), sigma, WriteImage<Out>{out});
}

}  // namespace riffle::detail
