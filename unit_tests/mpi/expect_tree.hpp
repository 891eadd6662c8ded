#pragma once

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "support/bucket_shuffle_oracle.hpp"

namespace riffle::test {

/// Shuffles all ranks' elements by a tree with a given number of levels, so that a small number of elements has several
/// levels, and compares with BucketShuffleOracle.
template <class E, class T>
void expect_tree(mpi::Communicator const& comm, std::vector<T> const& all, int levels,
                 std::uint64_t seed) {
  auto const n = static_cast<std::uint32_t>(all.size());
  detail::Call const context(E(), "test");
  detail::mpi::RankCall<E> const call{"test", context, comm};
  auto const images = BucketShuffleOracle(seed).images(n, levels);
  std::vector<T> shuffled(n);
  for (std::uint32_t i = 0; i < n; ++i) shuffled[i] = all[images[i]];
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", levels = " + std::to_string(levels) +
                 ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[kinds.size() - 1 - k];
    auto const in = part_in_memory_of<E>(all, of_in, comm.rank());
    Kokkos::View<T*, E> const out("out", of_out[static_cast<std::size_t>(comm.rank())]);
    detail::mpi::Partition const input(of_in);
    detail::mpi::Partition const output(of_out);
    detail::mpi::shuffle_rows(call, input, output, in, out, seed, levels);
    EXPECT_TRUE(to_host(out) == expected_part(shuffled, of_out, comm.rank()));
    Kokkos::View<std::uint32_t*, E> const own("own", out.extent(0));
    detail::mpi::write_permutation(call, output, own, seed, levels);
    EXPECT_TRUE(to_host(own) == expected_part(images, of_out, comm.rank()));
  }
}

}  // namespace riffle::test
