// If one rank, each in turn, passes a wrong argument to a ranking, all ranks throw the same text, and no rank has written.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mpi/failing_allocations.hpp"
#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_rank_errors_test {
namespace {

/// Checks the call on all ranks as a rank with these types and this order would; compiles no ranking of them.
template <class T, class Rank, class Order = Ascending>
void check_ranking_on_all_ranks(ErrorCase const& s, char const* function) {
  detail::Call const context(s.exec, "test");
  detail::mpi::RankCall<Exec> const call{function, context, s.comm};
  detail::mpi::check_ranking_on_all_ranks(call, "data", Array<T>("values", per_rank),
                                          Array<Rank>("ranks", per_rank), ties::Competition{},
                                          RankOptions<Order>{});
}

/// rank_test.cpp and rank_unsorted_test.cpp rank doubles by all rules, so that these calls compile nothing more.
Array<double> values_of_rank() { return Array<double>("values", per_rank); }
Array<double> ranks_of_rank() { return Array<double>("ranks", per_rank); }

/// Expects that both functions throw, each with its own name.
template <class Call>
void expect_thrown_by_both(std::string const& pattern, Call const& call, int first_faulty = 0) {
  expect_thrown_by_all(
      "riffle::mpi::rank: " + pattern,
      [&](ErrorCase const& s) {
        call(s, [&](auto const&... arguments) { mpi::rank(s.exec, s.comm, arguments...); });
      },
      first_faulty);
  expect_thrown_by_all(
      "riffle::mpi::rank_unsorted: " + pattern,
      [&](ErrorCase const& s) {
        call(s,
             [&](auto const&... arguments) { mpi::rank_unsorted(s.exec, s.comm, arguments...); });
      },
      first_faulty);
}

TEST(MpiRankErrors, ExtentsThatDiffer) {
  expect_thrown_by_all(
      "riffle::mpi::rank: sorted.extent(0) = 3 and ranks.extent(0) = 10: must be equal (found on "
      "rank @)",
      [](ErrorCase const& s) {
        mpi::rank(s.exec, s.comm, Array<int>("in", s.is_faulty() ? 3 : per_rank), s.out);
      });
  expect_thrown_by_all(
      "riffle::mpi::rank_unsorted: data.extent(0) = 3 and ranks.extent(0) = 10: must be equal "
      "(found on rank @)",
      [](ErrorCase const& s) {
        mpi::rank_unsorted(s.exec, s.comm, Array<int>("in", s.is_faulty() ? 3 : per_rank), s.out);
      });
}

TEST(MpiRankErrors, ViewsThatOverlap) {
  expect_thrown_by_all(
      "riffle::mpi::rank: sorted (\"out\") and ranks (\"out\") overlap: must share no element "
      "(found on rank @)",
      [](ErrorCase const& s) { mpi::rank(s.exec, s.comm, s.is_faulty() ? s.out : s.in, s.out); });
  expect_thrown_by_all(
      "riffle::mpi::rank_unsorted: data (\"out\") and ranks (\"out\") overlap: must share no "
      "element (found on rank @)",
      [](ErrorCase const& s) {
        mpi::rank_unsorted(s.exec, s.comm, s.is_faulty() ? s.out : s.in, s.out);
      });
}

TEST(MpiRankErrors, InvalidOptions) {
  expect_thrown_by_both("options.first = 2: must be 0 or 1 (found on rank @)",
                        [](ErrorCase const& s, auto const& call) {
                          call(s.in, s.out, ties::Competition{},
                               RankOptions<>{.first = s.is_faulty() ? 2 : 1});
                        });
  expect_thrown_by_both(
      "options.relative = true: relative ranks are no integers; ranks must be of floating point "
      "(found on rank @)",
      [](ErrorCase const& s, auto const& call) {
        call(s.in, s.out, ties::Competition{}, RankOptions<>{.relative = s.is_faulty()});
      });
}

TEST(MpiRankErrors, TypeTooSmallForRanks) {
  // No rank has too many elements by itself, but all ranks together do.
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 100 * static_cast<std::uint64_t>(comm.size());
  std::string const text = "n = " + std::to_string(n) +
                           ": the value type of ranks holds no rank above 127 (found on rank 0)";
  if (n <= 127) return;
  // The types of rank_test.cpp, so that nothing more is compiled.
  Strided<int const> const in = Strided<int>("in", Kokkos::LayoutStride(100, 1));
  Strided<std::int8_t> const out("out", Kokkos::LayoutStride(100, 1));
  auto const sorted = thrown_message([&] { mpi::rank(Exec(), comm, in, out); });
  auto const unsorted = thrown_message([&] { mpi::rank_unsorted(Exec(), comm, in, out); });
  EXPECT_EQ(sorted, "riffle::mpi::rank: " + text);
  EXPECT_EQ(unsorted, "riffle::mpi::rank_unsorted: " + text);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(out(i), 0);
}

TEST(MpiRankErrors, OtherOptions) {
  expect_thrown_by_both(
      "options.first = 0 on rank @ and 1 on rank 0: must be the same on all ranks",
      [](ErrorCase const& s, auto const& call) {
        call(s.in, s.out, ties::Competition{}, RankOptions<>{.first = s.is_faulty() ? 0 : 1});
      },
      1);
  expect_thrown_by_both(
      "options.missing = 2 on rank @ and 0 on rank 0",
      [](ErrorCase const& s, auto const& call) {
        auto const missing = s.is_faulty() ? Missing::excluded : Missing::ranked;
        call(s.in, s.out, ties::Competition{}, RankOptions<>{.missing = missing});
      },
      1);
  expect_thrown_by_both(
      "options.relative = 1 on rank @ and 0 on rank 0",
      [](ErrorCase const& s, auto const& call) {
        call(values_of_rank(), ranks_of_rank(), ties::Competition{},
             RankOptions<>{.relative = s.is_faulty()});
      },
      1);
}

TEST(MpiRankErrors, OtherRules) {
  expect_thrown_by_both(
      "rule.seed = 7 on rank @ and 1906 on rank 0",
      [](ErrorCase const& s, auto const& call) {
        call(values_of_rank(), ranks_of_rank(), ties::Random{s.is_faulty() ? 7 : same_seed});
      },
      1);
  expect_thrown_by_both(
      "the number of the rule = ",
      [](ErrorCase const& s, auto const& call) {
        if (s.is_faulty()) {
          call(values_of_rank(), ranks_of_rank(), ties::Dense{});
        } else {
          call(values_of_rank(), ranks_of_rank(), ties::Competition{});
        }
      },
      1);
}

template <class T, class Rank, class Order>
void expect_others_thrown(std::string const& pattern) {
  expect_thrown_by_all(
      "riffle::mpi::rank: " + pattern,
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          check_ranking_on_all_ranks<T, Rank, Order>(s, "mpi::rank");
        } else {
          mpi::rank(s.exec, s.comm, s.in, s.out);
        }
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::rank_unsorted: " + pattern,
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          check_ranking_on_all_ranks<T, Rank, Order>(s, "mpi::rank_unsorted");
        } else {
          mpi::rank_unsorted(s.exec, s.comm, s.in, s.out);
        }
      },
      1);
}

TEST(MpiRankErrors, OtherTypesAndOrders) {
  expect_others_thrown<double, int, Ascending>(
      "the bytes of a value = 8 on rank @ and 4 on rank 0");
  expect_others_thrown<int, float, Ascending>(
      "the kind of ranks (1 signed, 2 unsigned, 3 floating-point) = 3 on rank @ and 1 on rank 0");
  expect_others_thrown<int, int, Descending>(
      "the order (0 ascending, 1 descending, 2 a comparison) = 1 on rank @ and 0 on rank 0");
}

TEST(MpiRankErrors, AnotherFunction) {
  expect_thrown_by_all(
      "riffle::mpi: rank @ calls another function than rank 0",
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          mpi::rank(s.exec, s.comm, s.in, s.out);
        } else {
          mpi::rank_unsorted(s.exec, s.comm, s.in, s.out);
        }
      },
      1);
}

TEST(MpiRankErrors, FailedAllocationsWriteNothing) {
  constexpr std::uint64_t count = 20000;
  auto const expect = [](auto const& rule, auto const& method) {
    expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const& values) {
      mpi::rank(Exec(), comm, values, keys, rule, RankOptions<>{.missing = Missing::excluded},
                method);
    });
  };
  expect(ties::Dense{}, DefaultRanking{});
  expect(ties::Competition{}, NaivePrefixRanking{});
  expect(ties::Competition{}, PackedScanRanking{});
  Array<int> const integers("integers", count);
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::rank(Exec(), comm, integers, keys, ties::ModifiedCompetition{});
  });
  Array<double> const data("data", count);
  for (std::uint64_t i = 0; i < count; ++i) data(i) = static_cast<double>(i * i % 9973);
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::rank_unsorted(Exec(), comm, data, keys);
  });
}

}  // namespace
}  // namespace riffle::test::mpi_rank_errors_test
