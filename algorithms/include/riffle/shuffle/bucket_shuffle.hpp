#pragma once

// A shuffle that is faster than a gather. A gather through a random permutation misses every cache and
// reads a whole sector or line for each element; BucketShuffle passes over the data twice: one pass reads
// within a part of the input that a cache holds, and the other reads 256 streams. A pass before them counts
// digits and reads no data.
//
// The idea is of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B
//   24 (1962),
// here run backwards: parts of the input are shuffled each for itself, by a bijection keyed by the part,
// and then riffled into each other by random digits. Digits and keys are counter-based, so any thread can
// begin anywhere. riffle/shuffle/detail/bucket_definition.hpp says what permutation it is.

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

  /// The bytes that shuffle_rows() or write_permutation() takes from a Workspace for rows like the rows of `rows`.
  template <class Exec, class Rows>
  static std::size_t workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    return n < min_in_buckets ? 0 : bucket_shuffle::bytes_for_rows(exec, rows, n, 0);
  }

  /// The bytes that shuffle_in_place() takes.
  template <class Exec, class Rows>
  static std::size_t in_place_workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    if (n < min_in_buckets) return copy_bytes(rows);
    return bucket_shuffle::bytes_for_rows(exec, rows, n, bucket_shuffle::bytes_for_copies(rows));
  }
};

}  // namespace detail

/// A shuffle in passes that stay in cache. A tag for shuffle, shuffle_copy and random_permutation, whose
/// default it is from n = 2^23 on.
///
/// - n < 2^20: the permutation is RandomPermutation(n, seed), by one gather.
/// - Else the elements are in 256 parts (65536 from n > 2^30 on) of random sizes, each permuted by a bijection of its
///   own key, and then riffled together by random digits. This is another permutation than RandomPermutation(n, seed),
///   from hundreds of keys where that has one.
///
/// It is faster than PermutationGather on a CPU from n = 2^20 on, and on a GPU from 2^23 or, for values of 4 bytes and
/// of 1 byte, 2^24 and 2^26 on.
///
/// Work and memory of values of up to 16 bytes: two passes (three above 2^30), each with a read and a
/// write of every element; a temporary of n elements, and counts of less than a tenth of that. Other rows are
/// gathered, in one pass. On a GPU the permutation is made on the way where n <= 2^30 and rows are written one after
/// the other (not column by column), with counts of a quarter of a byte a row; elsewhere it is stored before, as
/// indices of 4 bytes (8 above n = 2^32), with a temporary of as many. In place, values need no more memory; other rows
/// are copied, one View after the other, and the permutation is stored where there are several.
///
/// BucketShuffle::workspace_bytes(exec, rows) is the number of bytes that shuffle_copy or random_permutation takes from a
/// Workspace for rows like the rows of `rows`, a View or a pack; in_place_workspace_bytes(exec, rows) is what shuffle takes.
/// Workspace::reserve can provide them beforehand.
struct BucketShuffle : detail::ShuffleInBuckets<detail::bucket_shuffle::min_split> {};

/// The algorithm of shuffle, shuffle_copy and random_permutation unless another is named: a gather through
/// RandomPermutation(n, seed) where n < 2^23, and from there on, on every back end, BucketShuffle. It has
/// workspace_bytes and in_place_workspace_bytes, as BucketShuffle has.
struct DefaultShuffle
    : detail::ShuffleInBuckets<detail::bucket_shuffle::min_in_buckets_by_default> {};

}  // namespace riffle
