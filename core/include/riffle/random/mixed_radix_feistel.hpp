#pragma once

// A bijection on n points, for any n. The bijection is a Feistel network on {0, ..., a-1} x {0,
// ..., b-1} with a b >= n. If the image of a point is not less than n, the network is applied to
// the image again, until the result is less than n (cycle walking). So n need not be a power of
// two, and no scan has to remove images that are too large.
//   J. Black, P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002,
//   doi 10.1007/3-540-45760-7_9, the generalized Feistel cipher of section 5 and the cycle walking
//   of section 3.
//
// The radices: b is a power of two near sqrt(n), and a = ceil(n / b), so that
//   - fewer than b points are n or greater, and b <= sqrt(2 n). So the probability that a walk takes more than one
//     step is less than sqrt(2 / n);
//   - points are split and joined by shifts and masks, without a division;
//   - a and b differ by a factor of at most two, so that both halves mix well.
//
// The rounds *add* modulo a and b, whereas VariablePhilox (riffle/published/bijective_shuffle) uses
// exclusive or. The choice matters for the sign of the permutation. A round that adds f(l) to r
// modulo an even b applies a cycle of even length f(l) times for each l. This is an odd permutation
// for each odd f(l), so the sign of the network is the parity of a sum of pseudo-random numbers.
// Exclusive or swaps b / 2 pairs. This is an even permutation for every key if b / 2 is even.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/random/detail/narrow_images.hpp>
#include <riffle/random/feistel_network.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

/// A keyed pseudo-random bijection of {0, ..., n-1}, 0 <= n <= 2^63. Callable on host and device,
/// trivially copyable. For up to 2^32 points all arithmetic uses 32 bits.
class MixedRadixFeistel {
 public:
  static constexpr int max_rounds = 32;
  static constexpr std::uint64_t max_size = std::uint64_t{1} << 63;

  /// The number of rounds that RandomPermutation uses for n points. Smaller n need more rounds,
  /// because a round uses only about sqrt(n) pseudo-random numbers.
  KOKKOS_FUNCTION static constexpr int default_rounds(std::uint64_t n) {
    if (n <= 1u << 8) return 24;
    if (n <= 1u << 12) return 16;
    return usual_rounds;
  }

  /// How points are split. The lower half has b = 2^low_bits different values, the upper half a = radix.
  struct Halves {
    std::uint64_t radix;
    int low_bits;
  };
  KOKKOS_FUNCTION static constexpr Halves halves(std::uint64_t n) {
    int const low_bits = (n == 0 ? 0 : detail::bit_width(n - 1)) / 2;
    return {n == 0 ? 0 : ((n - 1) >> low_bits) + 1, low_bits};
  }

  /// Constructs a bijection on n points, whose round keys are drawn by Philox from (seed, stream).
  /// With 0 rounds it is the identity. With 1 round a walk may take sqrt(n) steps, because the
  /// upper half does not change. Throws std::invalid_argument on the host if n > 2^63 or rounds is
  /// not in [0, 32].
  KOKKOS_FUNCTION MixedRadixFeistel(std::uint64_t n, std::uint64_t seed, std::uint64_t stream,
                                    int rounds)
      : size_(n), rounds_(rounds) {
    KOKKOS_IF_ON_HOST(
        (detail::check(n <= max_size, "MixedRadixFeistel", "n = ", n, ": must be at most 2^63");
         detail::check(0 <= rounds && rounds <= max_rounds, "MixedRadixFeistel",
                       "rounds = ", rounds, ": must be at least 0 and at most ", max_rounds);))
    Halves const split = halves(n);
    low_bits_ = split.low_bits;
    radix_ = split.radix;
    detail::random_keys(seed, stream, rounds, keys_);
  }

  KOKKOS_FUNCTION MixedRadixFeistel(std::uint64_t n, std::uint64_t seed, std::uint64_t stream = 0)
      : MixedRadixFeistel(n, seed, stream, default_rounds(n)) {}

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...> MixedRadixFeistel(Numbers const&...)
  = delete;

  KOKKOS_FUNCTION std::uint64_t size() const { return size_; }

  /// Returns the image of i. Requires i < n.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return is_narrow() ? image<std::uint32_t>(i) : image<std::uint64_t>(i);
  }

  /// Sets out[w] to the image of first + w, for w < Width. Requires first + Width <= n. One
  /// evaluation is a long chain of dependent operations; a CPU executes several interleaved chains
  /// in parallel.
  template <int Width>
  KOKKOS_FUNCTION void images(std::uint64_t first, std::uint64_t (&out)[Width]) const {
    for (int w = 0; w < Width; ++w) out[w] = first + static_cast<std::uint64_t>(w);
    if (is_narrow()) {
      borrowing_form<std::uint32_t>().replace_by_images(out);
    } else {
      borrowing_form<std::uint64_t>().replace_by_images(out);
    }
  }

  /// Sets out[k] to the image of first + k, for k < count, in vectors of a CPU. Requires first +
  /// count <= n. Index is std::uint32_t, for n <= 2^32, or std::uint64_t. Host only.
  template <class Index>
  void images_block(std::uint64_t first, std::size_t count, Index* out) const {
    detail::copy_blocks(*this, first, count, out);
  }

  /// Visits the images of first, ..., first + count - 1 without storing all of them. Calls
  /// visit(begin, size, images) for consecutive blocks of these points; images[k] is the image of
  /// begin + k for k < size, valid until visit returns. Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    if (is_narrow() && low_bits_ > 0) {
      form<std::uint32_t, detail::any_rounds>().visit_blocks(first, count, visit);
    } else {
      detail::visit_blocks_of_images(first, count, *this, visit);
    }
  }

  /// Calls visit(i, image of i) for i = first, ..., first + count - 1, in this order. Requires
  /// first + count <= n. Meant for a lane of a GPU.
  template <class Visit>
  KOKKOS_FUNCTION void visit_side_by_side(std::uint64_t first, std::uint64_t count,
                                          Visit const& visit) const {
    if (size_ >> 32 != 0 || low_bits_ == 0 || rounds_ % 2 != 0) {
      return visit_by_fours(first, count, visit);
    }
    detail::NarrowRounds const rounds(static_cast<std::uint32_t>(radix_), low_bits_, rounds_,
                                      &keys_[0]);
    auto const n = static_cast<std::uint32_t>(size_);
    auto const from = static_cast<std::uint32_t>(first);
    auto const number = static_cast<std::uint32_t>(count);
    if (detail::ImagesInBytes::suits(rounds)) {
      detail::ImagesInBytes(rounds, n).visit(from, number, visit);
    } else {
      detail::NarrowImages(rounds, n).visit(from, number, visit);
    }
  }

  /// Calls visit(form) on the host. form(i) = (*this)(i), and form is the fastest implementation
  /// for this n and this number of rounds. It is trivially copyable and callable in kernels.
  template <class Visit>
  void specialize(Visit const& visit) const {
    if (is_narrow()) {
      specialize_narrow(visit);
    } else {
      visit(form<std::uint64_t, detail::any_rounds>());
    }
  }

  /// Overload of specialize() for n <= 2^31. `visit` is instantiated only for the forms that such n need.
  template <class Visit>
  void specialize_narrow(Visit const& visit) const {
    if (low_bits_ == 0) {  // n <= 2: the identity or the transposition
      visit(LehmerPermutation(static_cast<int>(size_), size_ < 2 ? 0 : (*this)(0)));
    } else if (rounds_ == usual_rounds) {
      visit(form<std::uint32_t, usual_rounds>());
    } else {
      visit(form<std::uint32_t, detail::any_rounds>());
    }
  }

  /// Returns the i whose image is j. Requires j < n.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t j) const {
    return is_narrow() ? borrowing_form<std::uint32_t>().inverse(j)
                       : borrowing_form<std::uint64_t>().inverse(j);
  }

 private:
  // The number of rounds for large n (see default_rounds).
  static constexpr int usual_rounds = 12;

  template <class Word, int Rounds>
  detail::FeistelForm<Word, Rounds> form() const {
    return {size_, radix_, low_bits_, rounds_, keys_};
  }

  // The form without stored keys, which is used to evaluate one or two images.
  template <class Word>
  using BorrowingForm =
      detail::FeistelForm<Word, detail::any_rounds, detail::BorrowedKeys<Word>, 0>;

  template <class Word>
  KOKKOS_FUNCTION BorrowingForm<Word> borrowing_form() const {
    return {size_, radix_, low_bits_, rounds_, keys_};
  }

  template <class Visit>
  KOKKOS_FUNCTION void visit_by_fours(std::uint64_t first, std::uint64_t count,
                                      Visit const& visit) const {
    constexpr int width = 4;
    std::uint64_t const end = first + count;
    std::uint64_t i = first;
    for (; end - i >= width; i += width) {
      std::uint64_t several[width];
      images(i, several);
      RIFFLE_UNROLL
      for (int w = 0; w < width; ++w) visit(i + static_cast<std::uint64_t>(w), several[w]);
    }
    for (; i < end; ++i) visit(i, (*this)(i));
  }

  // For one point, a loop over the rounds is faster than the code for several points, on a CPU and
  // on a GPU.
  template <class Word>
  KOKKOS_FUNCTION std::uint64_t image(std::uint64_t i) const {
    auto const form = borrowing_form<Word>();
    Word point[1] = {static_cast<Word>(i)};
    do {
      form.apply_rounds(point);
    } while (point[0] > form.last());
    return point[0];
  }

  // The halves and their sums fit in 32 bits: radix_ <= 2^16 and b <= 2^16.
  KOKKOS_FUNCTION bool is_narrow() const { return size_ <= std::uint64_t{1} << 32; }

  std::uint64_t size_;
  std::uint64_t radix_;
  int low_bits_;
  int rounds_;
  Kokkos::Array<std::uint32_t, max_rounds> keys_;
};

}  // namespace riffle
