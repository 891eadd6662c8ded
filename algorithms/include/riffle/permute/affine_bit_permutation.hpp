#pragma once

// Affine maps of the bits of an index (BMMC permutations: bit matrix multiply complement), and functions that permute
// an array by such a map in one pass.
//   M. Bouverot-Dupuis, M. Sheeran, "Efficient GPU implementation of affine index permutations on arrays", FHPNC
//   (2023), doi 10.1145/3609024.3609411, arXiv 2306.07795.
// The paper factors a general matrix into two matrices, and moves the array in tiles, with one pass per factor. Riffle
// needs only one pass for every matrix (riffle/permute/detail/tiles/bit_tiling.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/check_tiles.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// The map sigma(u) = A u xor c over GF(2) for 0 <= u < 2^m, where A is an invertible m x m matrix and m <= 63.
/// Trivially copyable; callable in kernels.
class AffineBitPermutation {
 public:
  static constexpr int max_bits = BitPermutation::max_bits;

  /// columns[k] = A e_k: these bits of sigma(u) change if bit k of u changes. constant = c.
  ///
  /// Let m be the number of columns. Throws std::invalid_argument if m > 63, if bit m or a higher bit is set in a column
  /// or in the constant, or if A is singular (the message contains the rank of A).
  explicit AffineBitPermutation(std::vector<std::uint64_t> const& columns,
                                std::uint64_t constant = 0) {
    char const* const function = "AffineBitPermutation";
    detail::check(columns.size() <= max_bits, function, columns.size(),
                  " columns: must be at most ", max_bits);
    bits_ = static_cast<int>(columns.size());
    constant_ = constant;
    detail::check(constant < size(), function, "constant = ", constant, ": must be less than 2^",
                  bits_);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      detail::check(columns[k] < size(), function, "columns[", k, "] = ", columns[k],
                    ": must be less than 2^", bits_);
      columns_[k] = columns[k];
    }
    int const rank = detail::rank_of(map().matrix);
    detail::check(rank == bits_, function, "the matrix has rank ", rank, " of ", bits_,
                  ": must be invertible");
  }

  /// The same map as sigma: A is its permutation matrix, and c = 0.
  AffineBitPermutation(BitPermutation const& sigma)
      : AffineBitPermutation(detail::to_affine_bits(sigma)) {}

  /// sigma(u) = u xor floor(u / 2), the Gray code: the values of consecutive u differ in one bit.
  static AffineBitPermutation gray_code(int m) {
    AffineBitPermutation result(BitPermutation::identity(m));
    for (int k = 1; k < m; ++k) result.columns_[k] |= std::uint64_t{1} << (k - 1);
    return result;
  }

  int bits() const { return bits_; }
  std::uint64_t size() const { return std::uint64_t{1} << bits_; }
  std::uint64_t column(int k) const { return columns_[k]; }
  std::uint64_t constant() const { return constant_; }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    std::uint64_t v = constant_;
    for (int k = 0; k < bits_; ++k) v ^= (0 - (u >> k & 1)) & columns_[k];
    return v;
  }

  AffineBitPermutation inverse() const {
    auto const inverse = map().matrix.inverse();
    return AffineBitPermutation(detail::AffineBits{inverse, inverse * constant_});
  }

  /// Returns the map u -> (*this)(first(u)). Throws std::invalid_argument unless both have the same m.
  AffineBitPermutation compose(AffineBitPermutation const& first) const {
    detail::check(first.bits_ == bits_, "AffineBitPermutation::compose", "first has ", first.bits_,
                  " bits, *this ", bits_, ": must be equal");
    return AffineBitPermutation(
        detail::AffineBits{map().matrix * first.map().matrix, (*this)(first.constant_)});
  }

  friend bool operator==(AffineBitPermutation const& a, AffineBitPermutation const& b) {
    return a.constant_ == b.constant_ && a.map().matrix == b.map().matrix;
  }

  /// For internal use only.
  detail::AffineBits map() const {
    detail::AffineBits map{detail::BitMatrix(bits_), constant_};
    for (int k = 0; k < bits_; ++k) map.matrix.column(k) = columns_[k];
    return map;
  }

 private:
  explicit AffineBitPermutation(detail::AffineBits const& map)
      : bits_(map.matrix.size()), constant_(map.origin) {
    for (int k = 0; k < bits_; ++k) columns_[k] = map.matrix.column(k);
  }

  int bits_ = 0;
  std::uint64_t constant_ = 0;
  std::uint64_t columns_[max_bits] = {};
};

/// Overload for affine maps: out(sigma(u)) = in(u) for 0 <= u < n = 2^m. The contract is the same as for a BitPermutation.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out>
void permute_bits(Exec const& exec, In const& in, Out const& out,
                  AffineBitPermutation const& sigma) {
  detail::Call const context(exec, "riffle::permute_bits");
  detail::tiles::check_move("permute_bits", in, out, sigma.size(), detail::tiles::size_of_bits);
  detail::tiles::run_bits<true, detail::tiles::moves_by_teams<Exec>>(
      context, detail::tiles::strided_source(in), detail::tiles::strided(out), sigma, sigma.map());
}

/// Overload for affine maps: moves data(u) to data(sigma(u)). Requires that sigma is its own inverse, that is,
/// A A = 1 and A c = c. The contract is otherwise the same as for a BitPermutation.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Data>
void permute_bits_in_place(Exec const& exec, Data const& data, AffineBitPermutation const& sigma) {
  detail::Call const context(exec, "riffle::permute_bits_in_place");
  auto const map = sigma.map();
  detail::tiles::check_in_place("permute_bits_in_place", data, sigma.size(), map);
  detail::tiles::run_bits_in_place<true, detail::tiles::moves_by_teams<Exec>>(
      context, detail::tiles::strided(data), sigma, map);
}

}  // namespace riffle
