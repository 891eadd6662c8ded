// Permutations over ranks, with several types of indices and values.

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/permuted_rows.hpp"

namespace riffle::test::mpi_permute_types_test {
namespace {

template <class Index>
void expect_permuted(Kind kind, std::uint64_t n) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const p = permutation(kind, n, comm.size());
  auto const all = values<double>(n);
  std::vector<Index> const indices(p.begin(), p.end());
  for (auto const& counts : partitions(n, comm.size())) {
    auto const out = rows_of<double>(counts, comm.rank());
    mpi::permute(Exec(), comm, part_of(all, counts, comm.rank()),
                 part_of(indices, counts, comm.rank()), out);
    Exec().fence();
    EXPECT_TRUE(same_bits(out, expected_part(permuted(all, p, false), counts, comm.rank())));
  }
}

TEST(MpiPermuteTypes, OfIndices) {
  expect_permuted<std::uint64_t>(Kind::random, 40007);
  expect_permuted<std::int64_t>(Kind::random, 3001);
  expect_permuted<std::uint16_t>(Kind::rotation, 999);
  expect_permuted<std::uint8_t>(Kind::reversal, 200);
}

struct Sixteen {
  double number;
  std::uint64_t bits;
};

TEST(MpiPermuteTypes, OfValues) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2011;
  auto const p = permutation(Kind::random, n, comm.size());
  Counts const blocks = partitions(n, comm.size()).front();
  mpi::PlannedPermutation const plan(Exec(), comm, indices_of_rank(p, blocks, comm.rank()));
  expect_moved<std::uint16_t>(comm, plan, p, blocks, blocks);
  expect_moved<float>(comm, plan, p, blocks, blocks);
  expect_moved<Sixteen>(comm, plan, p, blocks, blocks);
}

}  // namespace
}  // namespace riffle::test::mpi_permute_types_test
