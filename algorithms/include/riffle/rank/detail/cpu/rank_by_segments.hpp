#pragma once

// Ranks of sorted data on a CPU: J. Liang et al. (riffle/rank/ranking_methods.hpp), section III.D.
// Each thread processes segments of consecutive elements. For each segment, it searches for the
// start of the run that extends into the segment. The paper then proceeds element by element, with
// a branch that is often mispredicted; here vector instructions find the runs (run_block.hpp).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/cpu/run_block.hpp>
#include <riffle/rank/detail/run_search.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/tuning.hpp>

namespace riffle::detail::rank {

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
        sink_(sink) {
    if constexpr (AddressableSink<Sink>) {
      streams_ = sink_.is_contiguous() && streams_ranks<Rank>(sink_, n_);
    }
  }

  std::uint64_t segments() const { return (n_ + segment_size_ - 1) / segment_size_; }

  void operator()(std::uint64_t segment) const {
    rank(segment * segment_size_, std::min(n_, (segment + 1) * segment_size_));
  }

 private:
  using Elements = RunBlock<Source, Order, Index>;
  using Rank = typename Ranker::Rank;

  using Ranks = StagedRanks<Rank, Elements::size>;

  struct RankBlock {
    RankBySegments const& kernel;
    Elements& block;
    Ranks& ranks;
    Index start;
    Index end;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      if constexpr (Ranker::needs_start) block.template find_starts<Words>(start);
      if constexpr (Ranker::needs_end) block.template find_ends<Words>(end);
      kernel.write(block, ranks);
    }
  };

  void rank(std::uint64_t begin, std::uint64_t end) const {
    Elements block(source_, order_, n_);
    Ranks ranks;
    std::uint64_t start = Ranker::needs_start ? start_of(begin) : 0;
    std::uint64_t run_end = 0;
    [[maybe_unused]] TieStatistics ties;
    for (std::uint64_t first = begin; first < end; first += Elements::size) {
      block.read(first,
                 static_cast<std::size_t>(std::min<std::uint64_t>(Elements::size, end - first)));
      std::uint64_t const last = first + block.count() - 1;
      if (Ranker::needs_end && run_end <= last) run_end = end_of(last);
      backend::call_with_words(
          RankBlock{*this, block, ranks, static_cast<Index>(start), static_cast<Index>(run_end)});
      if (Ranker::needs_start) start = static_cast<std::uint64_t>(block.start(block.count() - 1));
      if constexpr (counts_ties<Ranker>) ties.add(ties_of(block));
    }
    if constexpr (counts_ties<Ranker>) ranker_.slots().add(begin / segment_size_, ties);
    if (streams_) backend::finish_streams();
  }

  TieStatistics ties_of(Elements const& block) const {
    std::uint64_t const longest =
        block.first() + block.count() - static_cast<std::uint64_t>(block.start(0));
    // An element adds k (k + 1) with k < `longest`, and a block has at most 2^10 elements. If
    // `longest` < 2^26, the sum is below 2^62.
    bool const is_narrow = longest < std::uint64_t{1} << 26;
    return is_narrow ? tally<std::uint64_t>(block) : tally<uint128>(block);
  }

  template <class Sum>
  TieStatistics tally(Elements const& block) const {
    Tally<Index, Sum> found;
    auto const base = static_cast<Index>(block.first());
    auto const add = [&](std::size_t k) {
      found.add(static_cast<Index>(base + static_cast<Index>(k) - block.start(k)));
    };
    if (ranker_.excludes_missing()) {
      for (std::size_t k = 0; k < block.count(); ++k) {
        if (ranker_.has_rank(block.first() + k)) add(k);
      }
    } else {
      for (std::size_t k = 0; k < block.count(); ++k) add(k);
    }
    return found.statistics();
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(Elements const& block, Ranks& staged) const {
    // A local copy, so that the compiler knows that no store of a rank changes it.
    Ranker const ranker = ranker_;
    if constexpr (requires { ranker.plain(); }) {
      if (ranker.is_plain()) return write_by(ranker.plain(), block, staged);
    }
    write_by(ranker, block, staged);
  }

  template <class Rule>
  KOKKOS_FORCEINLINE_FUNCTION void write_by(Rule const& rule, Elements const& block,
                                            Ranks& staged) const {
    Sink const sink = sink_;
    std::uint64_t const first = block.first();
    std::size_t const count = block.count();
    auto const base = static_cast<Index>(first);
    auto const rank_of = [&](std::size_t k) {
      auto const i = static_cast<Index>(base + static_cast<Index>(k));
      Index const start = Ranker::needs_start ? block.start(k) : i;
      Index const end = Ranker::needs_end ? block.end(k) : i;
      return rule(i, start, end);
    };
    if constexpr (AddressableSink<Sink>) {
      if (sink.is_contiguous()) {
        write_ranks(sink.address(first), count, rank_of, staged, streams_);
        return;
      }
    }
    for (std::size_t k = 0; k < count; ++k) sink(first + k, rank_of(k));
  }

  // The start and the end of the run that contains element i.
  KOKKOS_FUNCTION std::uint64_t start_of(std::uint64_t i) const {
    return i - run_length(
                   i, [&](std::uint64_t k) { return !differ(order_, source_(i - k), source_(i)); });
  }
  KOKKOS_FUNCTION std::uint64_t end_of(std::uint64_t i) const {
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
  bool streams_ = false;
};

/// The number of elements in a segment. With one thread, one segment contains all elements.
inline std::uint64_t segment_size(std::uint64_t n, std::uint64_t threads) {
  std::uint64_t const wanted =
      threads == 1 ? n : std::max(+min_segment, n / (segments_per_thread * threads));
  return (wanted + segment_unit - 1) / segment_unit * segment_unit;
}

template <class Index, class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_segments(Context<Exec> const& context, std::uint64_t n, Source const& source,
                      Order const& order, Ranker const& ranker, Sink const& sink) {
  using Kernel = RankBySegments<Source, Order, Ranker, Sink, Index>;
  auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
  Kernel const kernel(n, segment_size(n, threads), source, order, ranker, sink);
  if (kernel.segments() == 1) {
    run_on_calling_thread(context, kernel);
  } else {
    for_each_dynamic(context, kernel.segments(), kernel);
  }
}

}  // namespace riffle::detail::rank
