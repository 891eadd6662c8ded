#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/lanes/byte_lookup.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/random/detail/round_tables.hpp>

namespace riffle::detail {

/// Evaluates consecutive images of a network of few points by RoundTables: three times as fast as by the rounds
/// themselves at n = 2^14. Images above `last` are replaced again, until none is. Host only.
class TabledImages {
 public:
  template <class Network, class Keys>
  TabledImages(Network const& network, Keys const& keys, int rounds, std::uint32_t last)
      : tables_(network, keys, rounds), low_bits_(network.low_bits()), last_(last) {}

  /// out[k] is the image of first + k for k < count.
  template <class Index>
  void evaluate(std::uint32_t first, std::size_t count, Index* out) {
    if (count == 0) return;
    // Blocks of nearly the same size, since a block of a few points takes as long as one of some hundred.
    std::size_t const blocks = (count + block_size - 1) / block_size;
    std::size_t const of_block = (count + at_once * blocks - 1) / (at_once * blocks) * at_once;
    for (std::size_t i = 0; i < count; i += of_block) {
      std::size_t const here = std::min(of_block, count - i);
      lanes::call_with_byte_lookup(Block{*this, first + static_cast<std::uint32_t>(i), here});
      std::copy_n(images_, here, out + i);
    }
  }

 private:
  // Loops over so many points have no remainder, and are vector instructions.
  static constexpr std::size_t at_once = 64;
  // The points next above 1024, which are 1025 of 2^w + 1, are one block.
  static constexpr std::size_t block_size = 1024 + at_once;
  static constexpr std::size_t room = block_size + lanes::room_behind;

  struct Block {
    TabledImages& images;
    std::uint32_t first;
    std::size_t count;

    template <class Lookup>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      images.template replace_all<Lookup>(first, count);
      std::size_t beyond = images.template list_beyond<typename Lookup::Words>(count);
      while (beyond > 0) beyond = images.template replace_again<Lookup>(beyond);
    }
  };

  std::uint32_t mask() const { return (std::uint32_t{1} << low_bits_) - 1; }

  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void replace_all(std::uint32_t first, std::size_t count) {
    int const low_bits = low_bits_;
    auto const low_mask = static_cast<std::uint8_t>(mask());
    for (std::size_t k = 0; k < count; k += at_once) {
      for (std::size_t j = k; j < k + at_once; ++j) {
        auto const point = first + static_cast<std::uint32_t>(j);
        high_[j] = static_cast<std::uint8_t>(point >> low_bits);
        low_[j] = static_cast<std::uint8_t>(point) & low_mask;
      }
    }
    tables_.template apply<Lookup>(high_, low_, count);
    for (std::size_t k = 0; k < count; k += at_once) {
      for (std::size_t j = k; j < k + at_once; ++j) {
        images_[j] = std::uint32_t{high_[j]} << low_bits | low_[j];
      }
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::size_t list_beyond(std::size_t count) {
    std::size_t beyond = 0;
    for (std::size_t k = 0; k < count; k += Words::width) {
      std::uint32_t lanes = lanes_above(Words::load(images_ + k), last_);
      for (; lanes != 0; lanes &= lanes - 1) {
        std::size_t const at = k + static_cast<std::size_t>(Kokkos::countr_zero(lanes));
        if (at < count) beyond_at_[beyond++] = static_cast<std::uint32_t>(at);
      }
    }
    return beyond;
  }

  // Replaces the images on the list, and keeps those on it that are still beyond.
  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION std::size_t replace_again(std::size_t beyond) {
    for (std::size_t k = 0; k < beyond; ++k) {
      std::uint32_t const point = images_[beyond_at_[k]];
      high_[k] = static_cast<std::uint8_t>(point >> low_bits_);
      low_[k] = static_cast<std::uint8_t>(point & mask());
    }
    tables_.template apply<Lookup>(high_, low_, beyond);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < beyond; ++k) {
      std::uint32_t const at = beyond_at_[k];
      images_[at] = std::uint32_t{high_[k]} << low_bits_ | low_[k];
      beyond_at_[kept] = at;
      kept += images_[at] > last_ ? 1 : 0;
    }
    return kept;
  }

  RoundTables tables_;
  int low_bits_;
  std::uint32_t last_;
  alignas(64) std::uint8_t high_[room] = {};
  alignas(64) std::uint8_t low_[room] = {};
  alignas(64) std::uint32_t images_[block_size];
  std::uint32_t beyond_at_[block_size];
};

}  // namespace riffle::detail
