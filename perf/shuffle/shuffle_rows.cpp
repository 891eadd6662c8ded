// Compares shuffles of rows with a copy.
//
// Rows have 1 to 1024 doubles in both layouts, or bytes, or are structs in a View of rank 1; the number of bytes is always the
// same. In addition to Riffle's shuffles (`Riffle` is a call without an algorithm) there is, in the same process, the row
//   Gather   out(i) = in(index(i)) with a stored index and a thread for each row, as a user would write it.
// The limit is a copy of the same bytes. Every row checks its answer before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/row_problems.hpp"
#include "support/timing.hpp"

namespace perf {

constexpr std::uint64_t seed = 1;

template <class Problem>
struct GatherRow {
  typename Problem::View in;
  typename Problem::View out;
  Kokkos::View<std::uint32_t const*, Exec> index;
  std::uint64_t columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const image = index(i);
    for (std::uint64_t k = 0; k < columns; ++k) {
      Problem::at(out, i, k) = Problem::at(in, image, k);
    }
  }
};

template <class Problem>
class Gather {
 public:
  using View = typename Problem::View;
  using Algorithm = riffle::PermutationGather;

  static std::string name() { return "Gather/" + Problem::name(); }

  Gather(Exec const& exec, std::uint64_t n, std::uint64_t columns)
      : exec_(exec), columns_(columns), index_(images<Algorithm, std::uint32_t>(exec, n, seed)) {}

  void operator()(View const& in, View const& out) const {
    Kokkos::parallel_for("perf::gather_rows", range(exec_, out.extent(0)),
                         GatherRow<Problem>{in, out, index_, columns_});
  }

 private:
  Exec exec_;
  std::uint64_t columns_;
  Kokkos::View<std::uint32_t*, Exec> index_;
};

template <class Problem, class By>
class ShuffleBy {
 public:
  using View = typename Problem::View;
  using Algorithm = By;

  ShuffleBy(Exec const& exec, std::uint64_t, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(View const& in, View const& out) {
    riffle::shuffle_copy(riffle::Context(exec_, workspace_), in, out, seed, By{});
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

template <class Problem>
struct PermutationGather : ShuffleBy<Problem, riffle::PermutationGather> {
  static std::string name() { return "PermutationGather/" + Problem::name(); }
  using ShuffleBy<Problem, riffle::PermutationGather>::ShuffleBy;
};

template <class Problem>
struct BucketShuffle : ShuffleBy<Problem, riffle::BucketShuffle> {
  static std::string name() { return "BucketShuffle/" + Problem::name(); }
  using ShuffleBy<Problem, riffle::BucketShuffle>::ShuffleBy;
};

/// A call without an algorithm.
template <class Problem>
struct DefaultShuffle : ShuffleBy<Problem, riffle::DefaultShuffle> {
  static std::string name() { return "Riffle/" + Problem::name(); }
  using ShuffleBy<Problem, riffle::DefaultShuffle>::ShuffleBy;
};

/// Runs a row once and throws if its answer is wrong.
template <class Problem, class Row>
void check_rows(Exec const& exec, Row& row, typename Problem::View const& in,
                typename Problem::View const& out, std::uint64_t columns) {
  Kokkos::parallel_for("perf::write_rows", range(exec, in.extent(0)),
                       WriteRows<Problem>{in, columns});
  row(in, out);
  std::string const error = rows_error<Problem, typename Row::Algorithm>(exec, out, columns, seed);
  if (!error.empty()) throw std::logic_error(error);
}

/// The Views and element types of the table.
constexpr std::uint64_t bytes_moved = std::uint64_t{1} << (runs_on_host ? 27 : 31);

/// An item is a row of the View.
template <template <class> class RowOf, class Problem>
void time_rows(benchmark::State& state) {
  auto const columns = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t const bytes_per_row = columns * sizeof(typename Problem::Element);
  std::uint64_t const n = bytes_moved / bytes_per_row;
  run_row(state, 2 * bytes_moved + n * 28, [&] {
    Exec const exec;
    std::uint64_t const words = bytes_moved / sizeof(std::uint64_t);
    double const words_per_row = static_cast<double>(words) / static_cast<double>(n);
    double const limit = copy_rate<std::uint64_t>(exec, words) / words_per_row;
    auto const in = Problem::make(exec, "perf::in", n, columns);
    auto const out = Problem::make(exec, "perf::out", n, columns);
    RowOf<Problem> row(exec, n, columns);
    check_rows<Problem>(exec, row, in, out, columns);
    int const calls = calls_per_fence(words);
    time_batches(state, exec, calls, [&] { row(in, out); });
    report(state, n, calls, 2 * bytes_per_row, limit);
  });
}

template <template <class> class RowOf, class Problem>
void register_row(std::initializer_list<std::int64_t> columns) {
  auto* const row =
      benchmark::RegisterBenchmark(RowOf<Problem>::name().c_str(), time_rows<RowOf, Problem>);
  row->ArgName("columns")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (std::int64_t const number : columns) row->Arg(number);
}

template <class Problem>
void register_problem(std::initializer_list<std::int64_t> columns) {
  register_row<Gather, Problem>(columns);
  register_row<PermutationGather, Problem>(columns);
  register_row<BucketShuffle, Problem>(columns);
  register_row<DefaultShuffle, Problem>(columns);
}

bool register_all() {
  register_problem<RowProblem<double, Kokkos::LayoutRight>>({1, 8, 32, 128, 1024});
  register_problem<RowProblem<double, Kokkos::LayoutLeft>>({1, 8, 32, 128, 1024});
  register_problem<RowProblem<std::uint8_t, Kokkos::LayoutRight>>({100});
  register_problem<RecordProblem<16>>({1});
  register_problem<RecordProblem<32>>({1});
  register_problem<RecordProblem<64>>({1});
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
