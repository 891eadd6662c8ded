#pragma once

// The random 64-bit words of one stream, one after the other: words 2 b and 2 b + 1 are the halves of
// block b.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/philox_words.hpp>

namespace riffle::detail {

/// Draws a block when it is needed. Host and device.
class WordStream {
 public:
  KOKKOS_FUNCTION WordStream(std::uint64_t seed, std::uint64_t stream, Purpose purpose)
      : seed_(seed), stream_(stream), purpose_(purpose) {}

  KOKKOS_FUNCTION std::uint64_t operator()() {
    std::uint64_t const half = next_++;
    if (half % 2 == 0) block_ = random_block(seed_, stream_, purpose_, half / 2);
    auto const low = half % 2 == 0 ? block_[0] : block_[2];
    auto const high = half % 2 == 0 ? block_[1] : block_[3];
    return low | std::uint64_t{high} << 32;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  Purpose purpose_;
  std::uint64_t next_ = 0;
  Philox4x32::Block block_{};
};

/// The same words, of which vectors draw many at once. Host only.
class VectorWordStream {
 public:
  VectorWordStream(std::uint64_t seed, std::uint64_t stream, Purpose purpose)
      : seed_(seed), stream_(stream), purpose_(purpose) {}

  std::uint64_t operator()() {
    if (next_ == words) refill();
    std::uint32_t const block = next_ / 2;
    int const half = static_cast<int>(next_ % 2 * 2);
    ++next_;
    return unit_.word(half)[block] | std::uint64_t{unit_.word(half + 1)[block]} << 32;
  }

 private:
  static constexpr std::uint32_t words = 2 * BlocksOfUnit::blocks;

  void refill() {
    unit_.draw(seed_, stream_, purpose_, first_block_);
    first_block_ += std::uint64_t{BlocksOfUnit::blocks};
    next_ = 0;
  }

  std::uint64_t seed_;
  std::uint64_t stream_;
  Purpose purpose_;
  std::uint64_t first_block_ = 0;
  std::uint32_t next_ = words;
  BlocksOfUnit unit_;
};

}  // namespace riffle::detail
