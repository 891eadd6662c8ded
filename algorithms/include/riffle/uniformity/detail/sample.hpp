#pragma once

// One permutation drawn by a sampler, together with numbers that several tests need.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/for_each_image.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

struct Sample {
  /// The number of rows that a worker needs for each sample: sigma, its inverse, and two work rows.
  static constexpr int rows = 4;

  std::uint64_t n;
  Row sigma;
  Row inverse;
  Row work[2];
  std::uint64_t replicate = 0;
  std::int64_t inversions = 0;  // set if a test has needs_inversions
  std::int64_t cycles = 0;      // set if a test has needs_cycles
};

/// Whether the sampler writes rows, that is, sampler(n, r, row) writes permutation r of n points to
/// row[0], ..., row[n - 1]. Any other sampler returns the permutation as a function of i:
/// sampler(n, r)(i).
template <class Sampler>
inline constexpr bool writes_rows =
    std::is_invocable_v<Sampler const&, std::uint64_t, std::uint64_t, Row const&>;

/// Stored instead of a value that is not less than n, because such a value may not fit in 32 bits.
inline constexpr std::uint32_t no_image = ~std::uint32_t{0};

template <class Sigma>
KOKKOS_INLINE_FUNCTION void write_images_of(Alone const&, Sigma const& sigma,
                                            Sample const& sample) {
  if constexpr (VisitsBlocks<Sigma>) {
    // On a CPU, rows are contiguous, and values are computed in vectors.
    KOKKOS_IF_ON_HOST(
        (copy_blocks(sigma, 0, static_cast<std::size_t>(sample.n), sample.sigma.first); return;))
  }
  for (std::uint64_t i = 0; i < sample.n; ++i) {
    std::uint64_t const image = sigma(i);
    sample.sigma[i] = image < sample.n ? static_cast<std::uint32_t>(image) : no_image;
  }
}

template <class Worker, class Sigma>
KOKKOS_INLINE_FUNCTION void write_images_of(Worker const& worker, Sigma const& sigma,
                                            Sample const& sample) {
  for (std::uint64_t i = worker.rank(); i < sample.n; i += worker.size()) {
    std::uint64_t const image = sigma(i);
    sample.sigma[i] = image < sample.n ? static_cast<std::uint32_t>(image) : no_image;
  }
}

/// Whether sample.sigma[i] is in range and no other position has the same value. Requires that
/// sample.inverse has been computed.
KOKKOS_INLINE_FUNCTION bool is_right_at(Sample const& sample, std::uint64_t i) {
  std::uint32_t const image = sample.sigma[i];
  return image < sample.n && sample.inverse[image] == i;
}

/// Computes sigma and its inverse. Returns whether sigma is a permutation.
template <class Worker, class Sampler>
KOKKOS_FUNCTION bool draw(Worker const& worker, Sampler const& sampler, std::uint64_t replicate,
                          Sample& sample) {
  sample.replicate = replicate;
  worker.barrier();  // no thread may still use the last sample
  if constexpr (writes_rows<Sampler>) {
    if (worker.rank() == 0) sampler(sample.n, replicate, sample.sigma);
  } else {
    write_images_of(worker, sampler(sample.n, replicate), sample);
  }
  worker.barrier();
  for (std::uint64_t i = worker.rank(); i < sample.n; i += worker.size()) {
    std::uint32_t const image = sample.sigma[i];
    // If two positions have the same value, is_right_at() is false for one of them.
    if (image < sample.n) sample.inverse[image] = static_cast<std::uint32_t>(i);
  }
  worker.barrier();
  return sum_over(worker, 0, sample.n,
                  [&](std::uint64_t i) { return is_right_at(sample, i) ? 0 : 1; }) == 0;
}

}  // namespace riffle::detail::uniformity
