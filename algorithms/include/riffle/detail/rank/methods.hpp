#pragma once

// How ranks are computed: each method writes ranker(i, start, end) of n > 0 sorted elements.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/detail/range.hpp>
#include <riffle/detail/rank/by_chunks.hpp>
#include <riffle/detail/rank/by_groups.hpp>
#include <riffle/detail/rank/by_segments.hpp>
#include <riffle/detail/rank/ranker.hpp>
#include <riffle/detail/scan/run.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/scan.hpp>

namespace riffle::detail::rank {

inline constexpr std::uint64_t most_by_narrow_index = std::uint64_t{1} << 30;

/// Calls use(index) with the narrowest integer that counts a little beyond n elements. Signed on a CPU, whose
/// vectors convert no others to floating point.
template <class Exec, class Use>
void with_index(std::uint64_t n, Use const& use) {
  constexpr bool is_on_cpu = lanes::has_vector_threads<Exec>;
  using Narrow = std::conditional_t<is_on_cpu, std::int32_t, std::uint32_t>;
  using Wide = std::conditional_t<is_on_cpu, std::int64_t, std::uint64_t>;
  if (n <= most_by_narrow_index) {
    use(Narrow{});
  } else {
    use(Wide{});
  }
}

// --- the rank of each element alone ---

/// Of a rule that needs to know no ties. A thread writes a quad: one that wrote a rank would take longer to
/// begin than to write it.
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

// --- parallel prefix, pass after pass (section III.A) ---

template <class Source, class Order, class Index>
struct StepOfPrefix {
  Source source;
  Order order;
  std::uint64_t distance;
  Index const* starts;
  Index* next;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    bool const is_tied = i >= distance && !differ(order, source(i - distance), source(i));
    next[i] = starts[is_tied ? i - distance : i];
  }
};

template <class Index>
struct StartOfPrefix {
  Index* starts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { starts[i] = static_cast<Index>(i); }
};

template <class Index, class Ranker, class Sink>
struct EndOfPrefix {
  Index const* starts;
  Ranker ranker;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, ranker(static_cast<Index>(i), starts[i], static_cast<Index>(i)));
  }
};

template <class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_prefix(Context<Exec> const& context, std::uint64_t n, Source const& source,
                    Order const& order, Ranker const& ranker, Sink const& sink) {
  with_index<Exec>(n, [&]<class Index>(Index) {
    Scope scope(context);
    auto* starts = scope.template take<Index>(2 * n);
    Index* next = starts + n;
    auto const all = range(context.exec(), 0, n);
    Kokkos::parallel_for(context.label() + "::start", all, StartOfPrefix<Index>{starts});
    for (std::uint64_t distance = 1; distance < n; distance *= 2) {
      Kokkos::parallel_for(
          context.label() + "::step", all,
          StepOfPrefix<Source, Order, Index>{source, order, distance, starts, next});
      std::swap(starts, next);
    }
    Kokkos::parallel_for(context.label() + "::end", all,
                         EndOfPrefix<Index, Ranker, Sink>{starts, ranker, sink});
  });
}

// --- a scan of places packed with flags (section III.B) ---

/// An element that begins a run has its place and, in the highest bit, a flag; any other 0, where the paper
/// has a place that is never used.
template <class Source, class Order, class Word>
struct PackedPlace {
  static constexpr Word flag = ~(~Word{0} >> 1);

  Source source;
  Order order;

  KOKKOS_FUNCTION Word operator()(std::uint64_t i) const {
    if (i > 0 && !differ(order, source(i - 1), source(i))) return 0;
    return flag | static_cast<Word>(i);
  }
};

/// The flagged one that is further right. The identity has no flag.
template <class Word>
struct LastFlagged {
  using value_type = Word;
  KOKKOS_FUNCTION static constexpr Word identity() { return 0; }
  KOKKOS_FUNCTION constexpr Word operator()(Word left, Word right) const {
    return right != 0 ? right : left;
  }
};

template <class Ranker, class Sink, class Word>
struct RankOfPacked {
  Ranker ranker;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Word packed) const {
    auto const place = static_cast<Word>(i);
    sink(i, ranker(place, static_cast<Word>(packed & (~Word{0} >> 1)), place));
  }
};

template <class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_packed_scan(Context<Exec> const& context, std::uint64_t n, Source const& source,
                         Order const& order, Ranker const& ranker, Sink const& sink) {
  auto const scan_words = [&]<class Word>(Word) {
    inclusive_scan(context, n, PackedPlace<Source, Order, Word>{source, order},
                   RankOfPacked<Ranker, Sink, Word>{ranker, sink}, LastFlagged<Word>{});
  };
  if (n <= std::uint64_t{1} << 31) {
    scan_words(std::uint32_t{});
  } else {
    scan_words(std::uint64_t{});
  }
}

// --- in one pass ---

template <class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_hybrid(Context<Exec> const& context, std::uint64_t n, Source const& source,
                    Order const& order, Ranker const& ranker, Sink const& sink) {
  with_index<Exec>(n, [&]<class Index>(Index) {
    if constexpr (lanes::has_vector_threads<Exec>) {
      rank_by_chunks<Index>(context, n, source, order, ranker, sink);
    } else {
      rank_by_groups<Index>(context, n, source, order, ranker, sink);
    }
  });
}

template <class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_segment_search(Context<Exec> const& context, std::uint64_t n, Source const& source,
                            Order const& order, Ranker const& ranker, Sink const& sink) {
  with_index<Exec>(n, [&]<class Index>(Index) {
    rank_by_segments<Index>(context, n, source, order, ranker, sink);
  });
}

/// The fastest of these on each processor, by an index that is known.
template <class Index>
struct RankingBy {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    if constexpr (lanes::has_vector_threads<Exec>) {
      rank_by_segments<Index>(context, n, source, order, ranker, sink);
    } else {
      rank_by_groups<Index>(context, n, source, order, ranker, sink);
    }
  }
};

// --- dense ranks, a scan of flags ---

template <class Source, class Order>
struct BeginsRun {
  Source source;
  Order order;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return i > 0 && differ(order, source(i - 1), source(i));
  }
};

/// An element and the one before it, or itself; as a number, whether it begins a run. Compared when the number
/// is wanted: a GPU's scan asks for the elements of a tile long before.
template <class T, class Order>
struct Neighbours {
  T before;
  T own;

  template <class Count>
  KOKKOS_FUNCTION explicit operator Count() const {
    return static_cast<Count>(differ(Order{}, before, own) ? 1 : 0);
  }
};

/// The elements of a source with their neighbours, by quads.
template <class Source, class Order>
struct NeighboursSource {
  using T = typename Source::Item;
  using Item = Neighbours<T, Order>;
  static constexpr bool is_cheap = true;
  static constexpr bool has_addresses = false;

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

/// Whether a GPU scans neighbours.
template <class Exec, class Source, class Order>
inline constexpr bool scans_neighbours =
    !lanes::has_vector_threads<Exec> && sizeof(typename Source::Item) <= 8 &&
    std::is_empty_v<Order> && std::is_default_constructible_v<Order>;

template <class Exec, class Source, class Order, class Sink>
void rank_densely(Context<Exec> const& context, std::uint64_t n, Source const& source,
                  Order const& order, Sink const& sink) {
  auto const count = [&]<class Count_>(Count_) {
    if constexpr (scans_neighbours<Exec, Source, Order>) {
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

}  // namespace riffle::detail::rank
