// The time of sorts of tiles by teams, for different inputs.
//
// Many teams at the same time sort tiles of T 32-bit keys, about 2^25 keys in total (2^22 on a CPU), from one array into another.
// The rows Algorithm/input/tile:T/n:N are
//   TeamSort           riffle::team_sort_copy, in blocks if a team cannot have scratch memory for a whole tile,
//   TeamSortScratch    riffle::team_sort of keys that the kernel has copied to scratch memory,
//   KokkosSortTeam     Kokkos::Experimental::sort_team,
//   CubBlockRadixSort, CubBlockMergeSort
//                      CUB's block sorts, with CUDA,
//   StdSort            std::sort, a tile per thread, on a CPU.
// Keys are Random, Sorted, Reversed, Equal, or Adversarial: as bad as possible for a merge sort with the row's number of threads
// (see MergeAdversary). Tiles of 4352 keys are for 256 threads with 17 items; merge sorts are fastest with an odd number of items,
// which the paper's inputs assume. `of_limit` compares with a copy that moves 8 bytes per key. Every row checks its answer before
// it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/team/team_sort.hpp>

#include "peers/kokkos_sort_team.hpp"
#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/sort_tiles.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_block_sort.hpp"
#endif

namespace perf {

using Tile = Kokkos::View<std::uint32_t*, Exec, Kokkos::MemoryUnmanaged>;
using Policy = Kokkos::TeamPolicy<Exec>;

inline bool fits_team(std::size_t bytes) {
  return bytes <= static_cast<std::size_t>(Policy::scratch_size_max(0));
}

/// The policy of a team that sorts `block` keys at a time in this amount of scratch memory: 32 keys per thread, in whole warps. On
/// a CPU, level 1 is used if level 0 is too small.
inline Policy policy_of(TileProblem const& problem, std::uint64_t block, std::size_t bytes) {
  int const threads = riffle::team_sort_size<Exec, std::uint32_t>(block);
  Policy policy(problem.exec, static_cast<int>(problem.tiles()), threads);
  policy.set_scratch_size(fits_team(bytes) ? 0 : 1, Kokkos::PerTeam(static_cast<int>(bytes)));
  return policy;
}

/// The number of keys that a GPU team sorts at a time, if it may have to sort a tile in blocks.
inline std::uint64_t block_of(std::uint64_t tile) {
  std::uint64_t block = tile;
  while (!runs_on_host && !fits_team(riffle::team_sort_scratch_bytes<std::uint32_t>(block)))
    block /= 2;
  return block;
}

struct SortTile {
  TileKeys in;
  TileKeys out;
  std::uint64_t tile;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * tile;
    Tile const from(in.data() + begin, tile);
    Tile const to(out.data() + begin, tile);
    if (!riffle::team_sort_copy(team, from, to)) Kokkos::abort("perf: too little scratch memory");
  }
};

struct SortTileInScratch {
  using Scratch = Kokkos::View<std::uint32_t*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  TileKeys in;
  TileKeys out;
  std::uint64_t tile;
  int level;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * tile;
    // A constant on a GPU; otherwise nvcc cannot deduce the memory space.
    Scratch const keys(team.team_scratch(runs_on_host ? level : 0), tile);
    int const size = static_cast<int>(tile);
    for (int i = team.team_rank(); i < size; i += team.team_size()) keys(i) = in(begin + i);
    if (!riffle::team_sort(team, keys)) Kokkos::abort("perf: too little scratch memory");
    for (int i = team.team_rank(); i < size; i += team.team_size()) out(begin + i) = keys(i);
  }
};

class TeamSort {
 public:
  static constexpr char const* name = "TeamSort";

  explicit TeamSort(TileProblem const& problem)
      : problem_(problem),
        block_(block_of(problem.tile)),
        policy_(
            policy_of(problem, block_, riffle::team_sort_scratch_bytes<std::uint32_t>(block_))) {}

  void operator()() const {
    Kokkos::parallel_for("perf::team_sort", policy_,
                         SortTile{problem_.in, problem_.out, problem_.tile});
  }

  std::uint32_t threads() const { return merge_threads(problem_.tile); }
  std::uint32_t items() const { return merge_items(problem_.tile); }

 private:
  TileProblem problem_;
  std::uint64_t block_;
  Policy policy_;
};

class TeamSortScratch {
 public:
  static constexpr char const* name = "TeamSortScratch";

  /// Throws OutOfMemory if a team cannot have this amount of scratch memory.
  explicit TeamSortScratch(TileProblem const& problem)
      : problem_(problem),
        level_(level_of(bytes_of(problem.tile))),
        policy_(policy_of(problem, problem.tile, bytes_of(problem.tile))) {}

  void operator()() const {
    Kokkos::parallel_for("perf::team_sort_scratch", policy_,
                         SortTileInScratch{problem_.in, problem_.out, problem_.tile, level_});
  }

  std::uint32_t threads() const { return merge_threads(problem_.tile); }
  std::uint32_t items() const { return merge_items(problem_.tile); }

 private:
  static int level_of(std::size_t bytes) {
    if (fits_team(bytes)) return 0;
    if (runs_on_host) return 1;
    throw OutOfMemory("needs " + std::to_string(bytes) + " bytes of scratch memory, more than " +
                      std::to_string(Policy::scratch_size_max(0)));
  }

  static std::size_t bytes_of(std::uint64_t tile) {
    return riffle::team_sort_scratch_bytes<std::uint32_t>(tile) +
           SortTileInScratch::Scratch::shmem_size(tile);
  }

  TileProblem problem_;
  int level_;
  Policy policy_;
};

/// Only on a CPU.
class StdSort {
 public:
  static constexpr char const* name = "StdSort";

  explicit StdSort(TileProblem const& problem) : problem_(problem) {}

  void operator()() const {
    Kokkos::RangePolicy<Host> const tiles(0, static_cast<int>(problem_.tiles()));
    auto const* const in = problem_.in.data();
    auto* const out = problem_.out.data();
    auto const size = problem_.tile;
    Kokkos::parallel_for("perf::std_sort", tiles, [=](int number) {
      auto const begin = static_cast<std::uint64_t>(number) * size;
      std::copy(in + begin, in + begin + size, out + begin);
      std::sort(out + begin, out + begin + size);
    });
  }

  std::uint32_t threads() const { return merge_threads(problem_.tile); }
  std::uint32_t items() const { return merge_items(problem_.tile); }

 private:
  TileProblem problem_;
};

enum class Input { random, sorted, reversed, equal, adversarial };

/// The tile that is repeated, for all inputs but random ones.
template <class Row>
std::vector<std::uint32_t> regular_tile(Input input, std::uint64_t size, Row const& row) {
  if (input == Input::adversarial) return MergeAdversary(row.threads(), row.items()).striped();
  std::vector<std::uint32_t> tile(size, 7);
  if (input == Input::equal) return tile;
  for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<std::uint32_t>(i);
  if (input == Input::reversed) std::reverse(tile.begin(), tile.end());
  return tile;
}

template <class Row>
void check_row(TileProblem const& problem, Row const& row) {
  Kokkos::deep_copy(problem.exec, problem.out, std::uint32_t{0});
  row();
  check_tiles(problem);
}

template <class Row>
void time_tiles(benchmark::State& state, Input input) {
  constexpr std::uint64_t bytes_per_key = 2 * sizeof(std::uint32_t);
  auto const tile = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, n * 3 * bytes_per_key, [&] {
    Exec const exec;
    double const limit = limit_rate<std::uint32_t>(exec, n, bytes_per_key);
    TileProblem const problem{exec, tile, allocate<std::uint32_t>(exec, "perf::in", n),
                              allocate<std::uint32_t>(exec, "perf::out", n)};
    // Rows choose launch parameters by sorting this random input.
    fill_random(exec, problem.in);
    Row const row(problem);
    if (input != Input::random) fill_tiles(exec, problem.in, regular_tile(input, tile, row));
    check_row(problem, row);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(); });
    report(state, n, calls, bytes_per_key, limit);
    state.counters["items_per_thread"] = row.items();
  });
}

template <class Row>
void register_row() {
  std::int64_t const all = power_of_two(runs_on_host ? 22 : 25);
  std::pair<char const*, Input> const inputs[] = {{"Random", Input::random},
                                                  {"Sorted", Input::sorted},
                                                  {"Reversed", Input::reversed},
                                                  {"Equal", Input::equal},
                                                  {"Adversarial", Input::adversarial}};
  for (auto const& [name, input] : inputs) {
    auto* const row = benchmark::RegisterBenchmark((std::string(Row::name) + "/" + name).c_str(),
                                                   time_tiles<Row>, input);
    row->ArgNames({"tile", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (std::int64_t const tile : {1024, 2048, 4096, 4352, 8192, 16384}) {
      row->Args({tile, all / tile * tile});
    }
  }
}

bool register_all() {
  register_row<TeamSort>();
  register_row<TeamSortScratch>();
  register_row<KokkosSortTeam>();
#ifdef KOKKOS_ENABLE_CUDA
  register_row<CubBlockRadixSort>();
  register_row<CubBlockMergeSort>();
#endif
  if constexpr (runs_on_host) register_row<StdSort>();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
