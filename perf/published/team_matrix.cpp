// The time of the algorithms for a memory model with banks on real hardware. The algorithms are from
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391.
// Each matrix of 32 rows is processed by a warp on a GPU, or a thread on a CPU, many at the same time, for about 2^22 elements of
// 4 bytes in total. The rows Algorithm/tile:T/n:N, with T = 32 m, are
//   MatrixSort       riffle::team_matrix_sort (Lemma 1, Theorem 1 or 2, depending on the shape),
//   MatrixShearsort  riffle::team_matrix_shearsort, the paper's starting point,
//   TeamSort         riffle::team_sort, which Riffle recommends, by the same threads,
//   Partition        riffle::team_partition of labels (Corollary 1, or Shearsort of sorted rows),
//   Permute          riffle::team_permute of labelled values (Theorem 4).
// A tile is read from one array and written to another. `of_limit` compares with a copy that moves 8 bytes per element. Every
// row checks its answer before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_partition.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>
#include <riffle/team/team_sort.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/sort_tiles.hpp"
#include "support/timing.hpp"

namespace perf {

using Policy = Kokkos::TeamPolicy<Exec>;
using Member = Policy::member_type;
using Cells = Kokkos::View<std::uint32_t*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

constexpr int team_threads = riffle::bank_processor_threads<Exec>;

KOKKOS_FUNCTION riffle::BankedMatrix<std::uint32_t> matrix_of(Cells const& cells) {
  return {cells.data(), static_cast<std::uint32_t>(cells.extent(0) / 32)};
}

// --- the algorithms: the memory that they need in addition to matrices, and their calls ---

struct MatrixSort {
  static constexpr char const* name = "MatrixSort";
  static constexpr int matrices = 1;
  static std::size_t scratch(std::uint32_t columns) {
    return riffle::team_matrix_scratch_bytes<Exec>(team_threads, columns);
  }
  KOKKOS_FUNCTION static bool run(Member const& team, Cells const& cells, Cells const&) {
    return riffle::team_matrix_sort(team, matrix_of(cells), riffle::Ascending(),
                                    riffle::MatrixOrder::column_major);
  }
};

struct MatrixShearsort : MatrixSort {
  static constexpr char const* name = "MatrixShearsort";
  KOKKOS_FUNCTION static bool run(Member const& team, Cells const& cells, Cells const&) {
    return riffle::team_matrix_shearsort(team, matrix_of(cells), riffle::Ascending(),
                                         riffle::MatrixOrder::column_major);
  }
};

struct TeamSort : MatrixSort {
  static constexpr char const* name = "TeamSort";
  static std::size_t scratch(std::uint32_t columns) {
    return riffle::team_sort_scratch_bytes<std::uint32_t>(std::size_t{32} * columns);
  }
  KOKKOS_FUNCTION static bool run(Member const& team, Cells const& cells, Cells const&) {
    return riffle::team_sort(team, cells);
  }
};

struct ItsOwnLabel {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t item) const { return item; }
};

struct Partition {
  static constexpr char const* name = "Partition";
  static constexpr int matrices = 1;
  static std::size_t scratch(std::uint32_t columns) {
    return riffle::team_partition_scratch_bytes<Exec>(team_threads, columns);
  }
  KOKKOS_FUNCTION static bool run(Member const& team, Cells const& cells, Cells const&) {
    return riffle::team_partition(team, matrix_of(cells), ItsOwnLabel()) ==
           riffle::TeamPartitionStatus::partitioned;
  }
  /// The value of cell k after the call.
  KOKKOS_FUNCTION static std::uint32_t result(std::uint64_t k) {
    return static_cast<std::uint32_t>(k % 32);
  }
};

struct Permute {
  static constexpr char const* name = "Permute";
  static constexpr int matrices = 2;
  static std::size_t scratch(std::uint32_t columns) {
    return riffle::team_permute_scratch_bytes<Exec, std::uint32_t>(team_threads, columns);
  }
  KOKKOS_FUNCTION static bool run(Member const& team, Cells const& values, Cells const& labels) {
    return riffle::team_permute(team, matrix_of(labels), matrix_of(values)).status ==
           riffle::TeamPermuteStatus::permuted;
  }
  KOKKOS_FUNCTION static std::uint32_t result(std::uint64_t k) {
    return static_cast<std::uint32_t>(k);
  }
};

template <class Algorithm>
inline constexpr bool sorts = std::is_base_of_v<MatrixSort, Algorithm>;

// --- a row ---

/// The second matrix, if there is one, is a copy of the first.
template <class Algorithm>
struct RunOnTiles {
  TileKeys in;
  TileKeys out;
  std::uint64_t tile;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * tile;
    auto const& scratch = team.team_scratch(0);
    Cells const first(scratch, tile);
    Cells const second(scratch, Algorithm::matrices == 2 ? tile : 0);
    int const size = static_cast<int>(tile);
    for (int k = team.team_rank(); k < size; k += team.team_size()) {
      first(k) = in(begin + k);
      if (Algorithm::matrices == 2) second(k) = in(begin + k);
    }
    team.team_barrier();
    if (!Algorithm::run(team, first, second)) Kokkos::abort("perf: refused");
    team.team_barrier();
    for (int k = team.team_rank(); k < size; k += team.team_size()) out(begin + k) = first(k);
  }
};

template <class Algorithm>
struct CountWrong {
  TileKeys out;
  std::uint64_t tile;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    wrong += out(i) != Algorithm::result(i % tile) ? 1 : 0;
  }
};

template <class Algorithm>
void check_answer(TileProblem const& problem) {
  if constexpr (sorts<Algorithm>) {
    check_tiles(problem);
  } else {
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_wrong", range(problem.exec, problem.n()),
                            CountWrong<Algorithm>{problem.out, problem.tile}, wrong);
    if (wrong != 0) throw std::logic_error("wrong items: " + std::to_string(wrong));
  }
}

/// Random keys, or the shuffled values of the expected result of a tile.
template <class Algorithm>
void fill_input(TileProblem const& problem) {
  if constexpr (sorts<Algorithm>) {
    fill_random(problem.exec, problem.in);
  } else {
    std::vector<std::uint32_t> tile(problem.tile);
    for (std::size_t k = 0; k < tile.size(); ++k) tile[k] = Algorithm::result(k);
    std::shuffle(tile.begin(), tile.end(), std::mt19937(1));
    fill_tiles(problem.exec, problem.in, tile);
  }
}

/// Throws OutOfMemory if a team cannot have this amount of scratch memory.
template <class Algorithm>
Policy policy_of(TileProblem const& problem) {
  std::size_t const bytes = Algorithm::matrices * Cells::shmem_size(problem.tile) +
                            Algorithm::scratch(static_cast<std::uint32_t>(problem.tile / 32));
  auto const most = static_cast<std::size_t>(Policy::scratch_size_max(0));
  if (bytes > most) {
    throw OutOfMemory("needs " + std::to_string(bytes) + " bytes of scratch memory, more than " +
                      std::to_string(most));
  }
  Policy policy(problem.exec, static_cast<int>(problem.tiles()), team_threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  return policy;
}

template <class Algorithm>
void time_algorithm(benchmark::State& state) {
  constexpr std::uint64_t bytes_per_item = 2 * sizeof(std::uint32_t);
  auto const tile = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, n * 3 * bytes_per_item, [&] {
    Exec const exec;
    double const limit = limit_rate<std::uint32_t>(exec, n, bytes_per_item);
    TileProblem const problem{exec, tile, allocate<std::uint32_t>(exec, "perf::in", n),
                              allocate<std::uint32_t>(exec, "perf::out", n)};
    Policy const policy = policy_of<Algorithm>(problem);
    fill_input<Algorithm>(problem);
    auto const run = [&] {
      Kokkos::parallel_for("perf::team_matrix", policy,
                           RunOnTiles<Algorithm>{problem.in, problem.out, tile});
    };
    run();
    check_answer<Algorithm>(problem);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, run);
    report(state, n, calls, bytes_per_item, limit);
  });
}

template <class Algorithm>
void register_row() {
  auto* const row = benchmark::RegisterBenchmark(Algorithm::name, time_algorithm<Algorithm>);
  row->ArgNames({"tile", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const tile : {512, 1024, 2048, 4096, 8192}) {
    row->Args({tile, power_of_two(22)});
  }
}

template <class... Algorithms>
bool register_rows() {
  (register_row<Algorithms>(), ...);
  return true;
}

[[maybe_unused]] bool const is_registered =
    register_rows<MatrixSort, MatrixShearsort, TeamSort, Partition, Permute>();

}  // namespace perf
