#pragma once

// Histograms: the bins of values, and how elements are counted: on a GPU by atomic additions, in the scratch memory of teams if the
// counts fit there; on a CPU as partition_by_label() counts labels, in tables that are then added up.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/partition/count_tasks.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::histogram {

// --- bins: functions of a value that return its bin, or the number of bins if the value is in no bin ---

/// Bins of equal width. Bin b begins at edge(b) and ends before edge(b + 1); the last bin ends with the upper bound.
class EqualBins {
 public:
  EqualBins(double lower, double upper, std::uint64_t count)
      : lower_(lower),
        upper_(upper),
        count_(count),
        scale_(static_cast<double>(count) / (upper - lower)) {
    check(count > 0, "histogram", "counts.extent(0) = 0: there must be a bin");
    // The distance of doubles near the larger bound, at most, in bins.
    double const ulp = std::max(std::abs(lower), std::abs(upper)) * scale_ * 0x1p-52;
    check(lower < upper && is_finite(static_cast<double>(count) * (upper - lower)) &&
              is_finite(scale_) && ulp <= 1,
          "histogram", "lower = ", lower, " and upper = ", upper,
          ": must be finite and ascend, and be so far apart that ", count,
          " bins between them are not narrower than the distance of two doubles");
    margin_ = ulp + static_cast<double>(count) * 0x1p-49;
  }

  template <class Number>
  KOKKOS_FUNCTION std::uint64_t operator()(Number number) const {
    auto const value = static_cast<double>(number);
    if (is_nan(value) || value < lower_ || value > upper_) return count_;
    double const place = (value - lower_) * scale_;
    auto const whole = static_cast<std::int64_t>(place);
    double const fraction = place - static_cast<double>(whole);
    auto bin = static_cast<std::uint64_t>(whole);
    // Rounding errors can change the integer part of a place only if the place is near an integer.
    if (fraction <= margin_ || fraction >= 1 - margin_) {
      while (bin > 0 && value < edge(bin)) --bin;
      while (bin + 1 < count_ && value >= edge(bin + 1)) ++bin;
      if (bin >= count_) bin = count_ - 1;
    }
    return bin;
  }

 private:
  KOKKOS_FUNCTION double edge(std::uint64_t b) const {
    // A compiler cannot contract this to a fused multiply-add, because the sum is of a quotient.
    double const computed =
        lower_ + static_cast<double>(b) * (upper_ - lower_) / static_cast<double>(count_);
    return computed < upper_ ? computed : upper_;
  }

  double lower_;
  double upper_;
  std::uint64_t count_;
  double scale_;
  double margin_ = 0;  // the largest rounding error of a place or an edge, in bins
};

/// Bin b begins at edges(b) and ends before edges(b + 1); the last bin ends with the last edge.
template <class Edges>
struct BinsBetweenEdges {
  Edges edges;

  template <class Value>
  KOKKOS_FUNCTION std::uint64_t operator()(Value const& value) const {
    std::uint64_t low = 0;
    std::uint64_t high = edges.extent(0) - 1;
    if (is_nan(value) || value < edges(0) || value > edges(high)) return high;
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (value < edges(middle) ? high : low) = middle;
    }
    return low;
  }
};

/// Bin b contains the label b.
struct BinsOfLabels {
  std::uint64_t count;

  template <class Label>
  KOKKOS_FUNCTION std::uint64_t operator()(Label label) const {
    return is_index_below(label, count) ? static_cast<std::uint64_t>(label) : count;
  }
};

// --- counts ---

/// The bin of element i. `values` is a View or a function of i.
template <class Values, class Bins>
struct BinOfElement {
  Values values;
  Bins bins;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return bins(values(i)); }
};

/// Adds the number of elements in bin b to counts(b). Runs on a GPU.
template <class Bin, class Counts>
struct CountBins {
  static constexpr int threads = count_threads;
  static constexpr int teams_per_processor = count_teams_per_processor;
  static constexpr std::size_t scratch_bytes = max_scratch_bytes_of(threads);
  static constexpr std::uint64_t tile_size = std::uint64_t{threads} * count_items;
  /// The number of counts that fit in scratch memory, with the bytes lost to alignment.
  static constexpr std::uint64_t max_in_scratch = (scratch_bytes - 16) / sizeof(std::uint32_t);

  std::uint64_t n;
  Bin bin;
  Counts counts;
  std::uint64_t
      in_scratch;  // the number of bins if their counts fit in scratch memory, otherwise 0

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const rank = static_cast<std::uint64_t>(team.team_rank());
    std::uint64_t const bins = counts.extent(0);
    auto* const own = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(in_scratch * sizeof(std::uint32_t), 16));
    for (std::uint64_t b = rank; b < in_scratch; b += threads) own[b] = 0;
    team.team_barrier();
    // A thread adds a run of equal bins at once, because atomic additions to one word wait for each other.
    std::uint64_t last = bins;
    std::uint32_t number = 0;
    auto const add_run = [&] {
      if (last < in_scratch) {
        backend::add_in_scratch(own + last, number);
      } else if (last < bins) {
        add(last, number);
      }
    };
    for (auto tile = static_cast<std::uint64_t>(team.league_rank()); tile * tile_size < n;
         tile += static_cast<std::uint64_t>(team.league_size())) {
      std::uint64_t const first = tile * tile_size + rank;
      std::decay_t<decltype(bin.values(n))> loaded[count_items] = {};
      for (std::uint64_t k = 0; k < count_items; ++k) {
        if (first + k * threads < n) loaded[k] = bin.values(first + k * threads);
      }
      for (std::uint64_t k = 0; k < count_items; ++k) {
        std::uint64_t const b = first + k * threads < n ? bin.bins(loaded[k]) : bins;
        if (b != last) {
          add_run();
          last = b;
          number = 0;
        }
        ++number;
      }
    }
    add_run();
    team.team_barrier();
    for (std::uint64_t b = rank; b < in_scratch; b += threads) {
      if (own[b] > 0) add(b, own[b]);
    }
  }

  KOKKOS_FUNCTION void add(std::uint64_t b, std::uint32_t number) const {
    using Count = typename Counts::value_type;
    Kokkos::atomic_add(counts.data() + b * counts.stride(0), static_cast<Count>(number));
  }
};

/// Throws unless the counts can be n. Sets counts(b) to the number of elements i < n for which bins(values(i)) is b. bins(value) is
/// at most counts.extent(0).
template <class Exec, class Values, class Bins, class Counts>
void count_bins(Context<Exec> const& context, std::uint64_t n, Values const& values,
                Bins const& bins, Counts const& counts) {
  check_can_be("histogram", "n", n, "counts", counts);
  using Bin = BinOfElement<Values, Bins>;
  Bin const bin{values, bins};
  if constexpr (backend::is_cpu<Exec>) {
    std::uint64_t const size = counts.extent(0) + 1;
    auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
    auto tasks = partition::count_tasks(n, size, threads);
    tasks.chunks.count = std::max(tasks.chunks.count, (n >> 32) + 1);
    Scope scope(context);
    auto* const tables = scope.template take<std::uint32_t>(tasks.chunks.count * size);
    partition::count_labels(context.named("count"), tasks, bin, tables);
    auto const sum = [=](std::uint64_t b) {
      std::uint64_t total = 0;
      for (std::uint64_t t = 0; t < tasks.chunks.count; ++t) total += tables[t * size + b];
      return total;
    };
    write_images(context.named("store"), sum, counts);
  } else {
    using Kernel = CountBins<Bin, Counts>;
    std::uint64_t const size = counts.extent(0);
    context.named("zero").for_each(size, FillZero<Counts>{counts});
    // A team has at least one element per bin of its scratch memory, because it adds each bin to the counts, and fewer than 2^32
    // elements, which its counts can represent.
    std::uint64_t const in_scratch = size <= Kernel::max_in_scratch ? size : 0;
    std::uint64_t const running = backend::processors(context.exec()) * Kernel::teams_per_processor;
    std::uint64_t const wanted = n / std::max(in_scratch, Kernel::tile_size);
    launch_teams(context.named("count"), std::max(std::min(wanted, running), (n >> 31) + 1),
                 Kernel{n, bin, counts, in_scratch}, in_scratch * sizeof(std::uint32_t) + 16);
  }
}

}  // namespace riffle::detail::histogram
