#pragma once

// Readers of the bits of one sample. A reader receives the bits of one digit at a time, lowest bit
// first, and counts items. Members of a reader:
//   name              the name of the test
//   counters          the number of counters that the reader needs
//   fewest            the smallest expected number of items for which the test can be made
//   items(bits)       the number of items in a sample of `bits` bits
//   take(observer, bits, width), end(observer)  count items on the device
//   total(counts)     the number of items counted
//   evaluate(counts)  the outcome of the test. Requires total(counts) > 0.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

namespace riffle::detail::uniformity {

/// A test statistic, the name of its null distribution, and its p-value.
struct TestOutcome {
  double statistic;
  std::string null;
  double p;
};

/// Returns the outcome of the exact test whether a coin is fair. The coin was tossed `total` times.
inline TestOutcome test_coin(std::uint64_t heads, std::uint64_t total) {
  return {static_cast<double>(heads), concatenate("binomial, 1/2 of ", total),
          two_sided_p(binomial_tails(heads, total, 0.5))};
}

KOKKOS_INLINE_FUNCTION constexpr std::uint64_t low_bits(std::uint64_t word, int width) {
  return word & ((std::uint64_t{1} << width) - 1);
}

KOKKOS_INLINE_FUNCTION std::uint64_t ones_of(std::uint64_t word) {
  return static_cast<std::uint64_t>(Kokkos::Experimental::popcount_builtin(word));
}

/// Counts bits, and the bits that are 1.
class OneReader {
 public:
  static constexpr char const* name = "bits";
  static constexpr std::size_t counters = 2;
  static constexpr double fewest = 100;

  static std::uint64_t items(std::uint64_t bits) { return bits; }

  template <class Observer>
  KOKKOS_FUNCTION void take(Observer const&, std::uint64_t bits, int width) {
    ones_ += ones_of(bits);
    bits_ += static_cast<std::uint64_t>(width);
  }

  template <class Observer>
  KOKKOS_FUNCTION void end(Observer const& observer) const {
    observer.add(0, ones_);
    observer.add(1, bits_);
  }

  static std::uint64_t total(std::vector<std::uint64_t> const& counts) { return counts[1]; }

  static TestOutcome evaluate(std::vector<std::uint64_t> const& counts) {
    return test_coin(counts[0], counts[1]);
  }

 private:
  std::uint64_t ones_ = 0;
  std::uint64_t bits_ = 0;
};

/// Counts pairs of neighbouring bits, and the pairs whose bits differ.
class ChangeReader {
 public:
  static constexpr char const* name = "changes of bits";
  static constexpr std::size_t counters = 2;
  static constexpr double fewest = 100;

  static std::uint64_t items(std::uint64_t bits) { return bits == 0 ? 0 : bits - 1; }

  template <class Observer>
  KOKKOS_FUNCTION void take(Observer const&, std::uint64_t bits, int width) {
    // The first bit of the sample has no predecessor. It is compared with itself, which counts as
    // no change.
    std::uint64_t const before = bits_ == 0 ? bits & 1 : last_;
    changes_ += ones_of(low_bits(bits ^ (bits << 1 | before), width));
    last_ = bits >> (width - 1);
    bits_ += static_cast<std::uint64_t>(width);
  }

  template <class Observer>
  KOKKOS_FUNCTION void end(Observer const& observer) const {
    if (bits_ == 0) return;
    observer.add(0, changes_);
    observer.add(1, bits_ - 1);
  }

  static std::uint64_t total(std::vector<std::uint64_t> const& counts) { return counts[1]; }

  static TestOutcome evaluate(std::vector<std::uint64_t> const& counts) {
    return test_coin(counts[0], counts[1]);
  }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t bits_ = 0;
};

/// Counts consecutive bytes. If the last byte is incomplete, it is dropped.
class ByteReader {
 public:
  static constexpr char const* name = "bytes";
  static constexpr std::size_t counters = 256;
  static constexpr double fewest = 5 * 256;  // W. G. Cochran, Biometrics 10 (1954)

  static std::uint64_t items(std::uint64_t bits) { return bits / 8; }

  template <class Observer>
  KOKKOS_FUNCTION void take(Observer const& observer, std::uint64_t bits, int width) {
    waiting_ |= bits << held_;
    for (held_ += width; held_ >= 8; held_ -= 8) {
      observer.add(waiting_ & 255, 1);
      waiting_ >>= 8;
    }
  }

  template <class Observer>
  KOKKOS_FUNCTION void end(Observer const&) const {}

  static std::uint64_t total(std::vector<std::uint64_t> const& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  static TestOutcome evaluate(std::vector<std::uint64_t> const& counts) {
    auto const found = chi_square_p(counts, std::vector<double>(counts.size(), 1.0 / 256));
    return {found.statistic, concatenate("chi-square, ", found.degrees, " df"), found.p};
  }

 private:
  std::uint64_t waiting_ = 0;
  int held_ = 0;
};

}  // namespace riffle::detail::uniformity
