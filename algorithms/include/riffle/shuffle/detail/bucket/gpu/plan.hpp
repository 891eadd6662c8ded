#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/leaf_keys.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Where the temporaries of one call are in a buffer. T is void where no elements are among them.
template <class T, class Index>
class GpuPlan {
 public:
  static constexpr int max_depth = 4;  // 2^22 * 256^4 elements

  /// For n > 0 elements below `depth` > 0 levels, on a GPU of so many multiprocessors.
  GpuPlan(std::uint64_t n, int depth, std::uint64_t processors) : n_(n), depth_(depth) {
    if constexpr (!std::is_void_v<T>) skip(n * sizeof(T));
    std::uint64_t nodes = 1;
    for (int level = 0; level < depth; ++level) {
      chunks_[level] = chunks_for(n, nodes, processors);
      counts_at_[level] = skip(nodes * buckets * chunks_[level] * sizeof(Index));
      nodes *= buckets;
    }
    leaves_ = nodes;
    keys_at_ = skip(leaves_ * sizeof(LeafKeys));
  }

  std::size_t bytes() const { return bytes_; }
  int depth() const { return depth_; }
  std::uint64_t leaves() const { return leaves_; }

  /// A temporary of n elements.
  T* elements(void* buffer) const { return at<T>(buffer, 0); }
  LeafKeys* keys(void* buffer) const { return at<LeafKeys>(buffer, keys_at_); }

  Level<Index> level(int number, void* buffer, std::uint64_t seed) const {
    Level<Index> level{n_,      seed, 1, chunks_[number], at<Index>(buffer, counts_at_[number]),
                       nullptr, 0};
    for (int above = 0; above < number; ++above) level.nodes *= buckets;
    if (number > 0) {
      level.starts = at<Index>(buffer, counts_at_[number - 1]);
      level.starts_stride = chunks_[number - 1];
    }
    return level;
  }

  /// Where the leaves' parts of the elements begin.
  Index const* leaf_starts(void* buffer) const { return at<Index>(buffer, counts_at_[depth_ - 1]); }
  std::uint64_t leaf_stride() const { return chunks_[depth_ - 1]; }

 private:
  static std::uint64_t chunks_for(std::uint64_t n, std::uint64_t nodes, std::uint64_t processors) {
    std::uint64_t const tiles = (n / nodes + tile_places - 1) / tile_places;
    std::uint64_t const per_chunk = tiles_of_chunk(tiles * nodes, processors);
    return std::max<std::uint64_t>(1, (tiles + per_chunk - 1) / per_chunk);
  }

  std::size_t skip(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    std::size_t const begin = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return begin;
  }

  template <class Item>
  static Item* at(void* buffer, std::size_t offset) {
    return reinterpret_cast<Item*>(static_cast<std::byte*>(buffer) + offset);
  }

  std::uint64_t n_;
  int depth_;
  std::uint64_t leaves_ = 0;
  std::uint64_t chunks_[max_depth] = {};
  std::size_t counts_at_[max_depth] = {};
  std::size_t keys_at_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace riffle::detail::bucket_shuffle
