// The time to sort values, alone and with a payload each.
//
// A row Algorithm/n:N sorts N doubles that are uniform in [0, 1); with /ties they have only 1000 different values, with /sorted
// they are sorted already. On a GPU there are also rows of fewer values, with /reversed or /equal values, with /nans (one in
// ten) and /zeros of either sign (half), and rows of values alone up to 2^30. Riffle's rows are
//   Sort          values in place,
//   SortCopy      values from one array to another,
//   SortByKey     values in place, with a 32-bit index each,
//   SortByComparison    values from one array to another, by a user's comparison,
// and, in the same process, the peers
//   CubSortKeys, CubSortPairs      CUDA's sorts of values and of values with indices, in a CUDA build,
//   CubMergeSort                   CUDA's sort by a comparison, in a CUDA build,
//   StdSort                        std::sort on one thread, on a CPU,
//   StdSortPar                     std::sort(std::execution::par), on a CPU, if TBB is found,
//   ParlaySort                     parlaylib's sort, on a CPU, if it is found,
//   KokkosSort, KokkosSortByKey    Kokkos's sorts, on a CPU.
// Rows that sort in place write their input before each sort, so their times include a copy. The exception is SortByKey, because
// its peer CubSortPairs does not copy. `of_limit` compares with a copy that moves the bytes of input and answer: 16 per item, 12
// for SortByKey. Every row checks its answer before it is timed. rank_unsorted.cpp describes rows.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <riffle/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/workspace.hpp>

#include "peers/kokkos_sort.hpp"
#include "peers/kokkos_sort_by_key.hpp"
#include "peers/std_sort.hpp"
#include "support/check_order.hpp"
#include "support/check_sorted.hpp"
#include "support/own_comparison.hpp"
#include "support/sort_row.hpp"
#include "support/unsorted_rows.hpp"
#include "support/unsorted_values.hpp"

#ifdef RIFFLE_PERF_HAS_PARLAY
#include "peers/parlay.hpp"
#endif

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_sort_pairs.hpp"
#include "peers/cub_sort_values.hpp"
#endif

namespace perf {

/// The workspace of Riffle's rows, kept between calls.
class RiffleSortRow : public SortRow {
 public:
  // Twice the memory of the values, and memory for splitters or threads.
  static constexpr std::uint64_t scratch_bytes_per_item = 20;

  RiffleSortRow(Exec const& exec, std::uint64_t n) : SortRow(exec, n), workspace_(exec) {}

 protected:
  riffle::Workspace<Exec> workspace_;
};

struct Sort : RiffleSortRow {
  static constexpr char const* name = "Sort";
  using RiffleSortRow::RiffleSortRow;

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) {
    copy(values, sorted);
    riffle::sort(riffle::Context(exec_, workspace_), sorted);
  }
};

struct SortCopy : RiffleSortRow {
  static constexpr char const* name = "SortCopy";
  using RiffleSortRow::RiffleSortRow;

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) {
    riffle::sort_copy(riffle::Context(exec_, workspace_), values, sorted);
  }
};

struct SortByComparison : RiffleSortRow {
  static constexpr char const* name = "SortByComparison";
  using RiffleSortRow::RiffleSortRow;

  void operator()(UnsortedValues const& values, UnsortedValues const& sorted) {
    riffle::sort_copy(riffle::Context(exec_, workspace_), values, sorted, OwnComparison());
  }
};

class SortByKey {
 public:
  using Answer = OrderAnswer<true>;
  static constexpr char const* name = "SortByKey";
  static constexpr std::uint64_t bytes_per_pair = sizeof(double) + sizeof(std::uint32_t);
  // The values in place, the inputs of a batch, and twice a pair.
  static constexpr std::uint64_t scratch_bytes_per_item =
      sizeof(double) + (most_calls_per_fence + 2) * bytes_per_pair;

  SortByKey(Exec const& exec, std::uint64_t n)
      : exec_(exec), workspace_(exec), sorted_(allocate<double>(exec, "perf::sorted", n)) {}

  void operator()(UnsortedValues const& values, OrderIndices const& indices) {
    write(values, {sorted_, indices});
    sort({sorted_, indices});
  }

  void prepare(UnsortedValues const& values, int count) {
    std::uint64_t const n = values.extent(0);
    while (prepared_.size() < static_cast<std::size_t>(count)) {
      prepared_.push_back({allocate<double>(exec_, "perf::values", n),
                           allocate<std::uint32_t>(exec_, "perf::indices", n)});
    }
    for (int c = 0; c < count; ++c) write(values, prepared_[static_cast<std::size_t>(c)]);
  }

  void call(int c) { sort(prepared_[static_cast<std::size_t>(c)]); }

 private:
  struct Pairs {
    UnsortedValues values;
    OrderIndices indices;
  };

  void write(UnsortedValues const& values, Pairs const& to) const {
    Kokkos::parallel_for("perf::write_value_and_index", range(exec_, values.extent(0)),
                         WriteValueAndIndex{values, to.values, to.indices});
  }

  void sort(Pairs const& pairs) {
    riffle::sort_by_key(riffle::Context(exec_, workspace_), pairs.values, pairs.indices);
  }

  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  UnsortedValues sorted_;
  std::vector<Pairs> prepared_;
};

// --- the problems ---

template <class Row>
void register_row() {
  register_kind<Row>(ValueKind::uniform, "");
  register_kind<Row>(ValueKind::ties, "/ties");
  register_kind<Row>(ValueKind::sorted, "/sorted");
}

/// Rows of all kinds of values, with sizes for a GPU.
template <class Row>
void register_row_of_all(std::initializer_list<int> sizes) {
  if constexpr (runs_on_host) {
    register_row<Row>();
  } else {
    register_kind<Row>(ValueKind::uniform, "", sizes);
    register_kind<Row>(ValueKind::ties, "/ties", sizes);
    register_kind<Row>(ValueKind::sorted, "/sorted", sizes);
    register_kind<Row>(ValueKind::reversed, "/reversed", sizes);
    register_kind<Row>(ValueKind::equal, "/equal", sizes);
    register_kind<Row>(ValueKind::nans, "/nans", sizes);
    register_kind<Row>(ValueKind::zeros, "/zeros", sizes);
  }
}

bool register_all() {
  auto const sizes = {10, 12, 14, 16, 18, 20, 21, 22, 24, 26, 27, 28, 29, 30};
  auto const sizes_of_pairs = {10, 12, 14, 16, 18, 20, 21, 22, 24, 26};
  register_row<Sort>();
  register_row_of_all<SortCopy>(sizes);
  register_row_of_all<SortByKey>(sizes_of_pairs);
  register_row<SortByComparison>();
#ifdef KOKKOS_ENABLE_CUDA
  register_row_of_all<CubSortKeys>(sizes);
  register_row_of_all<CubSortPairs>(sizes_of_pairs);
  register_row<CubMergeSort>();
#endif
  if constexpr (runs_on_host) {
    register_row<StdSort>();
#ifdef RIFFLE_PERF_HAS_TBB
    register_row<StdSortPar>();
#endif
#ifdef RIFFLE_PERF_HAS_PARLAY
    register_row<ParlaySort>();
#endif
    register_row<KokkosSort>();
    register_row<KokkosSortByKey>();
  }
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
