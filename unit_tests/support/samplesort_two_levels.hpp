#pragma once

// Data for which the splitters of a sample give unequal buckets, and the samplesort of two levels
// on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/samplesort/two_levels.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

namespace ss = detail::sort::samplesort;
namespace two_levels = ss::two_levels;

// --- data ---

/// Random values, except that the `sampled` elements that the sample takes precede all others in order, so that all others
/// are in the last bucket. If `are_alike`, the sampled values are equal and have one bucket.
template <class T>
std::vector<T> unlucky_values(std::uint64_t n, ss::Index sampled, bool are_alike) {
  std::vector<T> values = uniform_values<T>(n);
  for (auto& value : values) value = value < T{0} ? -(value + 1) : value;
  ss::Sample const sample(static_cast<ss::Index>(n), sampled);
  for (ss::Index j = 0; j < sampled; ++j) {
    values[sample.index(j)] = -1 - (are_alike ? T{0} : static_cast<T>(sample.index(j)));
  }
  return values;
}

// --- on an emulated GPU ---

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

struct Found {
  std::uint32_t overfull_buckets;
  ss::Index overfull_parts;
};

/// Draws and sorts the sample of an input.
template <class Word, class In>
void sample_emulated(In const& in, two_levels::BucketArrays<Word> const& arrays) {
  ss::Index const size = arrays.sample_size();
  if constexpr (ss::has_index<Word>) {
    ss::Sample const sample(arrays.size, size);
    std::vector<Word> drawn(size);
    for (ss::Index j = 0; j < size; ++j) drawn[j] = two_levels::SampleIn<In>{in, sample}(j);
    std::sort(drawn.begin(), drawn.end());
    for (ss::Index j = 0; j < size; ++j)
      two_levels::SampleOut{sample, arrays.sample}.write(j, drawn[j]);
  } else {
    for (ss::Index j = 0; j < size; ++j) two_levels::DrawSample<Word, In>(in, arrays)(j);
    std::sort(arrays.sample, arrays.sample + size);
  }
}

/// Sorts n elements, divided into about 2^depth parts.
template <class In, class Out>
Found samplesort_two_levels_emulated(In const& in, Out const& out, std::uint64_t n, int depth) {
  using Word = typename In::Element;
  two_levels::BucketDivision<Word> const division(n, depth);
  detail::ArrayMemory counted(nullptr);
  two_levels::BucketArrays<Word>(counted, division);
  // Arbitrary bytes, as left by earlier users of the memory.
  std::vector<std::byte> bytes(counted.used() + alignof(Word), std::byte{0xA5});
  detail::ArrayMemory memory(bytes.data());
  two_levels::BucketArrays<Word> const arrays(memory, division);
  sample_emulated(in, arrays);
  for (ss::Index b = 0; b < arrays.buckets(); ++b) two_levels::FindRanges<Word>{arrays}(b);
  auto const launch = [&](char const*, int teams, auto const& kernel) {
    EmulatedGpu(3, 5).run(teams, kernel.threads, kernel.scratch_bytes, kernel);
  };
  two_levels::Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.distribute();
  std::uint32_t overfull = 0;
  for (ss::Index b = 0; b < arrays.buckets(); ++b)
    two_levels::CountOverfullBuckets<Word>{arrays}(b, overfull);
  if (overfull == 0) passes.sort();
  return {overfull, *arrays.overfull_part_count};
}

}  // namespace riffle::test
