#pragma once

// Linear algebra over GF(2), of numbers as vectors of bits. Host only.

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace riffle::detail {

/// A square matrix of at most 64 x 64 bits, held by columns: bit i of column k is row i. Products are exclusive ors.
class BitMatrix {
 public:
  static constexpr int max_size = 64;

  /// A matrix of zeros.
  explicit BitMatrix(int size) : size_(size) {}

  static BitMatrix identity(int size) {
    BitMatrix result(size);
    for (int k = 0; k < size; ++k) result.column(k) = std::uint64_t{1} << k;
    return result;
  }

  int size() const { return size_; }
  std::uint64_t& column(int k) { return columns_[static_cast<std::size_t>(k)]; }
  std::uint64_t column(int k) const { return columns_[static_cast<std::size_t>(k)]; }

  std::uint64_t operator*(std::uint64_t x) const {
    std::uint64_t result = 0;
    for (; x != 0; x &= x - 1) result ^= column(std::countr_zero(x));
    return result;
  }

  BitMatrix operator*(BitMatrix const& right) const {
    BitMatrix result(size_);
    for (int k = 0; k < size_; ++k) result.column(k) = *this * right.column(k);
    return result;
  }

  friend bool operator==(BitMatrix const& a, BitMatrix const& b) {
    return a.size_ == b.size_ && a.columns_ == b.columns_;
  }

  BitMatrix transposed() const {
    BitMatrix result(size_);
    for (int k = 0; k < size_; ++k) {
      for (int i = 0; i < size_; ++i) result.column(i) |= (column(k) >> i & 1) << k;
    }
    return result;
  }

  /// The inverse of a matrix whose columns are independent.
  BitMatrix inverse() const {
    BitMatrix rest = *this;
    BitMatrix result = identity(size_);
    for (int k = 0; k < size_; ++k) {
      int pivot = k;
      while ((rest.column(pivot) >> k & 1) == 0) ++pivot;
      std::swap(rest.column(k), rest.column(pivot));
      std::swap(result.column(k), result.column(pivot));
      for (int j = 0; j < size_; ++j) {
        if (j == k || (rest.column(j) >> k & 1) == 0) continue;
        rest.column(j) ^= rest.column(k);
        result.column(j) ^= result.column(k);
      }
    }
    return result;
  }

 private:
  int size_;
  std::array<std::uint64_t, max_size> columns_{};
};

/// The span of some vectors: all their exclusive ors.
class BitSpan {
 public:
  int dimension() const { return dimension_; }

  bool contains(std::uint64_t x) const { return reduced(x) == 0; }

  /// Adds x; returns whether it was not in the span yet.
  bool insert(std::uint64_t x) {
    x = reduced(x);
    if (x == 0) return false;
    int const top = 63 - std::countl_zero(x);
    for (auto& vector : by_top_bit_) {
      if (vector >> top & 1) vector ^= x;
    }
    by_top_bit_[static_cast<std::size_t>(top)] = x;
    ++dimension_;
    return true;
  }

  /// Calls use(x) for the vectors of the one basis in which no vector has the highest bit of another, in ascending
  /// order.
  template <class Use>
  void for_each_of_basis(Use const& use) const {
    for (auto const vector : by_top_bit_) {
      if (vector != 0) use(vector);
    }
  }

 private:
  std::uint64_t reduced(std::uint64_t x) const {
    std::uint64_t rest = x;
    while (rest != 0) {
      int const top = 63 - std::countl_zero(rest);
      auto const vector = by_top_bit_[static_cast<std::size_t>(top)];
      if (vector == 0) {
        rest &= ~(std::uint64_t{1} << top);
      } else {
        rest ^= vector;
        x ^= vector;
      }
    }
    return x;
  }

  std::array<std::uint64_t, 64> by_top_bit_{};
  int dimension_ = 0;
};

inline int rank_of(BitMatrix const& matrix) {
  BitSpan span;
  for (int k = 0; k < matrix.size(); ++k) span.insert(matrix.column(k));
  return span.dimension();
}

/// The affine map v = matrix u xor origin.
struct AffineBits {
  BitMatrix matrix;
  std::uint64_t origin = 0;

  std::uint64_t operator()(std::uint64_t u) const { return matrix * u ^ origin; }

  /// Whether the map is its own inverse.
  bool is_involution() const {
    return matrix * matrix == BitMatrix::identity(matrix.size()) && (*this)(origin) == 0;
  }
};

}  // namespace riffle::detail
