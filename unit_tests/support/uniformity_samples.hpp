#pragma once

// Evaluates measures of riffle::detail::uniformity in kernels on known permutations, and has samplers with more faults than
// support/faulty_sampler.hpp.

#include <Kokkos_Core.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/facts.hpp>
#include <riffle/uniformity/detail/observe.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/worker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/faulty_sampler.hpp"
#include "support/uniformity_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// How the order of a uniform permutation is changed.
enum class Order {
  as_drawn,
  pairs_sorted,   // places 2 k and 2 k + 1 are sorted
  alternating,    // points of the lower half are at even places
  near,           // each half of the points stays in its half
  equal_signs,    // the two permutations of a pair are both odd or both even
  low_bits_only,  // the upper 32 bits of the replicate's number are not used
};

/// R. Durstenfeld's shuffle, uniform or with a fault.
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
  /// Returns whether the permutation is odd.
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

  /// Swaps points between places until every second one has a point of the upper half.
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

/// Calls visit(worker, r, sample r), or visit(worker, r, sample r, sample r + 1) if it is paired; one worker for each r.
template <class Exec, class Visit>
struct VisitKernel {
  TableSampler<Exec> sampler;
  detail::uniformity::WorkersMemory<Exec> memory;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const { work(detail::uniformity::Alone{}, r); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    work(detail::uniformity::Together<Member>(member),
         static_cast<std::uint64_t>(member.league_rank()));
  }

 private:
  template <class Worker>
  KOKKOS_FUNCTION void work(Worker const& worker, std::uint64_t r) const {
    auto const a = sample(worker, r, 0);
    if constexpr (Visit::is_paired) {
      visit(worker, r, a, sample(worker, r, 1));
    } else {
      visit(worker, r, a);
    }
  }

  template <class Worker>
  KOKKOS_FUNCTION detail::uniformity::Sample sample(Worker const& worker, std::uint64_t r,
                                                    int number) const {
    auto result = memory.sample(r, number);
    auto const replicate = r + static_cast<std::uint64_t>(number);
    detail::uniformity::draw(worker, sampler, replicate, result);
    result.cycles = detail::uniformity::count_cycles(worker, result);
    return result;
  }
};

/// Visits the samples by single threads, by teams of one thread and by teams of several, and calls check(how) after each.
template <class Exec, class Visit, class Check>
void visit_samples(std::vector<oracle::Permutation> const& samples, Visit const& visit,
                   Check const& check) {
  std::uint64_t const workers = samples.size() - (Visit::is_paired ? 1 : 0);
  std::vector<std::int64_t> table;
  for (auto const& sigma : samples) table.insert(table.end(), sigma.begin(), sigma.end());
  VisitKernel<Exec, Visit> const kernel{
      {to_view<Exec>(table)}, {Exec(), samples[0].size(), workers, false}, visit};
  Kokkos::parallel_for("alone", detail::range(Exec(), 0, workers), kernel);
  check("alone");
  using Policy = Kokkos::TeamPolicy<Exec>;
  auto const leagues = static_cast<int>(workers);
  int const most = Policy(leagues, 1).team_size_max(kernel, Kokkos::ParallelForTag());
  for (int const size : {1, std::min(most, 4), std::min(most, 96)}) {
    Kokkos::parallel_for("together", Policy(leagues, size), kernel);
    check("teams of " + std::to_string(size));
  }
}

template <class Exec, class... Measures>
struct KeepMeasures {
  static constexpr bool is_paired = (Measures::is_paired || ...);

  Kokkos::View<std::int64_t*, typename Exec::memory_space> results;

  template <class Worker, class... Samples>
  KOKKOS_FUNCTION void operator()(Worker const& worker, std::uint64_t r,
                                  Samples const&... samples) const {
    std::uint64_t at = r * sizeof...(Measures);
    (keep(worker, at++, Measures::of(worker, samples...)), ...);
  }

 private:
  template <class Worker>
  KOKKOS_FUNCTION void keep(Worker const& worker, std::uint64_t at, std::int64_t value) const {
    if (worker.rank() == 0) results(at) = value;
  }
};

/// Expects that every Measures::of returns one of the numbers expected(r).
template <class Exec, class... Measures, class Expected>
void expect_measures(std::vector<oracle::Permutation> const& samples, Expected const& expected) {
  using Keep = KeepMeasures<Exec, Measures...>;
  std::vector<std::int64_t> wanted;
  for (std::size_t r = 0; r < samples.size() - (Keep::is_paired ? 1 : 0); ++r)
    for (std::int64_t const value : expected(r)) wanted.push_back(value);
  Keep const keep{zeros<Exec, std::int64_t>(wanted.size())};
  visit_samples<Exec>(samples, keep, [&](std::string const& how) {
    EXPECT_EQ(to_vector(keep.results), wanted) << how << ", n = " << samples[0].size();
    fill_with(keep.results, -1);
  });
}

template <class Observer>
struct Observe {
  static constexpr bool is_paired = false;

  Observer observer;

  template <class Worker>
  KOKKOS_FUNCTION void operator()(Worker const& worker, std::uint64_t,
                                  detail::uniformity::Sample const& sample) const {
    observer.observe(worker, sample);
  }
};

/// Compares the counts of the plan's observer.
template <class Exec, class Plan>
void expect_counts(std::vector<oracle::Permutation> const& samples, Plan const& plan,
                   std::vector<std::uint64_t> const& expected) {
  auto const observer = plan.observer(Exec());
  visit_samples<Exec>(samples, Observe<decltype(plan.observer(Exec()))>{observer},
                      [&](std::string const& how) {
                        EXPECT_EQ(to_vector(observer.counters), expected)
                            << plan.name << ", " << how << ", n = " << samples[0].size();
                        fill_with(observer.counters, 0);
                      });
}

inline std::vector<oracle::Permutation> random_permutations(std::size_t count, std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<oracle::Permutation> result(count, oracle::identity(n));
  for (auto& sigma : result) std::shuffle(sigma.begin(), sigma.end(), generator);
  return result;
}

template <class Exec, class Test>
double p_of(OrderedSampler const& sampler, std::uint64_t n, std::uint64_t samples) {
  return uniformity::test(Exec(), Test{}, sampler, n, samples).p_value;
}

/// Expects that the test accepts a uniform shuffle and rejects the faulty one.
template <class Exec, class Test>
void expect_test(std::uint64_t n, Order order, std::uint64_t samples = 4000) {
  double const p = p_of<Exec, Test>({}, n, samples);
  EXPECT_GT(p, 0.001) << Test::name << ", n = " << n;
  EXPECT_LT(p, 0.999) << Test::name << ", n = " << n;
  EXPECT_LT((p_of<Exec, Test>({order}, n, samples)), 1e-6) << Test::name << ", n = " << n;
}

}  // namespace riffle::test
