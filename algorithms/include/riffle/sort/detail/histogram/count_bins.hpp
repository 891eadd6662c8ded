#pragma once

// Counts how many elements are in each bin: on a GPU by atomic additions in the scratch memory of a team if the counts fit there,
// and in global memory otherwise; on a CPU by each thread in its own tables, which are then added up.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/histogram/bins.hpp>
#include <riffle/sort/detail/partition/count_tasks.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::histogram {

/// The bins of a source. The last bin, number `others`, contains the elements that are in no bin of the source.
template <class Bin>
struct WithOthers {
  Bin bin;
  std::uint64_t others;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t const chosen = bin(i);
    return chosen < others ? chosen : others;
  }
};

// --- on a GPU ---

/// Adds the number of elements in bin b to totals[b]. Lanes of a warp that have the same bin would wait for each other, so a warp
/// has a frequent bin, whose elements it counts by a ballot. The frequent bin changes when no lane has it.
template <class Bin>
struct CountBins {
  static constexpr int threads = count_threads;
  static constexpr int teams_per_processor = count_teams_per_processor;
  static constexpr std::size_t scratch_bytes = max_scratch_bytes_of(threads);

  /// The number of counts that fit in scratch memory, with the bytes lost to alignment.
  static constexpr std::uint64_t max_in_scratch = (scratch_bytes - 16) / sizeof(std::uint32_t);
  static constexpr std::uint64_t tile_size = std::uint64_t{threads} * count_items;

  std::uint64_t n;
  WithOthers<Bin> bin;
  std::uint64_t* totals;

  KOKKOS_FUNCTION bool is_in_scratch() const { return bin.others < max_in_scratch; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const bins = bin.others + 1;
    auto const rank = static_cast<std::uint64_t>(team.team_rank());
    std::uint32_t* own = nullptr;
    if (is_in_scratch()) {
      own = static_cast<std::uint32_t*>(
          team.team_scratch(0).get_shmem_aligned(bins * sizeof(std::uint32_t), 16));
      for (std::uint64_t b = rank; b < bins; b += threads) own[b] = 0;
      team.team_barrier();
    }
    count(team, own);
    if (own == nullptr) return;
    team.team_barrier();
    for (std::uint64_t b = rank; b < bins; b += threads) {
      if (own[b] > 0) add(nullptr, b, own[b]);
    }
  }

 private:
  KOKKOS_FUNCTION void add(std::uint32_t* own, std::uint64_t b, std::uint32_t number) const {
    if (own != nullptr) {
      backend::add_in_scratch(own + b, number);
    } else {
      backend::fetch_add_relaxed(totals + b, number);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void count(Member const& team, std::uint32_t* own) const {
    std::uint64_t const none = bin.others + 1;  // for an index that is not less than n
    bool const is_first_lane = team.team_rank() % backend::width == 0;
    std::uint64_t frequent = none;
    std::uint32_t pending = 0;  // elements in the frequent bin that have not been added
    auto const add_pending = [&] {
      if (is_first_lane && pending > 0 && frequent != none) add(own, frequent, pending);
    };
    std::uint64_t const step = static_cast<std::uint64_t>(team.league_size()) * tile_size;
    for (std::uint64_t tile = static_cast<std::uint64_t>(team.league_rank()) * tile_size; tile < n;
         tile += step) {
      std::uint64_t chosen[count_items];
      for (int k = 0; k < count_items; ++k) {
        std::uint64_t const i = tile + static_cast<std::uint64_t>(k * threads + team.team_rank());
        chosen[k] = i < n ? bin(i) : none;
      }
      for (int k = 0; k < count_items; ++k) {
        bool const is_frequent = chosen[k] == frequent;
        auto const number =
            static_cast<std::uint32_t>(backend::count_ones(backend::ballot(is_frequent)));
        if (number == 0) {
          add_pending();
          pending = 0;
          frequent = backend::from_lane(chosen[k], 0);
        }
        pending += number;
        if (!is_frequent && chosen[k] != none) add(own, chosen[k], 1);
      }
    }
    add_pending();
  }
};

template <class Exec, class Bin>
void count_on_gpu(Context<Exec> const& context, std::uint64_t n, WithOthers<Bin> const& bin,
                  std::uint64_t* totals) {
  using Kernel = CountBins<Bin>;
  std::uint64_t const bins = bin.others + 1;
  Kokkos::deep_copy(
      context.exec(),
      Kokkos::View<std::uint64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(totals,
                                                                                         bins),
      std::uint64_t{0});
  Kernel const kernel{n, bin, totals};
  // A team has at least one element per bin of its scratch memory, because it adds each bin to the totals, and fewer than 2^32
  // elements, which its counts can represent.
  std::uint64_t const in_scratch = kernel.is_in_scratch() ? bins : 0;
  std::uint64_t const running = backend::processors(context.exec()) * Kernel::teams_per_processor;
  std::uint64_t const wanted = n / std::max(in_scratch, Kernel::tile_size);
  std::uint64_t const teams = std::max(std::min(wanted, running), (n >> 31) + 1);
  launch_teams(context.named("count"), teams, kernel, in_scratch * sizeof(std::uint32_t) + 16);
}

// --- on a CPU ---

/// The number of elements in bin b is the sum of number b of all tables.
struct Tables {
  std::uint32_t* counts;
  std::uint64_t bins;
  std::uint64_t count;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t b) const {
    std::uint64_t sum = 0;
    for (std::uint64_t t = 0; t < count; ++t) sum += counts[t * bins + b];
    return sum;
  }
};

/// Counts the bins of elements first, ..., end - 1. Four elements in turn are counted in four tables, the distance between which is
/// `stride`, because an addition to a count waits for the addition before it. If the stride is 0, there is one table.
template <class Bin>
void count_in_tables(std::uint64_t first, std::uint64_t end, Bin const& bin, std::uint64_t stride,
                     std::uint32_t* tables) {
  for (; first + tables_per_chunk <= end; first += tables_per_chunk) {
    std::uint64_t chosen[tables_per_chunk];
    for (std::uint64_t t = 0; t < tables_per_chunk; ++t) chosen[t] = bin(first + t);
    for (std::uint64_t t = 0; t < tables_per_chunk; ++t) ++tables[t * stride + chosen[t]];
  }
  for (; first < end; ++first) ++tables[bin(first)];
}

template <class Exec, class Bin>
Tables count_on_cpu(Context<Exec> const& context, std::uint64_t n, WithOthers<Bin> const& bin,
                    Scope<Exec>& scope) {
  std::uint64_t const bins = bin.others + 1;
  auto tasks =
      partition::count_tasks(n, bins, static_cast<std::uint64_t>(context.exec().concurrency()));
  tasks.chunks.count = std::max(tasks.chunks.count, (n >> 32) + 1);
  bool const has_many_tables = tasks.ranges.count == 1 && bins <= max_bins_of_many_tables &&
                               bins * tables_per_chunk <= n / tasks.chunks.count;
  std::uint64_t const in_chunk = has_many_tables ? tables_per_chunk : 1;
  std::uint64_t const count = tasks.chunks.count * in_chunk;
  auto* const counts = scope.template take<std::uint32_t>(count * bins);
  for_each_dynamic(context.named("count"), tasks.count(), [=](std::uint64_t task) {
    std::uint64_t const chunk = task / tasks.ranges.count;
    std::uint64_t const range = task % tasks.ranges.count;
    std::uint32_t* const own = counts + chunk * in_chunk * bins;
    if (tasks.ranges.count == 1) {
      std::fill_n(own, in_chunk * bins, 0u);
      count_in_tables(tasks.chunks.begin(chunk), tasks.chunks.begin(chunk + 1), bin,
                      has_many_tables ? bins : 0, own);
    } else {
      std::fill(own + tasks.ranges.begin(range), own + tasks.ranges.begin(range + 1), 0u);
      partition::for_each_row(tasks, task, bin,
                              [=](std::uint64_t, std::size_t label) { ++own[label]; });
    }
  });
  return {counts, bins, count};
}

// --- on both ---

template <class Totals, class Counts>
struct StoreCounts {
  Totals totals;
  Counts counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t b) const {
    counts(b) = static_cast<typename Counts::value_type>(totals(b));
  }
};

/// A function b -> totals[b].
struct StoredTotals {
  std::uint64_t const* totals;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t b) const { return totals[b]; }
};

/// Writes the counts of n elements. Before they are written, check(others) is called with the number of elements that are in no
/// bin, if `check` is not null; this takes a fence.
template <class Exec, class Bin, class Counts, class Check>
void count(Context<Exec> const& context, std::uint64_t n, Bin const& bin, Counts const& counts,
           [[maybe_unused]] Check const& check) {
  std::uint64_t const bins = counts.extent(0);
  if (n == 0) return context.for_each(bins, FillZero<Counts>{counts});
  Scope scope(context);
  WithOthers<Bin> const with_others{bin, bins};
  auto const store = [&](auto const& totals) {
    context.named("store").for_each(
        bins, StoreCounts<std::decay_t<decltype(totals)>, Counts>{totals, counts});
  };
  constexpr bool is_checked = !std::is_null_pointer_v<Check>;
  if constexpr (backend::is_cpu<Exec>) {
    Tables const totals = count_on_cpu(context, n, with_others, scope);
    if constexpr (is_checked) check(totals(bins));
    store(totals);
  } else {
    auto* const totals = scope.template take<std::uint64_t>(bins + 1);
    count_on_gpu(context, n, with_others, totals);
    if constexpr (is_checked) {
      std::uint64_t others = 0;
      Kokkos::deep_copy(
          context.exec(),
          Kokkos::View<std::uint64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&others),
          Kokkos::View<std::uint64_t, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(totals +
                                                                                            bins));
      context.exec().fence(context.label() + ": the labels");
      check(others);
    }
    store(StoredTotals{totals});
  }
}

// --- arguments ---

template <class Counts>
void check_counts(std::uint64_t n, Counts const&) {
  using Count = typename Counts::value_type;
  static_assert(is_index_type<Count>, "riffle: counts are integers");
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
  check(n <= largest, "histogram", "n = ", n, ": the value type of counts holds no number above ",
        largest);
}

/// Counts labels, which are a View or an IndexFunction.
template <class Exec, class Labels, class Counts>
void count_labels(Context<Exec> const& context, Labels const& labels, Counts const& counts) {
  std::uint64_t const n = labels.extent(0);
  check_counts(n, counts);
  count(context, n, StoredIndices<Labels>{labels}, counts, [&](std::uint64_t others) {
    if (others == 0) return;
    auto const bad =
        first_index_where(context.named("check"), labels, IsOutOfRange{counts.extent(0)});
    check(bad.place == n, "histogram", "labels(", bad.place, ") = ", +bad.index,
          ": must be at least 0 and less than counts.extent(0) = ", counts.extent(0));
  });
}

/// Counts values, which are a View or a function, in equal bins.
template <class Exec, class Values, class Counts>
void count_between(Context<Exec> const& context, std::uint64_t n, Values const& values,
                   double lower, double upper, Counts const& counts) {
  check_counts(n, counts);
  std::uint64_t const bins = counts.extent(0);
  check(bins > 0, "histogram", "counts.extent(0) = 0: there must be a bin");
  EqualBins const equal(lower, upper, bins);
  check(equal.is_valid(), "histogram", "lower = ", lower, " and upper = ", upper,
        ": must be finite, and lower less than upper, by so much that ", bins,
        " * (upper - lower) and ", bins, " / (upper - lower) are finite");
  count(context, n, BinsOfValues<Values, EqualBins>{values, equal}, counts, nullptr);
}

}  // namespace riffle::detail::histogram
