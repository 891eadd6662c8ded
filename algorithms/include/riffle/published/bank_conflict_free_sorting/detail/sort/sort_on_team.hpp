#pragma once

// Runs an algorithm on the matrices of a team, with the threads of the team.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/processors_scratch.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_sort {

using TeamMarks = BankedMatrix<std::uint32_t>;

/// Calls algorithm(rows, marks), where `rows` is one group of all rows of the caller's matrix.
/// Returns false if there is too little scratch memory, or if the team has a partial warp.
template <class Member, class Algorithm>
KOKKOS_FUNCTION bool run_on_team(Member const& member, std::uint32_t columns,
                                 Algorithm const& algorithm) {
  if (!is_of_whole_warps(member)) return false;
  std::uint32_t const words = mark_columns(columns);
  std::byte* const memory = processors_scratch(member, TeamMarks::bytes(words));
  if (memory == nullptr) return false;
  member.team_barrier();
  auto processors = bank_processors(member);
  algorithm(RowGroups(processors), TeamMarks(memory, words));
  member.team_barrier();
  return true;
}

}  // namespace riffle::detail::matrix_sort
