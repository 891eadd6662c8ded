#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/bucket_shuffle/definition.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/random/feistel_form.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail::bucket_shuffle {

/// The rounds of a leaf of size > 2, as vectors of a CPU want them: one kind of operation after the
/// other for all vectors, since a processor looks ahead by fewer instructions than a round of them has.
/// MixedRadixFeistel says what the rounds are, and FeistelForm why the lower half of a point is kept in
/// the upper bits of its word.
class LeafRounds {
 public:
  LeafRounds(std::uint64_t size, std::uint64_t seed_of_leaves, Node node) {
    auto const split = MixedRadixFeistel::halves(size);
    radix_ = static_cast<std::uint32_t>(split.radix);
    low_bits_ = split.low_bits;
    mask_ = ~std::uint32_t{0} << (word_bits - low_bits_);
    random_keys(seed_of_leaves, node, leaf_rounds, keys_);
  }

  /// Replaces points by their images, which may be as large as the product of the radices. After each
  /// round, something else is advanced.
  template <class Words, int Vectors, class Aside>
  KOKKOS_FORCEINLINE_FUNCTION void apply(Words (&x)[Vectors], Aside& aside) const {
    int const unused_bits = word_bits - low_bits_;
    Words high[Vectors];
    Words low[Vectors];
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      high[v] = x[v] >> low_bits_;
      low[v] = x[v] << unused_bits;
    }
    RIFFLE_UNROLL
    for (int round = 0; round < leaf_rounds; round += 2) {
      add_to_low(low, high, keys_[round]);
      aside.template advance<Vectors * Words::width / pauses>();
      add_to_high(high, low, keys_[round + 1], unused_bits);
      aside.template advance<Vectors * Words::width / pauses>();
    }
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = high[v] << low_bits_ | low[v] >> unused_bits;
  }

 private:
  using Form = FeistelForm<std::uint32_t, leaf_rounds>;

  static constexpr int word_bits = Form::word_bits;
  static constexpr int pauses = leaf_rounds;

  template <class Words, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION static void hash(Words (&h)[Vectors], std::uint32_t key) {
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = h[v] ^ key;
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = h[v] * Form::multiplier_0;
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = h[v] ^ h[v] >> Form::hash_shift;
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = h[v] * Form::multiplier_1;
  }

  template <class Words, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_low(Words (&low)[Vectors], Words const (&high)[Vectors],
                                              std::uint32_t key) const {
    Words h[Vectors];
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = high[v];
    hash(h, key);
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) low[v] = (low[v] + h[v]) & mask_;
  }

  // A sum below the radix wraps around when that is subtracted, and is then the smaller one.
  template <class Words, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_high(Words (&high)[Vectors], Words const (&low)[Vectors],
                                               std::uint32_t key, int unused_bits) const {
    Words h[Vectors];
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) h[v] = low[v] >> unused_bits;
    hash(h, key);
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      Words const sum = high[v] + multiply_high(h[v], radix_);
      high[v] = min(sum, sum - radix_);
    }
  }

  std::uint32_t radix_;
  int low_bits_;
  std::uint32_t mask_;
  Kokkos::Array<std::uint32_t, leaf_rounds> keys_;
};

/// Nothing to do aside.
struct NothingAside {
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void advance() {}
};

/// A block of consecutive images of a leaf. While vectors evaluate them, what is to be done aside uses
/// the rest of the processor.
class LeafImages {
 public:
  static constexpr std::uint32_t block = 512;
  /// What lies so far behind images() may be read, to prefetch what it says.
  static constexpr std::uint32_t readable_beyond = 64;

  /// Evaluates images of a leaf of `size`: of places first, ..., first + count - 1, with count <= block.
  template <class Aside>
  void evaluate(LeafRounds const& rounds, std::uint32_t size, std::uint32_t first,
                std::uint32_t count, Aside& aside) {
    lanes::call_with_words(Evaluate<Aside>{*this, rounds, size - 1, first, count, aside});
  }

  std::uint32_t const* images() const { return images_; }

 private:
  template <class Words>
  static constexpr int side_by_side = Words::width > 8 ? 4 : 8;  // measured
  // Of the few that are evaluated again.
  static constexpr int few_side_by_side = 2;

  template <class Aside>
  struct Evaluate {
    LeafImages& images;
    LeafRounds const& rounds;
    std::uint32_t last;
    std::uint32_t first;
    std::uint32_t count;
    Aside& aside;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      images.template apply_once<Words>(rounds, last, first, count, aside);
      while (images.beyond_ > 0) images.template apply_again<Words>(rounds, last);
    }
  };

  template <class Words, class Aside>
  KOKKOS_FORCEINLINE_FUNCTION void apply_once(LeafRounds const& rounds, std::uint32_t last,
                                              std::uint32_t first, std::uint32_t count,
                                              Aside& aside) {
    constexpr int vectors = side_by_side<Words>;
    constexpr std::uint32_t at_once = vectors * Words::width;
    static_assert(at_once <= 64 && block % at_once == 0);
    std::uint64_t beyond[block / at_once];
    for (std::uint32_t i = 0; i < count; i += at_once) {
      Words x[vectors];
      RIFFLE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        x[v] = Words::iota(first + i + static_cast<std::uint32_t>(v * Words::width));
      }
      rounds.apply(x, aside);
      std::uint64_t mask = 0;
      RIFFLE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        x[v].store(images_ + i + v * Words::width);
        mask |= std::uint64_t{lanes_above(x[v], last)} << v * Words::width;
      }
      beyond[i / at_once] = mask;
    }
    beyond_ = 0;
    for (std::uint32_t i = 0; i < count; i += at_once) list_beyond(beyond[i / at_once], i);
    while (beyond_ > 0 && beyond_at_[beyond_ - 1] >= count) --beyond_;
  }

  KOKKOS_FORCEINLINE_FUNCTION void list_beyond(std::uint64_t mask, std::uint32_t begin) {
    for (; mask != 0; mask &= mask - 1) {
      beyond_at_[beyond_++] = begin + static_cast<std::uint32_t>(Kokkos::countr_zero(mask));
    }
  }

  // Sends on those on the list, and keeps those on it that are still beyond.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void apply_again(LeafRounds const& rounds, std::uint32_t last) {
    std::uint32_t points[block];
    for (std::uint32_t k = 0; k < beyond_; ++k) points[k] = images_[beyond_at_[k]];
    constexpr std::uint32_t at_once = few_side_by_side * Words::width;
    for (std::uint32_t k = 0; k < beyond_; k += at_once) {
      Words x[few_side_by_side];
      RIFFLE_UNROLL
      for (int v = 0; v < few_side_by_side; ++v) x[v] = Words::load(points + k + v * Words::width);
      NothingAside nothing;
      rounds.apply(x, nothing);
      RIFFLE_UNROLL
      for (int v = 0; v < few_side_by_side; ++v) x[v].store(points + k + v * Words::width);
    }
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < beyond_; ++k) {
      std::uint32_t const at = beyond_at_[k];
      images_[at] = points[k];
      beyond_at_[kept] = at;
      kept += points[k] > last ? 1 : 0;
    }
    beyond_ = kept;
  }

  std::uint32_t beyond_ = 0;
  std::uint32_t beyond_at_[block];
  alignas(lanes::cache_line) std::uint32_t images_[block + readable_beyond] = {};
};

}  // namespace riffle::detail::bucket_shuffle
