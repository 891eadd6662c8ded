#pragma once

// Runs the replicates of a permutation test in batches, one kernel for each batch, and counts or stores the results.
//
// A *replicate source* computes the test statistic of replicate r. There are two kinds. A source per lane has
//   template <int Width> void operator()(std::uint64_t first, double (&test_statistics)[Width]) const,
// which writes the test statistics of replicates first, ..., first + Width - 1, for Width <= max_width. A source per
// team has
//   double operator()(Member const&, std::uint64_t r) const.
// Both kinds have value(test_statistic), which returns the reported statistic.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// less_equal and greater_equal are the numbers of replicates with statistics <= and >= the observed one; both include
/// ties. as_far is the number of replicates that are at least as far from the middle of the null distribution as the
/// observed statistic.
struct SideCounts {
  std::uint64_t less_equal = 0;
  std::uint64_t greater_equal = 0;
  std::uint64_t as_far = 0;

  KOKKOS_FUNCTION SideCounts& operator+=(SideCounts const& other) {
    less_equal += other.less_equal;
    greater_equal += other.greater_equal;
    as_far += other.as_far;
    return *this;
  }
};

/// The observed test statistic mirrored at the middle of the null distribution, with its bounds for replicates on the
/// other side of the middle. If is_observed_low, the observed test statistic is below the middle, and a test statistic
/// >= `high` is at least as far above the middle. Otherwise, a test statistic <= `low` is at least as far below the
/// middle.
struct Mirror {
  double low = 0;
  double high = 0;
  bool is_observed_low = false;
  int128 whole = 0;  // for whole-number sums: the mirrored sum, before `base` is subtracted
  /// Whether the difference whole - base is too large to be exact as a double.
  bool is_far = false;

  static Mirror about_zero(double observed) { return {-observed, -observed, observed < 0}; }
};

/// A test statistic in [lower, upper] ties with the observed one. A test statistic in (near_above, near_below) is
/// closer to the middle of the null distribution than the observed one.
struct Thresholds {
  double lower;
  double upper;
  double near_above;
  double near_below;

  Thresholds(double observed, double tolerance, Mirror const& mirror)
      : lower(observed - tolerance),
        upper(observed + tolerance),
        near_above(mirror.is_observed_low ? upper : mirror.low + tolerance),
        near_below(mirror.is_observed_low ? mirror.high - tolerance : lower) {}

  /// A NaN counts in all three numbers, because it cannot be shown to be less extreme.
  KOKKOS_FUNCTION void count(double test_statistic, SideCounts& counts) const {
    bool const counts_anyway = detail::is_nan(test_statistic);
    counts.less_equal += counts_anyway || test_statistic <= upper;
    counts.greater_equal += counts_anyway || test_statistic >= lower;
    counts.as_far += counts_anyway || test_statistic <= near_above || test_statistic >= near_below;
  }
};

/// Counts each replicate. If the index r of a replicate is less than statistics.extent(0), also writes its statistic to
/// statistics(r). One kernel does both, so that each source is instantiated in one kernel only.
template <class Memory>
struct CountSides {
  using value_type = SideCounts;
  Thresholds thresholds;
  Kokkos::View<double*, Memory> statistics = {};

  template <class Source>
  KOKKOS_FUNCTION void operator()(Source const& source, std::uint64_t r, double test_statistic,
                                  SideCounts& counts) const {
    thresholds.count(test_statistic, counts);
    if (r < statistics.extent(0)) statistics(r) = source.value(test_statistic);
  }
};

/// A source per lane that can also enumerate consecutive arrangements, which takes less time per arrangement than
/// computing each arrangement from its rank. A CPU thread enumerates Source::arrangements_in_order (an int)
/// arrangements at a time. source.in_order() is called once, before the first batch. It returns an object with the
/// function
///   void enumerate(std::uint64_t first, std::uint64_t count, double* test_statistics) const.
template <class Source>
concept EnumeratesInOrder = requires {
  Source::arrangements_in_order;
};

/// Reduction functor in which one lane computes the test statistics of Width replicates and passes them to the sink.
template <int Width, class Source, class Sink>
struct LaneReplicates {
  using value_type = SideCounts;
  Source source;
  Sink sink;
  std::uint64_t end;

  KOKKOS_FUNCTION void operator()(std::uint64_t group, SideCounts& counts) const {
    std::uint64_t const first = group * Width;
    double test_statistics[Width];
    source(first, test_statistics);
    for (int w = 0; w < Width; ++w) {
      auto const behind = static_cast<std::uint64_t>(w);
      if (behind < end - first) sink(source, first + behind, test_statistics[w], counts);
    }
  }
};

/// Reduction functor in which one team computes the test statistic of one replicate and passes it to the sink.
template <class Source, class Sink>
struct TeamReplicates {
  using value_type = SideCounts;
  Source source;
  Sink sink;
  std::uint64_t first;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, SideCounts& counts) const {
    std::uint64_t const r = first + static_cast<std::uint64_t>(member.league_rank());
    double const test_statistic = source(member, r);
    Kokkos::single(Kokkos::PerTeam(member), [&] { sink(source, r, test_statistic, counts); });
  }
};

template <class Exec, class Source, class Sink>
SideCounts run_lanes(Context<Exec> const& context, Source const& source, Sink const& sink,
                     std::uint64_t begin, std::uint64_t end) {
  constexpr int width = std::min(backend::problems_per_thread<Exec>, Source::max_width);
  SideCounts counts;
  Kokkos::parallel_reduce(context.label() + "::replicates",
                          range(context.exec(), begin / width, end / width + (end % width != 0)),
                          LaneReplicates<width, Source, Sink>{source, sink, end}, counts);
  return counts;
}

template <class Exec, class Source, class Sink>
SideCounts run_batch(Context<Exec> const& context, Source const& source, Sink const& sink,
                     std::uint64_t begin, std::uint64_t end) {
  if constexpr (Source::is_per_team) {
    SideCounts counts;
    Kokkos::parallel_reduce(
        context.label() + "::replicates",
        Kokkos::TeamPolicy<Exec>(context.exec(), static_cast<int>(end - begin), Kokkos::AUTO),
        TeamReplicates<Source, Sink>{source, sink, begin}, counts);
    return counts;
  } else {
    return run_lanes(context, source, sink, begin, end);
  }
}

using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

// Batches begin at multiples of this, so that all replicates of a lane are in the same batch.
inline constexpr std::uint64_t batch_granularity = 32;

/// Replicates first, ..., end - 1.
struct ReplicateRange {
  std::uint64_t first;
  std::uint64_t end;
};

/// A range of a source's replicates must begin at a multiple of this. The number is the same on every back end.
template <class Source>
inline constexpr std::uint64_t range_granularity = Source::is_per_team ||
                                                           (Source::max_width == 1 &&
                                                            !EnumeratesInOrder<Source>)
                                                       ? 1
                                                       : batch_granularity;

/// Returns the number of replicates per kernel: the requested number, or else a default that fills a device, lets the
/// caller see progress, and keeps the league size within an int.
inline std::uint64_t batch_size(std::uint64_t asked, std::uint64_t total, bool shows_progress) {
  std::uint64_t constexpr largest = std::uint64_t{1} << 30;
  std::uint64_t const wanted = asked > 0 ? asked : shows_progress ? total / 100 + 1 : largest;
  // The bound is applied before rounding up, because rounding up a number near 2^64 would wrap around.
  std::uint64_t const chosen = std::min(wanted, largest);
  return (chosen + batch_granularity - 1) / batch_granularity * batch_granularity;
}

/// Returns the sum of run(begin, end) over all batches of a range, and reports to `progress` after each batch.
template <class Run>
SideCounts run_batches(ReplicateRange const& range, std::uint64_t batch, Progress const& progress,
                       Run const& run) {
  SideCounts counts;
  std::uint64_t const total = range.end - range.first;
  std::uint64_t const step = batch_size(batch, total, static_cast<bool>(progress));
  for (std::uint64_t done = 0; done < total;) {
    std::uint64_t const begin = range.first + done;
    done += std::min(step, total - done);
    counts += run(begin, range.first + done);
    if (progress) progress(done, total);
  }
  return counts;
}

/// Runs the replicates in a range. The result does not depend on the batch size. compared_test.hpp in algorithms/src has
/// an overload for sources that enumerate consecutive arrangements.
template <class Exec, class Source, class Sink>
SideCounts run_replicates(Context<Exec> const& context, Source const& source, Sink const& sink,
                          ReplicateRange const& range, std::uint64_t batch,
                          Progress const& progress) {
  return run_batches(range, batch, progress, [&](std::uint64_t begin, std::uint64_t end) {
    return run_batch(context, source, sink, begin, end);
  });
}

}  // namespace riffle::detail
