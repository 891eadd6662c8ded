#pragma once

// Only with CUDA: CUB's block sorts, each with the number of threads and items per thread that is fastest for random keys.
// Threads load keys striped, which is fastest. This changes the order of the input, but not the sorted keys.

#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "peers/cub_temporary.hpp"
#include "support/sort_tiles.hpp"

namespace perf {

struct LessKey {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

template <int threads, int items>
struct CubRadixTile {
  using Sort = cub::BlockRadixSort<std::uint32_t, threads, items>;
  using Storage = typename Sort::TempStorage;

  __device__ static void run(Storage& storage, std::uint32_t (&keys)[items], std::uint32_t* out) {
    Sort(storage).SortBlockedToStriped(keys);
    cub::StoreDirectStriped<threads>(static_cast<int>(threadIdx.x), out, keys);
  }
};

template <int threads, int items>
struct CubMergeTile {
  using Sort = cub::BlockMergeSort<std::uint32_t, threads, items>;
  using Store = cub::BlockStore<std::uint32_t, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
  union Storage {
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  };

  __device__ static void run(Storage& storage, std::uint32_t (&keys)[items], std::uint32_t* out) {
    Sort(storage.sort).Sort(keys, LessKey{});
    __syncthreads();
    Store(storage.store).Store(out, keys);
  }
};

template <template <int, int> class Method, int threads, int items>
__global__ void __launch_bounds__(threads)
    sort_tile_by_cub(std::uint32_t const* in, std::uint32_t* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Tile = Method<threads, items>;
  std::size_t const begin = std::size_t{blockIdx.x} * (threads * items);
  std::uint32_t keys[items];
  cub::LoadDirectStriped<threads>(static_cast<int>(threadIdx.x), in + begin, keys);
  Tile::run(*reinterpret_cast<typename Tile::Storage*>(memory), keys, out + begin);
}

/// A kernel and its launch parameters.
struct CubTileKernel {
  void (*kernel)(std::uint32_t const*, std::uint32_t*);
  std::uint32_t threads;
  std::uint32_t items;
  std::size_t bytes;
};

template <template <int, int> class Method, int threads, int items>
CubTileKernel cub_tile_kernel() {
  return {sort_tile_by_cub<Method, threads, items>, threads, items,
          sizeof(typename Method<threads, items>::Storage)};
}

/// The kernel for tiles of this number of keys.
template <template <int, int> class Method>
std::vector<CubTileKernel> cub_tile_kernels(std::uint64_t tile) {
  switch (tile) {
    case 1024: return {cub_tile_kernel<Method, 128, 8>(), cub_tile_kernel<Method, 64, 16>()};
    case 2048: return {cub_tile_kernel<Method, 256, 8>(), cub_tile_kernel<Method, 128, 16>()};
    case 4096:
      return {cub_tile_kernel<Method, 512, 8>(), cub_tile_kernel<Method, 256, 16>(),
              cub_tile_kernel<Method, 128, 32>()};
    case 4352: return {cub_tile_kernel<Method, 256, 17>()};
    case 8192:
      return {cub_tile_kernel<Method, 1024, 8>(), cub_tile_kernel<Method, 512, 16>(),
              cub_tile_kernel<Method, 256, 32>()};
    case 16384: return {cub_tile_kernel<Method, 1024, 16>(), cub_tile_kernel<Method, 512, 32>()};
    default: throw std::logic_error("no kernel for tiles of " + std::to_string(tile));
  }
}

template <template <int, int> class Method>
class CubBlockSort {
 public:
  explicit CubBlockSort(TileProblem const& problem) : problem_(problem) {
    auto const kernels = cub_tile_kernels<Method>(problem.tile);
    for (auto const& kernel : kernels) {
      check_cuda(cudaFuncSetAttribute(kernel.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(kernel.bytes)),
                 "CUB's shared memory");
    }
    chosen_ = fastest(problem.exec, kernels, [&](CubTileKernel const& kernel) { run(kernel); });
  }

  void operator()() const { run(chosen_); }

  std::uint32_t threads() const { return chosen_.threads; }
  std::uint32_t items() const { return chosen_.items; }

 private:
  void run(CubTileKernel const& chosen) const {
    chosen.kernel<<<static_cast<unsigned>(problem_.tiles()), chosen.threads, chosen.bytes,
                    problem_.exec.cuda_stream()>>>(problem_.in.data(), problem_.out.data());
    check_cuda(cudaGetLastError(), "launch of CUB's sort");
  }

  TileProblem problem_;
  CubTileKernel chosen_{};
};

/// Rows: see team_sort.cpp.
struct CubBlockRadixSort : CubBlockSort<CubRadixTile> {
  static constexpr char const* name = "CubBlockRadixSort";
  using CubBlockSort::CubBlockSort;
};

struct CubBlockMergeSort : CubBlockSort<CubMergeTile> {
  static constexpr char const* name = "CubBlockMergeSort";
  using CubBlockSort::CubBlockSort;
};

}  // namespace perf
