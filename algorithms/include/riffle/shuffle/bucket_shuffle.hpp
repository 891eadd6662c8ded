#pragma once

// A shuffle that is faster than a gather. A gather through a random permutation misses every cache, and loads a whole
// sector or cache line for each element. BucketShuffle passes over the data twice: one pass reads at random within a
// part of the input that fits a cache, the other pass reads 256 sequential streams. An earlier pass counts random
// digits; it does not read the data.
//
// The method is the inverse of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B
//   24 (1962):
// each part of the input is shuffled separately, by a bijection that is keyed by the number of the part, and then the
// parts are merged (riffled) in the order that random digits give. Digits and keys are counter-based, so any thread can
// compute them starting at any element. riffle/shuffle/detail/bucket_definition.hpp defines the permutation.

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

/// Gathers through RandomPermutation(n, seed) if there are fewer than `min_in_buckets` rows; otherwise uses
/// BucketShuffle's passes.
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

  /// The number of bytes that shuffle_rows() or write_permutation() takes from the workspace for rows of the same
  /// number and types as `rows`.
  template <class Exec, class Rows>
  static std::size_t workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    return n < min_in_buckets ? 0 : bucket_shuffle::bytes_for_rows(exec, rows, n, 0);
  }

  /// The number of bytes that shuffle_in_place() takes from the workspace.
  template <class Exec, class Rows>
  static std::size_t in_place_workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    if (n < min_in_buckets) return copy_bytes(rows);
    return bucket_shuffle::bytes_for_rows(exec, rows, n, bucket_shuffle::bytes_for_copies(rows));
  }
};

}  // namespace detail

/// The shuffle algorithm for many elements; most of its memory accesses hit a cache. Pass it to shuffle, shuffle_copy
/// or random_permutation, which use it by default for n >= 2^23.
///
/// - For n < 2^20 the permutation is RandomPermutation(n, seed), applied by one gather.
/// - For n >= 2^20 the input is divided into 256 parts (65536 parts for n > 2^30) of random sizes. Each part is
///   permuted by a bijection with a different key, and then the parts are merged (riffled) in the order that random
///   digits give. The result differs from RandomPermutation(n, seed).
///
/// BucketShuffle is faster than PermutationGather on a CPU for n >= 2^20. On a GPU it is faster for n >= 2^23 (for
/// n >= 2^24 if values have 4 bytes, for n >= 2^26 if they have 1 byte).
///
/// Complexity and memory of the workspace:
/// - Values of up to 16 bytes: two passes (three for n > 2^30), each of which reads and writes every element. The
///   workspace stores a copy of the n elements, and counts that take less than a tenth of the copy's size. Shuffling in
///   place takes the same.
/// - Other rows, on a GPU, with n <= 2^30 and rows that are written one after the other (not column by column): one
///   gather that computes sigma as it goes. The workspace stores counts, at most about n / 4 bytes. In place, this
///   applies if only one View of a pack contains such rows; that View is copied first.
/// - Other rows in all other cases: sigma is stored first, as indices of 4 bytes (8 for n > 2^32), then the rows are
///   gathered. The workspace stores 2 n indices. In place, each View is copied before its rows are gathered.
///
/// BucketShuffle::workspace_bytes(exec, rows) returns the number of bytes that shuffle_copy or random_permutation takes
/// from a Workspace for `rows`, a View or a pack; in_place_workspace_bytes(exec, rows) returns the number for shuffle.
/// Only the types and the number of the rows matter. Workspace::reserve can allocate the bytes beforehand.
struct BucketShuffle : detail::ShuffleInBuckets<detail::bucket_shuffle::min_split> {};

/// The default algorithm of shuffle, shuffle_copy and random_permutation on every back end: a gather through
/// RandomPermutation(n, seed) for n < 2^23, BucketShuffle for n >= 2^23. It has the same functions workspace_bytes and
/// in_place_workspace_bytes as BucketShuffle.
struct DefaultShuffle
    : detail::ShuffleInBuckets<detail::bucket_shuffle::min_in_buckets_by_default> {};

}  // namespace riffle
