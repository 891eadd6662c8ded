// Permutation tests with replicates divided among ranks are compared with the results of one device, with enumerations, and with
// counts of permutations one by one.

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/mpi.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"
#include "support/null_distributions.hpp"
#include "support/statistics.hpp"

namespace riffle::test::mpi_permutation_test_test {
namespace {

Array<double> values(std::uint64_t n, std::uint64_t step) {
  Array<double> const result("values", n);
  for (std::uint64_t i = 0; i < n; ++i) {
    result(i) = static_cast<double>((i + 3) * step % 211) / 10;
  }
  return result;
}

Array<int> labels(std::uint64_t n, int groups) {
  Array<int> const result("labels", n);
  for (std::uint64_t i = 0; i < n; ++i) result(i) = static_cast<int>(i) % groups;
  return result;
}

/// Calls visit(statistic, x, y) for each kind of test; the samples have about n values.
template <class Visit>
void for_each_kind(std::uint64_t n, Visit const& visit) {
  auto const x = values(n / 2, 7919);
  auto const y = values(n - n / 2, 31);
  auto const pool = values(n, 7919);
  auto const other = values(n, 31);
  visit(DifferenceOfMeans{}, x, y);
  visit(WelchT{}, x, y);
  visit(MannWhitneyU{}, x, y);
  visit(PairedDifference{}, pool, other);
  visit(FStatistic{}, pool, labels(n, 3));
  visit(KruskalWallisH{}, pool, labels(n, n > 20 ? 20 : 2));
  visit(PearsonCorrelation{}, pool, other);
  visit(SpearmanCorrelation{}, pool, other);
}

void expect_same(PermutationTestResult const& found, PermutationTestResult const& expected) {
  EXPECT_EQ(found.statistic, expected.statistic);
  EXPECT_EQ(found.replicates, expected.replicates);
  EXPECT_EQ(found.less_equal, expected.less_equal);
  EXPECT_EQ(found.as_far, expected.as_far);
  EXPECT_EQ(found.greater_equal, expected.greater_equal);
  EXPECT_EQ(found.exact, expected.exact);
  EXPECT_EQ(found.alternative, expected.alternative);
}

PermutationTestOptions random_options(std::uint64_t replicates, std::uint64_t batch = 0) {
  PermutationTestOptions options;
  options.replicates = replicates;
  options.seed = same_seed;
  options.enumerate = false;
  options.batch = batch;
  return options;
}

TEST(MpiPermutationTest, RandomReplicatesAsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  for (std::uint64_t const m : {1, 2, 7, 31, 32, 33, 257, 1500}) {
    SCOPED_TRACE(m);
    for_each_kind(61, [&](auto const statistic, auto const& x, auto const& y) {
      auto const one = permutation_test(exec, statistic, x, y, random_options(m));
      // Batches may differ between ranks.
      auto const batch = static_cast<std::uint64_t>(comm.rank() % 3) * 64;
      expect_same(mpi::permutation_test(exec, comm, statistic, x, y, random_options(m, batch)),
                  one);
    });
  }
}

TEST(MpiPermutationTest, AllArrangementsAsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  PermutationTestOptions options;
  for (auto const alternative : {Alternative::two_sided, Alternative::greater}) {
    options.alternative = alternative;
    for (std::uint64_t const n : {4, 6, 7}) {
      SCOPED_TRACE(n);
      for_each_kind(n, [&](auto const statistic, auto const& x, auto const& y) {
        auto const one = permutation_test(exec, statistic, x, y, options);
        EXPECT_TRUE(one.exact);
        expect_same(mpi::permutation_test(exec, comm, statistic, x, y, options), one);
      });
    }
  }
}

TEST(MpiPermutationTest, AllArrangementsMatchKnownCounts) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const x = values(5, 7919);
  auto const y = values(6, 31);
  auto const difference = [](std::vector<double> const& a, std::vector<double> const& b) {
    return mean(a) - mean(b);
  };
  auto const all = all_splits(to_vector(x), to_vector(y), difference);
  double const observed = difference(to_vector(x), to_vector(y));
  std::uint64_t less = 0;
  std::uint64_t greater = 0;
  for (double const value : all) {
    less += value <= observed + 1e-9;
    greater += value >= observed - 1e-9;
  }
  auto const found = mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, x, y);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.replicates, 462u);
  EXPECT_EQ(all.size(), 462u);
  EXPECT_EQ(found.less_equal, less);
  EXPECT_EQ(found.greater_equal, greater);
}

/// The weighted displacement of the first elements by sigma; counts its calls.
struct Displacement {
  std::uint64_t n;
  Kokkos::View<std::uint64_t, Exec> calls;

  double of(RandomPermutation const& sigma) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      sum += static_cast<double>(i % 7) * static_cast<double>(sigma(i));
    }
    return sum;
  }
  KOKKOS_FUNCTION double operator()(RandomPermutation const& sigma) const {
    KOKKOS_IF_ON_HOST((Kokkos::atomic_add(&calls(), std::uint64_t{1}); return of(sigma);))
    KOKKOS_IF_ON_DEVICE((return 0;))
  }
};

/// The same statistic, computed by a team.
struct DisplacementByTeam {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Displacement alone;

  KOKKOS_FUNCTION double operator()(Member const& member, RandomPermutation const& sigma) const {
    KOKKOS_IF_ON_HOST((Kokkos::single(Kokkos::PerTeam(member), [&] {
                         Kokkos::atomic_add(&alone.calls(), std::uint64_t{1});
                       });))
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, alone.n),
        [&](std::uint64_t i, double& part) {
          part += static_cast<double>(i % 7) * static_cast<double>(sigma(i));
        },
        sum);
    return sum;
  }
};

std::uint64_t sum_of_all_ranks(std::uint64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

template <class MakePermutation>
detail::SideCounts count_one_by_one(Displacement const& statistic, std::uint64_t m,
                                    MakePermutation const& permutation) {
  double const observed = statistic.of(RandomPermutation::identity(statistic.n));
  detail::SideCounts counts;
  for (std::uint64_t r = 0; r < m; ++r) {
    double const value = statistic.of(permutation(r));  // an integer, so that ties are exact
    counts.less_equal += value <= observed;
    counts.greater_equal += value >= observed;
  }
  return counts;
}

TEST(MpiPermutationTest, UserStatisticsAreCalledOncePerReplicate) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  for (std::uint64_t const m : {1, 5, 100, 719, 720}) {
    std::uint64_t const n = m == 720 ? 6 : 23;  // the last case enumerates all permutations
    auto options = random_options(m);
    options.enumerate = true;
    auto const expect = [&](auto const& statistic, Displacement const& alone) {
      Kokkos::deep_copy(alone.calls, 0);
      auto const found = mpi::permutation_test(exec, comm, n, statistic, options);
      // One call is for the observed statistic, with the identity.
      std::uint64_t const own = alone.calls() - 1;
      EXPECT_EQ(sum_of_all_ranks(own), m);
      EXPECT_EQ(own, mpi::block_of(m, comm.rank(), comm.size()).count);
      auto const counts = count_one_by_one(alone, m, [&](std::uint64_t r) {
        return m == 720 ? RandomPermutation::from_rank(n, r) : RandomPermutation(n, same_seed, r);
      });
      EXPECT_EQ(found.exact, m == 720);
      EXPECT_EQ(found.less_equal, counts.less_equal);
      EXPECT_EQ(found.greater_equal, counts.greater_equal);
      expect_same(found, permutation_test(exec, n, statistic, options));
    };
    Displacement const alone{n, Kokkos::View<std::uint64_t, Exec>("calls")};
    expect(alone, alone);
    expect(DisplacementByTeam{alone}, alone);
  }
}

TEST(MpiPermutationTest, ProgressCountsTheRanksReplicates) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto options = random_options(10000, 128);
  std::uint64_t last = 0;
  std::uint64_t part = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    last = done;
    part = total;
  };
  if (comm.rank() == 1) options.progress = {};  // ranks may differ in whether they report progress
  mpi::permutation_test(Exec(), comm, WelchT{}, values(9, 7919), values(9, 31), options);
  EXPECT_EQ(last, part);
  if (comm.size() == 1) {
    EXPECT_EQ(last, 10000u);
  }
  if (comm.rank() != 1) {
    EXPECT_NEAR(static_cast<double>(part), 10000.0 / comm.size(), 64);
  }
}

TEST(MpiPermutationTest, RanksDivideAnyNumberOfReplicates) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const granularity : {1, 32}) {
    for (std::uint64_t const m :
         {std::uint64_t{1}, std::uint64_t{31}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      auto const own = detail::mpi::replicates_of(comm, m, granularity);
      EXPECT_LE(own.first, own.end);
      EXPECT_LE(own.end, m);
      EXPECT_TRUE(own.first % granularity == 0 || own.first == own.end);
      EXPECT_TRUE(own.first == 0 || comm.rank() > 0);
      EXPECT_TRUE(own.end == m || comm.rank() + 1 < comm.size());
      std::vector<std::uint64_t> bounds(static_cast<std::size_t>(2 * comm.size()));
      std::uint64_t const both[2] = {own.first, own.end};
      MPI_Allgather(both, 2, MPI_UINT64_T, bounds.data(), 2, MPI_UINT64_T, comm.get());
      for (std::size_t k = 1; k + 1 < bounds.size(); k += 2) EXPECT_EQ(bounds[k], bounds[k + 1]);
    }
  }
}

// --- bad input ---

/// Calls a test; `spoil` may change a rank's data or options.
void test(ErrorCase const& s, std::function<void(Array<double> const&)> const& spoil,
          PermutationTestOptions const& options = random_options(100)) {
  auto const x = values(9, 7919);
  if (s.is_faulty() && spoil) spoil(x);
  mpi::permutation_test(s.exec, s.comm, WelchT{}, x, values(8, 31), options);
}

TEST(MpiPermutationTest, RejectsDataThatDifferAmongRanks) {
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: the digest of x = ",
      [](ErrorCase const& s) { test(s, [](auto const& x) { x(8) += 1e-9; }); }, 1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: the digest of x = ",
      [](ErrorCase const& s) { test(s, [](auto const& x) { std::swap(x(2), x(5)); }); }, 1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: y.extent(0) = 7 on rank @ and 9 on rank 0: must be the same",
      [](ErrorCase const& s) {
        mpi::permutation_test(s.exec, s.comm, DifferenceOfMeans{}, values(9, 7919),
                              values(s.is_faulty() ? 7 : 9, 31));
      },
      1);
}

TEST(MpiPermutationTest, RejectsOtherOptions) {
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: options.seed = 7 on rank @ and 1906 on rank 0: must be the "
      "same on all ranks",
      [](ErrorCase const& s) {
        auto options = random_options(100);
        if (s.is_faulty()) options.seed = 7;
        test(s, {}, options);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: options.replicates = 101 on rank @ and 100 on rank 0",
      [](ErrorCase const& s) { test(s, {}, random_options(s.is_faulty() ? 101 : 100)); }, 1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: options.alternative = ",
      [](ErrorCase const& s) {
        auto options = random_options(100);
        if (s.is_faulty()) options.alternative = Alternative::less;
        test(s, {}, options);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: options.enumerate = 1 on rank @ and 0 on rank 0",
      [](ErrorCase const& s) {
        auto options = random_options(100);
        options.enumerate = s.is_faulty();
        test(s, {}, options);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: the number of the statistic = ",
      [](ErrorCase const& s) {
        auto const x = values(9, 7919);
        if (s.is_faulty()) {
          mpi::permutation_test(s.exec, s.comm, DifferenceOfMeans{}, x, x);
        } else {
          mpi::permutation_test(s.exec, s.comm, MannWhitneyU{}, x, x);
        }
      },
      1);
}

TEST(MpiPermutationTest, ReportsInvalidArgumentsOfOneRank) {
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: options.replicates = 0: must be at least 1 (found on rank @)",
      [](ErrorCase const& s) { test(s, {}, random_options(s.is_faulty() ? 0 : 100)); });
  expect_thrown_by_all("riffle::mpi::permutation_test: x", [](ErrorCase const& s) {
    test(s, [](auto const& x) { x(4) = std::numeric_limits<double>::quiet_NaN(); });
  });
  expect_thrown_by_all<std::runtime_error>("tired (found on rank @)", [](ErrorCase const& s) {
    auto options = random_options(1000);
    options.progress = [&](std::uint64_t, std::uint64_t) {
      if (s.is_faulty()) throw std::runtime_error("tired");
    };
    test(s, {}, options);
  });
}

TEST(MpiPermutationTest, RejectsDifferentUserStatistics) {
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: n = 24 on rank @ and 23 on rank 0",
      [](ErrorCase const& s) {
        Displacement const statistic{s.is_faulty() ? 22u : 23u,
                                     Kokkos::View<std::uint64_t, Exec>("calls")};
        mpi::permutation_test(s.exec, s.comm, s.is_faulty() ? 24 : 23, statistic);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::permutation_test: the bits of the observed statistic = ",
      [](ErrorCase const& s) {
        Displacement const statistic{s.is_faulty() ? 22u : 23u,
                                     Kokkos::View<std::uint64_t, Exec>("calls")};
        mpi::permutation_test(s.exec, s.comm, 23, statistic);
      },
      1);
}

}  // namespace
}  // namespace riffle::test::mpi_permutation_test_test
