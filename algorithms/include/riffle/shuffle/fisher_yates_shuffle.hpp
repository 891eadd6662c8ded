#pragma once

// The shuffle of small arrays on a CPU: riffle/random/fisher_yates.hpp as an algorithm for shuffle, shuffle_copy
// and random_permutation.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/shuffle/detail/fisher_yates_rows.hpp>

namespace riffle {

/// A shuffle by one thread, exactly uniform for true random words: a tag for shuffle, shuffle_copy and
/// random_permutation. Its permutation is none of RandomPermutation; sigma is what fisher_yates(0 .. n - 1) gives.
///
/// For few values, exactly uniform at any number of them, and without memory in place. On a CPU with AVX-512 the default is
/// faster at every size from 2^8 on, without it up to some 2^11 values this. On a GPU one of its many threads does all the
/// work, so that tests can compare: shuffle there by the default, or, many small arrays at once, by fisher_yates in a
/// kernel of your own.
///
/// Cost: rank-1 Views take one copy and n exchanges, and no memory, in place only the exchanges. Rows and
/// packs are gathered through indices in the workspace, 4 bytes a row (8 above n = 2^32), and in place are first copied
/// into the workspace, too.
struct FisherYates {
  /// Values of one array are exchanged where they lie, so that they may be of any type that can be moved.
  template <class Data>
  static constexpr bool exchanges_values = detail::holds_values<Data>;

  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) const {
    detail::fisher_yates_rows(context, n, in, out, seed);
  }

  template <class Exec, class Data>
  void shuffle_in_place(Context<Exec> const& context, std::uint64_t n, Data const& data,
                        std::uint64_t seed) const {
    detail::fisher_yates_rows_in_place(context, n, data, seed);
  }

  template <class Exec, class Out>
  void write_permutation(Context<Exec> const& context, std::uint64_t n, Out const& out,
                         std::uint64_t seed) const {
    detail::fisher_yates_images(context, n, out, seed);
  }
};

}  // namespace riffle
