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

  /// The k-th place on the list.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t place(std::uint32_t k) const { return places_[k]; }

  /// Appends places first + b for the bits b of a mask, those of `end` > first and more left out. Most masks have a few
  /// bits or none, which no branch could foresee: so a few places are written in any case, and those of no bit are
  /// written over.
  KOKKOS_FORCEINLINE_FUNCTION void append(std::uint64_t mask, std::uint32_t first,
                                          std::uint32_t end) {
    if (end - first < 64) mask &= (std::uint64_t{1} << (end - first)) - 1;
    auto const bits = static_cast<std::uint32_t>(Kokkos::popcount(mask));
    std::uint32_t* const places = places_ + count_;
    for (std::uint32_t b = 0; b < few; ++b) append_lowest(places + b, first, mask);
    for (std::uint32_t b = few; b < bits; ++b) append_lowest(places + b, first, mask);
    count_ += bits;
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
  static constexpr std::uint32_t few = 4;

  KOKKOS_FORCEINLINE_FUNCTION static void append_lowest(std::uint32_t* place, std::uint32_t first,
                                                        std::uint64_t& mask) {
    *place = first + static_cast<std::uint32_t>(Kokkos::countr_zero(mask));
    mask &= mask - 1;
  }

  std::uint32_t count_ = 0;
  // More than are ever on the list: those that append places write behind them.
  std::uint32_t places_[block + few];
};

}  // namespace riffle::detail
