#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// The number of elements between the beginning of the block and `data`; 0 where elements are not contiguous, or block
/// boundaries cut them.
template <class T>
std::uint32_t lead_in_block(T const* data, std::uint64_t stride) {
  auto const address = reinterpret_cast<std::uintptr_t>(data);
  bool const fills_blocks = std::has_single_bit(sizeof(T)) && sizeof(T) <= block_bytes;
  if (stride != 1 || !fills_blocks || address % sizeof(T) != 0) return 0;
  return static_cast<std::uint32_t>(address % block_bytes / sizeof(T));
}

}  // namespace riffle::detail::tiles
