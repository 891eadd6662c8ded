#pragma once

// What the kernels of a GPU that move tiles have in common.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/gpu/staging.hpp>
#include <riffle/permute/detail/schedule/pass.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::schedule {

/// The tiles of a GPU's plans, and the threads that move one.
struct GpuTile {
  static constexpr int bits = gpu_shape.tile_bits;
  static constexpr int size = 1 << bits;
  static constexpr int threads = 512;
  static constexpr int per_thread = size / threads;
  static constexpr int quads_per_thread = per_thread / quad_size;
  static constexpr int warps = threads / backend::width;
  static constexpr int max_bucket_bits = gpu_shape.max_bucket_bits;
  static constexpr int max_buckets = 1 << max_bucket_bits;

  /// The number of element e of quad k of a thread: neighbouring threads have neighbouring quads.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t element(int thread, int k, int e) {
    return static_cast<std::uint32_t>(quad_size * (k * threads + thread) + e);
  }
  /// The number of position k of a thread: neighbouring threads have neighbouring positions.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t position(int thread, int k) {
    return static_cast<std::uint32_t>(k * threads + thread);
  }
};

/// The tile of a team, held by each of its threads. Tiles are taken from the first on, or from the last.
struct TileOfTeam {
  template <class Member>
  KOKKOS_FUNCTION TileOfTeam(Tiles const& tiles, bool from_last, Member const& team)
      : number(from_last ? tiles.count() - 1 - static_cast<std::uint64_t>(team.league_rank())
                         : static_cast<std::uint64_t>(team.league_rank())),
        begin(tiles.begin(number)),
        count(tiles.size_of(number)),
        thread(team.team_rank()) {}

  std::uint64_t number;
  std::uint64_t begin;
  std::uint32_t count;
  int thread;
};

/// Four positions of one quad, as they are read.
class QuadOfPositions {
 public:
  QuadOfPositions() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit QuadOfPositions(std::uint16_t const* from)
      : words_(*reinterpret_cast<Words const*>(from)) {}

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator[](int e) const {
    std::uint32_t const word = e < 2 ? words_.low : words_.high;
    return e % 2 == 0 ? word & 0xFFFFu : word >> 16;
  }

  KOKKOS_FORCEINLINE_FUNCTION void set(int e, std::uint32_t position) {
    std::uint32_t& word = e < 2 ? words_.low : words_.high;
    word = e % 2 == 0 ? (word & 0xFFFF0000u) | position : (word & 0xFFFFu) | position << 16;
  }

 private:
  struct alignas(8) Words {
    std::uint32_t low;
    std::uint32_t high;
  };

  Words words_{};
};

/// The places in the array of a thread's positions. The constructor reads only what the thread itself needs, so that it
/// need not wait; the team shares the offsets before places are asked for.
///
/// The lanes of a warp read the 16 heads that it needs at once, and hand them round when they are wanted.
template <class Memory>
class PlacesOfThread {
 public:
  KOKKOS_FUNCTION PlacesOfThread(Pass<Memory> const& pass, std::uint64_t tile, int thread)
      : begin_(pass.tiles.begin(tile)),
        thread_(thread),
        runs_(static_cast<int>(pass.runs_per_tile)) {
    if (runs_ == 0) return;
    if (thread < runs_) {
      own_offset_ = pass.offsets(tile * pass.runs_per_tile + static_cast<std::uint64_t>(thread));
    }
    int const warp = thread / backend::width;
    int const k = thread % backend::width % GpuTile::per_thread;
    heads_ = pass.heads(tile * pass.heads_per_tile() +
                        static_cast<std::uint64_t>(k * GpuTile::warps + warp));
  }

  /// Writes the thread's offset into `offsets`, which is in scratch memory and holds those of all runs.
  KOKKOS_FUNCTION void share(std::uint64_t* offsets) const {
    static_assert(GpuTile::max_buckets <= GpuTile::threads);
    if (thread_ < runs_) offsets[thread_] = own_offset_;
  }

  /// The place of the thread's position k. Call it after a team barrier, by whole warps.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(int k, std::uint64_t const* offsets) const {
    std::uint32_t const position = GpuTile::position(thread_, k);
    if (runs_ == 0) return begin_ + position;
    Heads const heads = backend::from_lane(heads_, k);
    return position + offsets[heads.run(thread_ % backend::width)];
  }

 private:
  std::uint64_t begin_;
  std::uint64_t own_offset_ = 0;
  int thread_;
  int runs_;
  Heads heads_{};
};

/// The scratch memory that both directions take: the offsets of runs, and a window of positions.
template <class T>
struct TileScratch {
  static constexpr std::size_t alignment = 16;

  /// `bytes`: the scratch memory for both.
  TileScratch(std::uint64_t runs_of_tile, std::size_t bytes)
      : runs(runs_of_tile),
        window_bits(schedule::window_bits(bytes - runs * sizeof(std::uint64_t) - 2 * alignment,
                                          sizeof(T), GpuTile::bits)) {}

  std::uint64_t runs;
  int window_bits;

  std::size_t bytes() const {
    return runs * sizeof(std::uint64_t) + (sizeof(T) << window_bits) + 2 * alignment;
  }

  template <class Member>
  KOKKOS_FUNCTION std::uint64_t* offsets(Member const& team) const {
    return static_cast<std::uint64_t*>(
        team.team_scratch(0).get_shmem_aligned(runs * sizeof(std::uint64_t), alignment));
  }
  template <class Member>
  KOKKOS_FUNCTION T* window(Member const& team) const {
    return static_cast<T*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(T) << window_bits, alignment));
  }
};

}  // namespace riffle::detail::schedule
