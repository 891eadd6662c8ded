#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/shuffle/detail/bucket/cpu/array.hpp>
#include <riffle/shuffle/detail/bucket/cpu/digits.hpp>
#include <riffle/shuffle/detail/bucket/cpu/leaf_cpu.hpp>
#include <riffle/shuffle/detail/bucket/cpu/riffle_cpu.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// Where the data are: a node `height` levels above the leaves reads its children's output from one of
/// two arrays and writes to the other, so that the root writes to the output.
template <class Source, class T>
struct Data {
  Source source;
  Array<T> temp;
  Array<T> out;
  int levels;
  std::uint64_t seed;
  std::uint64_t seed_of_leaves;

  Array<T> const& output_of(int height) const { return (levels - height) % 2 == 0 ? out : temp; }
};

/// Permutes a part by a node of the tree, by one thread.
template <class Source, class T>
void permute_node(Data<Source, T> const& data, Node node, int height, Part const& part) {
  if (part.size == 0) return;
  if (height == 0) {
    part_of(data.source, part.start).prefetch_all(part.size);
    LeafGather<Source, T> gather(data.source, data.output_of(0));
    gather.permute(data.seed_of_leaves, node, part, false);
    return;
  }
  std::uint64_t sizes[buckets] = {};
  count_digits(data.seed, node, 0, part.size, sizes);
  std::uint64_t starts[buckets];
  std::uint64_t start = part.start;
  for (int k = 0; k < buckets; ++k) {
    starts[k] = start;
    permute_node(data, child(node, k), height - 1, Part{start, sizes[k]});
    start += sizes[k];
  }
  Digits digits(data.seed, node);
  riffle_places(digits, 0, part.size, data.output_of(height - 1), starts, data.output_of(height),
                part.start);
}

}  // namespace riffle::detail::bucket_shuffle
