// The time to bring rows with equal labels together.
//
// A million 4-byte values with k random labels, for k from 16 to twice the number of rows. The rows Algorithm/labels:K/n:N are
//   PartitionByLabel      riffle::partition_by_label,
//   ArgsortCountsGather   the same from parts: riffle::argsort of the labels, atomic counts and Kokkos's scan of them, and
//                         riffle::gather.
// `of_limit` compares with a copy of the values. Every row checks its answer before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <riffle/partition.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace perf {

using Numbers = Kokkos::View<std::uint32_t*, Exec>;

/// Row i has value i; its label is some bits of a product.
struct Labelled {
  Labelled(Exec const& exec_, std::uint64_t n, std::uint64_t parts)
      : exec(exec_),
        in(allocate<std::uint32_t>(exec, "perf::in", n)),
        labels(allocate<std::uint32_t>(exec, "perf::labels", n)),
        out(allocate<std::uint32_t>(exec, "perf::out", n)),
        offsets(allocate<std::uint32_t>(exec, "perf::offsets", parts + 1)) {}

  Exec exec;
  Numbers in;
  Numbers labels;
  Numbers out;
  Numbers offsets;
};

struct WriteLabelled {
  Numbers in;
  Numbers labels;
  std::uint64_t parts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    in(i) = static_cast<std::uint32_t>(i);
    std::uint64_t const mixed = (i + 1) * 0x9E3779B97F4A7C15u;
    labels(i) = static_cast<std::uint32_t>((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u % parts);
  }
};

/// Counts the rows that are outside their part, or not in order within it.
struct CountMisplaced {
  Numbers labels;
  Numbers out;
  Numbers offsets;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint32_t const label = labels(out(i));
    bool const is_first = i == offsets(label);
    bool const is_inside = offsets(label) <= i && i < offsets(label + 1);
    if (!is_inside || (!is_first && out(i - 1) >= out(i))) ++wrong;
  }
};

struct PartitionByLabel {
  static constexpr char const* name = "PartitionByLabel";

  explicit PartitionByLabel(Labelled const& rows_) : rows(rows_), workspace(rows_.exec) {}

  void operator()() {
    riffle::partition_by_label(riffle::Context(rows.exec, workspace), rows.in, rows.labels,
                               rows.out, rows.offsets);
  }

  Labelled rows;
  riffle::Workspace<Exec> workspace;
};

struct CountLabel {
  Numbers labels;
  Numbers counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { Kokkos::atomic_inc(&counts(labels(i))); }
};

struct ScanCounts {
  Numbers counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint32_t& sum, bool is_last) const {
    std::uint32_t const count = counts(k);
    if (is_last) counts(k) = sum;
    sum += count;
  }
};

struct ArgsortCountsGather {
  static constexpr char const* name = "ArgsortCountsGather";

  explicit ArgsortCountsGather(Labelled const& rows_)
      : rows(rows_),
        order(allocate<std::uint32_t>(rows_.exec, "perf::order", rows_.in.extent(0))),
        workspace(rows_.exec) {}

  void operator()() {
    riffle::Context<Exec> const context(rows.exec, workspace);
    riffle::argsort(context, rows.labels, order);
    riffle::gather(context, rows.in, order, rows.out);
    Kokkos::deep_copy(rows.exec, rows.offsets, 0u);
    Kokkos::parallel_for("perf::count", range(rows.exec, rows.labels.extent(0)),
                         CountLabel{rows.labels, rows.offsets});
    Kokkos::parallel_scan("perf::scan", range(rows.exec, rows.offsets.extent(0)),
                          ScanCounts{rows.offsets});
  }

  Labelled rows;
  Numbers order;
  riffle::Workspace<Exec> workspace;
};

template <class Row>
void time_row(benchmark::State& state) {
  auto const parts = static_cast<std::uint64_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  run_row(state, 40 * n + 16 * parts, [&] {
    Exec const exec;
    double const limit = copy_rate<std::uint32_t>(exec, n);
    Labelled const rows(exec, n, parts);
    Kokkos::parallel_for("perf::write", range(exec, n), WriteLabelled{rows.in, rows.labels, parts});
    Row row(rows);
    row();
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_misplaced", range(exec, n),
                            CountMisplaced{rows.labels, rows.out, rows.offsets}, wrong);
    if (wrong > 0) throw std::logic_error("misplaced rows: " + std::to_string(wrong));
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(); });
    report(state, n, calls, 2 * sizeof(std::uint32_t), limit);
  });
}

template <class Row>
void register_row() {
  auto* const row = benchmark::RegisterBenchmark(Row::name, time_row<Row>);
  row->ArgNames({"labels", "n"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  constexpr std::int64_t n = 1'000'000;
  for (std::int64_t const labels :
       {16, 1024, 4096, 4097, 16'384, 65'536, 250'000, 500'000, 500'001, 1'000'000, 2'000'000}) {
    row->Args({labels, n});
  }
}

bool register_all() {
  register_row<PartitionByLabel>();
  register_row<ArgsortCountsGather>();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
