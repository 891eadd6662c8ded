#pragma once

// The partition problem, solved by the threads of a team

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/bank_processors.hpp>
#include <riffle/banked_matrix.hpp>
#include <riffle/detail/matrix_partition/radix_sort.hpp>
#include <riffle/detail/matrix_partition/run.hpp>
#include <riffle/detail/matrix_sort/row_permutation.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::matrix_partition {

/// How the scratch memory beside one matrix with `columns` columns is laid out.
class ScratchLayout {
 public:
  using Words = BankedMatrix<std::uint32_t>;

  KOKKOS_FUNCTION constexpr explicit ScratchLayout(std::uint32_t columns)
      : marks_(matrix_sort::mark_columns(columns)),
        counters_(counter_columns(columns, Words::rows())) {}

  KOKKOS_FUNCTION constexpr std::size_t bytes() const { return Words::bytes(marks_ + counters_); }

  KOKKOS_FUNCTION Beside<Words, NothingAside> matrices(std::byte* memory) const {
    return {Words(memory, marks_), Words(memory + Words::bytes(marks_), counters_), {}};
  }

 private:
  static_assert(aside_columns(1, Words::rows()) == 0);

  std::uint32_t marks_;
  std::uint32_t counters_;
};

inline constexpr std::size_t scratch_alignment = 8;

/// Memory beside the matrix that the caller works on; null where there is too little. It is the team's until the function
/// that asks for it returns: the copy of the scratch space takes it from where the caller's own Views end, and is then
/// forgotten.
template <class Member>
KOKKOS_FUNCTION std::byte* take_scratch(Member const& member, std::size_t bytes) {
  constexpr int threads = bank_processor_threads<typename Member::execution_space>;
  auto const matrices = static_cast<std::size_t>(member.team_size() / threads);
  auto const scratch = member.team_scratch(0);
  auto* const all = static_cast<std::byte*>(
      scratch.get_shmem_aligned(bytes * matrices, static_cast<std::ptrdiff_t>(scratch_alignment)));
  if (all == nullptr) return nullptr;
  return all + bytes * static_cast<std::size_t>(member.team_rank() / threads);
}

template <class Member>
KOKKOS_FUNCTION bool is_of_whole_warps(Member const& member) {
  return member.team_size() % bank_processor_threads<typename Member::execution_space> == 0;
}

}  // namespace riffle::detail::matrix_partition
