// Permutation tests of many variables with replicates divided among ranks are compared with the results of one device, and with
// textbook formulas over all arrangements.

#include <riffle/monte_carlo/linear_model_tests.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/mpi/linear_model_tests.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "support/permutation_tests_oracle.hpp"
#include "support/permutation_tests_problems.hpp"

namespace riffle::test::mpi_permutation_tests_test {
namespace {

constexpr std::uint64_t seed = 1993;

using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

Matrix matrix_of(HostileVariables const& variables) {
  Matrix const data("data", variables.count(), variables.values[0].size());
  for (std::size_t g = 0; g < data.extent(0); ++g) {
    for (std::size_t i = 0; i < data.extent(1); ++i) data(g, i) = variables.values[g][i];
  }
  return data;
}

Array<double> view_of(std::vector<double> const& values) {
  Array<double> const view("values", values.size());
  std::copy(values.begin(), values.end(), view.data());
  return view;
}

std::vector<double> labels(std::size_t n, std::size_t groups) {
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<double>((i * i + i / 3) % groups);
  return result;
}

std::vector<double> covariate(std::size_t n) {
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = std::sqrt(static_cast<double>(7 * i % 11 + 2));
  return result;
}

/// Calls visit(name, test): test(..., options) calls permutation_tests on one device, test(comm, ..., options) over ranks.
template <class Visit>
void for_each_kind(Matrix const& data, Visit const& visit) {
  std::size_t const n = data.extent(1);
  Exec const exec;
  auto const with = [&](char const* name, auto const statistic, std::vector<double> const& by) {
    auto const view = view_of(by);
    visit(
        name,
        [&](auto const& options) {
          return permutation_tests(exec, statistic, data, view, options);
        },
        [&](auto const& comm, auto const& options) {
          return mpi::permutation_tests(exec, comm, statistic, data, view, options);
        });
  };
  with("Student's t", StudentT{}, labels(n, 2));
  with("Welch's t", WelchT{}, labels(n, 2));
  with("U", MannWhitneyU{}, labels(n, 2));
  with("F", FStatistic{}, labels(n, 3));
  with("H", KruskalWallisH{}, labels(n, 3));
  with("r", PearsonCorrelation{}, covariate(n));
  with("rho", SpearmanCorrelation{}, covariate(n));
  visit(
      "t of one sample",
      [&](auto const& options) { return permutation_tests(exec, OneSampleT{}, data, options); },
      [&](auto const& comm, auto const& options) {
        return mpi::permutation_tests(exec, comm, OneSampleT{}, data, options);
      });
}

template <class T>
void expect_same_bits(PermutationTestsResult::Values<T> const& found,
                      PermutationTestsResult::Values<T> const& expected, char const* name) {
  ASSERT_EQ(found.extent(0), expected.extent(0)) << name;
  if (found.extent(0) == 0) return;
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.extent(0) * sizeof(T)), 0) << name;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same_but_for_maxima(PermutationTestsResult const& found,
                                PermutationTestsResult const& expected) {
  expect_same_bits(found.status, expected.status, "status");
  expect_same_bits(found.statistic, expected.statistic, "statistic");
  expect_same_bits(found.p, expected.p, "p");
  expect_same_bits(found.extreme, expected.extreme, "extreme");
  expect_same_bits(found.observations, expected.observations, "observations");
  expect_same_bits(found.p_single_step, expected.p_single_step, "p_single_step");
  expect_same_bits(found.p_step_down, expected.p_step_down, "p_step_down");
  expect_same_bits(found.p_single_step_min_p, expected.p_single_step_min_p, "p_single_step_min_p");
  expect_same_bits(found.p_step_down_min_p, expected.p_step_down_min_p, "p_step_down_min_p");
  expect_same_bits(found.p_false_discovery, expected.p_false_discovery, "p_false_discovery");
  EXPECT_EQ(found.replicates, expected.replicates);
  EXPECT_EQ(found.exact, expected.exact);
  EXPECT_EQ(found.stopped, expected.stopped);
  EXPECT_EQ(found.counts.done, expected.counts.done);
  EXPECT_TRUE(same_bits(found.counts.extreme, expected.counts.extreme));
  EXPECT_TRUE(same_bits(found.counts.step_down, expected.counts.step_down));
  EXPECT_TRUE(same_bits(found.counts.single_step, expected.counts.single_step));
}

void expect_same(PermutationTestsResult const& found, PermutationTestsResult const& expected) {
  expect_same_but_for_maxima(found, expected);
  expect_same_bits(found.maxima, expected.maxima, "maxima");
  EXPECT_TRUE(same_bits(found.counts.maxima, expected.counts.maxima));
}

/// Compares all but the maxima, which `found` must not have.
void expect_without_maxima(PermutationTestsResult const& found,
                           PermutationTestsResult const& expected) {
  expect_same_but_for_maxima(found, expected);
  EXPECT_EQ(found.maxima.extent(0), 0u);
  EXPECT_TRUE(found.counts.maxima.empty());
}

PermutationTestsOptions options_of(std::uint64_t replicates) {
  PermutationTestsOptions options;
  options.replicates = replicates;
  options.seed = seed;
  return options;
}

void expect_as_on_one_device(Matrix const& data, PermutationTestsOptions const& options) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto of_rank = options;
  // Batches may differ between ranks.
  of_rank.batch = comm.rank() % 2 == 0 ? 0 : 128;
  auto without_maxima = of_rank;
  without_maxima.keep_maxima = false;
  for_each_kind(data, [&](char const* name, auto const& of_one_device, auto const& of_ranks) {
    SCOPED_TRACE(name);
    auto const expected = of_one_device(options);
    expect_same(of_ranks(comm, of_rank), expected);
    expect_without_maxima(of_ranks(comm, without_maxima), expected);
  });
}

TEST(MpiPermutationTests, RandomReplicatesAsOnOneDevice) {
  for (std::uint64_t const m : {1, 2, 7, 100, 1111}) {
    SCOPED_TRACE(m);
    expect_as_on_one_device(matrix_of(hostile_decimals(19, 5)), options_of(m));
  }
  expect_as_on_one_device(matrix_of(hostile_reals(19, 5)), options_of(999));
}

TEST(MpiPermutationTests, MaximaByEveryTransport) {
  auto const data = matrix_of(hostile_decimals(19, 5));
  auto options = options_of(1111);
  auto const expected = permutation_tests(Exec(), OneSampleT{}, data, options);
  options.batch = 128;
  auto watched = options;
  std::uint64_t told = 0;
  watched.progress = [&](std::uint64_t done, std::uint64_t) { told = done; };
  for (auto const& transfer_options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, transfer_options);
    expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options), expected);
    expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, watched), expected);
    EXPECT_EQ(told, 1111u);
    auto resumed = watched;
    resumed.resume = permutation_tests(Exec(), OneSampleT{}, data, options_of(99)).counts;
    expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, resumed), expected);
  }
}

// Gathers in several messages, as for counts that exceed an int.
TEST(MpiPermutationTests, BlocksOfManyNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const count : {0, 1, 5, 1000}) {
    for (std::uint64_t const max_at_once : {count, count / 2}) {
      std::vector<double> numbers(count + 1, -1);
      auto const own = mpi::block_of(count, comm.rank(), comm.size());
      for (std::uint64_t i = own.first; i < own.first + own.count; ++i) {
        numbers[i] = static_cast<double>(i * i);
      }
      detail::mpi::gather_blocks_by_mpi(comm, count, numbers.data(), max_at_once);
      for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(numbers[i], static_cast<double>(i * i));
      EXPECT_EQ(numbers[count], -1);
    }
  }
}

TEST(MpiPermutationTests, AllArrangementsAndMinPAsOnOneDevice) {
  auto options = options_of(50000);
  options.min_p = true;
  expect_as_on_one_device(matrix_of(hostile_decimals(7, 3)), options);
  options = options_of(300);
  options.min_p = true;
  options.alternative = Alternative::greater;
  expect_as_on_one_device(matrix_of(hostile_decimals(15, 3)), options);
}

TEST(MpiPermutationTests, TwiceTheSmallerTailAsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const data = matrix_of(hostile_decimals(15, 3));
  auto const by = view_of(labels(15, 2));
  auto options = options_of(300);
  options.min_p = true;
  options.alternative = Alternative::two_sided_doubled;
  expect_same(mpi::permutation_tests(Exec(), comm, StudentT{}, data, by, options),
              permutation_tests(Exec(), StudentT{}, data, by, options));
}

TEST(MpiPermutationTests, MinPOfMoreVariablesThanAreRankedAtATime) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  if (comm.size() != 2) return;  // takes seconds, and with many ranks each has few variables
  std::uint64_t const variables = 21;
  std::uint64_t const observations = 10;
  Matrix const data("data", variables, observations);
  for (std::uint64_t g = 0; g < variables; ++g) {
    for (std::uint64_t i = 0; i < observations; ++i) {
      data(g, i) = static_cast<double>((g + 2) * (i + 1) * 7919 % 97) - 20;
    }
  }
  auto options = options_of(720'000);  // four variables have this number of arrangements
  options.min_p = true;
  options.enumerate = false;
  expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options),
              permutation_tests(Exec(), OneSampleT{}, data, options));
}

TEST(MpiPermutationTests, MissingValuesAsOnOneDevice) {
  auto options = options_of(500);
  options.missing = MissingValues::leave_value_out;
  expect_as_on_one_device(matrix_of(hostile_decimals(18, 11)), options);
  options.min_p = true;
  expect_as_on_one_device(matrix_of(hostile_decimals(18, 11)), options);
}

TEST(MpiPermutationTests, BlockSchemesAsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::size_t const n = 16;
  auto const data = matrix_of(hostile_decimals(n, 2));
  std::vector<int> blocks(n);
  for (std::size_t i = 0; i < n; ++i) blocks[i] = static_cast<int>(i / 4);
  auto options = options_of(700);
  options.scheme = PermutationScheme::within_blocks(blocks);
  auto const by = view_of(labels(n, 2));
  expect_same(mpi::permutation_tests(Exec(), comm, StudentT{}, data, by, options),
              permutation_tests(Exec(), StudentT{}, data, by, options));
  options.scheme =
      PermutationScheme::sign_flips(n).with_block_sign_flips(blocks);  // all 2^4 choices of signs
  expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options),
              permutation_tests(Exec(), OneSampleT{}, data, options));
}

TEST(MpiPermutationTests, NoVariables) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Matrix const none("none", 0, 12);
  auto const by = view_of(labels(12, 2));
  expect_same(mpi::permutation_tests(Exec(), comm, StudentT{}, none, by, options_of(99)),
              permutation_tests(Exec(), StudentT{}, none, by, options_of(99)));
}

TEST(MpiPermutationTests, LinearModelsAsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::size_t const n = 14;
  auto const data = matrix_of(hostile_decimals(n, 8));
  std::vector<double> design;
  for (std::size_t i = 0; i < n; ++i) {
    design.insert(design.end(), {1.0, labels(n, 2)[i], covariate(n)[i]});
  }
  for (auto const nuisance :
       {Nuisance::freedman_lane, Nuisance::draper_stoneman, Nuisance::ter_braak, Nuisance::manly}) {
    SCOPED_TRACE(static_cast<int>(nuisance));
    LinearModel const model(design, n, 3, {0, 1, 0}, {nuisance});
    auto options = options_of(777);
    auto const expected = permutation_tests(Exec(), model, data, options);
    expect_same(mpi::permutation_tests(Exec(), comm, model, data, options), expected);
    options.keep_maxima = false;
    expect_without_maxima(mpi::permutation_tests(Exec(), comm, model, data, options), expected);
  }
}

TEST(MpiPermutationTests, AllArrangementsByTextbooks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::size_t const n = 7;
  auto const variables = hostile_decimals(n, 21);
  auto const by = labels(n, 2);
  auto const tested = variables.tested(OracleStatistic::student);
  auto const table =
      oracle_table(OracleStatistic::student, variables.paper, by, 0, tested,
                   all_arrangements(static_cast<int>(n), true, false, [](auto&) { return true; }));
  auto options = options_of(5040);
  options.keep_maxima = false;
  auto const found =
      mpi::permutation_tests(Exec(), comm, StudentT{}, matrix_of(variables), view_of(by), options);
  ASSERT_TRUE(found.exact);
  // Several permutations give the same labels.
  std::uint64_t const times = table.maxima.size() / found.replicates;
  EXPECT_EQ(times * found.replicates, 5040u);
  auto const m = static_cast<double>(found.replicates);
  for (std::size_t g = 0; g < variables.count(); ++g) {
    if (!tested[g]) continue;
    SCOPED_TRACE("variable " + std::to_string(g));
    EXPECT_EQ(found.extreme(g) * times, table.extreme[g]);
    EXPECT_EQ(found.p_single_step(g), static_cast<double>(table.single_step[g] / times) / m);
    EXPECT_EQ(found.p_step_down(g), static_cast<double>(table.step_down[g] / times) / m);
  }
}

// --- watched, stopped and resumed ---

PermutationTestsOptions random_options(std::uint64_t replicates) {
  auto options = options_of(replicates);
  options.enumerate = false;
  options.batch = 128;
  return options;
}

TEST(MpiPermutationTests, ProgressCountsAllRanks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const data = matrix_of(hostile_decimals(19, 5));
  auto options = random_options(5000);
  auto const expected = permutation_tests(Exec(), OneSampleT{}, data, options);
  std::uint64_t last = 0;
  std::uint64_t calls = 0;
  // Only one rank reports progress.
  int const watcher = comm.size() - 1;
  if (comm.rank() == watcher) {
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(total, 5000u);
      EXPECT_GT(done, last);
      last = done;
      ++calls;
    };
  }
  expect_same(mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options), expected);
  if (comm.rank() != watcher) return;
  EXPECT_EQ(last, 5000u);
  std::uint64_t const round = 128 * static_cast<std::uint64_t>(comm.size());
  EXPECT_EQ(calls, (5000 + round - 1) / round);
}

TEST(MpiPermutationTests, StopAtTheRequestOfOneRankAndResume) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const data = matrix_of(hostile_decimals(19, 5));
  auto const by = view_of(labels(19, 2));
  auto const whole = permutation_tests(Exec(), WelchT{}, data, by, random_options(5000));
  for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
    auto options = random_options(5000);
    int asked = 0;
    if (comm.rank() == faulty_rank) options.stop = [&] { return ++asked == 2; };
    auto const found = mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, options);
    std::uint64_t const done = 2 * 128 * static_cast<std::uint64_t>(comm.size());
    auto expected = permutation_tests(Exec(), WelchT{}, data, by, random_options(done));
    expected.stopped = true;
    expect_same(found, expected);
    // Continues with the remaining replicates.
    auto rest = random_options(5000);
    rest.resume = found.counts;
    expect_same(mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, rest), whole);
    // Continues without maxima, from counts that have them.
    rest.keep_maxima = false;
    expect_without_maxima(mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, rest), whole);
    options.keep_maxima = false;
    asked = 0;
    rest.resume = mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, options).counts;
    EXPECT_EQ(rest.resume->done, done);
    EXPECT_TRUE(rest.resume->maxima.empty());
    expect_without_maxima(mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, rest), whole);
  }
}

TEST(MpiPermutationTests, ResumeFromAnyNumberOfReplicates) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const data = matrix_of(hostile_decimals(19, 5));
  for (std::uint64_t const done : {0, 1, 77, 499, 500}) {
    auto options = options_of(500);
    auto const whole = permutation_tests(Exec(), OneSampleT{}, data, options);
    options.resume = PermutationCounts{};
    options.resume->extreme.resize(data.extent(0));
    options.resume->step_down.resize(data.extent(0));
    if (done > 0) {
      options.resume = permutation_tests(Exec(), OneSampleT{}, data, options_of(done)).counts;
    }
    options.min_p = true;
    auto const found = mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options);
    EXPECT_TRUE(same_bits(found.counts.maxima, whole.counts.maxima));
    EXPECT_TRUE(same_bits(found.counts.extreme, whole.counts.extreme));
    expect_same(found, permutation_tests(Exec(), OneSampleT{}, data, options));
  }
}

}  // namespace
}  // namespace riffle::test::mpi_permutation_tests_test
