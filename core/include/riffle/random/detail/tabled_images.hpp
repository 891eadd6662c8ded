#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/lanes/byte_lookup.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/random/detail/round_tables.hpp>
#include <riffle/random/images_beyond.hpp>

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
      images.template list_beyond<typename Lookup::Words>(count);
      while (images.beyond_.count() > 0) images.template replace_again<Lookup>();
    }
  };

  std::uint32_t mask() const { return (std::uint32_t{1} << low_bits_) - 1; }

  // Consecutive points are not stored before: that pass would take a fifth of the time.
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
    apply_and_store<Lookup>(images_, count);
  }

  // As many points behind as make up at_once are stored, too.
  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void apply_and_store(std::uint32_t* points, std::size_t count) {
    tables_.template apply<Lookup>(high_, low_, count);
    int const low_bits = low_bits_;
    for (std::size_t k = 0; k < count; k += at_once) {
      for (std::size_t j = k; j < k + at_once; ++j) {
        points[j] = std::uint32_t{high_[j]} << low_bits | low_[j];
      }
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void list_beyond(std::size_t count) {
    beyond_.clear();
    auto const end = static_cast<std::uint32_t>(count);
    for (std::uint32_t k = 0; k < end; k += Words::width) {
      beyond_.append(lanes_above(Words::load(images_ + k), last_), k, end);
    }
  }

  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void replace_again() {
    beyond_.read(images_, again_);
    for (std::uint32_t k = 0; k < beyond_.count(); ++k) {
      high_[k] = static_cast<std::uint8_t>(again_[k] >> low_bits_);
      low_[k] = static_cast<std::uint8_t>(again_[k] & mask());
    }
    apply_and_store<Lookup>(again_, beyond_.count());
    beyond_.write(again_, last_, images_);
  }

  RoundTables tables_;
  int low_bits_;
  std::uint32_t last_;
  alignas(64) std::uint8_t high_[room] = {};
  alignas(64) std::uint8_t low_[room] = {};
  alignas(64) std::uint32_t images_[block_size];
  alignas(64) std::uint32_t again_[block_size];
  ImagesBeyond<block_size> beyond_;
};

}  // namespace riffle::detail
