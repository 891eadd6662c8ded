// The batches of a large shuffle, without ranks.

#include <riffle/mpi/detail/shuffle/batches.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace riffle::test::mpi_batches_test {
namespace {

using detail::mpi::batch_of;
using detail::mpi::BatchedShares;
using detail::mpi::LeafRange;

TEST(MpiBatches, DivideLeavesEvenlyInTheirOrder) {
  for (LeafRange const range : {LeafRange{0, 256}, LeafRange{3, 20}, LeafRange{65000, 65009},
                                LeafRange{7, 10}, LeafRange{1, 2}}) {
    for (int const batches : {1, 2, 3, 8}) {
      std::size_t sizes[8] = {};
      std::size_t last = 0;
      for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
        std::size_t const batch = batch_of(leaf, range, batches);
        ASSERT_LE(last, batch);
        ASSERT_LT(batch, static_cast<std::size_t>(batches));
        last = batch;
        ++sizes[batch];
      }
      for (int b = 0; b < batches; ++b) {
        EXPECT_LE(sizes[b], range.count() / static_cast<std::size_t>(batches) + 1);
      }
    }
  }
}

TEST(MpiBatches, AreConsecutiveInTheShareOfEachRank) {
  BatchedShares shares(3, 4);
  std::uint64_t ends[3] = {};
  for (std::size_t batch = 0; batch < 4; ++batch) {
    for (int rank = 0; rank < 3; ++rank) {
      std::uint64_t const count = batch * 10 + static_cast<std::uint64_t>(rank * rank);
      shares.add(batch, rank, count);
      shares.add(batch, rank, 1);
    }
  }
  for (int batch = 0; batch < 4; ++batch) {
    auto const part = shares.part(batch);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(part.first[rank], ends[rank]);
      EXPECT_EQ(part.count[rank], static_cast<std::uint64_t>(batch * 10 + rank * rank + 1));
      ends[rank] += part.count[rank];
    }
  }
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(shares.total()[rank], ends[rank]);
}

}  // namespace
}  // namespace riffle::test::mpi_batches_test
