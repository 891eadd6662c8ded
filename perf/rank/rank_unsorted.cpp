// Compares ranking of unsorted data with the sort that it needs.
//
// A row Algorithm/n:N ranks N doubles that are uniform in [0, 1); Algorithm/ties/n:N ranks doubles with only 1000 different
// values. Riffle's rows are
//   Argsort                             the order of the values, as 32-bit indices,
//   Competition, Dense, Fractional      ranks by three rules for ties, as 32-bit integers and doubles,
// and, in the same process, its peers
//   CubSortPairs       only the sort, CUDA's, in a CUDA build; ranking should take at most 1.2 times as long,
//   StdSort            competition ranks on one thread, if Kokkos runs on a CPU,
//   KokkosSortByKey    only the sort, by Kokkos, if it runs on a CPU.
// `of_limit` compares with a copy that moves the bytes of values and answer: 12 per item, 16 for Fractional. A sort moves them
// several times, so no row comes near 1; compare the times of rows. Every row checks its answer before it is timed. A row is a
// class with a name, an answer and the memory that it needs. It is constructed for n values, and called with values and the
// output.

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
  // Twice a key and its index, and the temporary memory of a sort.
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
