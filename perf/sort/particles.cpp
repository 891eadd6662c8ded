// The time to sort particles by cell, with an offset for each cell.
//
// A particle has 30 doubles, each in its own View. A cell has 100 particles on average. A percentage of the particles, `moved`, has
// a random cell; the others are in the order of their cells already. The rows Algorithm/moved:P/n:N are
//   SortByCell        riffle::sort_by_cell,
//   PartitionByLabel  riffle::partition_by_label, which writes the sorted particles to other Views,
//   SortByKey         riffle::sort_by_key with a copy of the cells as keys; without offsets,
//   KokkosBinSort     Kokkos::BinSort: the permutation, then a sort of each View. It is not stable.
// The cells are not sorted with the particles, so that each call moves the particles in the same way. `of_limit` compares with a
// copy of the particles. Every row checks its answer before it is timed.

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <riffle/partition.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace perf {

using Cells = Kokkos::View<std::uint32_t*, Exec>;
using Field = Kokkos::View<double*, Exec>;
inline constexpr int field_count = 30;

/// Fields of n particles, as a pack.
template <std::size_t... f>
auto make_fields(Exec const& exec, std::uint64_t n, std::index_sequence<f...>) {
  return riffle::pack((static_cast<void>(f), allocate<double>(exec, "perf::field", n))...);
}

using Fields = decltype(make_fields(Exec(), 0, std::make_index_sequence<field_count>()));

inline Fields make_fields(Exec const& exec, std::uint64_t n) {
  return make_fields(exec, n, std::make_index_sequence<field_count>());
}

struct Particles {
  Particles(Exec const& exec_, std::uint64_t n)
      : exec(exec_),
        cells(allocate<std::uint32_t>(exec, "perf::cells", n)),
        offsets(allocate<std::uint32_t>(exec, "perf::offsets", n / per_cell + 1)),
        fields(make_fields(exec, n)) {}

  std::uint32_t cell_count() const { return static_cast<std::uint32_t>(offsets.extent(0) - 1); }

  static constexpr std::uint64_t per_cell = 100;

  Exec exec;
  Cells cells;
  Cells offsets;
  Fields fields;
};

struct WriteCell {
  Cells cells;
  std::uint32_t count;
  std::uint32_t moved;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const mixed =
        ((i + 1) * 0x9E3779B97F4A7C15u ^ i >> 3) * 0xBF58476D1CE4E5B9u >> 32;
    std::uint64_t const random = mixed % count;
    std::uint64_t const own = i / Particles::per_cell;
    cells(i) = static_cast<std::uint32_t>((mixed >> 16) % 100 < moved ? random : own % count);
  }
};

struct WriteField {
  Field field;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { field(i) = static_cast<double>(i); }
};

/// Counts the particles that are outside of their cell's range or, if the order is to be stable, not in order within it.
struct CountMisplacedParticles {
  Cells cells;
  Cells offsets;
  Field field;
  bool is_stable;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint32_t const cell = cells(static_cast<std::uint64_t>(field(i)));
    bool const is_inside = offsets(cell) <= i && i < offsets(cell + 1);
    bool const is_in_order = i == offsets(cell) || field(i - 1) < field(i);
    if (!is_inside || (is_stable && !is_in_order)) ++wrong;
  }
};

struct SortByCell {
  static constexpr char const* name = "SortByCell";
  static constexpr bool is_stable = true;

  explicit SortByCell(Particles const& particles) : data(particles), workspace(particles.exec) {}

  void operator()() {
    riffle::sort_by_cell(riffle::Context(data.exec, workspace), data.fields, data.cells,
                         data.offsets);
  }
  Fields result() const { return data.fields; }

  Particles data;
  riffle::Workspace<Exec> workspace;
};

struct PartitionByLabel {
  static constexpr char const* name = "PartitionByLabel";
  static constexpr bool is_stable = true;

  explicit PartitionByLabel(Particles const& particles)
      : data(particles),
        out(make_fields(particles.exec, particles.cells.extent(0))),
        workspace(particles.exec) {}

  void operator()() {
    riffle::partition_by_label(riffle::Context(data.exec, workspace), data.fields, data.cells, out,
                               data.offsets);
  }
  Fields result() const { return out; }

  Particles data;
  Fields out;
  riffle::Workspace<Exec> workspace;
};

struct SortByKey {
  static constexpr char const* name = "SortByKey";
  static constexpr bool is_stable = true;

  explicit SortByKey(Particles const& particles)
      : data(particles),
        keys(allocate<std::uint32_t>(particles.exec, "perf::keys", particles.cells.extent(0))),
        workspace(particles.exec) {
    riffle::argpartition_by_label(data.exec, data.cells, keys, data.offsets);  // for the check
  }

  void operator()() {
    Kokkos::deep_copy(data.exec, keys, data.cells);
    riffle::sort_by_key(riffle::Context(data.exec, workspace), keys, data.fields);
  }
  Fields result() const { return data.fields; }

  Particles data;
  Cells keys;
  riffle::Workspace<Exec> workspace;
};

struct KokkosBinSort {
  static constexpr char const* name = "KokkosBinSort";
  static constexpr bool is_stable = false;

  explicit KokkosBinSort(Particles const& particles) : data(particles) {}

  void operator()() {
    using Op = Kokkos::BinOp1D<Cells>;
    auto const bins = static_cast<int>(data.cell_count());
    Kokkos::BinSort<Cells, Op> sorter(data.exec, data.cells,
                                      Op(bins, 0, static_cast<std::uint32_t>(bins)), false);
    sorter.create_permute_vector(data.exec);
    riffle::detail::for_each_view(data.fields,
                                  [&](Field const& field) { sorter.sort(data.exec, field); });
    offsets = sorter.get_bin_offsets();
  }
  Fields result() const {
    auto const begins = offsets;
    auto const all = data.offsets;
    auto const n = static_cast<std::uint32_t>(data.cells.extent(0));
    Kokkos::parallel_for(
        "perf::offsets", range(data.exec, all.extent(0)), KOKKOS_LAMBDA(std::uint64_t c) {
          all(c) = c < begins.extent(0) ? static_cast<std::uint32_t>(begins(c)) : n;
        });
    return data.fields;
  }

  Particles data;
  typename Kokkos::BinSort<Cells, Kokkos::BinOp1D<Cells>>::offset_type offsets;
};

template <class Row>
void time_row(benchmark::State& state) {
  auto const moved = static_cast<std::uint32_t>(state.range(0));
  auto const n = static_cast<std::uint64_t>(state.range(1));
  constexpr std::uint64_t bytes = field_count * sizeof(double);
  run_row(state, (2 * bytes + 40) * n, [&] {
    Exec const exec;
    double const limit = limit_rate<double>(exec, n, 2 * bytes);
    Particles const particles(exec, n);
    Kokkos::parallel_for("perf::cells", range(exec, n),
                         WriteCell{particles.cells, particles.cell_count(), moved});
    riffle::detail::for_each_view(particles.fields, [&](Field const& field) {
      Kokkos::parallel_for("perf::field", range(exec, n), WriteField{field});
    });
    Row row(particles);
    row();
    std::uint64_t wrong = 0;
    riffle::detail::for_each_view(row.result(), [&](Field const& field) {
      std::uint64_t of_field = 0;
      Kokkos::parallel_reduce(
          "perf::count_misplaced", range(exec, n),
          CountMisplacedParticles{particles.cells, particles.offsets, field, Row::is_stable},
          of_field);
      wrong += of_field;
    });
    if (wrong > 0) throw std::logic_error("misplaced values: " + std::to_string(wrong));
    time_batches(state, exec, 1, [&] { row(); });
    report(state, n, 1, 2 * bytes, limit);
  });
}

template <class Row>
void register_row() {
  auto* const row = benchmark::RegisterBenchmark(Row::name, time_row<Row>);
  row->ArgNames({"moved", "n"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (std::int64_t const n : {100'000, 1'000'000}) {
    for (std::int64_t const moved : {1, 10, 100}) row->Args({moved, n});
  }
  if (!runs_on_host) row->Args({1, 100'000'000})->Args({100, 100'000'000});
}

bool register_all() {
  register_row<SortByCell>();
  register_row<PartitionByLabel>();
  register_row<SortByKey>();
  register_row<KokkosBinSort>();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
