// If one rank passes a View on another device than its instance, all ranks throw, and nothing is written.

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "support/model_mpi/model_devices.hpp"
#include "support/model_mpi/model_ranks.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::mpi_model_devices_test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec>;
using Matrix = Kokkos::View<double**, Exec>;

constexpr std::uint64_t count = 20;
constexpr std::uint64_t seed = 1906;

/// A rank's arguments: Views on the instance's device, and Views that may be on another one.
struct Arguments {
  Array<double> here{"here", count};
  Array<double> there{"there", count};
  Array<std::uint32_t> indices{"there", count};
  Matrix data{"there", 3, count};

  Arguments() {
    for (std::uint64_t i = 0; i < count; ++i) {
      here(i) = value(i);
      there(i) = value(i + 1);
      indices(i) = i % 2;
      for (std::uint64_t g = 0; g < 3; ++g) data(g, i) = value(3 * i + g);
    }
  }

  static double value(std::uint64_t i) { return static_cast<double>(i * 7919 % 101); }

  bool are_untouched() const {
    bool same = true;
    for (std::uint64_t i = 0; i < count; ++i) {
      same = same && here(i) == value(i) && there(i) == value(i + 1) && indices(i) == i % 2;
    }
    return same;
  }
};

/// Expects that all ranks report that the argument `view` of this function is on another device, for each rank in turn.
template <class Call>
void expect_thrown(std::string const& function, std::string const& view, Call const& call) {
  constexpr int ranks = 5;
  for (int faulty_rank = 0; faulty_rank < ranks; ++faulty_rank) {
    auto const expected = "riffle::mpi::" + function + ": " + view +
                          " (\"there\") is on device 1, exec on device 0: must be the same (found "
                          "on rank " +
                          std::to_string(faulty_rank) + ")";
    ModelRanks model(ranks);
    int told = 0;
    int untouched = 0;
    model.run([&](int rank) {
      mpi::Communicator const comm(MPI_COMM_WORLD);
      Arguments const arguments;
      Arguments const elsewhere;
      MemoryOnAnotherDevice const values(elsewhere.there.data());
      MemoryOnAnotherDevice const indices(elsewhere.indices.data());
      MemoryOnAnotherDevice const data(elsewhere.data.data());
      auto const& own = rank == faulty_rank ? elsewhere : arguments;
      auto const text = thrown_message([&] { call(comm, own); });
      told += text == expected;
      if (text != expected) ADD_FAILURE() << text << "\nis not\n" << expected;
      untouched += own.are_untouched();
    });
    EXPECT_EQ(told, ranks);
    EXPECT_EQ(untouched, ranks);
  }
}

using Comm = mpi::Communicator;

TEST(MpiModelDevices, Shuffles) {
  expect_thrown("shuffle_copy", "in", [](Comm const& comm, Arguments const& a) {
    mpi::shuffle_copy(Exec(), comm, a.there, a.here, seed);
  });
  expect_thrown("shuffle_copy", "out", [](Comm const& comm, Arguments const& a) {
    mpi::shuffle_copy(Exec(), comm, a.here, a.there, seed);
  });
  expect_thrown("shuffle", "data", [](Comm const& comm, Arguments const& a) {
    mpi::shuffle(Exec(), comm, pack(a.here, a.there), seed);
  });
  expect_thrown("random_permutation", "out", [](Comm const& comm, Arguments const& a) {
    mpi::random_permutation(Exec(), comm, a.indices, seed);
  });
  expect_thrown("sample", "out", [](Comm const& comm, Arguments const& a) {
    mpi::sample(Exec(), comm, 1000, a.indices, seed);
  });
}

TEST(MpiModelDevices, Scans) {
  expect_thrown("inclusive_scan", "in", [](Comm const& comm, Arguments const& a) {
    mpi::inclusive_scan(Exec(), comm, a.there, a.here);
  });
  expect_thrown("exclusive_scan", "out", [](Comm const& comm, Arguments const& a) {
    mpi::exclusive_scan(Exec(), comm, a.here, a.there);
  });
}

TEST(MpiModelDevices, Sorts) {
  expect_thrown("sort", "values",
                [](Comm const& comm, Arguments const& a) { mpi::sort(Exec(), comm, a.there); });
  expect_thrown("sort_copy", "in", [](Comm const& comm, Arguments const& a) {
    mpi::sort_copy(Exec(), comm, a.there, a.here);
  });
  expect_thrown("sort_copy", "out", [](Comm const& comm, Arguments const& a) {
    mpi::sort_copy(Exec(), comm, a.here, a.there);
  });
  expect_thrown("sort_by_key", "keys", [](Comm const& comm, Arguments const& a) {
    mpi::sort_by_key(Exec(), comm, a.there, a.here);
  });
  expect_thrown("sort_by_key", "values", [](Comm const& comm, Arguments const& a) {
    mpi::sort_by_key(Exec(), comm, a.here, pack(a.indices, a.there));
  });
}

TEST(MpiModelDevices, Ranks) {
  expect_thrown("rank", "sorted", [](Comm const& comm, Arguments const& a) {
    mpi::rank(Exec(), comm, a.there, a.here, ties::Fractional{});
  });
  expect_thrown("rank", "ranks", [](Comm const& comm, Arguments const& a) {
    mpi::rank(Exec(), comm, a.here, a.there, ties::Fractional{});
  });
  expect_thrown("rank_unsorted", "data", [](Comm const& comm, Arguments const& a) {
    Array<std::uint32_t> const ranks("here", count);
    mpi::rank_unsorted(Exec(), comm, a.there, ranks, ties::ModifiedCompetition{});
  });
  expect_thrown("rank_unsorted", "ranks", [](Comm const& comm, Arguments const& a) {
    mpi::rank_unsorted(Exec(), comm, a.here, a.indices, ties::ModifiedCompetition{});
  });
}

/// A plan of the identity.
mpi::PlannedPermutation<Exec> plan_of(Comm const& comm) {
  Array<std::uint32_t> const p("p", count);
  std::iota(p.data(), p.data() + count,
            static_cast<std::uint32_t>(comm.rank()) * static_cast<std::uint32_t>(count));
  return {Exec(), comm, p};
}

TEST(MpiModelDevices, Permutations) {
  expect_thrown("PlannedPermutation", "p", [](Comm const& comm, Arguments const& a) {
    mpi::PlannedPermutation const plan(Exec(), comm, a.indices);
  });
  expect_thrown("PlannedPermutation", "in", [](Comm const& comm, Arguments const& a) {
    plan_of(comm)(Exec(), comm, a.there, a.here);
  });
  expect_thrown("PlannedPermutation", "out", [](Comm const& comm, Arguments const& a) {
    mpi::permute(Exec(), comm, a.here, plan_of(comm), a.there);
  });
}

TEST(MpiModelDevices, PermutationTests) {
  expect_thrown("permutation_test", "x", [](Comm const& comm, Arguments const& a) {
    mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, a.there, a.here);
  });
  expect_thrown("permutation_test", "y", [](Comm const& comm, Arguments const& a) {
    mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, a.here, a.there);
  });
  Array<std::uint32_t> const by("by", count);
  for (std::uint64_t i = 0; i < count; ++i) by(i) = i % 2 == 0 ? 1 : 0;
  expect_thrown("permutation_tests", "data", [&](Comm const& comm, Arguments const& a) {
    mpi::permutation_tests(Exec(), comm, WelchT{}, a.data, by);
  });
  expect_thrown("permutation_tests", "by", [&](Comm const& comm, Arguments const& a) {
    Matrix const data("here", 3, count);
    mpi::permutation_tests(Exec(), comm, WelchT{}, data, a.indices);
  });
}

TEST(MpiModelDevices, EmptyViewsMayBeOnAnyDevice) {
  ModelRanks model(2);
  int well = 0;
  model.run([&](int) {
    mpi::Communicator const comm(MPI_COMM_WORLD);
    Array<double> const none("none", 0);
    MemoryOnAnotherDevice const elsewhere(none.data());
    mpi::sort(Exec(), comm, none);
    ++well;
  });
  EXPECT_EQ(well, 2);
}

}  // namespace
}  // namespace riffle::test::mpi_model_devices_test
