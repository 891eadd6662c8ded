#pragma once

// The runs of elements that a part has in tiles, each of which is in the order of parts.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// The runs, one after the other, as one sequence. Where they begin lies in scratch memory of a team of `threads`
/// threads.
template <class T, int threads>
class PartRuns {
 public:
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(std::uint64_t);
  static constexpr std::size_t bytes = sum_bytes + 2 * max_runs * sizeof(Index);

  /// The whole team finds the runs, and meets at the end. `memory` is aligned to 8 bytes.
  template <class Member>
  KOKKOS_FUNCTION PartRuns(Member const& team, void* memory, TilesOfParts<T> const& tiles,
                           Index part)
      : elements_(tiles.elements),
        starts_(reinterpret_cast<Index*>(static_cast<std::byte*>(memory) + sum_bytes)) {
    auto* const sums = static_cast<std::uint64_t*>(memory);
    Index const count = tiles.tiles;
    Index const whole = count < 2 ? 1 : Index{2} << backend::highest_one(count - 1);
    half_ = whole / 2;
    // The upper half of a sum counts the elements of tiles below the part, all of which come before it; the lower half
    // counts those of the part, one tile after the other.
    std::uint64_t sum = 0;
    RIFFLE_NO_UNROLL
    for (Index first = 0; first < whole; first += threads) {
      Index const run = first + static_cast<Index>(team.team_rank());
      std::uint64_t const own = run < count ? run_of(tiles, part, run) : 0;
      std::uint64_t all;
      auto const start = static_cast<Index>(sum + exclusive_team_sum(team, sums, own, all));
      if (run < whole) starts_[run] = run < count ? start : ~Index{0};
      // Shifts wrap round, as unsigned numbers do.
      if (run < count) {
        starts_[max_runs + run] =
            tiles.begin + run * tiles.tile_size + static_cast<Index>(own >> 32) - start;
      }
      sum += all;
      team.team_barrier();
    }
    begin_ = tiles.begin + (sum >> 32);
    size_ = static_cast<Index>(sum);
  }

  /// Where the part's first key is among all.
  KOKKOS_FUNCTION std::uint64_t begin() const { return begin_; }
  KOKKOS_FUNCTION Index size() const { return size_; }

  /// Loads the elements first, first + step, ... of the sequence, as far as there are any.
  template <int count>
  KOKKOS_FUNCTION void load(Index first, Index step, T* elements) const {
    // The run of each, as a pointer to its start.
    Index const* runs[count];
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) runs[k] = starts_;
    RIFFLE_UNROLL
    for (Index half = max_runs / 2; half > 0; half /= 2) {
      if (half > half_) continue;
      // All elements search a level before the next, so that their reads overlap.
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        if (runs[k][half] <= first + static_cast<Index>(k) * step) runs[k] += half;
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      Index const i = first + static_cast<Index>(k) * step;
      if (i < size_) elements[k] = elements_[runs[k][max_runs] + i];
    }
  }

  /// Loads the elements thread, thread + threads, ... of the sequence, `batch` at a time, as far as there are any.
  template <int batch, int count>
  KOKKOS_FUNCTION void load_own(Index thread, T (&elements)[count]) const {
    RIFFLE_UNROLL
    for (int first = 0; first < count; first += batch) {
      if (static_cast<Index>(first * threads) >= size_) break;
      T loaded[batch] = {};
      load<batch>(static_cast<Index>(first * threads) + thread, threads, loaded);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) elements[first + k] = loaded[k];
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t run_of(TilesOfParts<T> const& tiles, Index part, Index run) {
    std::uint16_t const* const begins = tiles.part_begins + std::uint64_t{run} * tiles.parts;
    Index const begin = begins[part];
    Index const end = part + 1 < tiles.parts
                          ? begins[part + 1]
                          : Kokkos::min(tiles.tile_size, tiles.size - run * tiles.tile_size);
    return std::uint64_t{begin} << 32 | (end - begin);
  }

  T const* elements_;
  // Where each run begins in the sequence, filled up to a power of two for runs that do not exist; and, max_runs
  // further on, the distance from there to the run's elements.
  Index* starts_;
  Index half_;
  std::uint64_t begin_;
  Index size_;
};

}  // namespace riffle::detail::sort::by_splitters
