#pragma once

// A table that maps keys to buckets, in ascending order of keys. A sample of the keys is counted in
// bins of equal width. Neighbouring bins with few sampled keys become one bucket; a bin with many
// sampled keys is divided into several buckets. So buckets have similar sizes for most
// distributions of keys, such as floating-point numbers of many magnitudes, unless many keys are
// equal:
//
//     bins       |  3  |  2  |     40    |  1  |  0  |  4  |      numbers: samples
//     buckets    |     0     | 1 |2 |3 |4|        5        |

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The buckets of one bin: the key low + x of this bin is in bucket (x >> shift) + offset, modulo
/// 2^32.
struct BucketBin {
  std::uint32_t shift;
  std::uint32_t offset;
};

/// Maps a key to its bucket. Keys below `low` are in the bucket of `low`, keys above `high` in the
/// bucket of `high`.
template <class Word>
struct BucketOf {
  Word low;
  Word high;
  int bin_shift;
  BucketBin const* bins;

  std::uint32_t operator()(Word key) const {
    Word const x = (key < low ? low : key > high ? high : key) - low;
    BucketBin const bin = bins[x >> bin_shift];
    return static_cast<std::uint32_t>(x >> bin.shift) + bin.offset;
  }
};

/// Makes the table. Host only.
template <class Word>
class BucketTable {
 public:
  static constexpr std::size_t max_wanted = max_wanted_buckets;
  // The factor is 3 for two reasons. A bin that is divided has up to 1.5 times the number of
  // buckets that correspond to its samples. A bucket of several bins has too few samples if the
  // next bin is divided, because the bucket then ends before that bin.
  static constexpr std::size_t max_buckets = 3 * max_wanted;

  /// Divides the keys low, ..., high into buckets, about one bucket per samples_per_bucket samples.
  /// Requires low < high, and at most samples_per_bucket * max_wanted samples.
  void cut_evenly(std::vector<Word> const& samples, Word low, Word high) {
    set_bins(low, high);
    std::array<std::uint32_t, max_bins> counts{};
    for (Word const key : samples) ++counts[bin_of(key)];
    std::size_t room = 0;
    for (std::size_t b = 0; b < bins(); ++b) {
      int const bits = bits_for(counts[b]);
      if (bits > 0) {
        cut(b, bits);
        room = 0;
      } else {
        if (room == 0) {
          ++buckets_;
          room = samples_per_bucket;
        }
        put_whole(b);
        room -= std::min<std::size_t>(room, counts[b]);
      }
    }
  }

  /// Makes three buckets: all keys lower than `key`, `key` alone, and all higher keys.
  void cut_at(Word key) {
    constexpr Word highest = ~Word{0};
    set_bins(key == 0 ? key : key - 1, key == highest ? key : key + 1);
    for (std::size_t b = 0; b < bins(); ++b) {
      ++buckets_;
      put_whole(b);
    }
  }

  std::size_t buckets() const { return buckets_; }
  BucketOf<Word> bucket_of() const { return {low_, high_, bin_shift_, bins_.data()}; }

 private:
  static constexpr int bin_bits = bucket_bin_bits;
  static constexpr std::size_t max_bins = std::size_t{1} << bin_bits;
  static constexpr int max_cut_bits = 11;
  static constexpr int word_bits = 8 * sizeof(Word);

  void set_bins(Word low, Word high) {
    low_ = low;
    high_ = high;
    int const width = std::bit_width(static_cast<Word>(high - low));
    bin_shift_ = std::max(0, width - bin_bits);
    buckets_ = 0;
  }

  std::size_t bins() const { return static_cast<std::size_t>((high_ - low_) >> bin_shift_) + 1; }
  std::size_t bin_of(Word key) const {
    return static_cast<std::size_t>((std::clamp(key, low_, high_) - low_) >> bin_shift_);
  }

  /// Returns the rounded base-2 logarithm of the number of buckets into which a bin with `samples`
  /// samples is divided.
  int bits_for(std::size_t samples) const {
    std::size_t const wanted = samples / samples_per_bucket;
    int const bits = std::bit_width(wanted + wanted / 2) - 1;
    return std::clamp(bits, 0, std::min(max_cut_bits, bin_shift_));
  }

  void cut(std::size_t bin, int bits) {
    put(bin, bin_shift_ - bits, buckets_);
    buckets_ += std::size_t{1} << bits;
  }

  /// Adds a whole bin to the last bucket. After the shift, only the highest bit of x is left, which
  /// is equal for all keys of the bin, so all of them get the same bucket.
  void put_whole(std::size_t bin) { put(bin, word_bits - 1, buckets_ - 1); }

  void put(std::size_t bin, int shift, std::size_t bucket) {
    auto const first = static_cast<Word>(static_cast<Word>(bin) << bin_shift_) >> shift;
    bins_[bin] = {static_cast<std::uint32_t>(shift),
                  static_cast<std::uint32_t>(bucket) - static_cast<std::uint32_t>(first)};
  }

  Word low_ = 0;
  Word high_ = 0;
  int bin_shift_ = 0;
  std::size_t buckets_ = 0;
  std::array<BucketBin, max_bins> bins_;
};

}  // namespace riffle::detail::sort
