#pragma once

// Common parts of the kernels that apply a pass on a GPU: how a tile is divided among threads, and how it is stored in
// scratch memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::schedule {

/// Returns the cell in scratch memory for a position. The cells of 32 consecutive positions (starting at a multiple of
/// 32) are a permutation of 32 cells, so they cause no bank conflicts. Positions at a constant stride, which occur in
/// regular permutations, are spread over the banks as if their cells were random.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cell(std::uint32_t position) {
  // D. E. Knuth, "The Art of Computer Programming" 3, section 6.4: Fibonacci hashing.
  constexpr std::uint32_t golden = 0x9E3779B1u;
  constexpr int bank_bits = 5;
  static_assert(backend::width == 1 << bank_bits);
  return position ^ ((position >> bank_bits) * golden >> (32 - bank_bits));
}

/// Returns the log2 of the number of positions in a window: the largest number, at most tile_bits, for which the
/// elements of a window fit in `bytes` bytes of scratch memory.
KOKKOS_FUNCTION constexpr int window_bits(std::size_t bytes, std::size_t element_size,
                                          int tile_bits) {
  int bits = tile_bits;
  while (bits > 0 && (element_size << bits) > bytes) --bits;
  return bits;
}

// --- tiles ---

/// A tile of a plan on a GPU, and its division among the threads of a team.
struct GpuTile {
  static constexpr int bits = gpu_shape.tile_bits;
  static constexpr int size = 1 << bits;
  static constexpr int threads = 512;
  static constexpr int per_thread = size / threads;
  static constexpr int quads_per_thread = per_thread / quad_size;
  static constexpr int warps = threads / backend::width;
  static constexpr int max_bucket_bits = gpu_shape.max_bucket_bits;
  static constexpr int max_buckets = 1 << max_bucket_bits;

  /// A thread processes its elements in quads. Returns the index, within the tile, of element e in quad k of `thread`.
  /// Neighbouring threads process neighbouring quads.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t element(int thread, int k, int e) {
    return static_cast<std::uint32_t>(quad_size * (k * threads + thread) + e);
  }
  /// Returns position k of a thread. Neighbouring threads process neighbouring positions.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t position(int thread, int k) {
    return static_cast<std::uint32_t>(k * threads + thread);
  }
};

/// The tile that a team processes. Each thread has a copy of this object. Teams process tiles in ascending or
/// descending order.
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

/// The four positions of a quad, loaded by one instruction.
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

/// Converts the thread's positions to indices in the array. The constructor only loads data for this thread, so it does
/// not wait for other threads. place() reads the offsets of all runs from scratch memory, where share() has stored
/// them; therefore a team barrier must separate share() and place().
///
/// Each thread of a warp has 16 positions, so the warp needs 16 words of heads. Lane k loads word k mod 16; place()
/// broadcasts a word to all lanes by a shuffle.
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

  /// Stores the run offset that this thread has loaded to `offsets`, in scratch memory. All threads together store the
  /// offsets of all runs.
  KOKKOS_FUNCTION void share(std::uint64_t* offsets) const {
    static_assert(GpuTile::max_buckets <= GpuTile::threads);
    if (thread_ < runs_) offsets[thread_] = own_offset_;
  }

  /// Returns the index in the array for the thread's position k. All lanes of a warp must call it, after the team
  /// barrier that follows share().
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

/// The scratch memory that both directions use: the offsets of the runs, and a window of elements.
template <class T>
struct TileScratch {
  static constexpr std::size_t alignment = 16;

  /// `bytes` is the size of the scratch memory for offsets and window together.
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

// --- tiles in scratch memory ---
//
// If a tile does not fit in scratch memory, its positions are divided into windows. Scratch memory then holds the
// elements of one window at a time.

/// The tile that a team processes and its scratch memory; each thread has a copy of this object.
template <class T, class Memory>
class StagedTile {
 public:
  /// Reads the thread's part of the plan. A team barrier must follow before place() is called.
  template <class Member>
  KOKKOS_FUNCTION StagedTile(Pass<Memory> const& pass, TileScratch<T> const& scratch,
                             Member const& team, TileOfTeam const& tile)
      : tile_(tile),
        places_(pass, tile.number, tile.thread),
        offsets_(scratch.offsets(team)),
        window_(scratch.window(team)) {
    places_.share(offsets_);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin() const { return tile_.begin; }
  /// Whether i is less than the number of elements (and of positions) in the tile.
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint32_t i) const { return i < tile_.count; }

  /// Returns the index in the tile of the thread's element j.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t element(int j) const {
    return GpuTile::element(tile_.thread, j / quad_size, j % quad_size);
  }
  /// The thread's position k, and the corresponding index in the array. All lanes of a warp must call place().
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t position(int k) const {
    return GpuTile::position(tile_.thread, k);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(int k) const {
    return places_.place(k, offsets_);
  }

  KOKKOS_FORCEINLINE_FUNCTION T& operator[](std::uint32_t cell) const { return window_[cell]; }

 private:
  TileOfTeam tile_;
  PlacesOfThread<Memory> places_;
  std::uint64_t* offsets_;
  T* window_;
};

/// The windows into which a tile's positions are divided. AtOnce: a single window contains all positions. Functions
/// construct this object from the kernel's data where they need it. An object that lived as long as the tile would
/// spill registers with nvcc 13.0.
template <bool AtOnce>
class Windows {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit Windows(int bits) : bits_(bits) {}

  KOKKOS_FORCEINLINE_FUNCTION int count() const {
    return AtOnce ? 1 : 1 << (GpuTile::bits - bits_);
  }
  /// The number of positions per thread in one window. A window consists of positions k of all threads, for a range of
  /// consecutive k.
  KOKKOS_FORCEINLINE_FUNCTION int per_thread() const {
    return AtOnce ? GpuTile::per_thread : GpuTile::per_thread >> (GpuTile::bits - bits_);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int w, std::uint32_t position) const {
    return AtOnce || position >> bits_ == static_cast<std::uint32_t>(w);
  }
  /// The cell in scratch memory for a position in the window.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cell(std::uint32_t position) const {
    return schedule::cell(AtOnce ? position : position & ((1u << bits_) - 1));
  }

 private:
  int bits_;
};

/// The base class of ForwardTiles and BackwardTiles. Their function move<Whole, AtOnce>() has two template parameters.
/// Whole: the tile is complete (2^13 elements), and its elements are accessed in quads. AtOnce: a single window
/// contains all positions of the tile.
template <class Source, class Sink, class Memory>
class TileKernel {
 public:
  using T = typename Source::Item;
  static constexpr int threads = GpuTile::threads;
  /// The number of registers limits the number of teams.
  static constexpr int teams_per_processor = 2;
  static constexpr std::size_t scratch_bytes = max_scratch_bytes;

  TileKernel(Pass<Memory> const& pass, Source const& source, Sink const& sink, std::size_t scratch,
             bool from_last)
      : pass_(pass),
        source_(source),
        sink_(sink),
        scratch_(pass.runs_per_tile, scratch),
        from_last_(from_last) {}

  std::uint64_t teams() const { return pass_.tiles.count(); }
  std::size_t used_scratch_bytes() const { return scratch_.bytes(); }

 protected:
  /// Whether a thread can hold its elements of a tile in registers.
  static constexpr bool holds_elements = sizeof(T) <= 8;

  /// Calls kernel.move<Whole, AtOnce>(team, tile). ByWindows: if a complete tile needs several windows, the kernel
  /// still accesses it in quads.
  template <bool ByWindows, class Kernel, class Member>
  KOKKOS_FUNCTION void move_tile(Kernel const& kernel, Member const& team, bool has_quads) const {
    TileOfTeam const tile(pass_.tiles, from_last_, team);
    bool const by_quads = tile.count == GpuTile::size && has_quads;
    bool const at_once = scratch_.window_bits == GpuTile::bits;
    if (by_quads && at_once) {
      kernel.template move<true, true>(team, tile);
    } else if (by_quads && ByWindows) {
      kernel.template move<ByWindows, false>(team, tile);
    } else {
      kernel.template move<false, false>(team, tile);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION StagedTile<T, Memory> stage(Member const& team, TileOfTeam const& tile) const {
    return {pass_, scratch_, team, tile};
  }

  /// Loads the thread's k-th quad of positions.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION QuadOfPositions read_positions(TileOfTeam const& tile, int k) const {
    std::uint32_t const first = GpuTile::element(tile.thread, k, 0);
    if constexpr (Whole) {
      return QuadOfPositions(pass_.order.data() + tile.begin + first);
    } else {
      QuadOfPositions positions;
      for (int e = 0; e < quad_size; ++e) {
        std::uint32_t const i = first + static_cast<std::uint32_t>(e);
        if (i < tile.count) positions.set(e, pass_.order(tile.begin + i));
      }
      return positions;
    }
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  TileScratch<T> scratch_;
  bool from_last_;
};

}  // namespace riffle::detail::schedule
