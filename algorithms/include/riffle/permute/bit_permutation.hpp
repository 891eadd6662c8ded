#pragma once

// Permutations of the bits of an index, and functions that permute an array by such a map in one pass and without an
// array of indices. Examples of such maps are perfect shuffles, bit reversal, and the transposition of matrices whose
// extents are powers of two.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014), doi 10.1587/transinf.2014PAP0010, section 5.
// riffle/permute/detail/tiles/bit_tiling.hpp defines the tiles, riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp
// their layout in scratch memory. Affine maps of bits are in riffle/permute/affine_bit_permutation.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/check_tiles.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// The map u -> sigma(u) for 0 <= u < 2^m, m <= 63, that moves bit k of u to bit destination(k) of sigma(u). Trivially
/// copyable; callable in kernels.
class BitPermutation {
 public:
  static constexpr int max_bits = 63;

  /// Bit k moves to bit destinations[k]. Throws std::invalid_argument unless destinations is a permutation of
  /// 0, ..., m - 1; the message names the first wrong entry.
  explicit BitPermutation(std::vector<int> const& destinations)
      : BitPermutation(check_bits("BitPermutation", static_cast<int>(destinations.size()))) {
    std::uint64_t seen = 0;
    for (int k = 0; k < bits_; ++k) {
      int const to = destinations[static_cast<std::size_t>(k)];
      detail::check(to >= 0 && to < bits_, "BitPermutation", "destinations[", k, "] = ", to,
                    ": must be at least 0 and less than ", bits_);
      detail::check((seen >> to & 1) == 0, "BitPermutation", "destinations[", k, "] = ", to,
                    " for the second time: must be a permutation");
      seen |= std::uint64_t{1} << to;
      destination_[k] = static_cast<std::uint8_t>(to);
    }
  }

  static BitPermutation identity(int m) {
    return BitPermutation(check_bits("BitPermutation::identity", m));
  }

  /// Interleaves the two halves: sigma(u_m ... u_2 u_1) = u_{m-1} ... u_1 u_m. This is the shuffle in the paper.
  static BitPermutation perfect_shuffle(int m) {
    return rotation(check_bits("BitPermutation::perfect_shuffle", m), 1);
  }

  /// The inverse of the perfect shuffle: elements with even indices move to the first half.
  static BitPermutation unshuffle(int m) {
    return rotation(check_bits("BitPermutation::unshuffle", m), m - 1);
  }

  /// Reverses the bits: sigma(u_m ... u_2 u_1) = u_1 u_2 ... u_m.
  static BitPermutation bit_reversal(int m) {
    BitPermutation result(check_bits("BitPermutation::bit_reversal", m));
    for (int k = 0; k < m; ++k) result.destination_[k] = static_cast<std::uint8_t>(m - 1 - k);
    return result;
  }

  /// The transposition of a matrix with 2^log_rows rows and 2^log_columns columns, stored by rows:
  /// sigma(i columns + j) = j rows + i.
  static BitPermutation transpose(int log_rows, int log_columns) {
    char const* const function = "BitPermutation::transpose";
    detail::check(log_rows >= 0 && log_columns >= 0 && log_rows <= max_bits &&
                      log_columns <= max_bits - log_rows,
                  function, "log_rows = ", log_rows, ", log_columns = ", log_columns,
                  ": must not be negative, nor their sum above ", max_bits);
    return rotation(Bits{log_rows + log_columns}, log_rows);
  }

  int bits() const { return bits_; }
  /// The number of elements, n = 2^m.
  std::uint64_t size() const { return std::uint64_t{1} << bits_; }
  int destination(int k) const { return destination_[k]; }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    std::uint64_t v = 0;
    for (int k = 0; k < bits_; ++k) v |= (u >> k & 1) << destination_[k];
    return v;
  }

  BitPermutation inverse() const {
    BitPermutation result(Bits{bits_});
    for (int k = 0; k < bits_; ++k)
      result.destination_[destination_[k]] = static_cast<std::uint8_t>(k);
    return result;
  }

  /// Returns the map u -> (*this)(first(u)). Throws std::invalid_argument unless both have the same m.
  BitPermutation compose(BitPermutation const& first) const {
    detail::check(first.bits_ == bits_, "BitPermutation::compose", "first has ", first.bits_,
                  " bits, *this ", bits_, ": must be equal");
    BitPermutation result(Bits{bits_});
    for (int k = 0; k < bits_; ++k) result.destination_[k] = destination_[first.destination_[k]];
    return result;
  }

  friend bool operator==(BitPermutation const& a, BitPermutation const& b) {
    bool equal = a.bits_ == b.bits_;
    for (int k = 0; equal && k < a.bits_; ++k) equal = a.destination_[k] == b.destination_[k];
    return equal;
  }

 private:
  struct Bits {
    int count;
  };

  static Bits check_bits(char const* function, int m) {
    detail::check(m >= 0 && m <= max_bits, function, "m = ", m, ": must be at least 0 and at most ",
                  max_bits);
    return {m};
  }

  explicit BitPermutation(Bits bits) : bits_(bits.count) {
    for (int k = 0; k < bits_; ++k) destination_[k] = static_cast<std::uint8_t>(k);
  }

  /// Bit k moves to bit (k + distance) mod m.
  static BitPermutation rotation(Bits bits, int distance) {
    BitPermutation result(bits);
    for (int k = 0; k < bits.count; ++k) {
      result.destination_[k] = static_cast<std::uint8_t>((k + distance) % bits.count);
    }
    return result;
  }

  int bits_;
  std::uint8_t destination_[max_bits] = {};
};

namespace detail {

inline AffineBits to_affine_bits(BitPermutation const& sigma) {
  AffineBits map{BitMatrix(sigma.bits()), 0};
  for (int k = 0; k < sigma.bits(); ++k) {
    map.matrix.column(k) = std::uint64_t{1} << sigma.destination(k);
  }
  return map;
}

}  // namespace detail

/// Sets out(sigma(u)) = in(u) for 0 <= u < n = 2^m.
///
/// - in, out: rank-1 Views of sigma.size() elements of the same trivially copyable type, which share no element.
///   Fastest if both are contiguous and aligned to 16 bytes, and elements have 1, 2, 4, 8 or 16 bytes.
///
/// Throws std::invalid_argument if an extent is not sigma.size() or the Views overlap; nothing is written then.
/// Blocking: does not fence; enqueued on `exec`. Complexity: reads and writes each element once. For every sigma, runs
/// of at least 128 bytes are contiguous in `in`, and runs of at least 128 bytes in `out`. Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out>
void permute_bits(Exec const& exec, In const& in, Out const& out, BitPermutation const& sigma) {
  detail::Call const context(exec, "riffle::permute_bits");
  detail::tiles::check_move("permute_bits", in, out, sigma.size(), detail::tiles::size_of_bits);
  detail::tiles::run_bits<false, detail::tiles::moves_by_teams<Exec>>(
      context, detail::tiles::strided_source(in), detail::tiles::strided(out), sigma,
      detail::to_affine_bits(sigma));
}

/// Moves data(u) to data(sigma(u)) for 0 <= u < n = 2^m. Requires that sigma is its own inverse, for example bit
/// reversal, the transposition of a square, or a swap of bits.
///
/// - data: a rank-1 View of sigma.size() elements, as for permute_bits.
///
/// Throws std::invalid_argument if the extent is not sigma.size() or sigma is not its own inverse; nothing is written
/// then. Blocking: does not fence; enqueued on `exec`. Complexity: one read and one write of each element. Memory:
/// none. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Data>
void permute_bits_in_place(Exec const& exec, Data const& data, BitPermutation const& sigma) {
  detail::Call const context(exec, "riffle::permute_bits_in_place");
  auto const map = detail::to_affine_bits(sigma);
  detail::tiles::check_in_place("permute_bits_in_place", data, sigma.size(), map);
  detail::tiles::run_bits_in_place<false, detail::tiles::moves_by_teams<Exec>>(
      context, detail::tiles::strided(data), sigma, map);
}

RIFFLE_CALL_DIAGNOSTICS(permute_bits, in<Array>, out<WrittenArray>, sigma<NoView>)
RIFFLE_CALL_DIAGNOSTICS(permute_bits_in_place, data<WrittenArray>, sigma<NoView>)

}  // namespace riffle
