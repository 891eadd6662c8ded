#pragma once

// Counts replicates of labels on a CPU, as count.hpp does, with the sums of label_tables.hpp.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/cpu/label_tables.hpp>
#include <riffle/monte_carlo/detail/variables/tile_counts.hpp>
#include <riffle/monte_carlo/detail/variables/variable_blocks.hpp>

namespace riffle::detail::variables {

/// A thread walks over all blocks of variables with a unit of replicates. For each block it fills a few tables at a time,
/// adds up what they give for each replicate, and looks at the sums when they are complete.
template <class Memory, int V>
struct CountByTables {
  /// Sums and maxima of a unit take 20 KiB beside the tables' 16.
  static constexpr int max_unit_bits = 9;
  static constexpr std::uint64_t max_unit = std::uint64_t{1} << max_unit_bits;
  static constexpr int tables_at_once = 8;

  Blocks<Memory, V> blocks;
  LabelBytes<Memory> labels;
  Alternative alternative;
  TileCounts counts;

  void operator()(std::uint64_t unit) const {
    switch (alternative) {
      case Alternative::two_sided: return count_unit<Alternative::two_sided>(unit);
      case Alternative::greater: return count_unit<Alternative::greater>(unit);
      case Alternative::less: return count_unit<Alternative::less>(unit);
      case Alternative::two_sided_doubled: return;  // two tests of one tail each
    }
  }

 private:
  using Sums = double (*)[V];

  template <Alternative own_alternative>
  void count_unit(std::uint64_t unit) const {
    double sums[max_unit][V];
    double running[max_unit];
    std::uint64_t const first = unit << labels.unit_bits;
    std::uint64_t const own = std::min(labels.unit(), counts.replicates - first);
    std::fill_n(running, own, -HUGE_VAL);
    for (std::uint64_t block = 0; block < blocks.count(); ++block) {
      find_sums(unit, block, own, sums);
      count_sums<own_alternative>(block, own, sums, running);
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

  /// By a function of its own for each number of tables, whose loop has no loop inside.
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

  template <Alternative own_alternative>
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
        double const c = simple_comparand(own_alternative, sums[r][v], terms[v]);
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

}  // namespace riffle::detail::variables
