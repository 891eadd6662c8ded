#pragma once

// Ranks of sorted data on a CPU: J. Liang et al. (riffle/rank.hpp), section III.D. Each thread has segments
// of consecutive elements, and searches for where the run begins that reaches into one. Where the paper goes
// on element by element, with a branch that is often foreseen wrongly, vectors go on here: the place of each
// element that begins a run, and 0 elsewhere, and of that the running maximum.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/detail/rank/search.hpp>
#include <riffle/detail/run_by_caller.hpp>
#include <riffle/lanes.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::rank {

/// Replaces marks by their running maxima.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION void scan_maxima(std::uint32_t* marks, std::size_t count) {
  Words before = Words::broadcast(0);
  for (std::size_t k = 0; k < count; k += Words::width) {
    Words x = Words::load(marks + k);
    x = max(x, x.template shifted_up<1>());
    x = max(x, x.template shifted_up<2>());
    if constexpr (Words::width > 4) x = max(x, x.template shifted_up<4>());
    if constexpr (Words::width > 8) x = max(x, x.template shifted_up<8>());
    x = max(x, before);
    x.store(marks + k);
    before = x.of_last_lane();
  }
}

/// Some consecutive elements: of each, where its run begins and ends. Host only.
template <class Source, class Order, class Index>
class Block {
 public:
  static constexpr std::size_t size = 1024;

  Block(Source const& source, Order const& order, std::uint64_t n)
      : source_(source), order_(order), n_(n) {}

  /// The elements first, ..., first + count - 1, with count <= size, and their neighbours.
  void read(std::uint64_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    has_before_ = first > 0;
    has_behind_ = first + count < n_;
    if constexpr (Source::has_addresses) {
      if (source_.is_contiguous()) {
        x_ = source_.address(first);
        return;
      }
    }
    T* const copy = copy_ + 1;
    if (has_before_) copy[-1] = source_(first - 1);
    for (std::size_t k = 0; k < count + (has_behind_ ? 1 : 0); ++k) copy[k] = source_(first + k);
    x_ = copy;
  }

  /// `carry`: where the run of the first begins, if it does not there.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void find_starts(Index carry) {
    Order const order = order_;
    T const* const x = x_;
    marks_[0] = has_before_ && differ(order, x[-1], x[0]) ? 1 : 0;
    for (std::size_t k = 1; k < count_; ++k) {
      marks_[k] = differ(order, x[k - 1], x[k]) ? static_cast<std::uint32_t>(k + 1) : 0;
    }
    scan_maxima<Words>(marks_, count_);
    auto const before = static_cast<Index>(static_cast<Index>(first_) - 1);
    for (std::size_t k = 0; k < count_; ++k) {
      auto const mark = static_cast<Index>(marks_[k]);
      starts_[k] = mark == 0 ? carry : static_cast<Index>(before + mark);
    }
  }

  /// `carry`: where the run of the last of them ends, if that is beyond them. The places are found backwards.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void find_ends(Index carry) {
    Order const order = order_;
    T const* const x = x_;
    std::size_t const last = count_ - 1;
    marks_[0] = has_behind_ && differ(order, x[last], x[last + 1]) ? 1 : 0;
    for (std::size_t k = 0; k < last; ++k) {
      marks_[last - k] =
          differ(order, x[k], x[k + 1]) ? static_cast<std::uint32_t>(last - k + 1) : 0;
    }
    scan_maxima<Words>(marks_, count_);
    auto const behind = static_cast<Index>(first_ + count_ + 1);
    for (std::size_t k = 0; k < count_; ++k) {
      auto const mark = static_cast<Index>(marks_[last - k]);
      ends_[k] = mark == 0 ? carry : static_cast<Index>(behind - mark);
    }
  }

  std::uint64_t first() const { return first_; }
  std::size_t count() const { return count_; }
  Index const* starts() const { return starts_; }
  Index const* ends() const { return ends_; }

 private:
  using T = typename Source::Item;

  Source const& source_;
  Order const& order_;
  std::uint64_t n_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  bool has_before_ = false;
  bool has_behind_ = false;
  T const* x_ = nullptr;
  alignas(lanes::cache_line) std::uint32_t marks_[size];
  Index starts_[size];
  Index ends_[size];
  T copy_[size + 2];
};

/// Ranks of n > 0 sorted elements, segment by segment.
template <class Source, class Order, class Ranker, class Sink, class Index>
class RankBySegments {
 public:
  RankBySegments(std::uint64_t n, std::uint64_t segment_size, Source const& source,
                 Order const& order, Ranker const& ranker, Sink const& sink)
      : n_(n),
        segment_size_(segment_size),
        source_(source),
        order_(order),
        ranker_(ranker),
        sink_(sink) {}

  std::uint64_t segments() const { return (n_ + segment_size_ - 1) / segment_size_; }

  void run() const { rank(0, n_); }

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t segment) const {
    KOKKOS_IF_ON_HOST(
        (rank(segment * segment_size_, Kokkos::min(n_, (segment + 1) * segment_size_));))
  }

 private:
  using Elements = Block<Source, Order, Index>;

  struct RankBlock {
    RankBySegments const& kernel;
    Elements& block;
    Index start;
    Index end;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      if constexpr (Ranker::needs_start) block.template find_starts<Words>(start);
      if constexpr (Ranker::needs_end) block.template find_ends<Words>(end);
      kernel.write(block);
    }
  };

  void rank(std::uint64_t begin, std::uint64_t end) const {
    Elements block(source_, order_, n_);
    std::uint64_t start = Ranker::needs_start ? start_of(begin) : 0;
    std::uint64_t run_end = 0;
    for (std::uint64_t first = begin; first < end; first += Elements::size) {
      block.read(first,
                 static_cast<std::size_t>(std::min<std::uint64_t>(Elements::size, end - first)));
      std::uint64_t const last = first + block.count() - 1;
      if (Ranker::needs_end && run_end <= last) run_end = end_of(last);
      lanes::call_with_words(
          RankBlock{*this, block, static_cast<Index>(start), static_cast<Index>(run_end)});
      if (Ranker::needs_start)
        start = static_cast<std::uint64_t>(block.starts()[block.count() - 1]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(Elements const& block) const {
    // Of their own, so that no store is taken to change them.
    Ranker const ranker = ranker_;
    Sink const sink = sink_;
    std::uint64_t const first = block.first();
    std::size_t const count = block.count();
    auto const base = static_cast<Index>(first);
    auto const rank_of = [&](std::size_t k, auto const& rule) {
      auto const i = static_cast<Index>(base + static_cast<Index>(k));
      Index const start = Ranker::needs_start ? block.starts()[k] : i;
      Index const end = Ranker::needs_end ? block.ends()[k] : i;
      return rule(i, start, end);
    };
    if (ranker.excludes_missing()) {
      for (std::size_t k = 0; k < count; ++k) sink(first + k, rank_of(k, ranker));
      return;
    }
    if constexpr (Sink::has_addresses) {
      if (sink.is_contiguous()) {
        auto* const ranks = sink.address(first);
        for (std::size_t k = 0; k < count; ++k) ranks[k] = rank_of(k, ranker.of_all());
        return;
      }
    }
    for (std::size_t k = 0; k < count; ++k) sink(first + k, rank_of(k, ranker.of_all()));
  }

  // Where the run of element i begins, and ends.
  std::uint64_t start_of(std::uint64_t i) const {
    return i - run_length(
                   i, [&](std::uint64_t k) { return !differ(order_, source_(i - k), source_(i)); });
  }
  std::uint64_t end_of(std::uint64_t i) const {
    return i + 1 + run_length(n_ - 1 - i, [&](std::uint64_t k) {
             return !differ(order_, source_(i), source_(i + k));
           });
  }

  std::uint64_t n_;
  std::uint64_t segment_size_;
  Source source_;
  Order order_;
  Ranker ranker_;
  Sink sink_;
};

/// A few segments for each thread, so that the last to end is soon waited for; of few elements, one.
inline std::uint64_t segment_size(std::uint64_t n, std::uint64_t threads) {
  constexpr std::uint64_t fewest = std::uint64_t{1} << 14;
  constexpr std::uint64_t per_thread = 8;
  constexpr std::uint64_t line = 1024;
  std::uint64_t const wanted = threads == 1 ? n : std::max(fewest, n / (per_thread * threads));
  return (wanted + line - 1) / line * line;
}

template <class Index, class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_segments(std::string const& label, Exec const& exec, std::uint64_t n,
                      Source const& source, Order const& order, Ranker const& ranker,
                      Sink const& sink) {
  using Kernel = RankBySegments<Source, Order, Ranker, Sink, Index>;
  auto const threads = static_cast<std::uint64_t>(exec.concurrency());
  Kernel const kernel(n, segment_size(n, threads), source, order, ranker, sink);
  if (kernel.segments() == 1) {
    run_by_caller(label, exec, kernel);
  } else {
    Kokkos::parallel_for(label, dynamic_range(exec, 0, kernel.segments()), kernel);
  }
}

}  // namespace riffle::detail::rank
