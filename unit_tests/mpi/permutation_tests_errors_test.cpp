// If one rank, each in turn, passes wrong arguments to permutation_tests, all ranks throw.

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/mpi/linear_model_tests.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/failing_allocations.hpp"
#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_permutation_tests_errors_test {
namespace {

constexpr std::size_t observations = 12;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

/// The arguments of a rank.
struct Arguments {
  Matrix data{"data", 5, observations};
  Array<double> by{"by", observations};
  PermutationTestsOptions options;

  Arguments() {
    for (std::size_t g = 0; g < data.extent(0); ++g) {
      for (std::size_t i = 0; i < observations; ++i) {
        data(g, i) = static_cast<double>((7 * g + 3) * (i + 1) % 23);
      }
    }
    for (std::size_t i = 0; i < observations; ++i) by(i) = i % 2 == 0 ? 1 : 0;
    options.replicates = 200;
    options.seed = same_seed;
  }
};

using Spoil = std::function<void(Arguments&)>;

/// Expects that all ranks throw `text` if `spoil` changes one rank's arguments. If the text compares with rank 0, rank 0 is not
/// changed.
template <class Exception = std::invalid_argument>
void expect_thrown(std::string const& text, Spoil const& spoil) {
  bool const is_found = text.find("found on rank") != std::string::npos;
  expect_thrown_by_all<Exception>(
      text,
      [&](ErrorCase const& s) {
        Arguments arguments;
        if (s.is_faulty()) spoil(arguments);
        mpi::permutation_tests(s.exec, s.comm, WelchT{}, arguments.data, arguments.by,
                               arguments.options);
      },
      is_found ? 0 : 1);
}

std::string const prefix = "riffle::mpi::permutation_tests: ";

TEST(MpiPermutationTestsErrors, OtherData) {
  expect_thrown(prefix + "the digest of data = ", [](Arguments& a) { a.data(4, 11) += 1; });
  expect_thrown(prefix + "the digest of data = ",
                [](Arguments& a) { std::swap(a.data(1, 3), a.data(2, 3)); });
  expect_thrown(prefix + "the digest of by = ", [](Arguments& a) { std::swap(a.by(0), a.by(1)); });
  expect_thrown(prefix + "data.extent(0) = 4 on rank @ and 5 on rank 0: must be the same on all",
                [](Arguments& a) { a.data = Matrix("data", 4, observations); });
}

TEST(MpiPermutationTestsErrors, OtherOptions) {
  expect_thrown(prefix + "options.seed = 7 on rank @ and 1906 on rank 0: must be the same on all",
                [](Arguments& a) { a.options.seed = 7; });
  expect_thrown(prefix + "options.replicates = 7 on rank @ and 200 on rank 0",
                [](Arguments& a) { a.options.replicates = 7; });
  expect_thrown(prefix + "options.alternative = ",
                [](Arguments& a) { a.options.alternative = Alternative::greater; });
  expect_thrown(prefix + "options.missing = ",
                [](Arguments& a) { a.options.missing = MissingValues::leave_value_out; });
  expect_thrown(prefix + "options.enumerate = 0 on rank @ and 1 on rank 0",
                [](Arguments& a) { a.options.enumerate = false; });
  expect_thrown(prefix + "options.min_p = 1 on rank @ and 0 on rank 0",
                [](Arguments& a) { a.options.min_p = true; });
  expect_thrown(prefix + "options.keep_maxima = 0 on rank @ and 1 on rank 0",
                [](Arguments& a) { a.options.keep_maxima = false; });
}

TEST(MpiPermutationTestsErrors, OtherSchemesAndCounts) {
  expect_thrown(prefix + "the digest of options.scheme = ",
                [](Arguments& a) { a.options.scheme = PermutationScheme::free(observations); });
  expect_thrown(prefix + "the digest of options.resume = ", [](Arguments& a) {
    a.options.resume = PermutationCounts{1, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1.5}};
  });
  expect_thrown_by_all(
      prefix + "the digest of options.resume = ",
      [](ErrorCase const& s) {
        Arguments a;
        a.options.keep_maxima = false;
        a.options.resume =
            PermutationCounts{1, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {}, {0, 0, 0, 0, 0}};
        if (s.is_faulty()) a.options.resume->single_step[2] = 1;
        mpi::permutation_tests(s.exec, s.comm, WelchT{}, a.data, a.by, a.options);
      },
      1);
  std::vector<int> blocks(observations);
  expect_thrown_by_all(
      prefix + "the digest of options.scheme = ",
      [&](ErrorCase const& s) {
        Arguments a;
        for (std::size_t i = 0; i < observations; ++i) blocks[i] = i < 6 ? 1 : 2;
        if (s.is_faulty()) std::swap(blocks[0], blocks[7]);
        a.options.scheme = PermutationScheme::within_blocks(blocks);
        mpi::permutation_tests(s.exec, s.comm, WelchT{}, a.data, a.by, a.options);
      },
      1);
}

TEST(MpiPermutationTestsErrors, OtherStatisticsAndModels) {
  expect_thrown_by_all(
      prefix + "the number of the statistic = ",
      [](ErrorCase const& s) {
        Arguments const a;
        if (s.is_faulty()) {
          mpi::permutation_tests(s.exec, s.comm, StudentT{}, a.data, a.by, a.options);
        } else {
          mpi::permutation_tests(s.exec, s.comm, WelchT{}, a.data, a.by, a.options);
        }
      },
      1);
  expect_thrown_by_all(
      prefix + "the digest of the model = ",
      [](ErrorCase const& s) {
        Arguments const a;
        std::vector<double> design;
        for (std::size_t i = 0; i < observations; ++i) {
          design.insert(design.end(), {1.0, i * 0.5 + (s.is_faulty() && i == 3 ? 1 : 0)});
        }
        LinearModel const model(design, observations, 2, {0, 1});
        mpi::permutation_tests(s.exec, s.comm, model, a.data, a.options);
      },
      1);
}

TEST(MpiPermutationTestsErrors, ErrorsOfOneDevice) {
  expect_thrown(prefix + "options.replicates = 0: must be at least 1 (found on rank @)",
                [](Arguments& a) { a.options.replicates = 0; });
  expect_thrown(
      prefix + "data.extent(1) = 11: must be the number of observations, 12 (found on rank @)",
      [](Arguments& a) { a.data = Matrix("data", 5, 11); });
  expect_thrown(prefix +
                    "options.resume has the counts of 1 and 0 variables: must be those of 5 (found "
                    "on rank @)",
                [](Arguments& a) {
                  a.options.resume = PermutationCounts{0, {1}, {}, {}};
                });
  expect_thrown_by_all(prefix, [](ErrorCase const& s) {
    Arguments a;
    if (s.is_faulty()) a.data(2, 2) = std::numeric_limits<double>::infinity();
    mpi::permutation_tests(s.exec, s.comm, WelchT{}, a.data, a.by, a.options);
  });
  expect_thrown_by_all(prefix, [](ErrorCase const& s) {
    Arguments a;
    if (s.is_faulty()) a.by(3) = 2;
    mpi::permutation_tests(s.exec, s.comm, WelchT{}, a.data, a.by, a.options);
  });
}

TEST(MpiPermutationTestsErrors, ExceptionsOfCallbacks) {
  expect_thrown<std::runtime_error>("no space left (found on rank @)", [](Arguments& a) {
    a.options.progress = [](std::uint64_t, std::uint64_t) {
      throw std::runtime_error("no space left");
    };
  });
  expect_thrown<std::runtime_error>("no clock (found on rank @)", [](Arguments& a) {
    a.options.batch = 1;
    a.options.replicates = 200;
    a.options.stop = []() -> bool { throw std::runtime_error("no clock"); };
    a.options.progress = [](std::uint64_t done, std::uint64_t total) {
      if (done == total) throw std::runtime_error("no clock");
    };
  });
  expect_thrown<std::runtime_error>(
      "an exception that is no std::exception (found on rank @)",
      [](Arguments& a) { a.options.progress = [](std::uint64_t, std::uint64_t) { throw 1; }; });
}

TEST(MpiFailedAllocations, TestsThrowOnAll) {
  constexpr std::uint64_t count = 30;
  bool const changes_keys = false;
  Array<double> const x("x", count);
  Array<double> const by("by", count);
  Matrix const data("data", 3, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    x(i) = static_cast<double>(i * i);
    by(i) = i < count / 2 ? 0 : 1;
    for (std::uint64_t g = 0; g < 3; ++g) data(g, i) = static_cast<double>((g + 7) * i % 31);
  }
  expect_all_or_nothing(
      count,
      [&](auto const& comm, auto const&, auto const& values) {
        PermutationTestOptions options;
        options.replicates = 2000;
        mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, values, x, options);
      },
      changes_keys);
  for (bool const min_p : {true, false}) {
    expect_all_or_nothing(
        count,
        [&](auto const& comm, auto const&, auto const&) {
          PermutationTestsOptions options;
          options.replicates = 500;
          options.min_p = min_p;
          options.keep_maxima = min_p;
          mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, options);
        },
        changes_keys);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_permutation_tests_errors_test
