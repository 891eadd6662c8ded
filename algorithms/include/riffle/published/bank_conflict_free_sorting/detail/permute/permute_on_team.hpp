#pragma once

// The scratch memory of a team that permutes.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/communication.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/tally.hpp>

namespace riffle::detail::matrix_permute {

/// The layout of the scratch memory that is needed in addition to a matrix of T.
template <class T>
class ScratchLayout {
 public:
  using Arrivals = BankedMatrix<T>;
  using Words = BankedMatrix<std::uint32_t>;
  using Tallies = BankedMatrix<Tally>;

  KOKKOS_FUNCTION constexpr explicit ScratchLayout(std::uint32_t columns) : columns_(columns) {}

  KOKKOS_FUNCTION constexpr std::size_t bytes() const { return links() + Words::bytes(columns_); }

  KOKKOS_FUNCTION Memory<Arrivals, Words, Tallies> matrices(std::byte* memory) const {
    return {Arrivals(memory, columns_),
            {Words(memory + heads(), columns_), Words(memory + links(), columns_)},
            Tallies(memory + tallies(), 1)};
  }

 private:
  KOKKOS_FUNCTION constexpr std::size_t tallies() const { return Arrivals::bytes(columns_); }
  KOKKOS_FUNCTION constexpr std::size_t heads() const { return tallies() + Tallies::bytes(1); }
  KOKKOS_FUNCTION constexpr std::size_t links() const { return heads() + Words::bytes(columns_); }

  std::uint32_t columns_;
};

}  // namespace riffle::detail::matrix_permute
