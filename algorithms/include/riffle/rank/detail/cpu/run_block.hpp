#pragma once

// Finds the boundaries of runs among consecutive sorted elements, with vector instructions of a CPU. The first element
// of a run has a start mark: the index at which the run begins, plus 1. The last element of a run has an end mark: the
// bitwise complement of the index one past the run. The marks of all other elements are 0. A running maximum then
// carries the marks to the other elements of each run. Both maxima find the nearest bound: among the runs that begin at
// or before an element, the nearest has the greatest start; among the runs that end after it, the nearest has the least
// end, so the greatest complement.
//
//     elements                        a   a   b   b   b   c
//     start marks                     1   0   3   0   0   6
//     running maximum from the first  1   1   3   3   3   6     start + 1
//     end marks                       0  ~2   0   0  ~5  ~6
//     running maximum from the last  ~2  ~2  ~5  ~5  ~5  ~6     ~end

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

/// Whether elements of type T may be compared as words of 4 bytes. A block of floating-point elements must also contain
/// neither zeros nor NaNs (see choose_comparison()).
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

/// A block of consecutive elements. Finds the start and the end of each element's run, or the number of runs that begin
/// in the block at or before each element. Host only.
template <class Source, class Order, class Index>
class RunBlock {
  using T = typename Source::Item;

 public:
  /// The maximum number of elements in a block. If the source is not contiguous, they are copied to the stack of the
  /// thread.
  static constexpr std::size_t size = elements_of_block<T>;

  RunBlock(Source const& source, Order const& order, std::uint64_t n)
      : source_(source), order_(order), n_(n) {}

  /// Loads elements first, ..., first + count - 1, and the elements before and after them if these exist. Requires:
  /// 0 < count <= size.
  void read(std::uint64_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    has_before_ = first > 0;
    has_after_ = first + count < n_;
    if constexpr (AddressableSource<Source>) {
      if (source_.is_contiguous()) {
        x_ = source_.address(first);
      } else {
        copy_elements();
      }
    } else {
      copy_elements();
    }
    choose_comparison();
  }

  /// Computes start(k) for each element k. `carry` is the start of the first element's run. It is used only if that run
  /// begins before the block.
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

  /// Computes end(k) for each element k. `carry` is the end of the last element's run. It is used only if that run
  /// extends beyond the block.
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

  /// Returns the number of runs that begin in the block, not counting the first run of all elements.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count_runs() {
    if constexpr (has_words<T, Order>) {
      if (are_words_) return sum_of_flags<Words>();
    }
    std::uint32_t runs = begins_run(0) ? 1u : 0u;
    for (std::size_t k = 1; k < count_; ++k) runs += differ_here(x_[k - 1], x_[k]) ? 1u : 0u;
    return runs;
  }

  /// Computes runs(k) for each element k. Returns count_runs().
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

  /// The number of runs that begin in the block at or before element first() + k. Requires: number_runs() has been
  /// called.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t runs(std::size_t k) const { return starts_[k]; }

  /// Where the run that contains element first() + k begins. Requires: find_starts() has been called.
  KOKKOS_FORCEINLINE_FUNCTION Index start(std::size_t k) const {
    std::uint32_t const mark = starts_[k];
    if constexpr (marks_places) return static_cast<Index>(mark - 1);
    return mark == 0 ? carry_start_ : static_cast<Index>(first_ + mark - 1);
  }

  /// Where the run that contains element first() + k ends. Requires: find_ends() has been called.
  KOKKOS_FORCEINLINE_FUNCTION Index end(std::size_t k) const {
    std::uint32_t const mark = ends_[k];
    if constexpr (marks_places) return static_cast<Index>(~mark);
    return mark == 0 ? carry_end_ : static_cast<Index>(first_ + ~mark);
  }

 private:
  // Whether marks are made from the indices that elements have in the whole array, which requires that these indices
  // fit in 32 bits. Otherwise marks are made from indices within the block; a mark that is still 0 after the running
  // maximum then means that the bound is the carry.
  static constexpr bool marks_places = sizeof(Index) == 4;

  void copy_elements() {
    T* const copy = copy_ + 1;
    if (has_before_) copy[-1] = source_(first_ - 1);
    for (std::size_t k = 0; k < count_ + (has_after_ ? 1 : 0); ++k) copy[k] = source_(first_ + k);
    x_ = copy;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t place(std::size_t k) const {
    return static_cast<std::uint32_t>(marks_places ? first_ + k : k);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t start_mark(std::size_t k) const { return place(k) + 1; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t end_mark(std::size_t k) const {
    return ~(place(k) + 1);
  }

  /// Calls use(k, is_apart) for 0 < k < count(), where is_apart is true if elements k - 1 and k are not tied. There is
  /// no branch on is_apart, because it would often be mispredicted. NaNs are tested for outside of the loop, so that
  /// compilers can vectorize the loop.
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

  // The marks are computed by functions, not lambdas, because a lambda does not have the target attribute of the
  // function around it, and would return a vector by the calling convention of processors without such vectors.

  /// The start marks of elements k, ..., k + width - 1. Requires: k > 0. `Compares`: true if this function compares
  /// neighbours as words; false if it loads marks that are already in starts_.
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION Words start_marks(std::size_t k) const {
    if constexpr (Compares) {
      return Words::iota(start_mark(k)).where(words<Words>(k - 1) ^ words<Words>(k));
    } else {
      return Words::load(starts_ + k);
    }
  }

  /// The end marks of elements k, ..., k + width - 1. Requires: k + width < count().
  template <class Words, bool Compares>
  KOKKOS_FORCEINLINE_FUNCTION Words end_marks(std::size_t k) const {
    if constexpr (Compares) {
      Words const marks = Words::iota(place(k) + 1) ^ ~std::uint32_t{0};
      return marks.where(words<Words>(k) ^ words<Words>(k + 1));
    } else {
      return Words::load(ends_ + k);
    }
  }

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
      // x.of_last_lane() is the maximum of this step's marks alone, so it does not depend on `before`. Therefore the
      // chain of dependent operations from one step to the next is a single max().
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
      bool const has_next = k + 1 < count_ || has_after_;
      if (has_next && differ_here(x_[k], x_[k + 1])) mark = end_mark(k);
      ends_[k] = mark;
    };
    step_alone();
    Words after = Words::broadcast(mark);
    for (; k >= Words::width; k -= Words::width) {
      Words const x = maxima_from_last(end_marks<Words, Compares>(k - Words::width));
      max(x, after).store(ends_ + k - Words::width);
      after = max(after, x.of_first_lane());
    }
    mark = ends_[k];
    while (k > 0) step_alone();
  }

  KOKKOS_FORCEINLINE_FUNCTION bool begins_run(std::size_t k) const {
    // For k = 0, x_ + k - 1 is the element before the block. x_[k - 1] would wrap around to the index 2^64 - 1.
    return (k > 0 || has_before_) && differ_here(*(x_ + k - 1), x_[k]);
  }

  /// 1 for each of the elements k, ..., k + width - 1 that begins a run, otherwise 0. Requires: k > 0.
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
      // x.of_last_lane() is the sum of this step's flags alone, so it does not depend on `before`. Therefore the chain
      // of dependent operations from one step to the next is a single addition.
      before = before + x.of_last_lane();
    }
    runs = starts_[k - 1];
    for (; k < count; ++k) {
      runs += begins_run(k) ? 1u : 0u;
      starts_[k] = runs;
    }
    return runs;
  }

  /// Finds whether elements can be compared as words, and whether there are NaNs. Because elements are sorted, the
  /// first and the last element determine both.
  void choose_comparison() {
    T const& first = *(x_ - (has_before_ ? 1 : 0));
    T const& last = x_[has_after_ ? count_ : count_ - 1];
    has_nans_ = detail::is_nan(first) || detail::is_nan(last);
    if constexpr (has_words<T, Order>) {
      are_words_ = !has_nans_ && (std::is_integral_v<T> || (first > T(0) && last > T(0)) ||
                                  (first < T(0) && last < T(0)));
    }
  }

  /// Whether neighbours are not tied. Compilers move the test of has_nans_ out of loops.
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
  bool has_after_ = false;
  bool are_words_ = false;
  bool has_nans_ = false;
  Index carry_start_ = 0;
  Index carry_end_ = 0;
  T const* x_ = nullptr;
  alignas(backend::cache_line) std::uint32_t starts_[size];
  alignas(backend::cache_line) std::uint32_t ends_[size];
  T copy_[size + 2];
};

// --- writes of ranks. Ranks that do not fit in the last-level cache are collected in a block, which is then written with
//     non-temporal stores. These do not read the memory first, and take half the time of ordinary stores. Host only ---

/// A block in which ranks are collected before they are written with non-temporal stores.
template <class Rank, std::size_t size>
struct StagedRanks {
  alignas(backend::cache_line) Rank x[size];
};

/// Whether n ranks are written with non-temporal stores. Requires: the sink is contiguous.
template <class Rank, class Sink>
bool streams_ranks(Sink const& sink, std::uint64_t n) {
  return backend::can_stream_to(sink.address(0)) &&
         n * sizeof(Rank) > backend::last_level_cache() / 2;
}

/// ranks[k] = rank_of(k) for k < count. Requires: count <= size.
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
