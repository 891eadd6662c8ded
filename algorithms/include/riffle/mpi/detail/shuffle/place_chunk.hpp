#pragma once

#include <cstdint>

#include <riffle/shuffle/bucket_tree.hpp>

namespace riffle::detail::mpi {

/// Consecutive places of a node, which one thread of a CPU, or one team of a GPU, counts and riffles.
struct PlaceChunk {
  bucket_shuffle::Node node;
  std::uint64_t children;  // the number of its first child among the nodes of the next level
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t at;  // of `first` in the buffer of the node's level
};

}  // namespace riffle::detail::mpi
