// Compares rankings of many short groups with a ranking of one long group.
//
// Ranks within groups of 2^26 sorted floats, half of which equal the one before, with groups of 2^5,
// 2^10, ... and all elements. A row Algorithm/size:S/n:N has groups of S:
//   Segments, Groups      riffle::rank_segments by offsets, riffle::rank_groups by keys,
//   Rows, Columns         riffle::rank_rows of a LayoutRight matrix of rows of S, and rank_columns of a LayoutLeft
//                         one of columns of S,
//   Rank                  riffle::rank, of all as one.
// `of_limit` compares with a copy that moves 8 bytes per item, a value and its rank. Every row checks its answer before it is
// timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <riffle/rank.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/workspace.hpp>

#include "support/check_rank.hpp"
#include "support/copy_limit.hpp"
#include "support/recurring_values.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

namespace perf {

using Rank = std::int32_t;

/// The input of all rows: groups of `size` elements, sorted as a whole.
struct Problem {
  Exec exec;
  std::uint64_t size;
  Values values;
  Ranks<Rank> ranks;

  std::uint64_t n() const { return values.extent(0); }
};

struct RankAll {
  static constexpr char const* name = "Rank";

  explicit RankAll(Problem const& problem) : problem_(problem), workspace_(problem.exec) {}

  void operator()() {
    riffle::rank(riffle::Context(problem_.exec, workspace_), problem_.values, problem_.ranks);
  }

  static std::uint64_t group_size(Problem const& problem) { return problem.n(); }

 private:
  Problem const& problem_;
  riffle::Workspace<Exec> workspace_;
};

template <class View>
struct FillMultiples {
  View view;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    view(k) = static_cast<typename View::value_type>(k * size);
  }
};

class RankSegments {
 public:
  static constexpr char const* name = "Segments";

  explicit RankSegments(Problem const& problem)
      : problem_(problem),
        workspace_(problem.exec),
        offsets_(allocate<std::uint32_t>(problem.exec, "perf::offsets",
                                         problem.n() / problem.size + 1)) {
    Kokkos::parallel_for("perf::offsets", range(problem.exec, offsets_.extent(0)),
                         FillMultiples<Offsets>{offsets_, problem.size});
  }

  void operator()() {
    riffle::rank_segments(riffle::Context(problem_.exec, workspace_), offsets_, problem_.values,
                          problem_.ranks);
  }

  static std::uint64_t group_size(Problem const& problem) { return problem.size; }

 private:
  using Offsets = Kokkos::View<std::uint32_t*, Exec>;

  Problem const& problem_;
  riffle::Workspace<Exec> workspace_;
  Offsets offsets_;
};

template <class View>
struct FillQuotients {
  View view;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    view(i) = static_cast<typename View::value_type>(i / size);
  }
};

class RankGroups {
 public:
  static constexpr char const* name = "Groups";

  explicit RankGroups(Problem const& problem)
      : problem_(problem),
        workspace_(problem.exec),
        keys_(allocate<std::uint32_t>(problem.exec, "perf::keys", problem.n())) {
    Kokkos::parallel_for("perf::keys", range(problem.exec, keys_.extent(0)),
                         FillQuotients<Keys>{keys_, problem.size});
  }

  void operator()() {
    riffle::rank_groups(riffle::Context(problem_.exec, workspace_), keys_, problem_.values,
                        problem_.ranks);
  }

  static std::uint64_t group_size(Problem const& problem) { return problem.size; }

 private:
  using Keys = Kokkos::View<std::uint32_t*, Exec>;

  Problem const& problem_;
  riffle::Workspace<Exec> workspace_;
  Keys keys_;
};

/// The values and the ranks as matrices whose lines are contiguous.
template <class Layout>
class RankLines {
 public:
  explicit RankLines(Problem const& problem)
      : exec_(problem.exec),
        workspace_(problem.exec),
        values_(problem.values.data(), extent(problem, 0), extent(problem, 1)),
        ranks_(problem.ranks.data(), extent(problem, 0), extent(problem, 1)) {}

  void operator()() {
    if constexpr (are_rows) {
      riffle::rank_rows(riffle::Context(exec_, workspace_), values_, ranks_);
    } else {
      riffle::rank_columns(riffle::Context(exec_, workspace_), values_, ranks_);
    }
  }

  static std::uint64_t group_size(Problem const& problem) { return problem.size; }

 private:
  static constexpr bool are_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;

  static std::uint64_t extent(Problem const& problem, int dimension) {
    std::uint64_t const lines = problem.n() / problem.size;
    return (dimension == 0) == are_rows ? lines : problem.size;
  }

  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  Kokkos::View<float const**, Layout, Exec, Kokkos::MemoryUnmanaged> values_;
  Kokkos::View<Rank**, Layout, Exec, Kokkos::MemoryUnmanaged> ranks_;
};

struct RankRows : RankLines<Kokkos::LayoutRight> {
  static constexpr char const* name = "Rows";
  using RankLines::RankLines;
};

struct RankColumns : RankLines<Kokkos::LayoutLeft> {
  static constexpr char const* name = "Columns";
  using RankLines::RankLines;
};

/// Competition ranks of groups, checked by comparing neighbours.
struct CountGroupErrors {
  Values values;
  Ranks<Rank> ranks;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint64_t const place = i % size;
    bool const begins = place == 0 || values(i - 1) != values(i);
    Rank const expected = begins ? static_cast<Rank>(place + 1) : ranks(i - 1);
    wrong += ranks(i) == expected ? 0 : 1;
  }
};

template <class Row>
void check_row(Problem const& problem, Row& row) {
  Kokkos::deep_copy(problem.exec, problem.ranks, Rank(-1));
  row();
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_rank_errors", range(problem.exec, problem.n()),
                          CountGroupErrors{problem.values, problem.ranks, Row::group_size(problem)},
                          wrong);
  if (wrong != 0) throw std::logic_error("wrong ranks: " + std::to_string(wrong));
}

template <class Row>
void time_groups(benchmark::State& state) {
  constexpr std::uint64_t bytes_per_item = sizeof(float) + sizeof(Rank);
  auto const size = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, n * 5 * bytes_per_item, [&] {
    Exec const exec;
    double const limit = limit_rate<float>(exec, n, bytes_per_item);
    Problem const problem{exec, size, recurring_values(exec, n, 0.5),
                          allocate<Rank>(exec, "perf::ranks", n)};
    Row row(problem);
    check_row(problem, row);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(); });
    report(state, n, calls, bytes_per_item, limit);
  });
}

template <class Row>
void register_row() {
  constexpr int exponent = 26;
  auto* const row = benchmark::RegisterBenchmark(Row::name, time_groups<Row>);
  row->ArgNames({"size", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const size : {5, 10, 15, 20, exponent}) {
    row->Args({power_of_two(size), power_of_two(exponent)});
  }
}

bool register_all() {
  register_row<RankAll>();
  register_row<RankSegments>();
  register_row<RankGroups>();
  register_row<RankRows>();
  register_row<RankColumns>();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
