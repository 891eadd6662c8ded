#pragma once

// What a rank keeps of a permutation of all ranks' rows, so that the rows alone go from rank to rank.
//
// At each end, which are the rows that a rank has of `in` and those that it has of `out`, a slot says of each row where it
// is meanwhile: in a buffer, where rows for other ranks lie in the order of the ranks, and those for one rank in the order
// in which `in` has them. Both ranks know that order, so that nothing but rows is sent. A row that stays on its rank is
// in no buffer: its slot, beyond those of the buffer, is the row at the other end.
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
  /// How many rows there are of each other rank, or for it; none of this rank.
  Shares others;
};

template <class Exec, class IndexType>
struct PlanEnds {
  using Index = IndexType;

  PlanEnd<Exec, Index> sources;       // the rows of `in`
  PlanEnd<Exec, Index> destinations;  // those of `out`
};

/// In 32 bits where the rows of both ends of this rank are few enough.
template <class Exec>
using CommunicationPlan =
    std::variant<PlanEnds<Exec, std::uint32_t>, PlanEnds<Exec, std::uint64_t>>;

}  // namespace riffle::detail::mpi
