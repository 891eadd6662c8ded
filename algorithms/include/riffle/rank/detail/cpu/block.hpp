#pragma once

// Where the runs of some consecutive sorted elements begin and end, found by the vectors of a CPU: elements that begin
// a run, or end one, get a mark, others 0, and a running maximum hands the marks on. A mark is one more than the place
// where a run begins, or the complement of the place behind its end, so that the nearest mark is the greatest.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

/// Whether elements can be compared as words; floating-point ones can where neither zeros nor NaNs are among them.
template <class T, class Order>
inline constexpr bool has_words = is_numerical_order<Order> && sizeof(T) == 4 &&
                                  (std::is_same_v<T, float> ||
                                   (std::is_integral_v<T> && !std::is_same_v<T, bool>));

template <class Words>
KOKKOS_FORCEINLINE_FUNCTION Words maxima_from_first(Words const& marks) {
  Words x = marks;
  x = max(x, x.template shifted_up<1>());
  x = max(x, x.template shifted_up<2>());
  if constexpr (Words::width > 4) x = max(x, x.template shifted_up<4>());
  if constexpr (Words::width > 8) x = max(x, x.template shifted_up<8>());
  return x;
}

template <class Words>
KOKKOS_FORCEINLINE_FUNCTION Words maxima_from_last(Words const& marks) {
  Words x = marks;
  x = max(x, x.template shifted_down<1>());
  x = max(x, x.template shifted_down<2>());
  if constexpr (Words::width > 4) x = max(x, x.template shifted_down<4>());
  if constexpr (Words::width > 8) x = max(x, x.template shifted_down<8>());
  return x;
}

template <class Words>
KOKKOS_FORCEINLINE_FUNCTION Words sums_from_first(Words const& numbers) {
  Words x = numbers;
  x = x + x.template shifted_up<1>();
  x = x + x.template shifted_up<2>();
  if constexpr (Words::width > 4) x = x + x.template shifted_up<4>();
  if constexpr (Words::width > 8) x = x + x.template shifted_up<8>();
  return x;
}

/// Some consecutive elements, with the beginning and the end of each one's run, or how many runs begin at or before it. Host
/// only.
template <class Source, class Order, class Index>
class Block {
  using T = typename Source::Item;

 public:
  /// On a thread's stack there is a copy of so many elements.
  static constexpr std::size_t size = elements_of_block<T>;

  Block(Source const& source, Order const& order, std::uint64_t n)
      : source_(source), order_(order), n_(n) {}

  /// The elements first, ..., first + count - 1, with 0 < count <= size, and their neighbours.
  void read(std::uint64_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    has_before_ = first > 0;
    has_behind_ = first + count < n_;
    if constexpr (AddressableSource<Source>) {
      if (source_.is_contiguous()) {
        x_ = source_.address(first);
      } else {
        copy_elements();
      }
    } else {
      copy_elements();
    }
    look_at_ends();
  }

  /// `carry`: where the run of the first element begins, if it begins before that element.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void find_starts(Index carry) {
    carry_start_ = carry;
    if constexpr (has_words<T, Order>) {
      if (are_words_) return scan_starts<Words, true>();
    }
    for_each_pair([&](std::size_t k, bool is_apart) {
      starts_[k] = start_mark(k) * static_cast<std::uint32_t>(is_apart);
    });
    scan_starts<Words, false>();
  }

  /// `carry`: where the run of the last element ends, if it ends beyond that element.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void find_ends(Index carry) {
    carry_end_ = carry;
    if constexpr (has_words<T, Order>) {
      if (are_words_) return scan_ends<Words, true>();
    }
    for_each_pair([&](std::size_t k, bool is_apart) {
      ends_[k - 1] = end_mark(k - 1) * static_cast<std::uint32_t>(is_apart);
    });
    scan_ends<Words, false>();
  }

  /// Counts the runs that begin at one of the elements, the first of all elements left out.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count_runs() {
    if constexpr (has_words<T, Order>) {
      if (are_words_) return sum_of_flags<Words>();
    }
    std::uint32_t runs = begins_run(0) ? 1u : 0u;
    for (std::size_t k = 1; k < count_; ++k) runs += differ_here(x_[k - 1], x_[k]) ? 1u : 0u;
    return runs;
  }

  /// Finds for each element how many runs begin at or before it in the block; returns how many begin in all of it.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t number_runs() {
    if constexpr (has_words<T, Order>) {
      if (are_words_) return scan_flags<Words, true>();
    }
    for (std::size_t k = 1; k < count_; ++k) starts_[k] = differ_here(x_[k - 1], x_[k]) ? 1u : 0u;
    return scan_flags<Words, false>();
  }

  KOKKOS_FUNCTION std::uint64_t first() const { return first_; }
  KOKKOS_FUNCTION std::size_t count() const { return count_; }

  /// How many runs begin in the block at or before element first() + k. Requires number_runs().
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t runs(std::size_t k) const { return starts_[k]; }

  /// Where the run of element first() + k begins. Requires find_starts().
  KOKKOS_FORCEINLINE_FUNCTION Index start(std::size_t k) const {
    std::uint32_t const mark = starts_[k];
    if constexpr (marks_places) return static_cast<Index>(mark - 1);
    return mark == 0 ? carry_start_ : static_cast<Index>(first_ + mark - 1);
  }

  /// Where the run of element first() + k ends. Requires find_ends().
  KOKKOS_FORCEINLINE_FUNCTION Index end(std::size_t k) const {
    std::uint32_t const mark = ends_[k];
    if constexpr (marks_places) return static_cast<Index>(~mark);
    return mark == 0 ? carry_end_ : static_cast<Index>(first_ + ~mark);
  }

 private:
  // Whether marks count places among all elements; where words cannot count these, marks count places in the block.
  static constexpr bool marks_places = sizeof(Index) == 4;

  void copy_elements() {
    T* const copy = copy_ + 1;
    if (has_before_) copy[-1] = source_(first_ - 1);
    for (std::size_t k = 0; k < count_ + (has_behind_ ? 1 : 0); ++k) copy[k] = source_(first_ + k);
    x_ = copy;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t place(std::size_t k) const {
    return static_cast<std::uint32_t>(marks_places ? first_ + k : k);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t start_mark(std::size_t k) const { return place(k) + 1; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t end_mark(std::size_t k) const {
    return ~(place(k) + 1);
  }

  /// Calls use(k, whether elements k - 1 and k are not tied) for 0 < k < count(). The loop asks for NaNs once, and has no
  /// branches, so that compilers make vectors of it: a branch on whether elements are tied could not be predicted.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(Use const& use) const {
    T const* const x = x_;
    std::size_t const count = count_;
    if constexpr (is_numerical_order<Order> && is_floating_point<T>) {
      if (!has_nans_) {
        for (std::size_t k = 1; k < count; ++k) use(k, x[k - 1] != x[k]);
        return;
      }
    }
    for (std::size_t k = 1; k < count; ++k) use(k, differ(order_, x[k - 1], x[k]));
  }

  // These are inlined functions, not lambdas: a vector that a lambda returned would be returned as on a processor
  // without such vectors.

  /// The marks of the elements k, ..., k + width - 1, none of which is the first.
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION Words start_marks(std::size_t k) const {
    if constexpr (Compares) {
      return Words::iota(start_mark(k)).where(words<Words>(k - 1) ^ words<Words>(k));
    } else {
      return Words::load(starts_ + k);
    }
  }

  /// The end marks of as many elements, none of which is the last.
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION Words end_marks(std::size_t k) const {
    if constexpr (Compares) {
      Words const marks = Words::iota(place(k) + 1) ^ ~std::uint32_t{0};
      return marks.where(words<Words>(k) ^ words<Words>(k + 1));
    } else {
      return Words::load(ends_ + k);
    }
  }

  /// `Compares`: neighbours are compared as words here; else their marks have been stored.
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION void scan_starts() {
    std::uint32_t mark = marks_places ? static_cast<std::uint32_t>(carry_start_) + 1 : 0;
    std::size_t k = 0;
    auto const step_alone = [&] {
      if (begins_run(k)) mark = start_mark(k);
      starts_[k++] = mark;
    };
    step_alone();
    Words before = Words::broadcast(mark);
    std::size_t const count = count_;
    for (; k + Words::width <= count; k += Words::width) {
      Words const x = maxima_from_first(start_marks<Words, Compares>(k));
      max(x, before).store(starts_ + k);
      // A maximum over these marks alone, so that the next step waits for one maximum only.
      before = max(before, x.of_last_lane());
    }
    mark = starts_[k - 1];
    while (k < count) step_alone();
  }

  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION void scan_ends() {
    std::uint32_t mark = marks_places ? ~static_cast<std::uint32_t>(carry_end_) : 0;
    std::size_t k = count_;
    auto const step_alone = [&] {
      --k;
      bool const has_next = k + 1 < count_ || has_behind_;
      if (has_next && differ_here(x_[k], x_[k + 1])) mark = end_mark(k);
      ends_[k] = mark;
    };
    step_alone();
    Words behind = Words::broadcast(mark);
    for (; k >= Words::width; k -= Words::width) {
      Words const x = maxima_from_last(end_marks<Words, Compares>(k - Words::width));
      max(x, behind).store(ends_ + k - Words::width);
      behind = max(behind, x.of_first_lane());
    }
    mark = ends_[k];
    while (k > 0) step_alone();
  }

  KOKKOS_FORCEINLINE_FUNCTION bool begins_run(std::size_t k) const {
    // The one before the block by a signed step: x_[k - 1] would add 2^64 - 1.
    return (k > 0 || has_before_) && differ_here(*(x_ + k - 1), x_[k]);
  }

  /// 1 for each of the elements k, ..., k + width - 1 that begins a run, none of which is the first.
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION Words flags(std::size_t k) const {
    if constexpr (Compares) {
      return min(words<Words>(k - 1) ^ words<Words>(k), Words::broadcast(1));
    } else {
      return Words::load(starts_ + k);
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum_of_flags() const {
    Words sums = Words::broadcast(0);
    std::size_t const count = count_;
    std::size_t k = 1;
    for (; k + Words::width <= count; k += Words::width) sums = sums + flags<Words, true>(k);
    std::uint32_t lanes[Words::width];
    sums.store(lanes);
    std::uint32_t runs = begins_run(0) ? 1u : 0u;
    for (std::uint32_t const lane : lanes) runs += lane;
    for (; k < count; ++k) runs += begins_run(k) ? 1u : 0u;
    return runs;
  }

  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scan_flags() {
    std::uint32_t runs = begins_run(0) ? 1u : 0u;
    starts_[0] = runs;
    Words before = Words::broadcast(runs);
    std::size_t const count = count_;
    std::size_t k = 1;
    for (; k + Words::width <= count; k += Words::width) {
      Words const x = sums_from_first(flags<Words, Compares>(k));
      (before + x).store(starts_ + k);
      // A sum of these flags alone, so that the next step waits for one addition only.
      before = before + x.of_last_lane();
    }
    runs = starts_[k - 1];
    for (; k < count; ++k) {
      runs += begins_run(k) ? 1u : 0u;
      starts_[k] = runs;
    }
    return runs;
  }

  /// The elements are sorted, so that the first and the last tell whether equal bits are the only ties, and whether
  /// there are NaNs.
  void look_at_ends() {
    T const& first = *(x_ - (has_before_ ? 1 : 0));
    T const& last = x_[has_behind_ ? count_ : count_ - 1];
    has_nans_ = detail::is_nan(first) || detail::is_nan(last);
    if constexpr (has_words<T, Order>) {
      are_words_ = !has_nans_ && (std::is_integral_v<T> || (first > T(0) && last > T(0)) ||
                                  (first < T(0) && last < T(0)));
    }
  }

  /// Whether neighbours do not tie. A compiler takes the question for NaNs out of loops.
  KOKKOS_FORCEINLINE_FUNCTION bool differ_here(T const& a, T const& b) const {
    if constexpr (is_numerical_order<Order> && is_floating_point<T>) {
      if (!has_nans_) return a != b;
    }
    return differ(order_, a, b);
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION Words words(std::size_t k) const {
    return Words::load(reinterpret_cast<std::uint32_t const*>(x_ + k));
  }

  Source const& source_;
  Order const& order_;
  std::uint64_t n_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  bool has_before_ = false;
  bool has_behind_ = false;
  bool are_words_ = false;
  bool has_nans_ = false;
  Index carry_start_ = 0;
  Index carry_end_ = 0;
  T const* x_ = nullptr;
  alignas(backend::cache_line) std::uint32_t starts_[size];
  alignas(backend::cache_line) std::uint32_t ends_[size];
  T copy_[size + 2];
};

// --- how ranks are written: those that do not fit a cache past it, a block at a time, since memory that is not read
//     first costs half as much to write. Host only ---

/// Ranks on their way to memory.
template <class Rank, std::size_t size>
struct StagedRanks {
  alignas(backend::cache_line) Rank x[size];
};

/// Whether n ranks are written past the caches, through an AddressableSink that is contiguous.
template <class Rank, class Sink>
bool streams_ranks(Sink const& sink, std::uint64_t n) {
  return backend::can_stream_to(sink.address(0)) &&
         n * sizeof(Rank) > backend::last_level_cache() / 2;
}

/// ranks[k] = rank_of(k) for k < count, which is at most the size of `staged`.
template <class Rank, std::size_t size, class RankOf>
KOKKOS_FORCEINLINE_FUNCTION void write_ranks(Rank* ranks, std::size_t count, RankOf const& rank_of,
                                             StagedRanks<Rank, size>& staged, bool streams) {
  if (streams) {
    for (std::size_t k = 0; k < count; ++k) staged.x[k] = rank_of(k);
    KOKKOS_IF_ON_HOST((backend::stream_copy(ranks, staged.x, count * sizeof(Rank));))
  } else {
    for (std::size_t k = 0; k < count; ++k) ranks[k] = rank_of(k);
  }
}

}  // namespace riffle::detail::rank
