// Permutations over ranks are compared bit by bit with a loop on the host and with calls of one device.

#include <riffle/mpi.hpp>
#include <riffle/permute.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/permuted_rows.hpp"

namespace riffle::test::mpi_permute_test {
namespace {

constexpr Kind all_kinds[] = {Kind::identity,     Kind::reversal,      Kind::rotation,
                              Kind::bit_reversal, Kind::swapped_ranks, Kind::within_ranks,
                              Kind::random};

struct Twelve {
  std::uint32_t words[3];
};

struct Wide {
  std::array<std::uint32_t, 33> words;
};

/// Makes a plan for each partition, and applies it to several types.
void expect_plans(mpi::Communicator const& comm, Kind kind, std::uint64_t n) {
  Exec const exec;
  auto const p = permutation(kind, n, comm.size());
  auto kinds = partitions(n, comm.size());
  kinds.push_back(kinds.front());  // tests equal blocks as the output, too
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", permutation " +
                 std::to_string(static_cast<int>(kind)) + ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const own = indices_of_rank(p, of_in, comm.rank());
    mpi::PlannedPermutation const plan(exec, comm, own,
                                       of_out[static_cast<std::size_t>(comm.rank())]);
    EXPECT_EQ(plan.size(), n);
    EXPECT_EQ(plan.in_rows(), own.extent(0));
    EXPECT_EQ(plan.inverse().in_rows(), plan.out_rows());
    expect_moved<double>(comm, plan, p, of_in, of_out);
    expect_moved<Twelve>(comm, plan, p, of_in, of_out);
  }
}

std::vector<std::uint64_t> sizes() { return {0, 1, 3, 16, 1023}; }

TEST(MpiPermute, EveryKindOfPermutation) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const kind : all_kinds) {
    for (auto const n : sizes()) expect_plans(comm, kind, n);
    expect_plans(comm, kind, 40007);
  }
}

TEST(MpiPermute, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_plans(comm, Kind::random, 3001);
    expect_plans(comm, Kind::rotation, 999);
  }
}

TEST(MpiPermute, ValuesOfSeveralSizes) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2011;
  auto const p = permutation(Kind::random, n, comm.size());
  Counts const blocks = partitions(n, comm.size()).front();
  mpi::PlannedPermutation const plan(Exec(), comm, indices_of_rank(p, blocks, comm.rank()));
  expect_moved<std::uint8_t>(comm, plan, p, blocks, blocks);
  expect_moved<int>(comm, plan, p, blocks, blocks);
  expect_moved<Twelve>(comm, plan, p, blocks, blocks);
  expect_moved<Wide>(comm, plan, p, blocks, blocks);
}

TEST(MpiPermute, AsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 30011;
  auto const p = permutation(Kind::random, n, comm.size());
  auto const all = values<double>(n);
  Exec const exec;
  Array<double> const whole("whole", n);
  for (std::uint64_t i = 0; i < n; ++i) whole(i) = all[i];
  Array<double> const expected("expected", n);
  riffle::permute(exec, whole, indices_of_rank(p, {n}, 0), expected);
  exec.fence();
  for (auto const& counts : partitions(n, comm.size())) {
    auto const in = part_of(all, counts, comm.rank());
    auto const own = indices_of_rank(p, counts, comm.rank());
    auto const out = rows_of<double>(counts, comm.rank());
    mpi::permute(exec, comm, in, own, out);
    exec.fence();
    EXPECT_TRUE(same_bits(out, expected_part(to_vector(expected), counts, comm.rank())));
  }
}

// --- rows and packs ---

template <class Layout, class OutLayout>
void expect_rows(mpi::Communicator const& comm, std::uint64_t columns) {
  std::uint64_t const n = 613;
  auto const p = permutation(Kind::random, n, comm.size());
  auto const kinds = partitions(n, comm.size());
  Counts const& of_in = kinds.back();
  Counts const& of_out = kinds.front();
  auto const rank = static_cast<std::size_t>(comm.rank());
  std::uint64_t const first = begin_of(of_in, comm.rank());
  std::uint64_t const first_out = begin_of(of_out, comm.rank());
  Kokkos::View<float**, Layout, Exec> const in("in", of_in[rank], columns);
  Kokkos::View<double**, OutLayout, Exec> const out("out", of_out[rank], columns);
  Array<std::int32_t> const tags("tags", of_in[rank]);
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const out_tags(
      "tags", Kokkos::LayoutStride(of_out[rank], 3));
  auto const number = [](std::uint64_t row, std::uint64_t c) {
    return static_cast<float>(row * 8 + c);
  };
  for (std::uint64_t i = 0; i < of_in[rank]; ++i) {
    tags(i) = static_cast<std::int32_t>(first + i);
    for (std::uint64_t c = 0; c < columns; ++c) in(i, c) = number(first + i, c);
  }
  mpi::PlannedPermutation const plan(Exec(), comm, indices_of_rank(p, of_in, comm.rank()),
                                     of_out[rank]);
  plan(Exec(), comm, pack(in, tags), pack(out, out_tags));
  Exec().fence();
  auto const sources = permuted(permutation(Kind::identity, n, comm.size()), p, false);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < of_out[rank]; ++i) {
    std::uint64_t const from = sources[first_out + i];
    wrong += out_tags(i) != static_cast<std::int32_t>(from);
    for (std::uint64_t c = 0; c < columns; ++c) {
      wrong += out(i, c) != static_cast<double>(number(from, c));
    }
  }
  EXPECT_EQ(wrong, 0u) << columns << " columns";
}

TEST(MpiPermute, RowsAndPacks) {
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::automatic, 3000));
  for (std::uint64_t const columns : {0, 1, 3, 8}) {
    expect_rows<Kokkos::LayoutLeft, Kokkos::LayoutRight>(comm, columns);
    expect_rows<Kokkos::LayoutRight, Kokkos::LayoutLeft>(comm, columns);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_permute_test
