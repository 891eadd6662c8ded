#pragma once

// Data to be sorted by splitters, what is expected, and a sort by an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/samplesort/by_splitters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/number_order.hpp"

namespace riffle::test {

namespace ss = detail::sort::samplesort;
namespace bs = ss::by_splitters;

// --- data ---

template <class T>
std::vector<T> uniform_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const bits = static_cast<std::int64_t>(random());
    value = static_cast<T>(bits);
    if constexpr (std::is_floating_point_v<T>) value /= T{1e15f};
  }
  return values;
}

template <class T>
std::vector<T> few_signed_values(std::size_t n, std::uint64_t distinct) {
  std::mt19937_64 random(n + distinct);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(random() % distinct) - T{5};
  return values;
}

/// Value k is there about n / k^2 times.
template <class T>
std::vector<T> zipf_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(1e-6, 1);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(std::floor(1 / uniform(random)));
  return values;
}

/// Clusters of neighbours far from each other, of which a part has some: classes are crowded there.
template <class T>
std::vector<T> clustered_values(std::size_t n, std::uint64_t clusters) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const center = static_cast<std::int64_t>(random() % clusters * (~0ull / clusters));
    value = static_cast<T>(center / 1024 + static_cast<std::int64_t>(random() % 65536));
  }
  return values;
}

template <class T>
std::vector<std::vector<T>> all_data(std::size_t n) {
  auto sorted = uniform_values<T>(n);
  std::sort(sorted.begin(), sorted.end());
  std::vector<T> const reversed(sorted.rbegin(), sorted.rend());
  auto half_zero = uniform_values<T>(n);
  for (std::size_t i = 0; i < n; i += 2) half_zero[i] = 0;
  return {uniform_values<T>(n),
          sorted,
          reversed,
          few_signed_values<T>(n, 1),
          few_signed_values<T>(n, 2),
          few_signed_values<T>(n, 1000),
          zipf_values<T>(n),
          clustered_values<T>(n, 997),
          half_zero};
}

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

template <class T, class Order>
std::vector<T> sorted_oracle(std::vector<T> values, Order const&) {
  std::sort(values.begin(), values.end(), [](T a, T b) { return is_sorted_before<Order>(a, b); });
  return values;
}

template <class T>
bool are_same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
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
