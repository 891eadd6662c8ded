#pragma once

// Competition ranks by a scan of words that contain an index and a flag, for comparison:
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array" [1], section III.B.
//
// The scan moves one word for each element, whereas the other algorithms mark runs with one bit per
// element. DefaultRanking never uses it, because it is slower (perf/rank/rank.cpp).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle {

namespace detail::rank {

/// Returns the word of element i. If a run starts at the element, the word is i with the highest bit set as a flag;
/// otherwise it is 0. (Instead of 0, the paper uses an index that does not occur.)
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

/// The scan operation: returns the right one of two words if it has a flag, otherwise the left one. Its identity is a
/// word without a flag.
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

}  // namespace detail::rank

/// [1], section III.B: competition ranks by a scan of words that contain an index and a flag. Words
/// have 32 bits if n <= 2^31, otherwise 64. Riffle's scan takes one pass; the paper's scan takes
/// several.
struct PackedScanRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(Context<Exec> const& context, std::uint64_t n, Source const& source, Order const& order,
            Ranker const& ranker, Sink const& sink) const {
    static_assert(!Ranker::needs_end,
                  "riffle: PackedScanRanking knows where ties begin, not where they end");
    detail::rank::rank_by_packed_scan(context, n, source, order, ranker, sink);
  }

  /// Grows the workspace such that n elements can be ranked without allocations.
  template <class Exec>
  void reserve(Context<Exec> const& context, std::uint64_t n) const {
    if (n <= std::uint64_t{1} << 31) {
      detail::scan::reserve_messages<detail::rank::LastFlagged<std::uint32_t>>(context, n);
    } else {
      detail::scan::reserve_messages<detail::rank::LastFlagged<std::uint64_t>>(context, n);
    }
  }
};

}  // namespace riffle
