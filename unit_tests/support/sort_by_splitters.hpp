#pragma once

// Data that splitters of a sample divide badly, and a sort by splitters on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/samplesort/by_splitters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

namespace ss = detail::sort::samplesort;
namespace bs = ss::by_splitters;

// --- data ---

/// Random ones, but those of the sample are in order before all others, which thus are in the last bucket; or, where
/// they are alike, in a bucket of their own.
template <class T>
std::vector<T> unlucky_values(std::uint64_t n, bool are_alike) {
  std::vector<T> values = uniform_values<T>(n);
  for (auto& value : values) value = value < T{0} ? -(value + 1) : value;
  ss::Sample const sample(static_cast<ss::Index>(n), bs::sample_size);
  for (ss::Index j = 0; j < bs::sample_size; ++j) {
    values[sample.index(j)] = -1 - (are_alike ? T{0} : static_cast<T>(sample.index(j)));
  }
  return values;
}

// --- on an emulated GPU ---

struct Outcome {
  bool is_sorted;
  ss::Index crowded;  // parts
};

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class In, class Out>
Outcome sort_emulated(In const& in, Out const& out, std::uint64_t n, int depth) {
  using Word = typename In::Element;
  detail::ArrayMemory counted(nullptr);
  bs::CountedArrays<Word>(counted, n, depth);
  // Garbage, as memory is that others have used.
  std::vector<std::byte> bytes(counted.used(), std::byte{0xA5});
  detail::ArrayMemory memory(bytes.data());
  bs::CountedArrays<Word> const arrays(memory, n, depth);
  auto const launch = [&](char const*, int teams, auto const& kernel) {
    EmulatedGpu(3, 5).run(teams, kernel.threads, kernel.scratch_bytes, kernel);
  };
  bs::Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  passes.count();
  std::uint32_t has_overfull = 0;
  for (std::uint64_t b = 0; b < bs::buckets; ++b) bs::FindOverfull<Word>{arrays}(b, has_overfull);
  if (has_overfull == 0) passes.sort();
  return {has_overfull == 0, *arrays.crowded_count};
}

}  // namespace riffle::test
