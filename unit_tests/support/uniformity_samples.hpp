#pragma once

// Measures of riffle::detail::uniformity, taken in kernels of permutations that the host knows, and
// generators with faults beyond those of support/faulty_sampler.hpp.

#include <Kokkos_Core.hpp>
#include <riffle/detail/uniformity/facts.hpp>
#include <riffle/detail/uniformity/observe.hpp>
#include <riffle/detail/uniformity/sample.hpp>
#include <riffle/detail/uniformity/worker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/faulty_sampler.hpp"
#include "support/uniformity_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// What is done to the order of a uniform permutation.
enum class Order {
  as_drawn,
  pairs_sorted,   // of each two neighbours the smaller one comes first
  alternating,    // the lower half of the points goes to even positions
  near,           // each half of the points stays in its half
  equal_signs,    // the two of a pair are both odd or both even
  low_bits_only,  // the upper 32 bits of the replicate's number do not count
};

/// A true shuffle by R. Durstenfeld's algorithm, or one with a fault.
struct OrderedSampler {
  Order order = Order::as_drawn;
  std::uint64_t seed = 1;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    bool const is_cut = order == Order::low_bits_only;
    PhiloxWords words(seed, is_cut ? r & 0xFFFFFFFFu : r);
    std::uint64_t const cut = order == Order::alternating || order == Order::near ? n / 2 : 0;
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    bool const is_odd = shuffle(words, 0, cut, row) != shuffle(words, cut, n, row);
    if (order == Order::pairs_sorted) sort_pairs(n, row);
    if (order == Order::alternating) interleave(n, row);
    if (order == Order::equal_signs && is_odd != coin(r / 2)) swap_places(row, 0, 1);
  }

 private:
  /// Whether it was an odd permutation.
  template <class Row>
  KOKKOS_FUNCTION static bool shuffle(PhiloxWords& words, std::uint64_t begin, std::uint64_t end,
                                      Row const& row) {
    bool is_odd = false;
    for (std::uint64_t i = end; i > begin + 1; --i) {
      std::uint64_t const j = begin + words.below(i - begin);
      is_odd ^= j != i - 1;
      swap_places(row, i - 1, j);
    }
    return is_odd;
  }

  template <class Row>
  KOKKOS_FUNCTION static void sort_pairs(std::uint64_t n, Row const& row) {
    for (std::uint64_t i = 0; i + 1 < n; i += 2)
      if (row[i] > row[i + 1]) swap_places(row, i, i + 1);
  }

  /// Every second position gets a point of the upper half from one that has a lower one.
  template <class Row>
  KOKKOS_FUNCTION static void interleave(std::uint64_t n, Row const& row) {
    for (std::uint64_t i = 1; i < n / 2; i += 2) swap_places(row, i, n / 2 + i - 1);
  }

  KOKKOS_FUNCTION bool coin(std::uint64_t number) const {
    return PhiloxWords(~seed, number).next() % 2 == 1;
  }
};

/// Sample r is row r of a table.
template <class Exec>
struct TableSampler {
  Kokkos::View<std::int64_t*, typename Exec::memory_space> table;

  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r,
                                  detail::uniformity::Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(table(r * n + i));
  }
};

/// All measures of each sample, or of each two neighbouring ones where they are paired: one worker each.
template <class Exec, class... Measures>
struct MeasureKernel {
  static constexpr bool is_paired = (Measures::is_paired || ...);

  TableSampler<Exec> sampler;
  detail::uniformity::WorkersMemory<Exec> memory;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> results;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    measure(detail::uniformity::Alone{}, r);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    measure(detail::uniformity::Together<Member>(member),
            static_cast<std::uint64_t>(member.league_rank()));
  }

 private:
  template <class Worker>
  KOKKOS_FUNCTION detail::uniformity::Sample sample(Worker const& worker, std::uint64_t r,
                                                    int number) const {
    auto result = memory.sample(r, number);
    auto const replicate = r + static_cast<std::uint64_t>(number);
    detail::uniformity::draw(worker, sampler, replicate, result);
    result.cycles = detail::uniformity::count_cycles(worker, result);
    return result;
  }

  template <class Worker>
  KOKKOS_FUNCTION void measure(Worker const& worker, std::uint64_t r) const {
    auto const a = sample(worker, r, 0);
    std::uint64_t at = r * sizeof...(Measures);
    if constexpr (is_paired) {
      auto const b = sample(worker, r, 1);
      (keep(worker, at++, Measures::of(worker, a, b)), ...);
    } else {
      (keep(worker, at++, Measures::of(worker, a)), ...);
    }
  }

  template <class Worker>
  KOKKOS_FUNCTION void keep(Worker const& worker, std::uint64_t at, std::int64_t value) const {
    if (worker.rank() == 0) results(at) = value;
  }
};

inline std::vector<oracle::Permutation> random_permutations(std::size_t count, std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<oracle::Permutation> result(count, oracle::identity(n));
  for (auto& sigma : result) std::shuffle(sigma.begin(), sigma.end(), generator);
  return result;
}

template <class Exec, class... Measures>
auto measure_kernel(std::vector<oracle::Permutation> const& samples, std::uint64_t workers) {
  std::size_t const n = samples[0].size();
  std::vector<std::int64_t> table;
  for (auto const& sigma : samples) table.insert(table.end(), sigma.begin(), sigma.end());
  return MeasureKernel<Exec, Measures...>{{to_view<Exec>(table)},
                                          {Exec(), n, workers, false},
                                          zeros<Exec, std::int64_t>(workers * sizeof...(Measures))};
}

/// Checks Measures::of of random permutations, examined by lone threads and by teams of 1 and of more,
/// against expected(r), which has one number for each measure.
template <class Exec, class... Measures, class Expected>
void expect_measures(std::vector<oracle::Permutation> const& samples, Expected const& expected) {
  constexpr bool is_paired = (Measures::is_paired || ...);
  std::uint64_t const workers = samples.size() - (is_paired ? 1 : 0);
  auto const kernel = measure_kernel<Exec, Measures...>(samples, workers);
  std::vector<std::int64_t> wanted;
  for (std::size_t r = 0; r < workers; ++r)
    for (std::int64_t const value : expected(r)) wanted.push_back(value);

  Kokkos::parallel_for("alone", detail::range(Exec(), 0, workers), kernel);
  EXPECT_EQ(to_vector(kernel.results), wanted) << "alone, n = " << samples[0].size();
  using Policy = Kokkos::TeamPolicy<Exec>;
  auto const leagues = static_cast<int>(workers);
  int const most = Policy(leagues, 1).team_size_max(kernel, Kokkos::ParallelForTag());
  for (int const size : {1, std::min(most, 4), std::min(most, 96)}) {
    Kokkos::deep_copy(kernel.results, -1);
    Kokkos::parallel_for("together", Policy(leagues, size), kernel);
    EXPECT_EQ(to_vector(kernel.results), wanted) << size << " threads, n = " << samples[0].size();
  }
}

}  // namespace riffle::test
