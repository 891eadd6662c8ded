// The division of a large shuffle into batches, without ranks.

#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>

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
  BatchedShares shares(3, {4, 1});
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

// No element is sent before it is packed, all are sent at the end, and every part begins at a granule.
TEST(MpiBatches, BeginAtGranules) {
  for (std::uint64_t const granule : {2, 16}) {
    BatchedShares shares(3, {5, granule});
    std::uint64_t packed[5][3] = {};
    for (std::size_t batch = 0; batch < 5; ++batch) {
      for (int rank = 0; rank < 3; ++rank) {
        std::uint64_t const count = (batch * 7 + static_cast<std::uint64_t>(rank) * 13) % 40;
        shares.add(batch, rank, count);
        for (std::size_t b = batch; b < 5; ++b) packed[b][rank] += count;
      }
    }
    std::uint64_t ends[3] = {};
    for (int batch = 0; batch < 5; ++batch) {
      auto const part = shares.part(batch);
      for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(part.first[rank], ends[rank]);
        EXPECT_EQ(part.first[rank] % granule, 0u);
        ends[rank] += part.count[rank];
        EXPECT_LE(ends[rank], packed[batch][rank]);
        EXPECT_LT(packed[batch][rank] - ends[rank], batch < 4 ? granule : 1);
      }
    }
    std::uint64_t end = 0;
    for (int rank = 0; rank < 3; ++rank) {
      std::uint64_t const start = shares.total().starts()[static_cast<std::size_t>(rank)];
      EXPECT_EQ(start % granule, 0u);
      EXPECT_GE(start, end);
      EXPECT_LT(start - end, granule);
      end = start + shares.total()[rank];
    }
    EXPECT_EQ(shares.total().end(), end);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_batches_test
