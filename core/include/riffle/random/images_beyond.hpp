#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// The images of a block that are beyond the last point, and are replaced by their own images until none is: a list of
/// their places in the block. Every loop is inlined into vector code of the processor that runs. Host only.
template <std::uint32_t block>
class ImagesBeyond {
 public:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count() const { return count_; }
  KOKKOS_FORCEINLINE_FUNCTION void clear() { count_ = 0; }

  /// Appends places first + b for the bits b of a mask, those of `end` and more left out.
  KOKKOS_FORCEINLINE_FUNCTION void append(std::uint64_t mask, std::uint32_t first,
                                          std::uint32_t end) {
    for (; mask != 0; mask &= mask - 1) {
      std::uint32_t const place = first + static_cast<std::uint32_t>(Kokkos::countr_zero(mask));
      if (place < end) places_[count_++] = place;
    }
  }

  /// Appends a place where it is to be on the list, without a branch.
  KOKKOS_FORCEINLINE_FUNCTION void append_if(bool is_beyond, std::uint32_t place) {
    places_[count_] = place;
    count_ += is_beyond ? 1 : 0;
  }

  /// points[k] is the k-th of the images on the list.
  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint32_t const* images, std::uint32_t* points) const {
    for (std::uint32_t k = 0; k < count_; ++k) points[k] = images[places_[k]];
  }

  /// Puts what the points have become in their places, and keeps those on the list that are still beyond `last`.
  KOKKOS_FORCEINLINE_FUNCTION void write(std::uint32_t const* points, std::uint32_t last,
                                         std::uint32_t* images) {
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < count_; ++k) {
      std::uint32_t const place = places_[k];
      images[place] = points[k];
      places_[kept] = place;
      kept += points[k] > last ? 1 : 0;
    }
    count_ = kept;
  }

 private:
  std::uint32_t count_ = 0;
  // One more than are ever on the list: append_if writes behind them.
  std::uint32_t places_[block + 1];
};

}  // namespace riffle::detail
