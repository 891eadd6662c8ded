#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/detail/image_block.hpp>
#include <riffle/random/detail/round_tables.hpp>
#include <riffle/random/detail/tabled_images.hpp>
#include <riffle/random/feistel_rounds.hpp>
#include <riffle/random/images_in_blocks.hpp>

namespace riffle::detail {

/// The keys of a network as its rounds take them, worked out once: for evaluating many images.
template <class Word, int Rounds>
class StoredKeys {
 public:
  static constexpr int max_rounds = 32;

  template <class RoundKeys>
  KOKKOS_FUNCTION StoredKeys(RoundKeys const& keys, int rounds) {
    if constexpr (Rounds == any_rounds) {
      for (int round = 0; round < rounds; ++round) keys_[round] = widened_key<Word>(keys[round]);
    } else {
      RIFFLE_UNROLL
      for (int round = 0; round < Rounds; ++round) keys_[round] = widened_key<Word>(keys[round]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Word operator[](int round) const { return keys_[round]; }

 private:
  Kokkos::Array<Word, Rounds == any_rounds ? max_rounds : Rounds> keys_{};
};

/// The keys of a network where it keeps them, worked out when a round takes one: for evaluating few
/// images.
template <class Word>
class BorrowedKeys {
 public:
  template <class RoundKeys>
  KOKKOS_FORCEINLINE_FUNCTION BorrowedKeys(RoundKeys const& keys, int) : keys_(&keys[0]) {}

  KOKKOS_FORCEINLINE_FUNCTION Word operator[](int round) const {
    return widened_key<Word>(keys_[round]);
  }

 private:
  std::uint32_t const* keys_;
};

/// A MixedRadixFeistel as the inside of a loop wants it: the compiler knows the width of its words
/// and, unless `Rounds` is any_rounds, the number of its rounds. The images are those of the network,
/// bit by bit; FeistelRounds says what the rounds are. With MinLowBits = 1 the network has more than
/// 2 points.
template <class Word, int Rounds, class Keys = StoredKeys<Word, Rounds>, int MinLowBits = 1>
class FeistelForm {
 public:
  /// So many chains of dependent operations keep a CPU busiest (measured), though its registers hold
  /// fewer.
  static constexpr int vectors_side_by_side = 8;

  /// keys[r], r < rounds, are the network's.
  template <class RoundKeys>
  KOKKOS_FUNCTION FeistelForm(std::uint64_t n, std::uint64_t radix, int low_bits, int rounds,
                              RoundKeys const& keys)
      : last_(static_cast<Word>(n - 1)),
        network_(radix, low_bits),
        rounds_(rounds),
        keys_(keys, rounds) {}

  /// The image of i < n.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t image[1] = {i};
    replace_by_images(image);
    return image[0];
  }

  /// Puts the images of x[0], ..., x[Width - 1], all below n, in their places.
  template <int Width>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&x)[Width]) const {
    Word y[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) y[w] = static_cast<Word>(x[w]);
    apply_rounds(y);
    walk(y);
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) x[w] = y[w];
  }

  /// The i whose image is j < n. A walk ends: the orbit of a point under the rounds returns to the point
  /// at the latest.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t j) const {
    auto point = static_cast<Word>(j);
    do {
      point = network_.undo(point, keys_, rounds_);
    } while (point > last_);
    return point;
  }

  /// Calls visit(begin, size, images) for one block after the other of the points first, ..., first + count - 1, all below
  /// n: images[k] is the image of begin + k for k < size, valid until visit returns. What serves all blocks is made once.
  /// Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    if constexpr (sizeof(Word) == 4) {
      auto const from = static_cast<std::uint32_t>(first);
      if (RoundTables::suit(network_.radix(), network_.low_bits(), count)) {
        TabledImages(network_, keys_, rounds_, last_).visit_blocks(from, count, visit);
      } else {
        ImageBlock<FeistelForm>(*this).visit_blocks(from, count, visit);
      }
    } else {
      visit_blocks_of_images(first, count, *this, visit);
    }
  }

  /// Applies the rounds once, to words or to vectors of words, side by side. The results may be as
  /// large as the product of the radices.
  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply_rounds(Words (&x)[Width]) const {
    network_.template apply<Rounds>(x, keys_, rounds_);
  }

  /// The largest of the points, n - 1.
  KOKKOS_FUNCTION Word last() const { return last_; }

 private:
  // Few points lie beyond n, so the loop that sends one of them on holds the rounds once, not once
  // for each of the Width.
  template <int Width>
  KOKKOS_FUNCTION void walk(Word (&x)[Width]) const {
    for (;;) {
      int beyond = -1;
      Word point[1] = {};
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        if (x[w] > last_) {
          beyond = w;
          point[0] = x[w];
        }
      }
      if (beyond < 0) return;
      apply_rounds(point);
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        if (w == beyond) x[w] = point[0];
      }
    }
  }

  Word last_;
  FeistelRounds<Word, MinLowBits> network_;
  int rounds_;
  Keys keys_;
};

}  // namespace riffle::detail
