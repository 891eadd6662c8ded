#pragma once

// Only with CUDA: competition ranks by CUB's scan, with temporary storage allocated in advance. The first element of each run of
// ties gets its rank, other elements 0, and the ranks are the running maximum.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <cstdint>

#include <riffle/rank/ties.hpp>

#include "peers/cub_temporary.hpp"
#include "support/check_rank.hpp"

namespace perf {

/// The rank of an element that differs from the element before it; 0 for others.
struct RankOfFirst {
  float const* values;

  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t i) const {
    return i == 0 || values[i - 1] != values[i] ? i + 1 : 0;
  }
};

struct GreaterRank {
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return a < b ? b : a;
  }
};

/// A row: see rank.cpp.
class CubScanRanking {
 public:
  using Rule = riffle::ties::Competition;
  using Rank = std::int32_t;
  static constexpr char const* name = "CubScan";
  static constexpr std::uint64_t bytes_per_item = 8;
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  CubScanRanking(Exec const& exec, std::uint64_t n)
      : exec_(exec),
        // CUB is faster with 32-bit sizes, and all sizes here permit them.
        n_(static_cast<std::uint32_t>(n)),
        temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return scan(storage, bytes, nullptr, nullptr);
        }) {}

  void operator()(Values const& values, Ranks<Rank> const& ranks) {
    temporary_.run([&](void* storage, std::size_t& bytes) {
      return scan(storage, bytes, values.data(), ranks.data());
    });
  }

 private:
  cudaError_t scan(void* storage, std::size_t& bytes, float const* values, Rank* ranks) const {
    auto const firsts = thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0),
                                                        RankOfFirst{values});
    return cub::DeviceScan::InclusiveScan(storage, bytes, firsts, ranks, GreaterRank{}, n_,
                                          exec_.cuda_stream());
  }

  Exec exec_;
  std::uint32_t n_;
  CubTemporary temporary_;
};

}  // namespace perf
