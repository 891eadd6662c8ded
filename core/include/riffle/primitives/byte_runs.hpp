#pragma once

// Whether two Views share a byte, from their addresses, extents and strides.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace riffle::detail {

/// Items at equal distances: item k begins k * pitch bytes after the first one.
struct EqualSteps {
  std::uint64_t count = 1;
  std::uint64_t pitch = 0;

  std::uint64_t last() const { return (count - 1) * pitch; }
};

/// Runs of bytes: run (i, j) has `length` bytes from begin + i * inner.pitch + j * outer.pitch on.
class ByteRuns {
 public:
  ByteRuns(std::uint64_t begin, std::uint64_t length) : begin_(begin), length_(length) {}

  /// Repeats these runs. Dimensions are added in the order of their pitches, at most two.
  void repeat(EqualSteps const& steps) {
    if (steps.count == 1 || steps.pitch == 0) return;
    if (inner_.count == 1 && steps.pitch <= length_) {
      length_ += steps.last();
    } else if (inner_.count == 1) {
      inner_ = steps;
    } else if (steps.pitch == inner_.count * inner_.pitch) {
      inner_.count *= steps.count;
    } else {
      outer_ = steps;
    }
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + inner_.last() + outer_.last() + length_; }
  std::uint64_t length() const { return length_; }

  /// A divisor of all distances between runs; 0 where there is one run.
  std::uint64_t common_pitch() const { return std::gcd(inner_.pitch, outer_.pitch); }

  /// The number of rows, each of which is runs at one distance.
  std::uint64_t rows() const { return std::min(inner_.count, outer_.count); }
  EqualSteps const& within_rows() const { return inner_.count < outer_.count ? outer_ : inner_; }
  std::uint64_t row(std::uint64_t k) const {
    return begin_ + k * (inner_.count < outer_.count ? inner_ : outer_).pitch;
  }

  /// One row that has these bytes, and others between the runs of an inner dimension.
  ByteRuns hull() const {
    if (outer_.count == 1) return *this;
    ByteRuns runs(begin_, length_ + inner_.last());
    runs.inner_ = outer_;
    return runs;
  }

 private:
  std::uint64_t begin_;
  std::uint64_t length_;
  EqualSteps inner_;
  EqualSteps outer_;
};

/// The sum of floor((a * i + b) / m) for i < n, modulo 2^64, in O(log m) steps. Neither m + b nor a * n overflows.
inline std::uint64_t sum_of_quotients(std::uint64_t n, std::uint64_t m, std::uint64_t a,
                                      std::uint64_t b) {
  std::uint64_t sum = 0;
  for (;;) {
    std::uint64_t const pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    sum += pairs * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    std::uint64_t const last = a * n + b;
    if (last < m) return sum;
    n = last / m;
    b = last % m;
    std::swap(a, m);
  }
}

/// Whether runs of `a_length` bytes at a + i * a_steps.pitch share a byte with those at b.
inline bool rows_overlap(std::uint64_t a, std::uint64_t a_length, EqualSteps const& a_steps,
                         std::uint64_t b, std::uint64_t b_length, EqualSteps const& b_steps) {
  // Run i ends after b, and begins before the end of b's last run, where first <= i <= last.
  std::uint64_t const b_end = b + b_steps.last() + b_length;
  if (a >= b_end || a + a_steps.last() + a_length <= b) return false;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (a_steps.count > 1) {
    std::uint64_t const pitch = a_steps.pitch;
    if (a + a_length <= b) first = (b - a - a_length) / pitch + 1;
    last = std::min(a_steps.count - 1, (b_end - 1 - a) / pitch);
  }
  if (first > last) return false;
  // It meets a run at b + j * m if and only if offset = a + i * pitch - b + a_length - 1 is within `reach` behind j * m.
  std::uint64_t const reach = a_length + b_length - 2;
  std::uint64_t const m = b_steps.pitch;
  if (b_steps.count == 1 || reach + 1 >= m) return true;
  std::uint64_t const offset = a + first * a_steps.pitch + a_length - 1 - b;
  std::uint64_t const count = last - first + 1;
  // The two sums differ by the number of i for which that is so.
  return sum_of_quotients(count, m, a_steps.pitch, offset + m) !=
         sum_of_quotients(count, m, a_steps.pitch, offset + m - reach - 1);
}

/// The most pairs of rows that are compared.
inline constexpr std::uint64_t max_compared_rows = 256;

/// Whether runs share a byte: exactly where the products of their rows are few. For others the answer may be true where
/// they do not, and is exact where a common divisor of all strides, or the runs' hulls, tell them apart.
inline bool overlap(ByteRuns const& a, ByteRuns const& b) {
  if (a.end() <= b.begin() || b.end() <= a.begin()) return false;
  std::uint64_t const pitch = std::gcd(a.common_pitch(), b.common_pitch());
  if (pitch == 0) return true;
  std::uint64_t const behind = b.begin() >= a.begin()
                                   ? (b.begin() - a.begin()) % pitch
                                   : pitch - 1 - (a.begin() - b.begin() - 1) % pitch;
  if (behind >= a.length() && behind + b.length() <= pitch) return false;
  if (a.rows() > max_compared_rows / b.rows()) {
    // Hulls have one row each.
    ByteRuns const hull_a = a.hull();
    ByteRuns const hull_b = b.hull();
    return rows_overlap(hull_a.begin(), hull_a.length(), hull_a.within_rows(), hull_b.begin(),
                        hull_b.length(), hull_b.within_rows());
  }
  for (std::uint64_t i = 0; i < a.rows(); ++i) {
    for (std::uint64_t j = 0; j < b.rows(); ++j) {
      if (rows_overlap(a.row(i), a.length(), a.within_rows(), b.row(j), b.length(),
                       b.within_rows())) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace riffle::detail
