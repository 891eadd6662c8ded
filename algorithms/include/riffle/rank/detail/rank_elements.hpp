#pragma once

// The ranking algorithms. Each writes ranker(i, start, end) for each element i of n > 0 sorted elements, where start,
// ..., end - 1 are the elements that tie with element i.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/rank/detail/cpu/dense_tiles.hpp>
#include <riffle/rank/detail/cpu/rank_by_segments.hpp>
#include <riffle/rank/detail/gpu/dense_pipeline.hpp>
#include <riffle/rank/detail/gpu/rank_by_warps.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/rank/tuning.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::rank {

/// Calls use(index), where the type of `index` is the narrowest integer type that can represent somewhat more than n.
/// It is signed on a CPU, where vector instructions convert only signed integers to floating point.
template <class Exec, class Use>
void with_index(std::uint64_t n, Use const& use) {
  constexpr bool is_on_cpu = backend::is_cpu<Exec>;
  using Narrow = std::conditional_t<is_on_cpu, std::int32_t, std::uint32_t>;
  using Wide = std::conditional_t<is_on_cpu, std::int64_t, std::uint64_t>;
  if (n <= max_by_narrow_index) {
    use(Narrow{});
  } else {
    use(Wide{});
  }
}

// --- the rank of each element alone ---

/// Ranks by a rule that does not need runs, only the index of an element. A thread writes a quad of ranks, since
/// starting a thread takes longer than writing one rank.
template <class Ranker, class Sink>
struct RankPlaces {
  std::uint64_t n;
  Ranker ranker;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t quad) const {
    std::uint64_t const first = quad * quad_size;
    if (quad_size <= n - first && sink.has_quads()) {
      typename Ranker::Rank ranks[quad_size];
      RIFFLE_UNROLL
      for (int e = 0; e < quad_size; ++e) ranks[e] = rank_of(first + static_cast<std::uint64_t>(e));
      sink.write_quad(first, ranks);
    } else {
      std::uint64_t const end = quad_size < n - first ? first + quad_size : n;
      for (std::uint64_t i = first; i < end; ++i) sink(i, rank_of(i));
    }
  }

 private:
  KOKKOS_FUNCTION typename Ranker::Rank rank_of(std::uint64_t i) const { return ranker(i, i, i); }
};

template <class Exec, class Ranker, class Sink>
void rank_places(Context<Exec> const& context, std::uint64_t n, Ranker const& ranker,
                 Sink const& sink) {
  std::uint64_t const quads = (n + quad_size - 1) / quad_size;
  context.for_each(quads, RankPlaces<Ranker, Sink>{n, ranker, sink});
}

// --- in one pass ---

/// Ranks the elements in one pass over the data: by segments on a CPU, by warps on a GPU.
template <class Index>
struct OnePassRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    if constexpr (backend::is_cpu<Exec>) {
      rank_by_segments<Index>(context, n, source, order, ranker, sink);
    } else {
      rank_by_warps<Index>(context, n, OneGroup{}, source, order, ranker, sink);
    }
  }
};

// --- dense ranks: the number of runs that begin at or before an element, by a scan of flags. The first run is not
//     counted, so that ranks count from 0 ---

template <class Source, class Order>
struct BeginsRun {
  Source source;
  Order order;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return i > 0 && differ(order, source(i - 1), source(i));
  }
};

/// The pair of an element (`own`) and its predecessor (`before`; the element itself if it is the first). Converting the
/// pair to a number compares the two, and gives 1 if the element begins a run, otherwise 0. The comparison is part of
/// the conversion, because a GPU's scan reads a tile long before it needs the numbers, and so need not wait for the
/// loads.
template <class T, class Order>
struct Neighbours {
  T before;
  T own;

  template <class Count>
  KOKKOS_FUNCTION explicit operator Count() const {
    return static_cast<Count>(differ(Order{}, before, own) ? 1 : 0);
  }
};

/// A source whose item i contains elements i - 1 and i of another source. Quads are read as quads.
template <class Source, class Order>
struct NeighboursSource {
  using T = typename Source::Item;
  using Item = Neighbours<T, Order>;

  Source source;

  KOKKOS_FUNCTION bool has_quads() const { return source.has_quads(); }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const {
    return {source(i == 0 ? 0 : i - 1), source(i)};
  }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&items)[quad_size]) const {
    T x[quad_size];
    source.read_quad(i, x);
    items[0] = {source(i == 0 ? 0 : i - 1), x[0]};
    for (int e = 1; e < quad_size; ++e) items[e] = {x[e - 1], x[e]};
  }
};

/// Whether dense ranks on a GPU can be computed by a scan of Neighbours. Two copies of each element must fit in
/// registers. The order must be an empty type, because a Neighbours object does not store it.
template <class Exec, class Source, class Order>
inline constexpr bool scans_neighbours =
    !backend::is_cpu<Exec> && sizeof(typename Source::Item) <= 8 && std::is_empty_v<Order> &&
    std::is_default_constructible_v<Order>;

/// Whether a DensePipeline can rank elements of this type. Its threads store elements in registers, so elements are at
/// most 16 bytes large. Lanes pass elements to each other, so elements are trivially copyable.
template <class Exec, class Source>
inline constexpr bool can_pipeline_dense_ranks =
    !backend::is_cpu<Exec> && sizeof(typename Source::Item) <= 16 &&
    std::is_trivially_copyable_v<typename Source::Item> &&
    std::is_default_constructible_v<typename Source::Item>;

/// Ranks by a DensePipeline, unless there are too few tiles. Returns whether the elements are ranked.
template <class Index, class Exec, class Source, class Order, class Sink>
bool rank_by_dense_pipeline(Context<Exec> const& context, std::uint64_t n, Source const& source,
                            Order const& order, Sink const& sink) {
  using Kernel = DensePipeline<Index, Source, Order, Sink>;
  std::uint64_t const tiles = scan::tile_count<Kernel>(n);
  std::uint64_t const teams = scan::resident_teams<Kernel>(context.exec());
  if (tiles < min_tiles_of_dense_team * teams) return false;
  using Messages = LookBack<Sum<Index>>;
  auto* const memory =
      context.workspace().messages(context.label(), context.exec(), Messages::words(tiles));
  Messages const look_back(memory, tiles, teams, Sum<Index>{}, Index{0});
  launch_teams(context, teams, Kernel(n, source, order, sink, look_back));
  return true;
}

/// Ranks by a scan of flags, which are 1 for elements that begin runs.
template <class Exec, class Source, class Order, class Sink>
void rank_by_count_scan(Context<Exec> const& context, std::uint64_t n, Source const& source,
                        Order const& order, Sink const& sink) {
  auto const count = [&]<class Count_>(Count_) {
    if constexpr (backend::is_cpu<Exec>) {
      rank_by_dense_tiles<Count_>(context, n, source, order, sink);
    } else if constexpr (scans_neighbours<Exec, Source, Order>) {
      scan::run<true>(context, n, NeighboursSource<Source, Order>{source}, sink, Sum<Count_>{},
                      Count_{0});
    } else {
      inclusive_scan(context, n, BeginsRun<Source, Order>{source, order}, sink, Count<Count_>{});
    }
  };
  if (n <= std::uint64_t{1} << 31) {
    count(std::uint32_t{});
  } else {
    count(std::uint64_t{});
  }
}

template <class Exec, class Source, class Order, class Sink>
void rank_dense(Context<Exec> const& context, std::uint64_t n, Source const& source,
                Order const& order, Sink const& sink) {
  bool is_done = false;
  if constexpr (can_pipeline_dense_ranks<Exec, Source>) {
    with_index<Exec>(n, [&]<class Index>(Index) {
      is_done = rank_by_dense_pipeline<Index>(context, n, source, order, sink);
    });
  }
  if (!is_done) rank_by_count_scan(context, n, source, order, sink);
}

// --- all rules ---

/// Makes a ranker that applies `rule`, and calls use(ranker) once, which ranks n elements. If `ties` is a TieCounter,
/// the ranker also counts the ties of these elements in the same pass.
template <class Rank, class Exec, class Rule, class Ties, class Use>
void with_ranker(Context<Exec> const& context, std::uint64_t n, Rule const& rule,
                 Scale const& scale, MissingCounts const* missing, Ties const& ties,
                 Use const& use) {
  Scope scope(context);
  void* const memory_of_ties = scope.template take<std::byte>(std::size_t{Ties::bytes});
  ties.begin(context, memory_of_ties);
  use(ties.counting(Ranker<Rule, Rank>(rule, scale, n, missing), memory_of_ties));
  ties.end(context, n, missing, memory_of_ties);
}

/// Ranks n > 0 sorted elements. The arguments have been checked. `missing` is as for a Ranker. `ties` counts ties
/// (tie_counter.hpp).
template <class Exec, class Source, class Order, class Sink, class Rule, class Method,
          class Ties = NoTieCounter>
void rank_elements(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   Order const& order, Sink const& sink, Rule const& rule, Scale const& scale,
                   MissingCounts const* missing, Method const& method, Ties const& ties = {}) {
  using Rank = typename Sink::Element;
  if constexpr (std::is_same_v<Rule, ties::Dense>) {
    DenseRankSink<Rank, Sink> const dense(sink, DenseRanker<Rank>(scale.first, n, missing));
    rank_dense(context, n, source, order, dense);
    if constexpr (std::is_floating_point_v<Rank>) {
      if (scale.is_relative) divide_by_last(context, n, sink, scale.first, missing);
    }
    ties.count(context, n, source, order, missing);
  } else {
    with_ranker<Rank>(context, n, rule, scale, missing, ties,
                      [&]<class Ranker>(Ranker const& ranker) {
                        if constexpr (!Ranker::needs_start && !Ranker::needs_end) {
                          rank_places(context, n, ranker, sink);
                        } else {
                          method.rank(context, n, source, order, ranker, sink);
                        }
                      });
  }
}

}  // namespace riffle::detail::rank
