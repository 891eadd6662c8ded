#pragma once

// Counts like count_batch.hpp, for replicates that consist of labels 0 and 1, on a CPU. Sums are read from tables.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail::variables {

// --- tables of sums ---
//
// Sums over the observations with label 1 are computed from tables of partial sums.
//
// There are 64 ways to label six observations. A table contains, for each way, the sum of a variable's values with
// label 1; each entry takes one addition to compute. So one table entry replaces six products in a sum (the method of
// the four Russians: V. L. Arlazarov, E. A. Dinic, M. A. Kronrod, I. A. Faradzhev, Soviet Math. Dokl. 11, 1970). Values
// are whole numbers whose sums are exact (column_model.hpp), so the result is bitwise identical to a sum of products.
//
// An entry consists of the sums of V variables, which are added by vector instructions. This is possible because a
// replicate has the same labels for all variables. Six observations per table are nearly optimal for all n and all
// numbers of replicates (perf/notes/monte_carlo.md). Eight such tables take 16 KiB, half of a first-level cache of 32
// KiB. Values are doubles, because converting integers to doubles would take as long as adding them.
//
//   labels of replicate r:   byte 0      byte 1      ...     (six observations per byte)
//                              |           |
//   tables of a block:       T0[byte]  +  T1[byte]  +  ...  =  V sums of replicate r

inline constexpr int entries_of_table = 1 << observations_of_table;

/// The labels of a batch of replicates, one byte for six observations. Byte t of replicate r is bytes((r / unit *
/// tables + t) * unit + r % unit), where unit = 2^unit_bits is the number of replicates that a thread counts at a time.
/// Its bit b is the label of observation 6 t + b.
template <class Memory>
struct LabelBytes {
  Kokkos::View<std::uint8_t*, Memory> bytes;
  std::uint64_t tables = 0;
  int unit_bits = 0;

  KOKKOS_FUNCTION std::uint64_t unit() const { return std::uint64_t{1} << unit_bits; }
  KOKKOS_FUNCTION std::uint8_t* row(std::uint64_t unit_number, std::uint64_t table) const {
    return bytes.data() + ((unit_number * tables + table) << unit_bits);
  }
  KOKKOS_FUNCTION std::uint8_t& of(std::uint64_t r, std::uint64_t table) const {
    return row(r >> unit_bits, table)[r & (unit() - 1)];
  }
};

/// The ReplicateSink that writes LabelBytes, for a single column that consists of labels 0 and 1.
template <class Memory>
struct ToLabelBytes {
  LabelBytes<Memory> to;

  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (std::uint64_t table = 0; table < to.tables; ++table) to.of(r, table) = 0;
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int, std::uint64_t i, double x) const {
    constexpr std::uint64_t each = observations_of_table;
    if (x != 0) to.of(r, i / each) |= static_cast<std::uint8_t>(1u << i % each);
  }
};

/// The sums of V variables over all subsets of up to six observations.
template <int V>
struct alignas(64) SumTable {
  double sums[entries_of_table][V];

  /// Fills the table. y[i V + v] is the value of observation i of variable v. If there are fewer than six observations,
  /// only the entries for these are filled; the labels of the missing ones are 0, so other entries are never read.
  void fill(double const* y, int observations) {
    for (int v = 0; v < V; ++v) sums[0][v] = 0;
    for (int i = 0; i < observations; ++i, y += V) {
      int const half = 1 << i;
      for (int labels = 0; labels < half; ++labels) {
        for (int v = 0; v < V; ++v) sums[half + labels][v] = sums[labels][v] + y[v];
      }
    }
  }
};

/// For r < count, adds `Tables` table entries, one from each table, to sums[r] or, if IsFirst, stores their sum in
/// sums[r]. The byte labels[t * stride + r] selects the entry in table t.
template <int Tables, bool IsFirst, int V>
void add_sums(SumTable<V> const* tables, std::uint8_t const* labels, std::uint64_t stride,
              std::uint64_t count, double (*sums)[V]) {
  for (std::uint64_t r = 0; r < count; ++r) {
    double own[V];
    double const* const begin = IsFirst ? tables[0].sums[labels[r]] : sums[r];
    for (int v = 0; v < V; ++v) own[v] = begin[v];
    RIFFLE_UNROLL
    for (int t = IsFirst ? 1 : 0; t < Tables; ++t) {
      double const* const entry =
          tables[t].sums[labels[static_cast<std::uint64_t>(t) * stride + r]];
      for (int v = 0; v < V; ++v) own[v] += entry[v];
    }
    for (int v = 0; v < V; ++v) sums[r][v] = own[v];
  }
}

// --- the kernel ---

/// A thread processes one unit of replicates in one pass over all blocks of variables. For each block it fills a few
/// tables at a time and adds their entries for each replicate. When the sums are complete, it counts.
template <class Memory, int V>
struct CountByTables {
  static constexpr std::uint64_t max_unit = std::uint64_t{1} << max_unit_bits;

  Blocks<Memory, V> blocks;
  LabelBytes<Memory> labels;
  Alternative alternative;
  BatchCounts counts;

  void operator()(std::uint64_t unit) const {
    switch (alternative) {
      case Alternative::two_sided: return count_unit<Alternative::two_sided>(unit);
      case Alternative::greater: return count_unit<Alternative::greater>(unit);
      case Alternative::less: return count_unit<Alternative::less>(unit);
      case Alternative::two_sided_doubled: return;  // run as two tests of one tail each
    }
  }

 private:
  using Sums = double (*)[V];

  template <Alternative Side>
  void count_unit(std::uint64_t unit) const {
    double sums[max_unit][V];
    double running[max_unit];
    std::uint64_t const first = unit << labels.unit_bits;
    std::uint64_t const own = std::min(labels.unit(), counts.replicates - first);
    std::fill_n(running, own, -HUGE_VAL);
    for (std::uint64_t block = 0; block < blocks.count(); ++block) {
      find_sums(unit, block, own, sums);
      count_sums<Side>(block, own, sums, running);
    }
    std::copy_n(running, own, counts.maxima + first);
  }

  void find_sums(std::uint64_t unit, std::uint64_t block, std::uint64_t own, Sums sums) const {
    SumTable<V> tables[tables_at_once];
    std::uint64_t const passes = (labels.tables + tables_at_once - 1) / tables_at_once;
    std::uint64_t begin = 0;
    for (std::uint64_t pass = 1; pass <= passes; ++pass) {
      std::uint64_t const end = labels.tables * pass / passes;
      for (std::uint64_t table = begin; table < end; ++table) {
        std::uint64_t const i = table * observations_of_table;
        tables[table - begin].fill(
            blocks.of_block(block) + i * V,
            static_cast<int>(std::min<std::uint64_t>(observations_of_table, blocks.n - i)));
      }
      add_tables(static_cast<int>(end - begin), begin == 0, tables, labels.row(unit, begin), own,
                 sums, std::make_integer_sequence<int, tables_at_once>());
      begin = end;
    }
  }

  /// Calls add_sums() with the number of tables as a template argument, so that the inner loop is unrolled.
  template <int... index>
  void add_tables(int number, bool is_first, SumTable<V> const* tables, std::uint8_t const* own,
                  std::uint64_t count, Sums sums, std::integer_sequence<int, index...>) const {
    auto const add = [&](auto tables_known) {
      if (number != tables_known + 1) return;
      if (is_first) {
        add_sums<tables_known + 1, true>(tables, own, labels.unit(), count, sums);
      } else {
        add_sums<tables_known + 1, false>(tables, own, labels.unit(), count, sums);
      }
    };
    (add(std::integral_constant<int, index>()), ...);
  }

  template <Alternative Side>
  void count_sums(std::uint64_t block, std::uint64_t own, double const (*sums)[V],
                  double* running) const {
    VariableTerms terms[V];
    std::uint64_t raw[V] = {};
    std::uint64_t step_down[V] = {};
    for (int v = 0; v < V; ++v) {
      terms[v] = blocks.terms(block * V + static_cast<std::uint64_t>(v));
    }
    for (std::uint64_t r = 0; r < own; ++r) {
      double maximum = running[r];
      for (int v = 0; v < V; ++v) {
        double const c = simple_test_statistic(Side, sums[r][v], terms[v]);
        maximum = maximum < c ? c : maximum;
        raw[v] += c >= terms[v].threshold;
        step_down[v] += maximum >= terms[v].step_down_threshold;
      }
      running[r] = maximum;
    }
    for (int v = 0; v < V; ++v) {
      std::uint64_t const place = block * V + static_cast<std::uint64_t>(v);
      if (raw[v] > 0) Kokkos::atomic_add(counts.raw + place, raw[v]);
      if (step_down[v] > 0) Kokkos::atomic_add(counts.step_down + place, step_down[v]);
    }
  }
};

// --- tests of labels ---

template <class Exec>
class LabelCounter {
 public:
  using Memory = typename Exec::memory_space;
  static constexpr int at_once = variables_at_once<Exec>;

  static bool can_count(ColumnModel const& model) {
    return model.is_of_labels && !has_per_variable_n(model.form);
  }

  /// Requires: the first `skipped` variables in `order` are not tested.
  template <class Order>
  LabelCounter(Context<Exec> const& context, WholeData<Memory> const& whole,
               Kokkos::View<VariableTerms*, Memory> const& terms, Order const& order,
               std::uint64_t skipped, ColumnModel const& model, Comparison const& comparison)
      : context_(context), alternative_(comparison.alternative), skipped_(skipped) {
    auto const tested =
        std::make_pair<std::uint64_t, std::uint64_t>(std::uint64_t{skipped}, order.extent(0));
    blocks_ = fill_blocks<at_once>(context, whole, terms, Kokkos::subview(order, tested));
    labels_.tables = (model.n + observations_of_table - 1) / observations_of_table;
  }

  /// The number of drawn replicates is a multiple of this.
  static constexpr std::uint64_t width = 1;
  static constexpr std::uint64_t products_of_second = table_products_of_second;

  /// Returns the number of bytes for a drawn replicate and the permutation from which it is made.
  std::uint64_t bytes_of_replicate() const {
    return labels_.tables + sizeof(std::uint32_t) * blocks_.n;
  }

  /// Counts the replicates that `counts` specifies. draw_to(sink) must draw them to a ReplicateSink.
  template <class Draw>
  void count(BatchCounts counts, Draw const& draw_to) {
    counts.raw += skipped_;
    counts.step_down += skipped_;
    draw(counts.replicates, draw_to);
    for_each_dynamic(context_.named("count"), units_of(counts.replicates),
                     CountByTables<Memory, at_once>{blocks_, labels_, alternative_, counts});
  }

  template <class Draw>
  void draw(std::uint64_t replicates, Draw const& draw_to) {
    labels_.unit_bits = unit_bits_of(replicates);
    std::uint64_t const bytes = (units_of(replicates) << labels_.unit_bits) * labels_.tables;
    if (labels_.bytes.extent(0) < bytes) {
      labels_.bytes = Kokkos::View<std::uint8_t*, Memory>(
          Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                             context_.label() + "::labels"),
          bytes);
    }
    draw_to(ToLabelBytes<Memory>{labels_});
  }

 private:
  /// Returns log2 of the number of replicates in a unit. It is chosen so that there is one unit for each thread, within
  /// the bounds in tuning.hpp.
  int unit_bits_of(std::uint64_t replicates) const {
    auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
    auto const bits = static_cast<int>(std::bit_width(replicates / threads)) - 1;
    return std::clamp(bits, min_unit_bits, max_unit_bits);
  }

  std::uint64_t units_of(std::uint64_t replicates) const {
    return (replicates + labels_.unit() - 1) >> labels_.unit_bits;
  }

  Context<Exec> context_;
  Alternative alternative_;
  std::uint64_t skipped_;
  Blocks<Memory, at_once> blocks_;
  LabelBytes<Memory> labels_;
};

}  // namespace riffle::detail::variables
