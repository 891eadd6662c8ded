#pragma once

// Ranks data that a CPU sorts by buckets. The thread that has sorted a bucket ranks it while the bucket is in its
// cache. Elements that tie are always in the same bucket, so the thread reads no other bucket. Dense ranks depend on
// the number of runs in all earlier buckets, so they are computed after the sort, as ranks of sorted data.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// Writes ranks to random addresses, which are prefetched some entries ahead.
template <class Ranks>
class RankScatter {
 public:
  explicit RankScatter(Ranks const& ranks) : ranks_(ranks) {}

  /// Writes rank_of(k) to ranks(entries[k].index()), for 0 <= k < count.
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

/// Ranks the entries of radix-sort buckets. The sort calls bucket() or tied() as soon as a bucket is sorted
/// (sort::BucketConsumer).
template <class Ranker, class Ranks>
class RankBucket {
 public:
  RankBucket(Ranker const& ranker, Ranks const& ranks) : ranker_(ranker), ranks_(ranks) {}

  /// Ranks the entries of a sorted bucket, which are entries first, ..., first + count - 1 of all sorted entries.
  /// `free` is memory for `count` entries that can be overwritten.
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

  /// Ranks `count` sorted entries that all tie. They are entries first, ..., first + count - 1 of all sorted entries,
  /// and part of the run of entries start, ..., end - 1.
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

  /// ends[k] = the index in the bucket at which the run of entry k ends.
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
  RankScatter<Ranks> ranks_;
};

// --- dense ranks ---

/// Stores the entries of sorted buckets, for a later ranking.
template <class Item>
struct StoreBucket {
  Item* kept;

  void bucket(std::uint64_t first, Item const* entries, std::uint64_t count, Item*) const {
    if (entries != kept + first) std::copy_n(entries, count, kept + first);
  }
};

/// A source that returns the keys of sorted entries.
template <class Entry>
struct KeysOfEntries {
  using Item = decltype(std::declval<Entry const&>().key());

  Entry const* entries;

  KOKKOS_FUNCTION static constexpr bool has_quads() { return false; }

  KOKKOS_FUNCTION Item operator()([[maybe_unused]] std::uint64_t k) const {
    Item key{};
    KOKKOS_IF_ON_HOST((key = entries[k].key();))
    return key;
  }
};

/// A sink that writes the rank of sorted entry k to ranks(entries[k].index()), which is prefetched some entries ahead.
template <class Entry, class Ranks>
struct RanksOfEntries {
  using Element = typename Ranks::non_const_value_type;

  Entry const* entries;
  std::uint64_t n;
  Ranks ranks;

  KOKKOS_FUNCTION static constexpr bool has_quads() { return false; }

  template <class Value>
  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t k,
                                  [[maybe_unused]] Value const& value) const {
    KOKKOS_IF_ON_HOST(
        (std::uint64_t const ahead = std::min<std::uint64_t>(k + prefetched_ranks, n - 1);
         backend::prefetch_line(ranks.data() + entries[ahead].index() * ranks.stride(0));
         ranks(entries[k].index()) = static_cast<Element>(value);))
  }

  KOKKOS_FUNCTION Element read([[maybe_unused]] std::uint64_t k) const {
    Element rank{};
    KOKKOS_IF_ON_HOST((rank = ranks(entries[k].index());))
    return rank;
  }
};

}  // namespace riffle::detail::rank
