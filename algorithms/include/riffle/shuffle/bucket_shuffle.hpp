#pragma once

// A shuffle that is faster than a gather. A gather through a random permutation misses every cache, and reads a whole
// sector or line for each element. BucketShuffle passes over the data twice: one pass reads at random within a part of
// the input that fits a cache, the other pass reads 256 sequential streams. A pass before them counts digits and reads no
// data.
//
// The method is the inverse of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B
//   24 (1962):
// each part of the input is shuffled by itself, by a bijection keyed by the part, and then the parts are riffled into each
// other by random digits. Digits and keys are counter-based, so that any thread can begin anywhere.
// riffle/shuffle/detail/bucket_definition.hpp defines the permutation.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/bucket_rows.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle {

namespace detail {

/// Gathers fewer than `min_in_buckets` rows through RandomPermutation(n, seed); moves more rows in passes.
template <std::uint64_t min_in_buckets_>
struct ShuffleInBuckets {
  static constexpr std::uint64_t min_in_buckets = min_in_buckets_;

  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) const {
    if (n < min_in_buckets) {
      gather_rows(context, n, NarrowPermutation(RandomPermutation(n, seed)), in, out);
    } else {
      bucket_shuffle::shuffle_rows(context, n, in, out, seed);
    }
  }

  template <class Exec, class Data>
  void shuffle_in_place(Context<Exec> const& context, std::uint64_t n, Data const& data,
                        std::uint64_t seed) const {
    if (n < min_in_buckets) {
      with_copy_of_rows(context, data, [&](auto const& copy) {
        gather_rows(context, n, NarrowPermutation(RandomPermutation(n, seed)), copy, data);
      });
    } else {
      bucket_shuffle::shuffle_rows_in_place(context, n, data, seed);
    }
  }

  template <class Exec, class Out>
  void write_permutation(Context<Exec> const& context, std::uint64_t n, Out const& out,
                         std::uint64_t seed) const {
    if (n < min_in_buckets) {
      write_images(context, NarrowPermutation(RandomPermutation(n, seed)), out);
    } else {
      bucket_shuffle::write_indices(context, n, out, seed);
    }
  }

  /// The bytes that shuffle_rows() or write_permutation() takes from the workspace for rows of the type and number of
  /// `rows`.
  template <class Exec, class Rows>
  static std::size_t workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    return n < min_in_buckets ? 0 : bucket_shuffle::bytes_for_rows(exec, rows, n, 0);
  }

  /// The bytes that shuffle_in_place() takes from the workspace.
  template <class Exec, class Rows>
  static std::size_t in_place_workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    if (n < min_in_buckets) return copy_bytes(rows);
    return bucket_shuffle::bytes_for_rows(exec, rows, n, bucket_shuffle::bytes_for_copies(rows));
  }
};

}  // namespace detail

/// The algorithm for many elements: passes with accesses that hit a cache. An argument of shuffle, shuffle_copy and
/// random_permutation, which use it by default for n >= 2^23.
///
/// - For n < 2^20 the permutation is RandomPermutation(n, seed), by one gather.
/// - Otherwise the elements are divided into 256 parts (65536 for n > 2^30) of random sizes; each is permuted by a
///   bijection with a key of its own, and then the parts are riffled into each other by random digits. This is another
///   permutation than RandomPermutation(n, seed). It has hundreds of keys, RandomPermutation has one.
///
/// BucketShuffle is faster than PermutationGather on a CPU for n >= 2^20; on a GPU for n >= 2^23, for values of 4 bytes
/// n >= 2^24, for values of 1 byte n >= 2^26.
///
/// Complexity and memory of the workspace:
/// - Values of up to 16 bytes: two passes (three for n > 2^30), each of which reads and writes every element; a copy of n
///   elements, and counts of less than a tenth of that. The same in place.
/// - Other rows, on a GPU with n <= 2^30 and rows that are written one after the other (not column by column): one gather
///   with sigma computed on the way; counts of a quarter of a byte for each row. In place, only one View of a
///   pack may have such rows; it is copied before.
/// - Other rows in all other cases: one gather with sigma stored before, as indices of 4 bytes (8 for n > 2^32); memory for
///   2 n indices. In place, the Views are copied before, one after the other.
///
/// BucketShuffle::workspace_bytes(exec, rows) is the number of bytes that shuffle_copy or random_permutation takes from a
/// Workspace for rows of the type and number of `rows`, a View or a pack; in_place_workspace_bytes(exec, rows) is the
/// number for shuffle. Workspace::reserve can allocate them before.
struct BucketShuffle : detail::ShuffleInBuckets<detail::bucket_shuffle::min_split> {};

/// The default algorithm of shuffle, shuffle_copy and random_permutation: a gather through RandomPermutation(n, seed) for
/// n < 2^23, and BucketShuffle for more elements, on every back end. It has workspace_bytes and in_place_workspace_bytes,
/// as BucketShuffle has.
struct DefaultShuffle
    : detail::ShuffleInBuckets<detail::bucket_shuffle::min_in_buckets_by_default> {};

}  // namespace riffle
