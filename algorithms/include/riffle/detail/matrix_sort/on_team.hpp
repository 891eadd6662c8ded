#pragma once

// An algorithm for a matrix, run by the threads of a team

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/bank_processors.hpp>
#include <riffle/banked_matrix.hpp>
#include <riffle/detail/matrix_sort/row_permutation.hpp>
#include <riffle/lanes.hpp>
#include <riffle/row_groups.hpp>

namespace riffle::detail::matrix_sort {

using TeamMarks = BankedMatrix<std::uint32_t>;

/// Memory for the marks of the caller's matrix, until the caller returns; null where there is too little.
template <class Member>
KOKKOS_FUNCTION void* marks_memory(Member const& member, std::uint32_t columns) {
  constexpr int threads = bank_processor_threads<typename Member::execution_space>;
  std::size_t const bytes = TeamMarks::bytes(mark_columns(columns));
  std::size_t const matrices = static_cast<std::size_t>(member.team_size() / threads);
  auto const scratch = member.team_scratch(0);  // what a copy gives out is free again afterwards
  auto* const memory = static_cast<char*>(scratch.get_shmem_aligned(bytes * matrices, 8));
  if (memory == nullptr) return nullptr;
  return memory + bytes * static_cast<std::size_t>(member.team_rank() / threads);
}

/// algorithm(rows, marks), where `rows` are all of the caller's matrix, in one group; false where that cannot be.
template <class Member, class Algorithm>
KOKKOS_FUNCTION bool run_on_team(Member const& member, std::uint32_t columns,
                                 Algorithm const& algorithm) {
  if (member.team_size() % bank_processor_threads<typename Member::execution_space> != 0) {
    return false;
  }
  void* const memory = marks_memory(member, columns);
  if (memory == nullptr) return false;
  lanes::synchronize();
  auto processors = bank_processors(member);
  algorithm(RowGroups(processors), TeamMarks(memory, mark_columns(columns)));
  return true;
}

}  // namespace riffle::detail::matrix_sort
