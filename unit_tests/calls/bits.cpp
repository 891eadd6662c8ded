// Permutations of the bits of indices, and transpositions.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/workspace.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::bits_cases {
namespace {

/// log2 of the largest power of two <= n.
int bits_of(std::uint64_t n) { return n < 2 ? 0 : static_cast<int>(std::bit_width(n)) - 1; }

template <class T>
std::vector<T> values_of(std::uint64_t n) {
  if constexpr (std::is_same_v<T, Card>) {
    return cards(n);
  } else {
    return special_numbers<T>(n);
  }
}

template <class T>
struct Bits {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    int const m = bits_of(n);
    auto const in = to_array<Exec>(values_of<T>(std::uint64_t{1} << m));
    auto const out = make_output<Exec, T>(in.extent(0));
    permute_bits(exec, in, out, BitPermutation::perfect_shuffle(m));
    results.add("perfect shuffle", out);
    permute_bits(Context(exec, "transpose"), in, out, BitPermutation::transpose(m / 3, m - m / 3));
    results.add("transpose", out);
    permute_bits_in_place(exec, in, BitPermutation::bit_reversal(m));
    results.add("bit reversal in place", in);
  }
};

struct AffineBits {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    int const m = bits_of(n);
    auto const in = to_array<Exec>(special_numbers<double>(std::uint64_t{1} << m));
    auto const out = make_output<Exec, double>(in.extent(0));
    permute_bits(exec, in, out, AffineBitPermutation::gray_code(m));
    results.add("Gray code", out);
    // u -> u xor c, with the highest bit added to the lowest; an involution if c does not have the highest bit.
    std::vector<std::uint64_t> columns;
    for (int k = 0; k < m; ++k) columns.push_back(std::uint64_t{1} << k);
    if (m > 1) columns.back() |= 1;
    AffineBitPermutation const sigma(columns, m > 2 ? 2 : 0);
    permute_bits_in_place(exec, in, sigma);
    results.add("in place", in);
  }
};

struct Transpositions {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::uint64_t const rows = 37;
    std::uint64_t const columns = n / rows;
    auto const in = to_array<Exec>(cards(rows * columns));
    auto const out = make_output<Exec, Card>(rows * columns);
    transpose(exec, in, out, rows, columns);
    results.add("of an array", out);
    auto const matrix = to_matrix<Exec>(special_numbers<float>(rows * columns), columns);
    auto const turned = make_output<Exec, float>(matrix.extent(1), matrix.extent(0));
    if (matrix.size() > 0) transpose(Context(exec, "matrix"), matrix, turned);
    results.add("of a matrix", turned);
  }
};

struct InPlace {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    std::uint64_t const rows = 37;
    std::uint64_t const columns = n / rows;
    auto const data = to_array<Exec>(special_numbers<double>(rows * columns));
    transpose_in_place(Context(exec, workspace), data, rows, columns);
    results.add("rectangle", data);
    std::uint64_t side = 0;
    while ((side + 1) * (side + 1) <= n) ++side;
    auto const square = to_matrix<Exec>(cards(side * side), side);
    transpose_in_place(exec, square);
    results.add("square", square);
  }
};

Cases const cases{
    make_case<Bits<double>>("bits_of_doubles", sizes()),
    make_case<Bits<Card>>("bits_of_cards", sizes()),
    make_case<AffineBits>("bits_by_affine_maps", sizes()),
    make_case<Transpositions>("transpose", sizes()),
    make_case<InPlace>("transpose_in_place", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::bits_cases
