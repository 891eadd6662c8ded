#pragma once

// Random shuffles and samples of Views.
//
// The default algorithm, DefaultShuffle, depends on n. For n < 2^23 it gathers through RandomPermutation
// (riffle/random/random_permutation.hpp), a bijection of n points. For n >= 2^23 it is BucketShuffle.
//
// For many elements BucketShuffle is faster than a gather. A gather through a random permutation misses every cache,
// and loads a whole sector or cache line for each element. BucketShuffle passes over the data twice: one pass reads at
// random within a part of the input that fits a cache, the other pass reads 256 sequential streams. An earlier pass
// counts random digits; it does not read the data.
//
// The method is the inverse of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat. Soc. B
//   24 (1962):
// First each part of the input is shuffled separately, by a bijection that is keyed by the part's index. Then the parts
// are merged (riffled) in the order that random digits give. Digits and keys are counter-based, so any thread can
// compute them starting at any element. riffle/shuffle/detail/bucket_definition.hpp defines the permutation.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/bucket_rows.hpp>
#include <riffle/shuffle/tuning.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

namespace detail {

/// An algorithm of a shuffle; not a number, which would be a stream.
template <class T>
concept ShuffleAlgorithm = std::is_class_v<T> && !is_whole_number<T>;

/// Whether an algorithm shuffles `Data` in place by swapping values, without a copy of their bytes.
template <class Algorithm, class Data>
concept SwapsValues = requires {
  requires Algorithm::template swaps_values<Data>;
};

/// Whether `Data` can be shuffled in place. If it cannot, a static_assert says why in one line.
template <class Data, class Algorithm>
constexpr bool can_shuffle_in_place() {
  constexpr bool can = are_trivially_copyable<Data> || SwapsValues<Algorithm, Data>;
  static_assert(
      can,
      "riffle: argument 2 (data): a View of trivially copyable values belongs here, since "
      "their bytes move through temporary memory; shuffle_copy takes others, and so does "
      "riffle::FisherYates{} of one array");
  return can;
}

/// Shuffles in place: calls the algorithm's shuffle_in_place() if there is one; otherwise copies the data and calls
/// shuffle_rows().
template <class Algorithm, class Exec, class Data>
void shuffle_in_place_by(Algorithm const& algorithm, Context<Exec> const& context, std::uint64_t n,
                         Data const& data, SeedAndStream random) {
  if constexpr (requires { algorithm.shuffle_in_place(context, n, data, random); }) {
    algorithm.shuffle_in_place(context, n, data, random);
  } else {
    with_copy_of_rows(context, data, [&](auto const& copy) {
      algorithm.shuffle_rows(context, n, copy, data, random);
    });
  }
}

/// Gathers through RandomPermutation(n, seed, stream) if there are fewer than `min_in_buckets` rows; otherwise uses
/// BucketShuffle's passes with seed_of_stream(seed, stream).
template <std::uint64_t min_in_buckets_>
struct ShuffleInBuckets {
  static constexpr std::uint64_t min_in_buckets = min_in_buckets_;

  static auto few(std::uint64_t n, SeedAndStream random) {
    return NarrowPermutation(RandomPermutation(n, random.seed, random.stream));
  }

  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    SeedAndStream random) const {
    if (n < min_in_buckets) {
      gather_rows(context, n, few(n, random), in, out);
    } else {
      bucket_shuffle::move_or_gather_rows(context, n, in, out, random);
    }
  }

  template <class Exec, class Data>
  void shuffle_in_place(Context<Exec> const& context, std::uint64_t n, Data const& data,
                        SeedAndStream random) const {
    if (n < min_in_buckets) {
      with_copy_of_rows(context, data, [&](auto const& copy) {
        gather_rows(context, n, few(n, random), copy, data);
      });
    } else {
      bucket_shuffle::move_or_gather_in_place(context, n, data, random);
    }
  }

  template <class Exec, class Out>
  void write_permutation(Context<Exec> const& context, std::uint64_t n, Out const& out,
                         SeedAndStream random) const {
    if (n < min_in_buckets) {
      write_images(context, few(n, random), out);
    } else {
      bucket_shuffle::write_indices(context, n, out, random);
    }
  }

  /// The number of bytes that shuffle_rows() or write_permutation() allocates from the workspace. Only the number and
  /// the types of `rows` matter.
  template <class Exec, class Rows>
  static std::size_t workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    return n < min_in_buckets ? 0 : bucket_shuffle::bytes_for_rows(exec, rows, n, 0);
  }

  /// The number of bytes that shuffle_in_place() allocates from the workspace.
  template <class Exec, class Rows>
  static std::size_t in_place_workspace_bytes(Exec const& exec, Rows const& rows) {
    std::uint64_t const n = row_count(rows);
    if (n < min_in_buckets) return copy_bytes(rows);
    return bucket_shuffle::bytes_for_rows(exec, rows, n, bucket_shuffle::bytes_for_copies(rows));
  }
};

}  // namespace detail

/// The algorithm that gathers through RandomPermutation(n, seed, stream). Use it if memory is scarce, or if you must be able to
/// compute single values sigma(i) without storing the permutation.
///
/// Complexity: reads the input once, writes the output once, and evaluates sigma n times. Memory: none.
struct PermutationGather {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    SeedAndStream random) const {
    detail::gather_rows(context, n, RandomPermutation(n, random.seed, random.stream), in, out);
  }

  template <class Exec, class Out>
  void write_permutation(Context<Exec> const& context, std::uint64_t n, Out const& out,
                         SeedAndStream random) const {
    detail::write_images(context, RandomPermutation(n, random.seed, random.stream), out);
  }
};

/// The shuffle algorithm for many elements; most of its memory accesses hit a cache. Pass it to shuffle, shuffle_copy
/// or random_permutation, which use it by default for n >= 2^23.
///
/// - For n < 2^20 the permutation is RandomPermutation(n, seed, stream), applied by one gather.
/// - For n >= 2^20 the input is divided into 256 parts (65536 parts for n > 2^30) of random sizes. Each part is
///   permuted by a bijection with a different key, and then the parts are merged (riffled) in the order that random
///   digits give. The result differs from RandomPermutation(n, seed, stream). Stream t of seed s has the permutation of
///   stream 0 of seed_of_stream(s, t).
///
/// BucketShuffle is faster than PermutationGather on a CPU for n >= 2^20. On a GPU it is faster for n >= 2^23 (for
/// n >= 2^24 if values have 4 bytes, for n >= 2^26 if they have 1 byte).
///
/// Complexity and memory of the workspace:
/// - Values of up to 16 bytes: two passes (three for n > 2^30), each of which reads and writes every element. The
///   workspace stores a copy of the n elements, and counts, at most about n / 4 bytes. Shuffling in place takes the
///   same.
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

/// The default algorithm of shuffle, shuffle_copy and random_permutation on every back end. For n < 2^23 it is a gather
/// through RandomPermutation(n, seed, stream), for n >= 2^23 it is BucketShuffle. Like BucketShuffle, it has the functions
/// workspace_bytes and in_place_workspace_bytes.
struct DefaultShuffle
    : detail::ShuffleInBuckets<detail::bucket_shuffle::min_in_buckets_by_default> {};

/// Sets out(i) = in(sigma(i)) for i < n, where sigma is a random permutation that depends only on the algorithm, n, the
/// seed and the stream.
///
/// - exec: an execution space instance, or a Context of one. Algorithms that need memory take it from the workspace of
///   the Context; without a workspace they allocate memory through `exec` and free it, which fences.
/// - in, out: rank-1 Views; or rank-2 Views, whose rows are moved as a whole; or packs of such Views (riffle::pack(a,
///   b)) with equal first extents n, which are all permuted by the same sigma. in and out have the same extents. They
///   may have any layouts, in memory that `exec` can access. The value type of out must represent every value of in's
///   value type: double holds every int, but int does not hold every double. On a CPU, values may be of any assignable
///   type, such as std::string.
/// - seed, stream: for one n, two different pairs (seed, stream) give independent permutations. So a program can choose
///   one seed, and one stream for each time step. A call without `stream` uses stream 0. docs/shuffle.md has the
///   conditions.
/// - algorithm: DefaultShuffle, PermutationGather, BucketShuffle, FisherYates; Bijective0, Bijective1, Bijective2
///   (riffle/published/bijective_shuffle/bijective_shuffle.hpp); or your own type with a member function
///   shuffle_rows(context, n, in, out, seed), whose last parameter is a SeedAndStream, or a std::uint64_t, which
///   receives seed_of_stream(seed, stream).
///
/// Throws std::invalid_argument if extents differ, in and out share an element, or n > 2^63; nothing is written then.
///
/// Complexity and memory: see the algorithm. Does not fence if the workspace is large enough. Reproducible: the same
/// bits on every back end.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void shuffle_copy(Exec const& exec, In const& in, Out const& out, std::uint64_t seed,
                  std::uint64_t stream, Algorithm algorithm = {}) {
  detail::Call const context(exec, "riffle::shuffle_copy");
  std::uint64_t const n = detail::check_row_sets("shuffle_copy", in, out);
  algorithm.shuffle_rows(context, n, in, out, SeedAndStream(seed, stream));
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void shuffle_copy(Exec const& exec, In const& in, Out const& out, std::uint64_t seed,
                  Algorithm algorithm = {}) {
  shuffle_copy(exec, in, out, seed, 0, algorithm);
}

/// Shuffles in place: data(i) becomes the previous value of data(sigma(i)), with sigma as for shuffle_copy.
///
/// - exec, seed, stream, algorithm: as for shuffle_copy.
/// - data: a View or a pack of Views as for shuffle_copy, with trivially copyable values. FisherYates also accepts one
///   rank-1 View whose values are of any movable type.
///
/// Throws std::invalid_argument if the first extents of a pack differ or two of its Views share an element; nothing is
/// written then.
///
/// Complexity: see the algorithm. Memory: FisherYates shuffles rank-1 Views without memory. BucketShuffle documents its
/// memory above. The other algorithms store a copy of the data in the workspace. Does not fence if the workspace is
/// large enough; otherwise freeing the memory may fence, as in Kokkos. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void shuffle(Exec const& exec, Data const& data, std::uint64_t seed, std::uint64_t stream,
             Algorithm algorithm = {}) {
  detail::Call const context(exec, "riffle::shuffle");
  std::uint64_t const n = detail::check_row_set("shuffle", data);
  if (n < 2) return;
  if constexpr (detail::can_shuffle_in_place<Data, Algorithm>()) {
    detail::shuffle_in_place_by(algorithm, context, n, data, SeedAndStream(seed, stream));
  }
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void shuffle(Exec const& exec, Data const& data, std::uint64_t seed, Algorithm algorithm = {}) {
  shuffle(exec, data, seed, 0, algorithm);
}

/// Sets out(i) = sigma(i) for i < n = out.extent(0), with sigma as for shuffle_copy. With PermutationGather, or with
/// the default for n < 2^23, sigma is RandomPermutation(n, seed, stream).
///
/// - exec, seed, stream: as for shuffle_copy.
/// - out: a rank-1 View of an integer type.
/// - algorithm: DefaultShuffle, PermutationGather, BucketShuffle or FisherYates.
///
/// Throws std::invalid_argument if out's value type cannot hold n - 1; nothing is written then.
///
/// Complexity and memory: see the algorithm. Does not fence if the workspace is large enough. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void random_permutation(Exec const& exec, Out const& out, std::uint64_t seed, std::uint64_t stream,
                        Algorithm algorithm = {}) {
  detail::Call const context(exec, "riffle::random_permutation");
  std::uint64_t const n = out.extent(0);
  detail::check_can_index("random_permutation", "out", out, n);
  algorithm.write_permutation(context, n, out, SeedAndStream(seed, stream));
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out,
          detail::ShuffleAlgorithm Algorithm = DefaultShuffle>
void random_permutation(Exec const& exec, Out const& out, std::uint64_t seed,
                        Algorithm algorithm = {}) {
  random_permutation(exec, out, seed, 0, algorithm);
}

/// Writes k = out.extent(0) distinct elements of {0, ..., n - 1} in random order: out(i) = sigma(i) for i < k, where
/// sigma is RandomPermutation(n, seed, stream).
///
/// - exec: an execution space instance, or a Context of one.
/// - out: a rank-1 View of an integer type.
/// - seed, stream: for one n, two different pairs (seed, stream) give independent samples.
///
/// Throws std::invalid_argument if k > n, n > 2^63, or out's value type cannot hold n - 1; nothing is written then.
///
/// Complexity: O(k), for any n. Memory: none. Does not fence. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out>
void sample(Exec const& exec, std::uint64_t n, Out const& out, std::uint64_t seed,
            std::uint64_t stream = 0) {
  detail::Call const context(exec, "riffle::sample");
  std::uint64_t const k = out.extent(0);
  detail::check(k <= n, "sample", "out.extent(0) = ", k, ": must not exceed n = ", n);
  detail::check(n <= RandomPermutation::max_size, "sample", "n = ", n, ": must be at most 2^63");
  detail::check_can_index("sample", "out", out, n);
  detail::write_images(context, RandomPermutation(n, seed, stream), out);
}

RIFFLE_CALL_DIAGNOSTICS(shuffle_copy, in<Rows>, out<WrittenRows>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(shuffle, data<WrittenRows>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(random_permutation, out<WrittenArray>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(sample, n<WholeNumber>, out<WrittenArray>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)

}  // namespace riffle
