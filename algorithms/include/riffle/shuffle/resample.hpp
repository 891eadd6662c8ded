#pragma once

// Samples of indices: with replacement, and without replacement out of each of many segments.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/scan.hpp>

namespace riffle {

namespace detail {

struct DrawIndex {
  std::uint64_t n;
  std::uint64_t seed;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return uniform_below(n, seed, i, Purpose::bootstrap);
  }
};

/// Whether the offsets of segment s are negative or descend, or the count is negative or exceeds the segment's length.
template <class Offsets>
struct IsInvalidCount {
  Offsets offsets;

  KOKKOS_FUNCTION bool operator()(std::uint64_t s, auto count) const {
    auto const first = static_cast<std::int64_t>(offsets(s));
    auto const last = static_cast<std::int64_t>(offsets(s + 1));
    return first < 0 || last < first ||
           !is_index_below(count, static_cast<std::uint64_t>(last - first) + 1);
  }
};

/// Writes `chunk` elements of the sample. The elements of segment s end before place ends(s).
template <class Offsets, class Ends, class Out>
struct SampleSegments {
  static constexpr std::uint64_t chunk = 16;

  Offsets offsets;
  Ends ends;
  Out out;
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t place = k * chunk;
    std::uint64_t const end = Kokkos::min<std::uint64_t>(place + chunk, out.extent(0));
    // Segment s is the first one that ends after the place.
    std::uint64_t s = 0;
    for (int bit = bit_width(ends.extent(0)) - 1; bit >= 0; --bit) {
      std::uint64_t const more = s + (std::uint64_t{1} << bit);
      if (more < ends.extent(0) && ends(more - 1) <= place) s = more;
    }
    for (; place < end; ++s) {
      std::uint64_t const start = s == 0 ? 0 : ends(s - 1);
      if (ends(s) == start) continue;
      auto const first = static_cast<std::uint64_t>(offsets(s));
      RandomPermutation const sigma(static_cast<std::uint64_t>(offsets(s + 1)) - first, seed, s);
      for (; place < Kokkos::min(end, ends(s)); ++place)
        out(place) = static_cast<typename Out::value_type>(first + sigma(place - start));
    }
  }
};

}  // namespace detail

/// Draws out.extent(0) elements of {0, ..., n - 1} with replacement: each out(i) is uniform and independent of the others.
///
/// - exec: an execution space instance, or a Context of one.
/// - out: a rank-1 View of an integer type that can represent n - 1.
/// - seed, stream: the random numbers depend on both, so each replicate of a bootstrap can be a stream. out(i) depends on n, seed,
///   stream and i only.
///
/// Throws std::invalid_argument if n = 0 and out is not empty, or if the type of out cannot represent n - 1; nothing is written then.
/// Blocking: enqueued on `exec`; does not fence. Complexity: one Philox block for each index. Memory: none. Reproducible.
///
/// Source: D. Lemire, "Fast random integer generation in an interval", ACM Trans. Model. Comput. Simul. 29 (2019).
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out>
void bootstrap_indices(Exec const& exec, std::uint64_t n, Out const& out, std::uint64_t seed,
                       std::uint64_t stream = 0) {
  detail::Call const context(exec, "riffle::bootstrap_indices");
  detail::check(n > 0 || out.extent(0) == 0, "bootstrap_indices",
                "n = 0 and out.extent(0) = ", out.extent(0), ": there is nothing to draw");
  detail::check_can_index("bootstrap_indices", "out", out, n);
  detail::write_images(context, detail::DrawIndex{n, seed_of_stream(seed, stream)}, out);
}

/// Draws counts(s) distinct elements in random order out of each segment s, which is the elements offsets(s), ...,
/// offsets(s + 1) - 1. They follow the elements of earlier segments: with p = counts(0) + ... + counts(s - 1) + j,
///
///     out(p) = offsets(s) + sigma_s(j) for j < counts(s),
///     where sigma_s = RandomPermutation(length of segment s, seed_of_stream(seed, stream), s).
///
/// - exec: an execution space instance, or a Context of one.
/// - offsets: a rank-1 View of integers. Its extent is the number of segments plus 1.
/// - counts: a rank-1 View of an integer for each segment.
/// - out: a rank-1 View of integers. Its extent is the sum of the counts.
/// - seed, stream: the random numbers depend on both.
///
/// Throws std::invalid_argument if the extents do not fit, an offset is negative or less than the offset before it, a count is
/// negative or exceeds the length of the segment, the type of out cannot represent the largest index, or out shares an element with
/// another View; nothing is written then. Blocking: fences, to check the offsets and counts; the rest is enqueued on `exec`.
/// Complexity: one scan of the counts, and one binary search in the counts for 16 drawn elements. Memory: 8 bytes per segment. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Offsets,
          detail::StoredIndicesFrom<Exec> Counts, detail::WritableArrayFrom<Exec> Out>
void sample_segments(Exec const& exec, Offsets const& offsets, Counts const& counts, Out const& out,
                     std::uint64_t seed, std::uint64_t stream = 0) {
  detail::Call const context(exec, "riffle::sample_segments");
  char const* const function = "sample_segments";
  std::uint64_t const segments = counts.extent(0);
  detail::check(offsets.extent(0) == segments + 1, function,
                "offsets.extent(0) = ", offsets.extent(0), " and counts.extent(0) = ", segments,
                ": there must be one offset more than there are counts");
  detail::check_disjoint(function, "offsets", offsets, "out", out);
  detail::check_disjoint(function, "counts", counts, "out", out);
  auto const invalid = detail::first_index_where(context.named("check"), counts,
                                                 detail::IsInvalidCount<Offsets>{offsets});
  detail::check(invalid.place == segments, function, "counts(", invalid.place,
                ") = ", +invalid.index,
                ": must be at least 0, and at most the length of the segment; offsets must ascend "
                "from 0 or more");
  detail::Scope scope(context);
  using Ends = Kokkos::View<std::uint64_t*, detail::SpaceOf<Exec>, Kokkos::MemoryUnmanaged>;
  Ends const ends(scope.template take<std::uint64_t>(segments), segments);
  inclusive_scan(context.named("ends"), counts, ends, Sum<std::uint64_t>{});
  auto const last_of = [&](auto const& view) -> std::uint64_t {
    if (segments == 0) return 0;
    return static_cast<std::uint64_t>(
        detail::read_element(context, Kokkos::subview(view, view.extent(0) - 1)));
  };
  std::uint64_t const drawn = last_of(ends);
  detail::check(drawn == out.extent(0), function, "out.extent(0) = ", out.extent(0),
                ": must be the sum of the counts, ", drawn);
  detail::check_can_index(function, "out", out, last_of(offsets));
  using Kernel = detail::SampleSegments<Offsets, Ends, Out>;
  context.for_each((drawn + Kernel::chunk - 1) / Kernel::chunk,
                   Kernel{offsets, ends, out, seed_of_stream(seed, stream)});
}

RIFFLE_CALL_DIAGNOSTICS(bootstrap_indices, n<WholeNumber>, out<WrittenArray>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(sample_segments, offsets<Indices>, counts<Indices>, out<WrittenArray>,
                        seed<WholeNumber>, stream<Optional<WholeNumber>>)

}  // namespace riffle
