#pragma once

// A GPU's transpositions and permutations of bits by teams, on any back end.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>

#include <cstdint>
#include <type_traits>

namespace riffle::test {

inline detail::AffineBits map_of(BitPermutation const& sigma) {
  return detail::to_affine_bits(sigma);
}
inline detail::AffineBits map_of(AffineBitPermutation const& sigma) { return sigma.map(); }

template <class Exec, class In, class Out, class Sigma>
void permute_bits_by_teams(Exec const& exec, In const& in, Out const& out, Sigma const& sigma) {
  namespace tiles = detail::tiles;
  tiles::run_bits<std::is_same_v<Sigma, AffineBitPermutation>, true>(
      Context(exec, "teams"), tiles::strided_source(in), tiles::strided(out), sigma, map_of(sigma));
}

template <class Exec, class Data, class Sigma>
void permute_bits_in_place_by_teams(Exec const& exec, Data const& data, Sigma const& sigma) {
  namespace tiles = detail::tiles;
  tiles::run_bits_in_place<std::is_same_v<Sigma, AffineBitPermutation>, true>(
      Context(exec, "teams"), tiles::strided(data), sigma, map_of(sigma));
}

/// Transposes matrices of rank 2.
template <class Exec, class In, class Out>
void transpose_by_teams(Exec const& exec, In const& in, Out const& out) {
  if (in.size() == 0) return;
  detail::tiles::run_transpose<true>(
      Context(exec, "teams"),
      {in.extent(0), in.extent(1), static_cast<std::uint64_t>(in.stride(0)),
       static_cast<std::uint64_t>(in.stride(1)), static_cast<std::uint64_t>(out.stride(0)),
       static_cast<std::uint64_t>(out.stride(1))},
      in.data(), out.data());
}

/// Transposes arrays that hold row-major matrices.
template <class Exec, class In, class Out>
void transpose_by_teams(Exec const& exec, In const& in, Out const& out, std::uint64_t rows,
                        std::uint64_t columns) {
  if (rows * columns == 0) return;
  std::uint64_t const stride = in.stride(0);
  std::uint64_t const out_stride = out.stride(0);
  detail::tiles::run_transpose<true>(
      Context(exec, "teams"),
      {rows, columns, columns * stride, stride, rows * out_stride, out_stride}, in.data(),
      out.data());
}

template <class Exec, class Data>
void transpose_square_by_teams(Exec const& exec, Data const& data) {
  std::uint64_t const rows = data.extent(0);
  std::uint64_t const pitch = data.stride(0);
  std::uint64_t const stride = data.stride(1);
  if (rows < 2) return;
  detail::tiles::run_transpose_square<true>(
      Context(exec, "teams"), {rows, rows, pitch, stride, pitch, stride}, data.data());
}

}  // namespace riffle::test
