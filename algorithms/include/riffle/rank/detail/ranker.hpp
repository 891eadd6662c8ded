#pragma once

// Rankers. A ranker computes the rank of an element from its index in sorted data and the
// boundaries of its run.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

/// The numbers of missing values before and after the elements that are ranked.
struct MissingCounts {
  std::uint64_t before;
  std::uint64_t after;

  /// Whether element i of n has a rank, that is, is not a missing value.
  KOKKOS_FUNCTION bool has_rank(std::uint64_t i, std::uint64_t n) const {
    return i >= before && i < n - after;
  }
};

/// The rank of the first element, and whether ranks are divided by the number of ranked elements.
struct Scale {
  std::int64_t first;
  bool is_relative;
};

/// The rank of an excluded missing value.
template <class Rank>
KOKKOS_FUNCTION constexpr Rank missing_rank() {
  if constexpr (std::is_floating_point_v<Rank>) {
    return static_cast<Rank>(hidden_nan());
  } else {
    return static_cast<Rank>(-1);
  }
}

/// Converts ranks that are counted from 0, among `count` elements, to the caller's scale.
template <class Rank>
class Scaling {
 public:
  explicit Scaling(Scale const& scale)
      : first_(static_cast<Rank>(scale.first)), is_relative_(scale.is_relative) {}

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(T const& rank0, std::uint64_t count) const {
    if constexpr (std::is_floating_point_v<Rank>) {
      double const rank = static_cast<double>(rank0) + static_cast<double>(first_);
      return static_cast<Rank>(is_relative_ ? rank / static_cast<double>(count) : rank);
    } else {
      return shifted(rank0, first_);
    }
  }

  /// Returns rank0 + first, a rank that is not relative.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static Rank shifted(T const& rank0, Rank first) {
    if constexpr (std::is_floating_point_v<Rank>) {
      return static_cast<Rank>(static_cast<double>(rank0) + static_cast<double>(first));
    } else {
      return static_cast<Rank>(static_cast<Rank>(rank0) + first);
    }
  }

  KOKKOS_FUNCTION Rank first() const { return first_; }
  KOKKOS_FUNCTION bool is_relative() const { return is_relative_; }

 private:
  Rank first_;
  bool is_relative_;
};

/// A rule for ties without relative ranks and without excluded values.
template <class Rule, class Rank_>
struct PlainRanker {
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  Rule rule;
  Rank first;

  KOKKOS_FUNCTION static constexpr bool has_rank(auto) { return true; }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    return Scaling<Rank>::shifted(rule(i, start, end), first);
  }
};

/// A rule for ties with a scale. If missing values are excluded, `missing` points to their counts,
/// which an earlier kernel writes to memory of the device; otherwise it is null.
template <class Rule, class Rank_>
class Ranker {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  Ranker(Rule const& rule, Scale const& scale, std::uint64_t n, MissingCounts const* missing)
      : rule_(rule), scaling_(scale), n_(n), missing_(missing) {}

  KOKKOS_FUNCTION bool excludes_missing() const { return missing_ != nullptr; }

  /// Whether plain() returns a ranker that computes the same ranks.
  KOKKOS_FUNCTION bool is_plain() const { return missing_ == nullptr && !scaling_.is_relative(); }
  KOKKOS_FUNCTION PlainRanker<Rule, Rank> plain() const { return {rule_, scaling_.first()}; }

  /// Whether element i is not an excluded missing value.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool has_rank(Index i) const {
    return missing_ == nullptr || missing_->has_rank(static_cast<std::uint64_t>(i), n_);
  }

  /// The rank of element i of a run start, ..., end - 1.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    if (missing_ != nullptr) return rank_among_others(i, start, end);
    return scaling_(rule_(i, start, end), n_);
  }

 private:
  template <class Index>
  KOKKOS_FUNCTION Rank rank_among_others(Index i, Index start, Index end) const {
    auto const before = static_cast<Index>(missing_->before);
    auto const others = static_cast<Index>(n_ - missing_->before - missing_->after);
    if (i < before || i - before >= others) return missing_rank<Rank>();
    return scaling_(rule_(static_cast<Index>(i - before), static_cast<Index>(start - before),
                          static_cast<Index>(end - before)),
                    static_cast<std::uint64_t>(others));
  }

  Rule rule_;
  Scaling<Rank> scaling_;
  std::uint64_t n_;
  MissingCounts const* missing_;
};

/// Computes the dense rank of an element from `runs`, the number of runs that begin at or before
/// the element, not counting the first run.
template <class Rank_>
class DenseRanker {
 public:
  using Rank = Rank_;

  DenseRanker(std::int64_t first, std::uint64_t n, MissingCounts const* missing)
      : first_(static_cast<Rank>(first)), n_(n), missing_(missing) {}

  KOKKOS_FUNCTION bool excludes_missing() const { return missing_ != nullptr; }

  /// The rank, if no values are excluded.
  KOKKOS_FORCEINLINE_FUNCTION Rank of_all(auto runs) const {
    return Scaling<Rank>::shifted(runs, first_);
  }

  /// The rank of element i, or missing_rank().
  KOKKOS_FUNCTION Rank operator()(std::uint64_t i, std::uint64_t runs) const {
    if (missing_ == nullptr) return of_all(runs);
    std::uint64_t const runs_before = missing_->before > 0 ? 1 : 0;
    return missing_->has_rank(i, n_) ? of_all(runs - runs_before) : missing_rank<Rank>();
  }

 private:
  Rank first_;
  std::uint64_t n_;
  MissingCounts const* missing_;
};

/// A sink that converts counts of runs to dense ranks, and writes these to another sink.
template <class Rank, class Sink, class Ranker = DenseRanker<Rank>>
class DenseRankSink {
 public:
  using Element = Rank;

  DenseRankSink(Sink const& sink, Ranker const& ranker) : sink_(sink), ranker_(ranker) {}

  KOKKOS_FUNCTION bool has_quads() const {
    return !ranker_.excludes_missing() && sink_.has_quads();
  }

  KOKKOS_FUNCTION void write_quad(std::uint64_t i, auto const (&runs)[quad_size]) const {
    Rank ranks[quad_size];
    to_ranks(runs, ranks);
    sink_.write_quad(i, ranks);
  }

  // Converts the counts of a quad to ranks. A kernel can then write these ranks to of_ranks()
  // itself.
  KOKKOS_FUNCTION void to_ranks(auto const (&runs)[quad_size], Rank (&ranks)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) ranks[e] = ranker_.of_all(runs[e]);
  }
  KOKKOS_FUNCTION Sink const& of_ranks() const { return sink_; }
  KOKKOS_FUNCTION Ranker const& ranker() const { return ranker_; }

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t runs) const {
    sink_(i, ranker_(i, runs));
  }

 private:
  Sink sink_;
  Ranker ranker_;
};

// --- relative dense ranks, which are divided by the rank of the last element ---

/// Stores the rank of the last element that is ranked.
template <class Sink>
struct StoreLastRank {
  Sink sink;
  std::uint64_t n;
  MissingCounts const* missing;
  double* last_rank;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    std::uint64_t const after = missing == nullptr ? 0 : missing->after;
    *last_rank = after < n ? static_cast<double>(sink.read(n - 1 - after)) : 1.0;
  }
};

/// Divides dense ranks, which are counted from `first`, by the number of distinct values.
template <class Sink>
struct DivideByLast {
  Sink sink;
  double first;
  double const* last_rank;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    double const count = *last_rank - first + 1.0;
    sink(i, static_cast<double>(sink.read(i)) / count);
  }
};

template <class Exec, class Sink>
void divide_by_last(Context<Exec> const& context, std::uint64_t n, Sink const& sink,
                    std::int64_t first, MissingCounts const* missing) {
  Scope scope(context);
  auto* const last_rank = scope.template take<double>(1);
  context.named("count").for_each(1, StoreLastRank<Sink>{sink, n, missing, last_rank});
  context.named("divide").for_each(n,
                                   DivideByLast<Sink>{sink, static_cast<double>(first), last_rank});
}

}  // namespace riffle::detail::rank
