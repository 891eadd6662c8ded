#pragma once

// Labels of a batch of replicates, a bit an observation, drawn on the device.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/digit_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_columns.hpp>

namespace riffle::detail::variables {

/// Word `step` of replicate c * Width + r of a batch is at (c * steps + step) * Width + r; bit b is the label of
/// observation 32 step + b. Those behind the last replicate are of any content.
template <class Memory, int Width>
struct LabelWords {
  Kokkos::View<std::uint32_t*, Memory> words;
  std::uint64_t steps = 0;

  KOKKOS_FUNCTION std::uint32_t& of(std::uint64_t replicate, std::uint64_t step) const {
    return words((replicate / Width * steps + step) * Width + replicate % Width);
  }
  KOKKOS_FUNCTION std::uint32_t const* chunk(std::uint64_t c) const {
    return words.data() + c * steps * Width;
  }
};

/// Takes the columns of a replicate that is drawn: one column, of the labels 0 and 1.
template <class Memory, int Width>
struct ToLabelWords {
  LabelWords<Memory, Width> labels;

  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (std::uint64_t step = 0; step < labels.steps; ++step) labels.of(r, step) = 0;
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int, std::uint64_t i, double x) const {
    if (x != 0) labels.of(r, i / 32) |= 1u << (i % 32);
  }
};

}  // namespace riffle::detail::variables
