#pragma once

// What a rank keeps of a permutation of all ranks' rows, so that the rows alone go from rank to rank.
//
// Meanwhile rows lie in one buffer: those that `in` has for other ranks; those that stay; those that `out` gets from other
// ranks. The first and the last are in the order of the ranks, and of one rank's in the order in which `in` has them: both
// ranks know it, so that nothing but rows is sent. A slot says of each row at either end, of `in` or of `out`, where in the
// buffer it is, and so rows that stay need no case of their own.
//
// Rows are packed by writes to their slots: of the forward direction that is one ascending stream for each rank. They are
// unpacked by reads of the slots, and writes one after the other. Backwards the ends change their roles.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <variant>

#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

template <class Exec, class Index>
struct PlanEnd {
  using Slots = Kokkos::View<Index*, typename Exec::memory_space>;

  /// Of each row at this end.
  Slots slots;
  /// How many rows there are for each other rank, or of it; none of this rank.
  Shares others;
};

template <class Exec, class IndexType>
struct PlanEnds {
  using Index = IndexType;

  /// The rows of `in`. Their slots count from the beginning of the buffer.
  PlanEnd<Exec, Index> sources;
  /// Those of `out`. Their slots count from the first row that stays.
  PlanEnd<Exec, Index> destinations;
  /// How many rows stay on this rank.
  std::uint64_t staying;
};

/// In 32 bits where the rows of either end of this rank are few enough.
template <class Exec>
using CommunicationPlan =
    std::variant<PlanEnds<Exec, std::uint32_t>, PlanEnds<Exec, std::uint64_t>>;

}  // namespace riffle::detail::mpi
