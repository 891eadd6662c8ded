#pragma once

// The bijective shuffle with compaction, in three forms, from
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287, section 4 (algorithm 1) and section 6 (the three
//   forms).
// A bijection on the next power of two is evaluated at every point. The values less than n are kept
// in the order of the points, and the data are gathered through them:
//
//     point      0   1   2   3   4   5   6   7        n = 5
//     bijection  3   6   0   5   1   7   4   2
//     kept       3       0       1       4   2        out = in(3), in(0), in(1), in(4), in(2)
//
// The three forms give the same permutation.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/published/bijective_shuffle/detail/compaction.hpp>
#include <riffle/published/bijective_shuffle/detail/two_pass.hpp>
#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/published/bijective_shuffle/variable_philox.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/dispatch.hpp>
#include <riffle/shuffle/shuffle.hpp>

namespace riffle {

namespace detail {

template <class T, class Exec>
auto array_view(T* array, std::uint64_t count, Exec const&) {
  return Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      array, count);
}

template <class Function, class Images>
struct StoreImages {
  Function function;
  Images images;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { images(i) = function(i); }
};

template <class Kept>
struct StoreKept {
  Kept kept;

  template <class Index>
  KOKKOS_FUNCTION void operator()(std::uint64_t, Index place, KeptImage<Index> const& image) const {
    if (image) kept(place) = image.image;
  }
};

}  // namespace detail

/// The paper's Bijective0: transformation, compaction and gather in separate passes. A tag for
/// shuffle_copy and shuffle.
///
/// Bijection(bits, seed) is any bijection on at least 2^bits points that can be called with a
/// std::uint64_t and has size(): VariablePhilox<>, LinearCongruential or a user's type. Memory: m +
/// n indices for m points (in general n <= m < 2 n); an index has 4 bytes if m < 2^32, otherwise 8.
/// With VariablePhilox, as published, the permutation is always even if n = 2^k, and is one of few
/// if n <= 8 (see variable_philox.hpp). PermutationGather has neither fault.
template <class Bijection = VariablePhilox<>>
struct Bijective0 {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) const {
    detail::with_padded_bijection<Exec, Bijection>(
        n, seed, [&](auto const& evaluate, std::uint64_t points) {
          using Evaluate = std::decay_t<decltype(evaluate)>;
          using Index = typename Evaluate::Index;
          using Image = detail::KeptImage<Index>;
          detail::Scope scope(context);
          auto const [images_of_points, kept_images] =
              scope.arrays([&](detail::ArrayMemory& arrays) {
                return std::pair(arrays.take<Image>(points), arrays.take<Index>(n));
              });
          auto const images = detail::array_view(images_of_points, points, context.exec());
          auto const kept = detail::array_view(kept_images, n, context.exec());
          context.named("transform")
              .for_each(points, detail::StoreImages<Evaluate, decltype(images)>{evaluate, images});
          exclusive_scan(context.named("compact"), points,
                         detail::StoredPermutation<decltype(images)>{images},
                         detail::StoreKept<decltype(kept)>{kept}, Count<Index>{}, Index{0});
          detail::gather_rows(context.named("gather"), n,
                              detail::StoredPermutation<decltype(kept)>{kept}, in, out);
        });
  }
};

/// The paper's Bijective1: transformation, compaction and gather are fused into the two passes of a
/// scan over tiles of 4096 points. Each pass evaluates the bijection. Memory: one index for each
/// tile. Everything else, including the permutation, is as for Bijective0.
template <class Bijection = VariablePhilox<>>
struct Bijective1 {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) const {
    detail::with_padded_bijection<Exec, Bijection>(
        n, seed, [&](auto const& evaluate, std::uint64_t points) {
          using Evaluate = std::decay_t<decltype(evaluate)>;
          using Index = typename Evaluate::Index;
          using Source = detail::FunctionSource<Evaluate>;
          auto const gather = detail::gather_kept<Index>(in, out);
          using Sink = detail::FunctionSink<std::decay_t<decltype(gather)>, true>;
          using Tile = detail::scan::FlagTile<Source, Sink, Index, false>;
          std::uint64_t const tiles = detail::scan::tile_count<Tile>(points);
          detail::Scope scope(context);
          auto const counts =
              detail::array_view(scope.template take<Index>(tiles), tiles, context.exec());
          using Counts = std::decay_t<decltype(counts)>;
          detail::TwoPass<Source, Sink, Counts> const pass{points, Source{evaluate}, Sink{gather},
                                                           counts};
          detail::for_each_tile(context.named("count"), tiles,
                                detail::CountKept<Source, Sink, Counts>{pass});
          exclusive_scan(context.named("scan"), counts, counts, Sum<Index>{}, Index{0});
          detail::for_each_tile(context.named("gather"), tiles,
                                detail::GatherTiles<Source, Sink, Counts>{pass});
        });
  }
};

/// The paper's Bijective2: transformation, compaction and gather are fused into a single-pass scan
/// (riffle/scan.hpp), in one kernel. It reads and writes each row once, and evaluates the bijection
/// 2^bits times. Memory: 12 bytes for each tile of 4096 points. Everything else, including the
/// permutation, is as for Bijective0.
template <class Bijection = VariablePhilox<>>
struct Bijective2 {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) const {
    detail::with_padded_bijection<Exec, Bijection>(
        n, seed, [&](auto const& evaluate, std::uint64_t points) {
          using Evaluate = std::decay_t<decltype(evaluate)>;
          using Index = typename Evaluate::Index;
          exclusive_scan(context, points, evaluate, detail::gather_kept<Index>(in, out),
                         Count<Index>{}, Index{0});
        });
  }
};

}  // namespace riffle
