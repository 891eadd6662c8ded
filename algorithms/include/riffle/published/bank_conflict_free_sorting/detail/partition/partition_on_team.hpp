#pragma once

// Solves the partition problem with the threads of a team.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/partition/radix_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/partition/run.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_permutation.hpp>

namespace riffle::detail::matrix_partition {

/// The layout of the scratch memory that is needed in addition to a matrix of `columns` columns.
class ScratchLayout {
 public:
  using Words = BankedMatrix<std::uint32_t>;

  KOKKOS_FUNCTION constexpr explicit ScratchLayout(std::uint32_t columns)
      : marks_(matrix_sort::mark_columns(columns)),
        counters_(counter_columns(columns, Words::rows())) {}

  KOKKOS_FUNCTION constexpr std::size_t bytes() const { return Words::bytes(marks_ + counters_); }

  KOKKOS_FUNCTION PartitionMemory<Words, NothingAside> matrices(std::byte* memory) const {
    return {Words(memory, marks_), Words(memory + Words::bytes(marks_), counters_), {}};
  }

 private:
  static_assert(aside_columns(1, Words::rows()) == 0);

  std::uint32_t marks_;
  std::uint32_t counters_;
};

}  // namespace riffle::detail::matrix_partition
