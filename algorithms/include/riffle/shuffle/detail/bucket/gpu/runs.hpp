#pragma once

// Which run of equal digits a place of a sorted tile is of.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>

namespace riffle::detail::bucket_shuffle {

/// The places of a sorted tile that have one digit. Runs are numbered in order, those of no places with the next.
struct Run {
  std::uint32_t number;
  std::uint32_t begin;
  std::uint32_t size;
};

/// Tells, in scratch memory, the number of the run that a place is of: to neighbouring lanes, that of neighbouring places
/// without conflicts of banks.
///
/// Each 32 places have a bit for where a run begins, but for the first of them, the number of whose run stands beside.
class TileRuns {
 public:
  struct Entry {
    std::uint32_t begins;
    std::uint32_t first;
  };
  static constexpr int places_per_entry = 32;
  static constexpr int size = tile_places / places_per_entry;

  /// `entries` are `size`.
  KOKKOS_FUNCTION explicit TileRuns(Entry* entries) : entries_(entries) {}

  /// To be called by each thread of a team, which meets between this and the first mark.
  KOKKOS_FUNCTION void clear(int thread) const {
    if (thread < size) entries_[thread].begins = 0;
  }

  /// Marks a run that has places. The team meets between the last mark and what reads.
  KOKKOS_FUNCTION void mark(Run const& run) const {
    std::uint32_t const bit = run.begin % places_per_entry;
    std::uint32_t entry = run.begin / places_per_entry;
    if (bit != 0) backend::add_in_scratch(&entries_[entry++].begins, std::uint32_t{1} << bit);
    for (; entry * places_per_entry < run.begin + run.size; ++entry) {
      entries_[entry].first = run.number;
    }
  }

  /// The number of the run of the place.
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t place) const {
    Entry const entry = entries_[place / places_per_entry];
    std::uint32_t const up_to =
        ~std::uint32_t{0} >> (places_per_entry - 1 - place % places_per_entry);
    return entry.first + static_cast<std::uint32_t>(backend::count_ones(entry.begins & up_to));
  }

 private:
  Entry* entries_;
};

}  // namespace riffle::detail::bucket_shuffle
