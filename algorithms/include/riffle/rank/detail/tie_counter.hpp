#pragma once

// Whether a ranking counts ties, and where it writes them.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/tally.hpp>
#include <riffle/rank/tie_statistics.hpp>

namespace riffle::detail::rank {

struct NoTies {
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

/// Counts ties into a View of rank 0. `memory`: `bytes` bytes of the device, the same in all calls.
template <class Result>
struct TiesTo {
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

  /// Sums the slots, once rankers have counted all elements.
  template <class Exec>
  void end(Context<Exec> const& context, std::uint64_t n, MissingCounts const* missing,
           void* memory) const {
    Kokkos::parallel_reduce(context.label() + "::ties", range(context.exec(), 0, TieSlots::count),
                            SumOfSlots{TieSlots(memory), n, missing}, result);
  }

  /// Counts ties in a pass of its own, where no ranker can.
  template <class Exec, class Source, class Order>
  void count(Context<Exec> const& context, std::uint64_t n, Source const& source,
             Order const& order, MissingCounts const* missing) const {
    Kokkos::parallel_reduce(context.label() + "::ties", range(context.exec(), 0, n),
                            CountTies<Source, Order>{source, order, n, missing}, result);
  }
};

}  // namespace riffle::detail::rank
