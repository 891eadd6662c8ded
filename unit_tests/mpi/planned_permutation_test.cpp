// Plans over ranks: repeated use, several plans at once, use without allocations; and plans with 64-bit indices.

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/permuted_rows.hpp"

namespace riffle::test::mpi_planned_permutation_test {
namespace {

TEST(MpiPlannedPermutation, TwoPlansAtOnceManyTimes) {
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::staged, 900));
  std::uint64_t const n = 1000;
  auto const kinds = partitions(n, comm.size());
  Counts const& one = kinds.front();
  Counts const& other = kinds.back();
  auto const p = permutation(Kind::random, n, comm.size());
  auto const q = permutation(Kind::bit_reversal, n, comm.size());
  auto const rank = static_cast<std::size_t>(comm.rank());
  mpi::PlannedPermutation const there(Exec(), comm, indices_of_rank(p, one, comm.rank()),
                                      other[rank]);
  mpi::PlannedPermutation const back(Exec(), comm, indices_of_rank(q, other, comm.rank()),
                                     one[rank]);
  auto all = values<double>(n);
  auto const in = part_of(all, one, comm.rank());
  auto const out = rows_of<double>(other, comm.rank());
  Exec const exec;
  Workspace<Exec> workspace(exec);
  Context<Exec> const context(exec, workspace);
  for (int k = 0; k < 10; ++k) {
    there(context, comm, in, out);
    back(context, comm, out, in);
    all = permuted(permuted(all, p, false), q, false);
  }
  exec.fence();
  EXPECT_TRUE(same_bits(in, expected_part(all, one, comm.rank())));
}

/// Counts the allocations during its lifetime.
class AllocationCount {
 public:
  AllocationCount() {
    count_ = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) { ++count_; });
  }
  ~AllocationCount() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  AllocationCount(AllocationCount const&) = delete;
  AllocationCount& operator=(AllocationCount const&) = delete;
  int value() const { return count_; }

 private:
  static inline int count_ = 0;
};

TEST(MpiPlannedPermutation, OnlyTheFirstCallAllocates) {
  for (auto const transport : {mpi::Transport::direct, mpi::Transport::staged}) {
    mpi::Communicator const comm(MPI_COMM_WORLD, transfers(transport, 1 << 16));
    std::uint64_t const n = 5000;
    auto const p = permutation(Kind::random, n, comm.size());
    Counts const blocks = partitions(n, comm.size()).front();
    mpi::PlannedPermutation const plan(Exec(), comm, indices_of_rank(p, blocks, comm.rank()));
    auto const in = part_of(values<double>(n), blocks, comm.rank());
    auto const narrow = part_of(values<int>(n), blocks, comm.rank());
    auto const out = rows_of<double>(blocks, comm.rank());
    auto const out_narrow = rows_of<int>(blocks, comm.rank());
    Exec const exec;
    Workspace<Exec> workspace(exec);
    Context<Exec> const context(exec, workspace);
    plan(context, comm, in, out);
    AllocationCount const allocations;
    plan(context, comm, in, out);
    plan(context, comm, pack(narrow, in), pack(out_narrow, out));
    EXPECT_EQ(allocations.value(), 0);
  }
}

// --- in 64 bits, where ranks have few rows ---

TEST(MpiPlannedPermutation, SlotsOf64Bits) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 4001;
  Exec const exec;
  detail::Call const context(exec, "test");
  detail::mpi::RankCall<Exec> const call{"test", context, comm};
  auto const p = permutation(Kind::random, n, comm.size());
  auto const all = values<double>(n);
  auto const kinds = partitions(n, comm.size());
  Counts const& of_in = kinds.front();
  Counts const& of_out = kinds.back();
  detail::mpi::Partition const input(of_in);
  detail::mpi::Partition const output(of_out);
  auto const plan =
      detail::mpi::make_plan(call, input, output, indices_of_rank(p, of_in, comm.rank()), 10);
  using Ends = detail::mpi::PlanEnds<Exec, std::uint64_t>;
  auto const in = part_of(all, of_in, comm.rank());
  auto const out = rows_of<double>(of_out, comm.rank());
  detail::Scope scope(context);
  detail::mpi::Stages stages;
  std::visit(
      [&](auto const& ends) {
        std::uint64_t const rows = std::max(in.extent(0), out.extent(0));
        EXPECT_EQ((std::is_same_v<std::decay_t<decltype(ends)>, Ends>), rows > 10);
        using Moves = detail::mpi::RowMoves<Exec, typename std::decay_t<decltype(ends)>::Index>;
        Moves const moves(comm, scope, ends, detail::mpi::Direction::forward, out, stages);
        moves.run(context, in, out);
      },
      plan);
  exec.fence();
  EXPECT_TRUE(same_bits(out, expected_part(permuted(all, p, false), of_out, comm.rank())));
}

}  // namespace
}  // namespace riffle::test::mpi_planned_permutation_test
