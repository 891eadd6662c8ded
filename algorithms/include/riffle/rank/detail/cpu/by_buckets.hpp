#pragma once

// Ranks of data that a CPU sorts, bucket by bucket: the thread that has sorted a bucket ranks it while it is in its
// cache. No elements of two buckets are tied, so that the thread needs to know nothing of other buckets. Only dense
// ranks wait until all is sorted, since they count the runs before.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// Writes ranks to random places. The places are prefetched some entries before they are written.
template <class Ranks>
class PlacedRanks {
 public:
  explicit PlacedRanks(Ranks const& ranks) : ranks_(ranks) {}

  /// Writes rank_of(k) to the place of entry k, for all entries.
  template <class Item, class RankOf>
  void write(Item const* entries, std::size_t count, RankOf&& rank_of) const {
    std::size_t const asked = std::min(+prefetched_ranks, count);
    for (std::size_t k = 0; k < asked; ++k) ask_for(entries[k]);
    for (std::size_t k = 0; k + asked < count; ++k) {
      ask_for(entries[k + asked]);
      write_one(entries[k], rank_of(k));
    }
    for (std::size_t k = count - asked; k < count; ++k) write_one(entries[k], rank_of(k));
  }

 private:
  using Rank = typename Ranks::value_type;

  template <class Item>
  void ask_for(Item const& entry) const {
    backend::prefetch_line(ranks_.data() + entry.index() * ranks_.stride(0));
  }

  template <class Item, class Value>
  void write_one(Item const& entry, Value const& rank) const {
    ranks_(entry.index()) = static_cast<Rank>(rank);
  }

  Ranks ranks_;
};

/// The consumer to which a sort by digits hands its buckets.
template <class Ranker, class Ranks>
class RankBucket {
 public:
  RankBucket(Ranker const& ranker, Ranks const& ranks) : ranker_(ranker), ranks_(ranks) {}

  template <class Item>
  void bucket(std::uint64_t first, Item const* entries, std::uint64_t count, Item* free) const {
    if constexpr (counts_ties<Ranker>) {
      Tally<Index, uint128> tally;
      rank(ranker_.with(tally), first, entries, count, free);
      ranker_.slots().add(first, tally.statistics());
    } else if (ranker_.is_plain()) {
      rank(ranker_.plain(), first, entries, count, free);
    } else {
      rank(ranker_, first, entries, count, free);
    }
  }

  template <class Item>
  void tied(std::uint64_t first, Item const* entries, std::uint64_t count, std::uint64_t start,
            std::uint64_t end) const {
    if constexpr (counts_ties<Ranker>) {
      Tally<Index, uint128> tally;
      rank_tied(ranker_.with(tally), first, entries, count, start, end);
      ranker_.slots().add(first, tally.statistics());
    } else {
      rank_tied(ranker_, first, entries, count, start, end);
    }
  }

 private:
  using Index = std::int64_t;

  template <class Rule, class Item>
  void rank_tied(Rule const& rule, std::uint64_t first, Item const* entries, std::uint64_t count,
                 std::uint64_t start, std::uint64_t end) const {
    ranks_.write(entries, count, [&](std::size_t k) {
      return rule(static_cast<Index>(first + k), static_cast<Index>(start),
                  static_cast<Index>(end));
    });
  }

  template <class Rule, class Item>
  void rank(Rule const& rule, std::uint64_t first, Item const* entries, std::uint64_t count,
            Item* free) const {
    auto* const ends = reinterpret_cast<std::uint32_t*>(free);
    if constexpr (Ranker::needs_end) find_ends(entries, count, ends);
    auto const begin = static_cast<Index>(first);
    Index start = begin;
    ranks_.write(entries, count, [&](std::size_t k) {
      auto const i = static_cast<Index>(begin + static_cast<Index>(k));
      Index end = i;
      if constexpr (Ranker::needs_start) {
        bool const is_tied = k > 0 && entries[k - 1].key() == entries[k].key();
        start = is_tied ? start : i;
      }
      if constexpr (Ranker::needs_end)
        end = static_cast<Index>(begin + static_cast<Index>(ends[k]));
      return rule(i, start, end);
    });
  }

  /// ends[k]: where the run of entry k ends.
  template <class Item>
  static void find_ends(Item const* entries, std::uint64_t count, std::uint32_t* ends) {
    auto end = static_cast<std::uint32_t>(count);
    for (std::uint64_t k = count; k-- > 0;) {
      bool const is_last = k + 1 == count || entries[k].key() != entries[k + 1].key();
      end = is_last ? static_cast<std::uint32_t>(k + 1) : end;
      ends[k] = end;
    }
  }

  Ranker ranker_;
  PlacedRanks<Ranks> ranks_;
};

// --- dense ranks ---

/// Keeps the entries of buckets for later.
template <class Item>
struct KeepBucket {
  Item* kept;

  void bucket(std::uint64_t first, Item const* entries, std::uint64_t count, Item*) const {
    if (entries != kept + first) std::copy_n(entries, count, kept + first);
  }

  void tied(std::uint64_t first, Item const* entries, std::uint64_t count, std::uint64_t,
            std::uint64_t) const {
    bucket(first, entries, count, nullptr);
  }
};

/// Whether entry k begins a run, other than the first run.
template <class Item>
bool begins_run(Item const* entries, std::uint64_t k) {
  return k > 0 && entries[k - 1].key() != entries[k].key();
}

template <class Item>
struct CountRuns {
  Item const* entries;
  Chunks chunks;
  std::uint64_t* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    std::uint64_t runs = 0;
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t k = chunks.begin(chunk); k < end; ++k) runs += begins_run(entries, k);
    counts[chunk] = runs;
  }
};

/// Ranks a chunk densely, given the number of runs that begin before it.
template <class Item, class Rank, class Ranks>
struct RankChunkDensely {
  Item const* entries;
  Chunks chunks;
  std::uint64_t const* runs_before;
  DenseRanker<Rank> ranker;
  PlacedRanks<Ranks> ranks;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((rank(chunk);))
  }

 private:
  void rank(std::uint64_t chunk) const {
    std::uint64_t const begin = chunks.begin(chunk);
    std::uint64_t runs = runs_before[chunk];
    ranks.write(entries + begin, chunks.begin(chunk + 1) - begin, [&](std::size_t k) {
      runs += begins_run(entries, begin + k);
      return ranker(begin + k, runs);
    });
  }
};

/// The keys of sorted entries.
template <class Item>
struct KeysOfEntries {
  Item const* entries;

  KOKKOS_FUNCTION auto operator()([[maybe_unused]] std::uint64_t k) const {
    decltype(entries->key()) key{};
    KOKKOS_IF_ON_HOST((key = entries[k].key();))
    return key;
  }
};

/// The ranks of sorted entries, in their order.
template <class Item, class Ranks>
struct RanksOfEntries {
  Item const* entries;
  Ranks ranks;

  KOKKOS_FUNCTION auto read([[maybe_unused]] std::uint64_t k) const {
    typename Ranks::non_const_value_type rank{};
    KOKKOS_IF_ON_HOST((rank = ranks(entries[k].index());))
    return rank;
  }
};

/// Ranks n > 0 sorted entries densely.
template <class Exec, class Item, class Ranks>
void rank_entries_densely(Context<Exec> const& context, std::uint64_t n, Item const* entries,
                          Ranks const& ranks, Scale const& scale, MissingCounts const* missing) {
  using Rank = typename Ranks::non_const_value_type;
  auto const most =
      dense_chunks_per_thread * static_cast<std::uint64_t>(context.exec().concurrency());
  Chunks const chunks{n, std::clamp<std::uint64_t>(n / min_dense_chunk, 1, most)};
  std::vector<std::uint64_t> runs(chunks.count);
  for_each_dynamic(context.named("runs"), chunks.count,
                   CountRuns<Item>{entries, chunks, runs.data()});
  context.exec().fence(context.label());
  std::exclusive_scan(runs.begin(), runs.end(), runs.begin(), std::uint64_t{0});
  for_each_dynamic(context, chunks.count,
                   RankChunkDensely<Item, Rank, Ranks>{entries, chunks, runs.data(),
                                                       DenseRanker<Rank>(scale.first, n, missing),
                                                       PlacedRanks<Ranks>(ranks)});
  context.exec().fence(context.label());
  if constexpr (std::is_floating_point_v<Rank>) {
    if (!scale.is_relative) return;
    using InOrder = RanksOfEntries<Item, Ranks>;
    Scope scope(context);
    auto* const last_rank = scope.template take<double>(1);
    context.named("last").for_each(1,
                                   KeepLastRank<InOrder>{{entries, ranks}, n, missing, last_rank});
    using Sink = ViewSink<Ranks>;
    context.named("divide").for_each(
        n, DivideByLast<Sink>{Sink(ranks), static_cast<double>(scale.first), last_rank});
  }
}

// --- all rules ---

/// Ranks the n > 0 elements that a sorter sorts. `missing`: as for a Ranker.
template <class Exec, class Sorter, class Ranks, class Rule, class Ties>
void rank_by_buckets(Context<Exec> const& context, Sorter const& sorter, Ranks const& ranks,
                     Rule const& rule, Scale const& scale, MissingCounts const* missing,
                     Ties const& ties) {
  std::uint64_t const n = ranks.extent(0);
  sorter.run_by_buckets([&](auto& sort, auto const& source) {
    if constexpr (std::is_same_v<Rule, ties::Dense>) {
      auto* const entries = sort.kept();
      using Item = std::remove_pointer_t<decltype(entries)>;
      sort.run(source, KeepBucket<Item>{entries});
      rank_entries_densely(context, n, entries, ranks, scale, missing);
      ties.count(context, n, KeysOfEntries<Item>{entries}, Ascending{}, missing);
    } else {
      using Rank = typename Ranks::non_const_value_type;
      Scope scope(context);
      void* const memory_of_ties = scope.template take<std::byte>(std::size_t{Ties::bytes});
      ties.begin(context, memory_of_ties);
      auto const ranker =
          ties.counting(Ranker<Rule, Rank>(rule, scale, n, missing), memory_of_ties);
      sort.run(source, RankBucket(ranker, ranks));
      ties.end(context, n, missing, memory_of_ties);
    }
  });
}

}  // namespace riffle::detail::rank
