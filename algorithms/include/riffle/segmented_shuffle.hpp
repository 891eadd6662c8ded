#pragma once

// Shuffles of segments: each segment, or each row of a matrix, gets an order of its own. One call sorts random keys segment by segment.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/matrix_lines.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/segmented_sort.hpp>
#include <riffle/sort/segments.hpp>

namespace riffle {

namespace detail {

/// Random keys of elements.
struct RandomKeys {
  using Item = std::uint64_t;

  std::uint64_t seed;
  std::uint64_t stream;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    auto const block = random_block(seed, stream, Purpose::segments, i);
    return std::uint64_t{block[1]} << 32 | block[0];
  }
};

/// Receives indices of sorted keys, and writes the elements with these indices to `sink`.
template <class T, class Sink, class Segments>
struct WriteShuffled {
  using Element = typename Sink::Element;

  T const* elements;
  Sink sink;
  Segments segments;

  template <class Index>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Index index) const {
    sink(i, elements[i - segments.index(i) + index]);
  }
};

template <class Exec, class Segments, class Source, class Sink>
void shuffle_segments(Context<Exec> const& context, Segments const& segments, Source const& source,
                      Sink const& sink, std::uint64_t seed, std::uint64_t stream) {
  using T = typename Source::Item;
  static_assert(std::is_trivially_copyable_v<T>, "riffle: values are trivially copyable");
  std::uint64_t const n = segments.n;
  Scope scope(context);
  T* const copy = scope.template take<T>(n);
  context.named("copy").for_each(n, StoreElements<Source, T>{source, copy});
  with_index_type(n, [&]<class Index>(Index) {
    sort::sort_segments<Index>(context, segments, RandomKeys{seed, stream},
                               WriteShuffled<T, Sink, Segments>{copy, sink, segments}, Ascending{});
  });
}

}  // namespace detail

/// Shuffles each segment in place, independently of all others. Segment s is the elements offsets(s), ..., offsets(s + 1) - 1; it may
/// be empty.
///
/// - exec: an execution space instance, or a Context of one.
/// - values: a rank-1 View of n values of any trivially copyable type.
/// - offsets: a rank-1 View of integers. Its extent is the number of segments plus 1.
/// - seed, stream: the permutations depend on both. Different streams are independent.
///
/// Each element gets a random key of 64 bits that depends on seed, stream and the element's index, and segments are sorted by key.
/// Elements of a segment whose keys tie keep their order; a segment of m elements has a tie with a probability below m^2 2^-65.
/// Otherwise all permutations of the segment are equally likely.
///
/// Requires: 0 = offsets(0) <= offsets(1) <= ... <= offsets(last) = n. This is not checked. If it does not hold, the values are
/// unspecified, but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if `offsets` is empty but n > 0, or if Views overlap; nothing is written then. Complexity, blocking:
/// as argsort_segments() of n 64-bit numbers, and a gather of the values. Memory: the memory of argsort_segments(), and n values.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::StoredIndicesFrom<Exec> Offsets>
void shuffle_segments(Exec const& exec, Values const& values, Offsets const& offsets,
                      std::uint64_t seed, std::uint64_t stream = 0) {
  detail::Call const context(exec, "riffle::shuffle_segments");
  std::uint64_t const n = values.extent(0);
  detail::check_offsets("shuffle_segments", offsets, n, "values", values);
  detail::shuffle_segments(context, detail::sort::SegmentsByOffset<Offsets>{offsets, n},
                           detail::ViewSource<Values>(values), detail::ViewSink<Values>(values),
                           seed, stream);
}

/// Shuffles each row of a matrix in place, independently of all others: the elements of a row stay in the row;
/// numpy.random.Generator.permuted(axis=1). shuffle() moves whole rows instead.
///
/// - values: a rank-2 View of any layout.
///
/// Memory accesses are contiguous if the elements of a row are contiguous (LayoutRight). Everything else is as for
/// shuffle_segments() with each row as a segment, in the order of rows; results do not depend on the layout.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Values>
void shuffle_rows_apart(Exec const& exec, Values const& values, std::uint64_t seed,
                        std::uint64_t stream = 0) {
  constexpr auto rows = detail::Along::rows;
  detail::Call const context(exec, "riffle::shuffle_rows_apart");
  detail::shuffle_segments(context, detail::sort::lines<rows>(values),
                           detail::LinesSource<Values, rows>(values),
                           detail::LinesSink<Values, rows>(values), seed, stream);
}

RIFFLE_CALL_DIAGNOSTICS(shuffle_segments, values<MovedArray>, offsets<Indices>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(shuffle_rows_apart, values<WrittenMatrix>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)

}  // namespace riffle
