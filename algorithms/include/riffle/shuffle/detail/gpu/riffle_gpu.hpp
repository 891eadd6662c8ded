#pragma once

// The riffle pass of BucketShuffle on a GPU, with one launch per level: the places of a node take their elements from
// the output of the node's children.
//
// A tile of 4096 places takes about 16 consecutive elements (a run) from each of 256 children. The team first ranks the
// places by digit. It then loads the runs one after another, so that neighbouring threads load neighbouring elements.
// In scratch memory the elements are exchanged between threads: each thread receives the elements for its places, and
// writes them in ascending order:
//
//     digits of places          1  0  2  0  1  0
//     sorted places             1  3  5 | 0  4 | 2      (by digit)
//     elements, read in runs    a  b  c | d  e | f      thread k reads the k-th element
//     scratch memory            a  b  c   d  e   f
//     output                    d  a  f  b  e  c

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/tuning.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::bucket_shuffle {

/// Riffles a chunk: for each place in the chunk, writes to `out` the element of `from` that the place takes. The
/// elements are values, or the rows of a rank-2 View.
template <class From, class Out, class Index>
class TeamRiffle {
  using T = typename Out::non_const_value_type;
  static constexpr bool of_rows = Out::rank() == 2;

 public:
  static constexpr int threads = team_threads;
  // Whether elements are staged in scratch memory. All other elements are read one by one. For large elements this
  // costs nothing, because each occupies at least one sector. For elements with many small members it is necessary,
  // because a thread has too few registers for sixteen of them.
  static constexpr bool is_staged =
      !of_rows && (sizeof(T) <= 8 || (sizeof(T) <= 16 && alignof(T) >= 4));
  static constexpr int teams_per_processor = teams_that_riffle(sizeof(T), is_staged);

 private:
  // A tile of large elements is staged in two parts, because a whole tile would not fit in scratch memory.
  static constexpr int parts = is_staged && sizeof(T) > 8 ? 2 : 1;
  static constexpr int part_digits = digits_per_block / parts;
  static constexpr int part_places = tile_places / parts;
  // The table and the runs share scratch memory with the elements that are staged later. If there are two parts, the
  // runs are still needed after the first part, so they are stored after the staged elements.
  static constexpr std::size_t table_bytes = TileRanks::words * sizeof(std::uint32_t);
  static constexpr std::size_t staged_bytes = is_staged ? part_places * sizeof(T) : 0;
  static constexpr std::size_t runs_at =
      parts > 1 && table_bytes < staged_bytes ? staged_bytes : table_bytes;
  static constexpr std::size_t runs_bytes =
      is_staged ? TileRuns::size * sizeof(TileRuns::Entry) : 0;
  static constexpr std::size_t sorting_bytes = runs_at + runs_bytes;
  static constexpr std::size_t shared_bytes =
      sorting_bytes < staged_bytes ? staged_bytes : sorting_bytes;
  static constexpr std::size_t offset_bytes = buckets * sizeof(Index);
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(std::uint32_t);
  static constexpr std::size_t alignment = 128;

 public:
  static constexpr std::size_t scratch_bytes = shared_bytes + offset_bytes + sum_bytes + alignment;

  TeamRiffle(std::uint64_t seed, From const& from, Out const& out)
      : seed_(seed), from_(from), out_(out) {}

  /// Riffles the chunk. `cursor` is the next element of the child whose digit is the thread's rank in the team.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, Chunk const& chunk, Index cursor) const {
    Scratch const scratch(team);
    RIFFLE_NO_UNROLL
    for (std::uint64_t tile = chunk.first_tile(); tile < chunk.end; tile += tile_places) {
      if (tile >= chunk.begin && chunk.end - tile >= tile_places) {
        riffle_whole_tile(team, scratch, chunk, tile, cursor);
      } else {
        riffle_partial_tile(team, scratch, chunk, tile, cursor);
      }
    }
  }

 private:
  struct Scratch {
    template <class Member>
    KOKKOS_FUNCTION explicit Scratch(Member const& team) {
      auto* const memory = static_cast<std::byte*>(
          team.team_scratch(0).get_shmem_aligned(scratch_bytes - alignment, alignment));
      table = reinterpret_cast<std::uint32_t*>(memory);
      runs = reinterpret_cast<TileRuns::Entry*>(memory + runs_at);
      staged = reinterpret_cast<T*>(memory);
      offsets = reinterpret_cast<Index*>(memory + shared_bytes);
      sums = reinterpret_cast<std::uint32_t*>(memory + shared_bytes + offset_bytes);
    }

    std::uint32_t* table;
    TileRuns::Entry* runs;
    T* staged;
    Index*
        offsets;  // offset of a run or digit + position in the sorted tile = index of the element
    std::uint32_t* sums;
  };

  template <class Member>
  KOKKOS_FUNCTION void riffle_whole_tile(Member const& team, Scratch const& scratch,
                                         Chunk const& chunk, std::uint64_t tile,
                                         Index& cursor) const {
    int const thread = team.team_rank();
    TileRanks const ranks(scratch.table, scratch.sums, thread);
    TileRuns const runs(scratch.runs);
    ranks.clear();
    if constexpr (is_staged) runs.clear(thread);
    auto const digits = tile_digits(seed_, chunk.node, tile, thread);
    team.team_barrier();
    std::uint16_t positions[digits_per_block];
    RIFFLE_UNROLL
    for (int k = 0; k < digits_per_block; ++k) {
      positions[k] = static_cast<std::uint16_t>(ranks.rank(digit(digits, k), true));
    }
    std::uint64_t const target = chunk.node_begin + tile + first_place(thread);
    if constexpr (is_staged) {
      place_runs(team, ranks, cursor, [&](Run const& run, Index offset) {
        if (run.size == 0) return;
        scratch.offsets[run.number] = offset;
        runs.mark(run);
      });
      T elements[digits_per_block];
      RIFFLE_UNROLL
      for (int part = 0; part < parts; ++part) {
        T read[part_digits];
        read_runs(scratch, runs, part, thread, read);
        // Positions are computed while the loads are in flight, and before the staged elements overwrite the table.
        if (part == 0) find_positions(ranks, digits, positions);
        team.team_barrier();
        stage(scratch, thread, read);
        team.team_barrier();
        take_staged(scratch, part, positions, elements);
      }
      RIFFLE_UNROLL
      for (int k = 0; k < digits_per_block; ++k) out_(target + place_offset(k)) = elements[k];
    } else {
      place_runs_of_digits(team, scratch, ranks, cursor);
      if constexpr (of_rows) {
        RIFFLE_NO_UNROLL
        for (int k = 0; k < digits_per_block; ++k) {
          int const own = digit(digits, k);
          take(target + place_offset(k), element(scratch, own, ranks.position(own, positions[k])));
        }
      } else {
        read_and_write(scratch, ranks, digits, target, positions);
      }
    }
    team.team_barrier();
  }

  // Riffles a tile in which some places do not belong to the chunk. Such tiles are few. Their elements are read one by
  // one, so that this function does not increase the number of registers per thread.
  template <class Member>
  KOKKOS_FUNCTION void riffle_partial_tile(Member const& team, Scratch const& scratch,
                                           Chunk const& chunk, std::uint64_t tile,
                                           Index& cursor) const {
    int const thread = team.team_rank();
    TileRanks const ranks(scratch.table, scratch.sums, thread);
    ranks.clear();
    auto const digits = tile_digits(seed_, chunk.node, tile, thread);
    std::uint64_t const first = tile + first_place(thread);
    team.team_barrier();
    auto const exists = [&](int k) { return chunk.has(first + place_offset(k)); };
    auto const in_unit = rank_existing(ranks, digits, exists);
    place_runs_of_digits(team, scratch, ranks, cursor);
    visit_existing(ranks, digits, in_unit, exists, [&](int k, int own, std::uint32_t in_tile) {
      take(chunk.node_begin + first + place_offset(k), element(scratch, own, in_tile));
    });
    team.team_barrier();
  }

  // Computes the run of each digit in the sorted tile. For digit d, thread d calls keep(run, offset), where element
  // p + offset of `from` belongs to position p of the run. Then thread d advances its cursor by the length of the run.
  // Begins and ends with a team barrier. Requires: the places have been ranked.
  template <class Member, class Keep>
  KOKKOS_FUNCTION void place_runs(Member const& team, TileRanks const& ranks, Index& cursor,
                                  Keep const& keep) const {
    team.team_barrier();
    Run const run = ranks.scan(team);
    keep(run, static_cast<Index>(cursor - run.begin));
    cursor = static_cast<Index>(cursor + run.size);
    team.team_barrier();
  }

  template <class Member>
  KOKKOS_FUNCTION void place_runs_of_digits(Member const& team, Scratch const& scratch,
                                            TileRanks const& ranks, Index& cursor) const {
    place_runs(team, ranks, cursor,
               [&](Run const&, Index offset) { scratch.offsets[team.team_rank()] = offset; });
  }

  // Loads the elements that the thread reads, from one part of the sorted tile.
  KOKKOS_FUNCTION void read_runs(Scratch const& scratch, TileRuns const& runs, int part, int thread,
                                 T (&elements)[part_digits]) const {
    auto const first = static_cast<std::uint32_t>(part * part_places + thread);
    RIFFLE_UNROLL
    for (std::uint32_t k = 0; k < part_digits; ++k) {
      std::uint32_t const place = first + k * threads;
      elements[k] = from_(static_cast<Index>(scratch.offsets[runs(place)] + place));
    }
  }

  // Replaces ranks in units by positions in the sorted tile.
  KOKKOS_FUNCTION void find_positions(TileRanks const& ranks, Philox4x32::Block const& digits,
                                      std::uint16_t (&positions)[digits_per_block]) const {
    RIFFLE_UNROLL
    for (int k = 0; k < digits_per_block; ++k) {
      positions[k] = static_cast<std::uint16_t>(ranks.position(digit(digits, k), positions[k]));
    }
  }

  KOKKOS_FUNCTION void stage(Scratch const& scratch, int thread,
                             T const (&elements)[part_digits]) const {
    RIFFLE_UNROLL
    for (int k = 0; k < part_digits; ++k) scratch.staged[k * threads + thread] = elements[k];
  }

  // Reads the thread's elements that are in the staged part.
  KOKKOS_FUNCTION void take_staged(Scratch const& scratch, int part,
                                   std::uint16_t const (&positions)[digits_per_block],
                                   T (&elements)[digits_per_block]) const {
    RIFFLE_UNROLL
    for (int k = 0; k < digits_per_block; ++k) {
      if (parts == 1 || positions[k] / part_places == part) {
        elements[k] = scratch.staged[positions[k] % part_places];
      }
    }
  }

  KOKKOS_FUNCTION void read_and_write(Scratch const& scratch, TileRanks const& ranks,
                                      Philox4x32::Block const& digits, std::uint64_t target,
                                      std::uint16_t const (&in_unit)[digits_per_block]) const {
    constexpr int at_once = 4;
    RIFFLE_UNROLL
    for (int k = 0; k < digits_per_block; k += at_once) {
      T elements[at_once];
      RIFFLE_UNROLL
      for (int j = 0; j < at_once; ++j) {
        int const own = digit(digits, k + j);
        elements[j] = from_(element(scratch, own, ranks.position(own, in_unit[k + j])));
      }
      RIFFLE_UNROLL
      for (int j = 0; j < at_once; ++j) out_(target + place_offset(k + j)) = elements[j];
    }
  }

  KOKKOS_FUNCTION void take(std::uint64_t place, Index element) const {
    if constexpr (of_rows) {
      copy_row(from_, element, out_, place);
    } else {
      out_(place) = from_(element);
    }
  }

  // Offsets may be negative: the unsigned subtractions and additions wrap around.
  KOKKOS_FUNCTION static Index element(Scratch const& scratch, int digit, std::uint32_t position) {
    return static_cast<Index>(scratch.offsets[digit] + position);
  }

  std::uint64_t seed_;
  From from_;
  Out out_;
};

/// Riffles a level: for each place in the level's nodes, writes to `out` the element of `from` that the place takes.
/// One team processes each chunk.
template <class From, class Out, class Index>
class RiffleTiles {
  using Riffle = TeamRiffle<From, Out, Index>;

 public:
  static constexpr int threads = Riffle::threads;
  static constexpr int teams_per_processor = Riffle::teams_per_processor;
  static constexpr std::size_t scratch_bytes = Riffle::scratch_bytes;

  RiffleTiles(Level<Index> const& level, From const& from, Out const& out)
      : level_(level), riffle_(level.seed, from, out) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const digit = static_cast<std::uint64_t>(team.team_rank());
    Chunk const chunk = level_.chunk(team.league_rank());
    riffle_(team, chunk, level_.counts[chunk.column + digit * level_.chunks]);
  }

 private:
  Level<Index> level_;
  Riffle riffle_;
};

}  // namespace riffle::detail::bucket_shuffle
