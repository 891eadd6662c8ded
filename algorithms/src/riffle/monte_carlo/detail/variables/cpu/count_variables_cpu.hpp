#pragma once

// What counts on a CPU where replicates are labels.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/cpu/count_labels_cpu.hpp>
#include <riffle/monte_carlo/detail/variables/cpu/label_tables.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/tile_counts.hpp>
#include <riffle/monte_carlo/detail/variables/variable_blocks.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail::variables {

template <class Exec>
class LabelCounting {
 public:
  using Memory = typename Exec::memory_space;
  static constexpr int at_once = variables_at_once<Exec>;

  static bool can_count(ColumnModel const& model) {
    return model.is_of_labels && !has_own_n(model.form);
  }

  /// `order` begins with `skipped` variables that are not tested.
  template <class Order>
  LabelCounting(Context<Exec> const& context, WholeData<Memory> const& whole,
                Kokkos::View<VariableTerms*, Memory> const& terms, Order const& order,
                std::uint64_t skipped, ColumnModel const& model, Comparison const& comparison)
      : context_(context), alternative_(comparison.alternative), skipped_(skipped) {
    auto const tested =
        std::make_pair<std::uint64_t, std::uint64_t>(std::uint64_t{skipped}, order.extent(0));
    blocks_ = fill_blocks<at_once>(context, whole, terms, Kokkos::subview(order, tested));
    labels_.tables = (model.n + observations_of_table - 1) / observations_of_table;
  }

  /// Replicates are drawn in multiples of it.
  static constexpr std::uint64_t width = 1;
  /// The products of values and labels that tables spare in some second.
  static constexpr std::uint64_t products_of_second = std::uint64_t{1} << 36;

  /// The bytes of a replicate that is drawn, and of the permutation that it is drawn by.
  std::uint64_t bytes_of_replicate() const {
    return labels_.tables + sizeof(std::uint32_t) * blocks_.n;
  }

  /// draw(sink) draws the replicates of `counts` to a ReplicateSink.
  template <class Draw>
  void count(TileCounts counts, Draw const& draw_to) {
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
  /// So many replicates in a unit that there is a unit for each thread, and at least 32, with which tables are twice as
  /// fast as products.
  int unit_bits_of(std::uint64_t replicates) const {
    constexpr int least = 5;
    auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
    auto const bits = static_cast<int>(std::bit_width(replicates / threads)) - 1;
    return std::clamp(bits, least, CountByTables<Memory, at_once>::max_unit_bits);
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
