#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

/// Returns digit i of the Lehmer code: the number of j > i with sigma(j) < sigma(i). This is
/// sigma(i) minus the number of j < i with sigma(j) < sigma(i). Takes i steps.
KOKKOS_INLINE_FUNCTION std::uint64_t lehmer_digit(Sample const& sample, std::uint64_t i) {
  std::uint32_t const image = sample.sigma[i];
  std::uint64_t before = 0;
  for (std::uint64_t k = 0; k < i; ++k) before += sample.sigma[k] < image ? 1 : 0;
  return image - before;
}

/// Writes digits 0, ..., count - 1 to a row. All threads of the worker must call it.
template <class Worker>
KOKKOS_FUNCTION void write_lehmer_digits(Worker const& worker, Sample const& sample,
                                         std::uint64_t count, Row const& digits) {
  for (std::uint64_t i = worker.rank(); i < count; i += worker.size())
    digits[i] = static_cast<std::uint32_t>(lehmer_digit(sample, i));
  worker.barrier();
}

}  // namespace riffle::detail::uniformity
