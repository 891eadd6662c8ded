#pragma once

// Counts replicates with the matrix units of a GPU (NVIDIA's tensor cores). If replicates consist of labels 0 and 1,
// the matrix units multiply bytes, otherwise doubles.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include <riffle/backend/matrix_units.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_labels_gpu.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/scan.hpp>

namespace riffle::detail::variables {

template <class Memory>
struct LargestValue {
  Matrix<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t at, double& largest) const {
    std::uint64_t const n = values.extent(1);
    largest = Kokkos::max(largest, Kokkos::abs(values(at / n, at % n)));
  }
};

/// Returns the number of digit pairs per value in coarse sums: 1 if n is small enough for one pair (tuning.hpp) or if
/// no value has more than two digits, otherwise 2. Fences.
template <class Exec>
int coarse_pairs_of(Context<Exec> const& context,
                    Matrix<typename Exec::memory_space> const& values) {
  if (values.extent(1) <= max_observations_of_coarse_pair) return 1;
  double largest = 0;
  Kokkos::parallel_reduce(context.label() + "::largest", range(context.exec(), 0, values.size()),
                          LargestValue<typename Exec::memory_space>{values},
                          Kokkos::Max<double>(largest));
  return largest <= max_of_digit_pairs(1) ? 1 : 2;
}

template <class Memory>
struct AddCounts {
  Kokkos::View<std::uint64_t*, Memory> counts;
  std::uint64_t* to;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { to[i] += counts(i); }
};

template <class Exec>
class TileCounter {
 public:
  using Memory = typename Exec::memory_space;
  using Labels = LabelWords<Memory, LabelShape::replicates>;
  using Columns = ColumnTiles<Memory, ColumnShape>;

  /// Returns whether this class can count the replicates of the model. It requires a GPU with matrix units. It supports
  /// neither models with per-variable sample sizes nor models whose columns are computed for each replicate
  /// (draper_stoneman).
  static bool can_count(ColumnModel const& model) {
    return backend::has_matrix_units && !has_per_variable_n(model.form) &&
           model.free_columns.empty();
  }

  /// Requires: the first `skipped` variables in `order` are not tested. Fences.
  template <class Order>
  TileCounter(Context<Exec> const& context, WholeData<Memory> const& whole,
              Kokkos::View<VariableTerms*, Memory> const& terms, Order const& order,
              std::uint64_t skipped, ColumnModel const& model, Comparison const& comparison)
      : context_(context), comparison_(comparison), skipped_(skipped), columns_(model.width()) {
    std::uint64_t const n = model.n;
    is_by_digits_ = model.is_of_labels && n <= max_observations_by_digits;
    TileOrder const tested{order, skipped};
    if (is_by_digits_) {
      labels_.steps = (n + observations_per_step - 1) / observations_per_step;
      coarse_pairs_ = coarse_pairs_of(context, whole.values);
      digits_ = fill_label_tiles<LabelShape>(context, whole, terms, tested, comparison.alternative,
                                             coarse_pairs_);
    } else {
      values_ = fill_value_tiles<ColumnShape>(context, whole, terms, tested);
      entries_.n = n;
      entries_.steps = values_.steps;
      entries_.columns = columns_;
    }
    std::uint64_t const tiles = is_by_digits_ ? digits_.count() : values_.count();
    reserve(tiles * ColumnShape::variables, "::differences", differences_);
  }

  /// The number of drawn replicates is a multiple of this.
  static constexpr std::uint64_t width = LabelShape::replicates;
  static_assert(width % ColumnShape::replicates == 0 &&
                ColumnShape::variables == LabelShape::variables);
  /// About this number of products, of a value and an element of a column, takes one second.
  static constexpr std::uint64_t products_of_second = variables::products_of_second<Exec>;

  /// Returns the number of bytes for a drawn replicate.
  std::uint64_t bytes_of_replicate() const {
    return is_by_digits_ ? sizeof(std::uint32_t) * labels_.steps
                         : sizeof(PairOfDoubles) * entries_.chunk_size() / ColumnShape::replicates;
  }

  /// Counts the replicates that `counts` specifies. draw_to(sink) must draw them, with their number rounded up to a
  /// multiple of `width`, to a ReplicateSink.
  template <class Draw>
  void count(BatchCounts counts, Draw const& draw_to) {
    std::uint64_t* const step_down = counts.step_down + skipped_;
    counts.raw += skipped_;
    counts.step_down = differences_.data();
    draw(counts.replicates, draw_to);
    using Differences = decltype(differences_);
    context_.named("zeros").for_each(differences_.extent(0), FillZero<Differences>{differences_});
    if (is_by_digits_) {
      count_labels(counts);
    } else {
      count_columns(counts);
    }
    inclusive_scan(context_.named("scan"), differences_, differences_);
    context_.named("add").for_each(differences_.extent(0),
                                   AddCounts<Memory>{differences_, step_down});
  }

  template <class Draw>
  void draw(std::uint64_t replicates, Draw const& draw_to) {
    std::uint64_t const chunks = (replicates + width - 1) / width;
    if (is_by_digits_) {
      reserve(chunks * labels_.steps * width, "::labels", labels_.words);
      draw_to(ToLabelWords<Memory, LabelShape::replicates>{labels_});
    } else {
      reserve(chunks * (width / ColumnShape::replicates) * entries_.chunk_size(), "::columns",
              entries_.entries);
      draw_to(entries_);
    }
  }

 private:
  template <class View>
  void reserve(std::uint64_t count, char const* name, View& view) const {
    if (view.extent(0) >= count) return;
    view = View(
        Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing, context_.label() + name),
        count);
  }

  template <class Kernel>
  void launch(Kernel const& kernel) const {
    launch_teams(context_.named("count"), Kernel::Walk::teams(kernel.counts.replicates), kernel);
  }

  void count_labels(BatchCounts const& counts) const {
    if (coarse_pairs_ == 2) return count_sides<2, 0>(counts);
    switch (labels_.steps) {
      case 1: return count_sides<1, 1>(counts);
      case 2: return count_sides<1, 2>(counts);
      case 3: return count_sides<1, 3>(counts);
      case 4: return count_sides<1, 4>(counts);
      default: return count_sides<1, 0>(counts);
    }
  }

  template <int Pairs, int Steps>
  void count_sides(BatchCounts const& counts) const {
    if (comparison_.alternative == Alternative::two_sided) {
      launch(CountLabels<Memory, Pairs, Steps, true>{digits_, labels_, counts});
    } else {
      launch(CountLabels<Memory, Pairs, Steps, false>{digits_, labels_, counts});
    }
  }

  void count_columns(BatchCounts const& counts) const {
    switch (formula_of(comparison_)) {
      case ColumnFormula::simple: return count_by<ColumnFormula::simple>(counts);
      case ColumnFormula::adjusted: return count_by<ColumnFormula::adjusted>(counts);
      case ColumnFormula::share: return count_by<ColumnFormula::share>(counts);
      case ColumnFormula::welch: return count_by<ColumnFormula::welch>(counts);
    }
  }

  template <ColumnFormula formula>
  void count_by(BatchCounts const& counts) const {
    launch(CountColumns<Memory, formula>{values_, entries_, comparison_, counts});
  }

  Context<Exec> context_;
  Comparison comparison_;
  std::uint64_t skipped_;
  int columns_;
  int coarse_pairs_ = 0;
  /// For each variable: the number of maxima that reach its step-down threshold, minus the same number for the
  /// preceding variable in the order.
  Kokkos::View<std::uint64_t*, Memory> differences_;
  bool is_by_digits_ = false;
  LabelTiles<Memory, LabelShape> digits_;
  Labels labels_;
  ValueTiles<Memory, ColumnShape> values_;
  Columns entries_;
};

}  // namespace riffle::detail::variables
