// How near to the speed of the sort that it needs does ranking of unsorted data come?
//
// A row Algorithm/n:N ranks N doubles that are uniform in [0, 1), a row Algorithm/ties/n:N such as have only
// 1000 different values. Beside Riffle's
//   Argsort                             the order of the values, as 32-bit indices,
//   Competition, Dense, Fractional      ranks by three rules for ties, in 32-bit integers and doubles,
// stand, in the same process,
//   CubSortPairs       the sort alone, CUDA's own, in a CUDA build: ranks should take at most 1.2 times as long,
//   StdSort            competition ranks on one thread, where Kokkos runs on a CPU,
//   KokkosSortByKey    the sort alone, by Kokkos, where it runs on a CPU.
// `of_limit` is over a copy that moves as many bytes as the values and the answer have: 12 an item, but 16 of
// Fractional. A sort moves them several times, so that no row comes near 1: rows are to be compared by their
// times. Every row checks its answer before it is timed. A row is a class with a name, an answer and the memory it
// takes, made for n values, and called with values and what the answer is written to.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/workspace.hpp>

#include "baselines/std_sort_ranking.hpp"
#include "peers/kokkos_sort_by_key.hpp"
#include "support/check_order.hpp"
#include "support/check_unsorted_ranks.hpp"
#include "support/unsorted_rows.hpp"
#include "support/unsorted_values.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_sort_pairs.hpp"
#endif

namespace perf {

namespace ties = riffle::ties;

/// The workspace of Riffle's rows, kept between calls.
class RiffleRow {
 public:
  // Twice a key and its index, and what a sort takes beside.
  static constexpr std::uint64_t scratch_bytes_per_item = 32;

  RiffleRow(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

 protected:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

struct Argsort : RiffleRow {
  using Answer = OrderAnswer<true>;
  static constexpr char const* name = "Argsort";
  using RiffleRow::RiffleRow;

  void operator()(UnsortedValues const& values, OrderIndices const& indices) {
    riffle::argsort(riffle::Context(exec_, workspace_), values, indices);
  }
};

template <class Rule, class Rank>
struct RankingBy : RiffleRow {
  using Answer = RankAnswer<Rule, Rank>;
  using RiffleRow::RiffleRow;

  void operator()(UnsortedValues const& values, Kokkos::View<Rank*, Exec> const& ranks) {
    riffle::rank_unsorted(riffle::Context(exec_, workspace_), values, ranks, Rule{});
  }
};

struct Competition : RankingBy<ties::Competition, std::int32_t> {
  static constexpr char const* name = "Competition";
  using RankingBy::RankingBy;
};

struct Dense : RankingBy<ties::Dense, std::int32_t> {
  static constexpr char const* name = "Dense";
  using RankingBy::RankingBy;
};

struct Fractional : RankingBy<ties::Fractional, double> {
  static constexpr char const* name = "Fractional";
  using RankingBy::RankingBy;
};

// --- the problems ---

template <class Row>
void register_row() {
  register_kind<Row>(ValueKind::uniform, "");
  register_kind<Row>(ValueKind::ties, "/ties");
}

bool register_all() {
  register_row<Argsort>();
  register_row<Competition>();
  register_row<Dense>();
  register_row<Fractional>();
#ifdef KOKKOS_ENABLE_CUDA
  register_row<CubSortPairs>();
#endif
  if constexpr (runs_on_host) {
    register_row<StdSortRanking>();
    register_row<KokkosSortByKey>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
