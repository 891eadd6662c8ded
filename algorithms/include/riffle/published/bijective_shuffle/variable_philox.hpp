#pragma once

// VariablePhilox, a Feistel-like cipher on 2^b points:
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287, section 3.2, figure 4 and listing 1.
//
// As published, it yields only even permutations of its 2^b points. For example, for b = 1 it never swaps the two
// points. Riffle provides it for comparison with the paper; the default of Riffle's shuffles is `RandomPermutation`,
// whose sign is balanced for every n. For 8 points or fewer, the left half has at most one bit, so a round is affine
// over GF(2), and the keys only translate points: 8 permutations are possible, for any number of rounds. Use at least
// 16 points.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/errors.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

namespace detail {

/// The value of OddBit if the number of bits is known only at run time.
inline constexpr int any_odd_bit = -1;

/// The rounds of VariablePhilox and their inverses, for halves that are words or vectors of words.
/// OddBit is 0 if both halves have the same number of bits, and 1 if the right half has one bit
/// more.
template <int OddBit>
class VariablePhiloxRounds {
 public:
  KOKKOS_FUNCTION VariablePhiloxRounds(int left_bits, int right_bits)
      : left_bits_(left_bits),
        right_bits_(right_bits),
        left_mask_(mask(left_bits)),
        right_mask_(mask(right_bits)) {}

  /// Point is a vector of words, a word, or std::uint64_t if points have more than 32 bits.
  template <class Point, class Words>
  KOKKOS_FORCEINLINE_FUNCTION void split(Point const& x, Words& left, Words& right) const {
    left = static_cast<Words>(x >> right_bits());
    right = static_cast<Words>(x) & right_mask_;
  }

  template <class Point, class Words>
  KOKKOS_FORCEINLINE_FUNCTION void join(Words const& left, Words const& right, Point& x) const {
    x = static_cast<Point>(left) << right_bits();
    if constexpr (OddBit == 0) {
      x = x | static_cast<Point>(right & right_mask_);  // apply() leaves extra bits
    } else {
      x = x | static_cast<Point>(right);
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void apply(Words& left, Words& right, std::uint32_t key) const {
    Words high;
    Words low;
    multiply(left, high, low);
    left = (high ^ key ^ right) & left_mask_;
    if constexpr (OddBit == 0) {
      right = low;  // the next round and join() mask it
    } else {
      right = (low << odd_bit() | right >> left_bits_) & right_mask_;
    }
  }

  /// Inverts apply(), using the inverse of the odd multiplier.
  KOKKOS_FORCEINLINE_FUNCTION void undo(std::uint32_t& left, std::uint32_t& right,
                                        std::uint32_t key) const {
    std::uint32_t const previous_left = ((right >> odd_bit()) * multiplier_inverse) & left_mask_;
    std::uint32_t high;
    std::uint32_t low;
    multiply(previous_left, high, low);
    std::uint32_t const right_low = (high ^ key ^ left) & left_mask_;
    std::uint32_t const right_high = right & mask(odd_bit());
    right = right_high << left_bits_ | right_low;
    left = previous_left;
  }

 private:
  // The constants of Philox2x64 (Salmon et al. 2011).
  static constexpr std::uint32_t multiplier_high = 0xD2B74407u;
  static constexpr std::uint32_t multiplier_low = 0xB1CE6E93u;
  static constexpr auto multiplier_inverse =
      static_cast<std::uint32_t>(inverse_of_odd(multiplier_low));

  KOKKOS_FUNCTION static std::uint32_t mask(int bits) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION int odd_bit() const {
    return OddBit == any_odd_bit ? right_bits_ - left_bits_ : OddBit;
  }

  KOKKOS_FORCEINLINE_FUNCTION int right_bits() const {
    return OddBit == any_odd_bit ? right_bits_ : left_bits_ + OddBit;
  }

  /// Computes the two words of (left * multiplier) modulo 2^64. For a single word the compiler chooses the
  /// instructions.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(std::uint32_t left, std::uint32_t& high,
                                                   std::uint32_t& low) {
    std::uint64_t const product = left * (std::uint64_t{multiplier_high} << 32 | multiplier_low);
    high = static_cast<std::uint32_t>(product >> 32);
    low = static_cast<std::uint32_t>(product);
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Words const& left, Words& high, Words& low) {
    high = left * multiplier_high + multiply_high(left, multiplier_low);
    low = left * multiplier_low;
  }

  int left_bits_;
  int right_bits_;
  std::uint32_t left_mask_;
  std::uint32_t right_mask_;
};

/// A form of VariablePhilox for inner loops, with the same values, for at most 32 bits. It uses 32-bit words, and
/// OddBit is known at compile time.
template <int Rounds, int OddBit>
class VariablePhiloxForm {
 public:
  /// The number of vectors that are evaluated together (measured on a CPU). Each vector is a chain of dependent
  /// operations.
  static constexpr int vectors_side_by_side = 4;

  VariablePhiloxForm(int left_bits, Kokkos::Array<std::uint32_t, Rounds> const& keys)
      : network_(left_bits, left_bits + OddBit), keys_(keys) {}

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const {
    std::uint64_t image[1] = {x};
    replace_by_images(image);
    return image[0];
  }

  /// Replaces each of x[0], ..., x[Width - 1] by the value of the bijection at this point.
  template <int Width>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&x)[Width]) const {
    std::uint32_t y[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) y[w] = static_cast<std::uint32_t>(x[w]);
    apply_rounds(y);
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) x[w] = y[w];
  }

  /// See FeistelForm::visit_blocks. Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    ImageBlock<VariablePhiloxForm>(*this).visit_blocks(static_cast<std::uint32_t>(first), count,
                                                       visit);
  }

  /// Replaces each word, or each word of each vector, by the value of the bijection at this point. Interleaves the
  /// chains of operations for the `Width` arguments.
  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply_rounds(Words (&x)[Width]) const {
    Words left[Width];
    Words right[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) network_.split(x[w], left[w], right[w]);
    RIFFLE_UNROLL
    for (int round = 0; round < Rounds; ++round) {
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) network_.apply(left[w], right[w], keys_[round]);
    }
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) network_.join(left[w], right[w], x[w]);
  }

  /// The largest 32-bit word. No value exceeds it, so no value is evaluated again.
  KOKKOS_FUNCTION static constexpr std::uint32_t last() { return ~std::uint32_t{0}; }

 private:
  VariablePhiloxRounds<OddBit> network_;
  Kokkos::Array<std::uint32_t, Rounds> keys_;
};

}  // namespace detail

/// The published cipher with `Rounds` rounds (the paper recommends 24). Callable on host and
/// device, trivially copyable. The round keys are words that Philox draws from (seed, stream).
template <int Rounds = 24>
class VariablePhilox {
  static_assert(Rounds >= 1);

 public:
  static constexpr int rounds = Rounds;
  static constexpr int max_bits = 63;

  /// Constructs a bijection on 2^bits points, 0 <= bits <= 63. Throws std::invalid_argument on the
  /// host if bits is out of range.
  KOKKOS_FUNCTION VariablePhilox(int bits, std::uint64_t seed, std::uint64_t stream = 0)
      : left_bits_(bits / 2), right_bits_(bits - bits / 2) {
    KOKKOS_IF_ON_HOST((detail::check(0 <= bits && bits <= max_bits, "VariablePhilox", "bits = ",
                                     bits, ": must be at least 0 and at most ", max_bits);))
    detail::random_keys(seed, stream, Rounds, keys_);
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...> VariablePhilox(Numbers const&...)
  = delete;

  KOKKOS_FUNCTION std::uint64_t size() const {
    return std::uint64_t{1} << (left_bits_ + right_bits_);
  }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const {
    AnyRounds const network(left_bits_, right_bits_);
    std::uint32_t left;
    std::uint32_t right;
    network.split(x, left, right);
    for (int round = 0; round < Rounds; ++round) network.apply(left, right, keys_[round]);
    network.join(left, right, x);
    return x;
  }

  /// Sets out[k] = (*this)(first + k) for k < count, in vectors of a CPU if b <= 32. Requires
  /// first + count <= size(). Index is std::uint32_t, for at most 32 bits, or std::uint64_t. Host only.
  template <class Index>
  void images_block(std::uint64_t first, std::size_t count, Index* out) const {
    detail::copy_blocks(*this, first, count, out);
  }

  /// Calls visit for blocks of values without storing all values; see
  /// RandomPermutation::visit_blocks. Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    if (left_bits_ + right_bits_ > max_narrow_bits) {
      detail::visit_blocks_of_images(first, count, *this, visit);
    } else if (odd_bit() == 0) {
      detail::VariablePhiloxForm<Rounds, 0>(left_bits_, keys_).visit_blocks(first, count, visit);
    } else {
      detail::VariablePhiloxForm<Rounds, 1>(left_bits_, keys_).visit_blocks(first, count, visit);
    }
  }

  /// Calls visit(form) on the host. form(x) = (*this)(x), and form is the fastest implementation
  /// for this number of bits. It is trivially copyable and callable in kernels.
  template <class Visit>
  void specialize(Visit const& visit) const {
    if (left_bits_ + right_bits_ > max_narrow_bits) {
      visit(*this);
    } else if (odd_bit() == 0) {
      visit(detail::VariablePhiloxForm<Rounds, 0>(left_bits_, keys_));
    } else {
      visit(detail::VariablePhiloxForm<Rounds, 1>(left_bits_, keys_));
    }
  }

  /// Returns the x with (*this)(x) = y. Inverts the rounds one by one.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t y) const {
    AnyRounds const network(left_bits_, right_bits_);
    std::uint32_t left;
    std::uint32_t right;
    network.split(y, left, right);
    for (int round = Rounds - 1; round >= 0; --round) network.undo(left, right, keys_[round]);
    network.join(left, right, y);
    return y;
  }

 private:
  // Points of at most 32 bits fit into 32-bit words.
  static constexpr int max_narrow_bits = 32;

  using AnyRounds = detail::VariablePhiloxRounds<detail::any_odd_bit>;

  // 1 if b is odd, otherwise 0. If b is odd, the right half has one bit more than the left half; figure 4 of the paper
  // mixes this bit in.
  KOKKOS_FUNCTION int odd_bit() const { return right_bits_ - left_bits_; }

  int left_bits_;
  int right_bits_;
  Kokkos::Array<std::uint32_t, Rounds> keys_;
};

}  // namespace riffle
