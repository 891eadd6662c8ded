// If one rank, each in turn, passes a wrong argument to a sort, all ranks throw the same text, and no rank has written.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "mpi/failing_allocations.hpp"
#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_sort_errors_test {
namespace {

/// Checks the arguments on all ranks as a sort of these keys by this order does; compiles no such sort.
template <class Key, class Order>
void check_sort_on_all_ranks(ErrorCase const& s, char const* function) {
  detail::Call const context(s.exec, "test");
  detail::mpi::RankCall<Exec> const call{function, context, s.comm};
  detail::mpi::check_sort_on_all_ranks<Key, Order>(
      call, [] {}, sizeof(Key));
}

/// The faulty_rank rank has keys of another type, or another order.
template <class Key, class Order>
void expect_different_sorts_throw(char const* text) {
  expect_thrown_by_all(
      text,
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          check_sort_on_all_ranks<Key, Order>(s, "mpi::sort");
        } else {
          mpi::sort(s.exec, s.comm, s.out);
        }
      },
      1);
}

TEST(MpiErrors, SortsByAnotherOrder) {
  expect_different_sorts_throw<int, Descending>(
      "riffle::mpi::sort: the order (0 ascending, 1 descending, 2 a comparison) = 1 on rank @ and "
      "0 on rank 0: must be the same on all ranks");
}

TEST(MpiErrors, SortsOfOtherKeys) {
  expect_different_sorts_throw<float, Ascending>(
      "riffle::mpi::sort: the kind of keys (1 signed, 2 unsigned, 3 floating-point, 0 other) = 3 "
      "on rank @ and 1 on rank 0: must be the same on all ranks");
  expect_different_sorts_throw<std::int64_t, Ascending>(
      "riffle::mpi::sort: the bytes of a key = 8 on rank @ and 4 on rank 0");
}

TEST(MpiErrors, SortsOfViewsThatOverlap) {
  expect_thrown_by_all(
      "riffle::mpi::sort_copy: in (\"out\") and out (\"out\") overlap: must share no element "
      "(found on rank @)",
      [](ErrorCase const& s) {
        mpi::sort_copy(s.exec, s.comm, s.is_faulty() ? s.out : s.in, s.out);
      });
}

TEST(MpiErrors, SortsWhoseSumsDiffer) {
  expect_thrown_by_all("riffle::mpi::sort_copy: in has ", [](ErrorCase const& s) {
    Array<int> const more("more", s.is_faulty() ? per_rank + 1 : per_rank);
    mpi::sort_copy(s.exec, s.comm, more, s.out);
  });
}

TEST(MpiErrors, SortsOfKeysWithOtherRows) {
  expect_thrown_by_all(
      "riffle::mpi::sort_by_key: keys.extent(0) = 10 and values.extent(0) = 3: must be equal "
      "(found on rank @)",
      [](ErrorCase const& s) {
        Array<std::uint64_t> const values("values", s.is_faulty() ? 3 : per_rank);
        mpi::sort_by_key(s.exec, s.comm, s.out, values);
      });
  expect_thrown_by_all(
      "riffle::mpi::sort_by_key: the bytes of a row = 4 on rank @ and 8 on rank 0",
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          check_sort_on_all_ranks<int, Ascending>(s, "mpi::sort_by_key");
        } else {
          mpi::sort_by_key(s.exec, s.comm, s.out, Array<std::uint64_t>("values", per_rank));
        }
      },
      1);
}

TEST(MpiFailedAllocations, SortsWriteNothing) {
  constexpr std::uint64_t count = 20000;  // more than the samples of a round
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::sort(Exec(), comm, keys);
  });
  Array<std::uint64_t> const values("values", count);
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::sort_by_key(Exec(), comm, keys, values);
  });
}

}  // namespace
}  // namespace riffle::test::mpi_sort_errors_test
