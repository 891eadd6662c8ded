#pragma once

// Counts ties during a ranking, in the same pass over the data. Each element adds 3 k (k + 1) if it is the k-th element
// after the first of its run. The sum over a run of t elements (k = 0, ..., t - 1) is t^3 - t, so the length of the run
// need not be known.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/tie_statistics.hpp>

namespace riffle::detail::rank {

/// Counts the ties of some elements in one thread. Sum is an unsigned integer type that holds the sum of k (k + 1).
template <class Index, class Sum>
class Tally {
 public:
  Tally() = default;
  KOKKOS_FORCEINLINE_FUNCTION Tally(std::uint32_t groups, Index largest, Sum sum)
      : groups_(groups), largest_(largest), sum_(sum) {}

  /// Adds an element, the k-th after the first of its run.
  KOKKOS_FORCEINLINE_FUNCTION void add(Index k) {
    groups_ += k == 0 ? 1u : 0u;
    largest_ = k < largest_ ? largest_ : static_cast<Index>(k + 1);
    sum_ += static_cast<Sum>(k) * (static_cast<Sum>(k) + 1);
  }

  /// Returns the sum of the tallies over all lanes in a warp.
  KOKKOS_FUNCTION Tally of_warp(int lane) const {
    Tally all = *this;
    for (int distance = 1; distance < backend::width; distance *= 2) {
      Tally const other = backend::from_lane(all, lane ^ distance);
      all.groups_ += other.groups_;
      all.largest_ = Kokkos::max(all.largest_, other.largest_);
      all.sum_ += other.sum_;
    }
    return all;
  }

  KOKKOS_FUNCTION Index largest() const { return largest_; }

  template <class Wide>
  KOKKOS_FUNCTION Tally<Index, Wide> widened() const {
    return {groups_, largest_, sum_};
  }

  KOKKOS_FUNCTION TieStatistics statistics() const {
    uint128 const sum = static_cast<uint128>(sum_) * 3;
    return {0, groups_, static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64),
            static_cast<std::uint64_t>(largest_)};
  }

 private:
  std::uint32_t groups_ = 0;
  Index largest_ = 0;
  Sum sum_ = 0;
};

/// Memory to which threads add their counts by atomic operations. There are 256 slots of 64 bytes, so that few threads
/// wait for each other at the same slot.
class TieSlots {
 public:
  static constexpr std::uint64_t count = 256;
  static constexpr std::size_t slot_bytes = 64;
  static constexpr std::size_t bytes = count * slot_bytes;

  explicit TieSlots(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  KOKKOS_FUNCTION TieStatistics& operator[](std::uint64_t slot) const {
    return *reinterpret_cast<TieStatistics*>(memory_ + slot % count * slot_bytes);
  }

  /// Adds `found` to a slot, except `found.elements`. All slots are summed up later, so the choice of the slot affects
  /// speed only. The order in which threads add does not matter, because sums are integers.
  KOKKOS_FUNCTION void add(std::uint64_t slot, TieStatistics const& found) const {
    TieStatistics& kept = (*this)[slot];
    Kokkos::atomic_add(&kept.groups, found.groups);
    Kokkos::atomic_max(&kept.largest, found.largest);
    if (found.largest < 2) return;
    auto const low = Kokkos::atomic_fetch_add(&kept.tie_sum_low, found.tie_sum_low);
    std::uint64_t const carry = low + found.tie_sum_low < low ? 1 : 0;
    if (found.tie_sum_high + carry != 0) {
      Kokkos::atomic_add(&kept.tie_sum_high, found.tie_sum_high + carry);
    }
  }

 private:
  std::byte* memory_;
};

/// Whether a ranker counts ties.
template <class Ranker>
inline constexpr bool counts_ties = requires(Ranker const& ranker) {
  ranker.slots();
};

/// Returns the ranks of the ranker `inner`, and adds each ranked element to a tally.
template <class Inner, class Counted>
struct TallyingRanker {
  using Rank = typename Inner::Rank;

  static constexpr bool needs_start = true;
  static constexpr bool needs_end = Inner::needs_end;

  Inner inner;
  Counted* tally;

  KOKKOS_FUNCTION bool is_plain() const { return inner.is_plain(); }
  KOKKOS_FUNCTION auto plain() const {
    return TallyingRanker<decltype(inner.plain()), Counted>{inner.plain(), tally};
  }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    if (inner.has_rank(i)) tally->add(static_cast<Index>(i - start));
    return inner(i, start, end);
  }
};

/// A ranker whose kernel also counts ties, and adds the counts to slots (counts_ties).
template <class Inner>
class CountingRanker : public Inner {
 public:
  static constexpr bool needs_start = true;

  CountingRanker(Inner const& inner, TieSlots const& slots) : Inner(inner), slots_(slots) {}

  KOKKOS_FUNCTION TieSlots const& slots() const { return slots_; }

  /// Returns a ranker that computes the same ranks, and adds each ranked element to `tally`.
  template <class Counted>
  KOKKOS_FORCEINLINE_FUNCTION TallyingRanker<Inner, Counted> with(Counted& tally) const {
    return {*this, &tally};
  }

  /// Adds the tallies of a warp's lanes to a slot. All lanes make the call.
  template <class Index, class Sum>
  KOKKOS_FUNCTION void keep(Tally<Index, Sum> const& tally, int lane, std::uint64_t slot) const {
    // If all runs are shorter than 2^27, each element adds less than 2^54 to the sum. A warp has at most 2^10 elements,
    // so the sum over the warp fits in 64 bits.
    bool const is_narrow = backend::all(tally.largest() < (Index{1} << 27));
    auto const found = is_narrow ? tally.of_warp(lane).statistics()
                                 : tally.template widened<uint128>().of_warp(lane).statistics();
    if (lane == 0) slots_.add(slot, found);
  }

 private:
  TieSlots slots_;
};

// --- the parameter `ties` of rankings: NoTieCounter, or a TieCounter ---

struct NoTieCounter {
  static constexpr std::size_t bytes = 0;

  template <class Exec>
  void begin(Context<Exec> const&, void*) const {}

  template <class Ranker>
  Ranker const& counting(Ranker const& ranker, void*) const {
    return ranker;
  }

  template <class Exec>
  void end(Context<Exec> const&, std::uint64_t, MissingCounts const*, void*) const {}

  template <class Exec, class Source, class Order>
  void count(Context<Exec> const&, std::uint64_t, Source const&, Order const&,
             MissingCounts const*) const {}
};

struct ClearSlots {
  TieSlots slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t slot) const { slots[slot] = TieStatistics(); }
};

struct SumOfSlots {
  using value_type = TieStatistics;

  TieSlots slots;
  std::uint64_t n;
  MissingCounts const* missing;

  KOKKOS_FUNCTION void operator()(std::uint64_t slot, TieStatistics& found) const {
    found.add(slots[slot]);
  }
  KOKKOS_FUNCTION void init(TieStatistics& found) const { found = TieStatistics(); }
  KOKKOS_FUNCTION void join(TieStatistics& found, TieStatistics const& other) const {
    found.add(other);
  }
  KOKKOS_FUNCTION void final(TieStatistics& found) const {
    found.elements = missing == nullptr ? n : n - missing->before - missing->after;
  }
};

/// Counts ties into a View of rank 0. `memory` has `bytes` bytes that are accessible to the device; begin(), counting()
/// and end() receive the same memory.
template <class Result>
struct TieCounter {
  static constexpr std::size_t bytes = TieSlots::bytes;

  Result result;

  template <class Exec>
  void begin(Context<Exec> const& context, void* memory) const {
    context.named("no_ties").for_each(TieSlots::count, ClearSlots{TieSlots(memory)});
  }

  template <class Ranker>
  CountingRanker<Ranker> counting(Ranker const& ranker, void* memory) const {
    return {ranker, TieSlots(memory)};
  }

  /// Adds up the slots. Called after the kernels that rank.
  template <class Exec>
  void end(Context<Exec> const& context, std::uint64_t n, MissingCounts const* missing,
           void* memory) const {
    Kokkos::parallel_reduce(context.label() + "::ties", range(context.exec(), 0, TieSlots::count),
                            SumOfSlots{TieSlots(memory), n, missing}, result);
  }

  /// Counts ties in a separate pass, for dense ranks, whose kernels have no Ranker.
  template <class Exec, class Source, class Order>
  void count(Context<Exec> const& context, std::uint64_t n, Source const& source,
             Order const& order, MissingCounts const* missing) const {
    Kokkos::parallel_reduce(context.label() + "::ties", range(context.exec(), 0, n),
                            CountTies<Source, Order>{source, order, n, missing}, result);
  }
};

}  // namespace riffle::detail::rank
