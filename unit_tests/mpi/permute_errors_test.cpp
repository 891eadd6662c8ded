// If one rank, each in turn, passes a wrong argument when a permutation is planned or applied, all ranks throw the same text.

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/failing_allocations.hpp"
#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::mpi_permute_errors_test {
namespace {

using Plan = mpi::PlannedPermutation<Exec>;
using Index = std::int32_t;

/// This rank's part of the identity.
Array<Index> own_indices(ErrorCase const& s) {
  Array<Index> const p("p", per_rank);
  for (std::uint64_t i = 0; i < per_rank; ++i) {
    p(i) = static_cast<Index>(static_cast<std::uint64_t>(s.comm.rank()) * per_rank + i);
  }
  return p;
}

std::string number_of_all(int ranks) {
  return std::to_string(per_rank * static_cast<std::uint64_t>(ranks));
}

int number_of_ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(MpiPermuteErrors, IndicesThatAreOutOfRange) {
  std::string const n = number_of_all(number_of_ranks());
  expect_thrown_by_all("riffle::mpi::PlannedPermutation: p(3) = " + n +
                           ": must be at least 0 and less than n = " + n + " (found on rank @)",
                       [](ErrorCase const& s) {
                         auto const p = own_indices(s);
                         if (s.is_faulty()) {
                           p(3) = static_cast<Index>(per_rank) * s.comm.size();
                           p(4) = -7;
                         }
                         Plan const plan(s.exec, s.comm, p);
                       });
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: p(9) = -1: must be at least 0 and less than n = " + n +
          " (found on rank @)",
      [](ErrorCase const& s) {
        auto const p = own_indices(s);
        if (s.is_faulty()) p(9) = -1;
        Plan const plan(s.exec, s.comm, p);
      });
}

TEST(MpiPermuteErrors, RepeatedValues) {
  // One rank has a value twice, for each owner of the value's place.
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
    for (int owner = 0; owner < comm.size(); ++owner) {
      ErrorCase const s(comm, faulty_rank);
      auto const p = own_indices(s);
      Index const value = owner * static_cast<Index>(per_rank) + 2;
      // The rank that owns `value` has it at place 2 already.
      if (s.is_faulty()) p(5) = value;
      auto const text = thrown_message([&] { Plan const plan(s.exec, s.comm, p); });
      // The owner names the last rank, in rank order, that has the value.
      auto const expected =
          "riffle::mpi::PlannedPermutation: p has the value " + std::to_string(value) +
          " once more on rank " + std::to_string(faulty_rank < owner ? owner : faulty_rank) +
          ": must be a permutation, each value once (found on rank " + std::to_string(owner) + ")";
      for (auto const& of_rank : of_all_ranks(text, MPI_COMM_WORLD)) {
        EXPECT_EQ(of_rank.find(expected), 0u) << of_rank << "\nis not\n" << expected;
      }
    }
  }
}

TEST(MpiPermuteErrors, AllRanksUseOnePlace) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Array<Index> const p("p", per_rank);
  auto const text = thrown_message([&] { Plan const plan(Exec(), comm, p); });
  EXPECT_EQ(text,
            "riffle::mpi::PlannedPermutation: p has the value 0 once more on rank 0: must be a "
            "permutation, each value once (found on rank 0)");
}

TEST(MpiPermuteErrors, SumsThatDiffer) {
  expect_thrown_by_all("riffle::mpi::PlannedPermutation: p has " +
                           number_of_all(number_of_ranks()) + " indices and out ",
                       [](ErrorCase const& s) {
                         Plan const plan(s.exec, s.comm, own_indices(s),
                                         s.is_faulty() ? per_rank + 1 : per_rank);
                       });
}

TEST(MpiPermuteErrors, RowsThatDifferFromThePlan) {
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: in.extent(0) = 4 and the plan takes 10 rows of this rank: "
      "must be equal (found on rank @)",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        Array<int> const few("few", 4);
        plan(s.exec, s.comm, s.is_faulty() ? few : s.in, s.out);
      });
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: out.extent(0) = 11 and the plan brings 10 rows to this "
      "rank: must be equal (found on rank @)",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        Array<int> const more("more", 11);
        mpi::permute(s.exec, s.comm, s.in, plan, s.is_faulty() ? more : s.out);
      });
}

TEST(MpiPermuteErrors, OtherTypesAndRows) {
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: the bytes of a row = 8 on rank @ and 4 on rank 0",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        if (s.is_faulty()) {
          plan(s.exec, s.comm, Array<double>("in", per_rank), Array<double>("wide", per_rank));
        } else {
          plan(s.exec, s.comm, s.in, s.out);
        }
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: in.extent(1) = 2 and out.extent(1) = 3: must be equal "
      "(found on rank @)",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        // The pack that permute_test.cpp permutes, so that nothing more is compiled.
        Kokkos::View<float**, Kokkos::LayoutLeft, Exec> const in("in", per_rank,
                                                                 s.is_faulty() ? 2 : 3);
        Kokkos::View<double**, Kokkos::LayoutRight, Exec> const out("out", per_rank, 3);
        Strided<std::int32_t> const tags("tags", Kokkos::LayoutStride(per_rank, 3));
        plan(s.exec, s.comm, pack(in, s.in), pack(out, tags));
      });
}

TEST(MpiPermuteErrors, ViewsThatOverlap) {
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: in (\"out\") and out (\"out\") overlap: must share no "
      "element (found on rank @)",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        plan(s.exec, s.comm, s.is_faulty() ? s.out : s.in, s.out);
      });
}

TEST(MpiPermuteErrors, AnotherPlan) {
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: the plan's number = ",
      [](ErrorCase const& s) {
        auto const p = own_indices(s);
        Plan const plan(s.exec, s.comm, p);
        std::swap(p(0), p(1));
        Plan const other(s.exec, s.comm, p);
        (s.is_faulty() ? other : plan)(s.exec, s.comm, s.in, s.out);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::PlannedPermutation: whether it is the inverse = 1 on rank @ and 0 on rank 0: "
      "must be the same on all ranks",
      [](ErrorCase const& s) {
        Plan const plan(s.exec, s.comm, own_indices(s));
        (s.is_faulty() ? plan.inverse() : plan)(s.exec, s.comm, s.in, s.out);
      },
      1);
}

TEST(MpiPermuteErrors, PlanOfAnotherCommunicator) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  ErrorCase const s(comm, 0);
  Plan const plan(s.exec, comm, own_indices(s));
  mpi::Communicator const alone(MPI_COMM_SELF);
  if (comm.size() > 1) {
    EXPECT_EQ(
        thrown_message([&] { plan(s.exec, alone, s.in, s.out); }),
        "riffle::mpi::PlannedPermutation: comm has rank 0 of 1 here, and the plan was made by "
        "rank " +
            std::to_string(comm.rank()) + " of " + std::to_string(comm.size()) +
            " (found on rank 0)");
  }
  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, comm.size() - comm.rank(), &turned);
  {
    mpi::Communicator const other(turned);
    if (comm.size() > 1) {
      EXPECT_THROW(plan(s.exec, other, s.in, s.out), std::invalid_argument);
    }
  }
  MPI_Comm_free(&turned);
  mpi::Communicator empty(MPI_COMM_WORLD);
  mpi::Communicator const full(std::move(empty));
  std::string const text = ": comm has been moved from: it is of no ranks";
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_EQ(thrown_message([&] { plan(s.exec, empty, s.in, s.out); }),
            "riffle::mpi::PlannedPermutation" + text);
  EXPECT_EQ(thrown_message([&] { Plan const other(s.exec, empty, own_indices(s)); }),
            "riffle::mpi::PlannedPermutation" + text);
}

TEST(MpiFailedAllocations, PermutationsWriteNothing) {
  constexpr std::uint64_t count = 3000;
  Array<int> const in("in", count);
  // Reverses all ranks' rows.
  auto const reversal = [](mpi::Communicator const& comm) {
    Array<Index> const p("p", count);
    auto const later_ranks = static_cast<std::uint64_t>(comm.size() - comm.rank());
    for (std::uint64_t i = 0; i < count; ++i)
      p(i) = static_cast<Index>(later_ranks * count - 1 - i);
    return p;
  };
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::permute(Exec(), comm, in, reversal(comm), keys);
  });
  mpi::Communicator const staged(MPI_COMM_WORLD, transfers(mpi::Transport::staged, 10000));
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const& values) {
    Array<double> const out("out", count);
    mpi::PlannedPermutation const plan(Exec(), staged, reversal(comm));
    plan.inverse()(Exec(), staged, pack(values, in), pack(out, keys));
  });
}

}  // namespace
}  // namespace riffle::test::mpi_permute_errors_test
