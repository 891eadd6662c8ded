#pragma once

// Permutations that have names, as functions of the index. Their indices are computed, not stored. They are defined in
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4.
// The paper's random permutation is riffle::RandomPermutation (riffle/random/random_permutation.hpp), with the same
// interface.
//
// Each type is trivially copyable and callable in kernels and on the host. Its functions are size(), sigma(u) for
// u < size(), and sigma.inverse(v). Element u moves to index sigma(u).

#include <Kokkos_Core.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>

namespace riffle {

/// The identity: sigma(u) = u.
class IdentityPermutation {
 public:
  KOKKOS_FUNCTION explicit IdentityPermutation(std::uint64_t n) : n_(n) {}

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...>
  explicit IdentityPermutation(Numbers const&...) = delete;

  KOKKOS_FUNCTION std::uint64_t size() const { return n_; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const { return u; }
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t v) const { return v; }

 private:
  std::uint64_t n_;
};

/// The former name of IdentityPermutation.
using IdenticalPermutation [[deprecated("renamed to IdentityPermutation")]] = IdentityPermutation;

/// The transposition of a matrix that is stored by rows: element (i, j) of a rows x columns matrix becomes
/// element (j, i) of a columns x rows matrix. sigma(i columns + j) = j rows + i.
class TransposePermutation {
 public:
  /// Throws std::invalid_argument, on the host only, if rows * columns >= 2^64.
  KOKKOS_FUNCTION TransposePermutation(std::uint64_t rows, std::uint64_t columns)
      : rows_(rows), columns_(columns) {
    KOKKOS_IF_ON_HOST(
        (detail::check(columns == 0 || rows <= std::numeric_limits<std::uint64_t>::max() / columns,
                       "TransposePermutation", "rows = ", rows, " and columns = ", columns,
                       ": their product must be less than 2^64");))
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...> TransposePermutation(Numbers const&...)
  = delete;

  KOKKOS_FUNCTION std::uint64_t rows() const { return rows_; }
  KOKKOS_FUNCTION std::uint64_t columns() const { return columns_; }
  KOKKOS_FUNCTION std::uint64_t size() const { return rows_ * columns_; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    return u % columns_ * rows_ + u / columns_;
  }
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t v) const {
    return v % rows_ * columns_ + v / rows_;
  }

 private:
  std::uint64_t rows_;
  std::uint64_t columns_;
};

/// The perfect shuffle, which interleaves the two halves and keeps the first element first: sigma(u) = 2 u if u < n/2,
/// otherwise 2 u + 1 - n. If n is a power of two, this rotates the bits of u to the left:
/// sigma(u_m u_(m-1) ... u_1) = u_(m-1) ... u_1 u_m, as in the paper.
class PerfectShuffle {
 public:
  /// Throws std::invalid_argument, on the host only, if n is odd and not 1.
  KOKKOS_FUNCTION explicit PerfectShuffle(std::uint64_t n) : n_(n) {
    KOKKOS_IF_ON_HOST(
        (detail::check(n % 2 == 0 || n == 1, "PerfectShuffle", "n = ", n, ": must be even, or 1");))
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...>
  explicit PerfectShuffle(Numbers const&...) = delete;

  KOKKOS_FUNCTION std::uint64_t size() const { return n_; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    return u < n_ - n_ / 2 ? 2 * u : 2 * (u - n_ / 2) + 1;
  }
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t v) const { return v / 2 + v % 2 * (n_ / 2); }

 private:
  std::uint64_t n_;
};

/// The reversal of the bits of u for n = 2^m: sigma(u_m u_(m-1) ... u_1) = u_1 ... u_(m-1) u_m. It is its own inverse.
class BitReversal {
 public:
  /// Throws std::invalid_argument, on the host only, if n is neither a power of two nor 0.
  KOKKOS_FUNCTION explicit BitReversal(std::uint64_t n) : n_(n), bits_(count_bits(n)) {
    KOKKOS_IF_ON_HOST((detail::check(std::popcount(n) <= 1, "BitReversal", "n = ", n,
                                     ": must be a power of two, or 0");))
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...>
  explicit BitReversal(Numbers const&...) = delete;

  KOKKOS_FUNCTION std::uint64_t size() const { return n_; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    if (bits_ == 0) return u;
    u = swap(u, 1, 0x5555555555555555u);
    u = swap(u, 2, 0x3333333333333333u);
    u = swap(u, 4, 0x0F0F0F0F0F0F0F0Fu);
    u = swap(u, 8, 0x00FF00FF00FF00FFu);
    u = swap(u, 16, 0x0000FFFF0000FFFFu);
    return (u >> 32 | u << 32) >> (64 - bits_);
  }
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t v) const { return (*this)(v); }

 private:
  KOKKOS_FUNCTION static int count_bits(std::uint64_t n) {
    int bits = 0;
    while (n > 1) {
      n /= 2;
      ++bits;
    }
    return bits;
  }
  /// Swaps neighbouring groups of `distance` bits.
  KOKKOS_FUNCTION static std::uint64_t swap(std::uint64_t u, int distance, std::uint64_t lower) {
    return (u >> distance & lower) | (u & lower) << distance;
  }

  std::uint64_t n_;
  int bits_;
};

/// A permutation of 0, ..., size() - 1 that is given by a function.
template <class Sigma>
concept PermutationFunction = requires(Sigma const& sigma, std::uint64_t i) {
  { sigma.size() } -> std::convertible_to<std::uint64_t>;
  { sigma(i) } -> std::convertible_to<std::uint64_t>;
};

/// Stores a permutation as indices: out(i) = sigma(i) for 0 <= i < n.
///
/// - sigma: one of the permutations above, RandomPermutation, or your own type with size() and sigma(i) that can be
///   called in kernels.
/// - out: a rank-1 View of n = sigma.size() integers of a type that can represent n - 1.
///
/// Throws std::invalid_argument if the extent of out is not n, or if its type cannot represent n - 1. Blocking: does
/// not fence; enqueued on `exec`. Complexity: writes each element once. Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, PermutationFunction Sigma,
          detail::WritableArrayFrom<Exec> Out>
void fill_permutation(Exec const& exec, Sigma const& sigma, Out const& out) {
  detail::Call const context(exec, "riffle::fill_permutation");
  std::uint64_t const n = sigma.size();
  detail::check(out.extent(0) == n, "fill_permutation", "sigma.size() = ", n,
                " and out.extent(0) = ", out.extent(0), ": must be equal");
  detail::check_can_index("fill_permutation", "out", out, n);
  detail::write_images(context, sigma, out);
}

RIFFLE_CALL_DIAGNOSTICS(fill_permutation, sigma<NoView>, out<WrittenArray>)

}  // namespace riffle
