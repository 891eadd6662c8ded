#pragma once

// What counts on a GPU with units that multiply small matrices: by bytes where replicates are labels, else by doubles.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/lanes/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_labels.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

template <class Memory>
struct LargestValue {
  Matrix<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t at, double& largest) const {
    std::uint64_t const n = values.extent(1);
    largest = Kokkos::max(largest, Kokkos::abs(values(at / n, at % n)));
  }
};

/// The pairs of digits that hold all values, or more than max_digit_pairs where none do. Fences.
template <class Exec>
int digit_pairs_of(Context<Exec> const& context,
                   Matrix<typename Exec::memory_space> const& values) {
  double largest = 0;
  Kokkos::parallel_reduce(context.label() + "::largest", range(context.exec(), 0, values.size()),
                          LargestValue<typename Exec::memory_space>{values},
                          Kokkos::Max<double>(largest));
  int pairs = 1;
  while (pairs <= max_digit_pairs && max_of_digit_pairs(pairs) < largest) ++pairs;
  return pairs;
}

template <class Exec>
class TileCounting {
 public:
  using Memory = typename Exec::memory_space;
  using Shape = TileShape<2, 2>;
  using Labels = LabelWords<Memory, Shape::replicates>;
  using Columns = ColumnTiles<Memory, Shape>;

  /// Not variables that have observations of their own, nor columns that depend on the replicate.
  static bool can_count(ColumnModel const& model) {
    return lanes::has_matrix_units && !has_own_n(model.form) && model.free_columns.empty();
  }

  /// `order` begins with `skipped` variables that are not tested. Fences.
  template <class Order>
  TileCounting(Context<Exec> const& context, WholeData<Memory> const& whole,
               Kokkos::View<VariableTerms*, Memory> const& terms, Order const& order,
               std::uint64_t skipped, ColumnModel const& model, Comparison const& comparison)
      : context_(context), comparison_(comparison), skipped_(skipped), columns_(model.width()) {
    std::uint64_t const n = model.n;
    if (model.is_of_labels && n <= max_observations_by_digits) {
      digit_pairs_ = digit_pairs_of(context, whole.values);
    }
    is_by_digits_ = digit_pairs_ > 0 && digit_pairs_ <= max_digit_pairs;
    if (is_by_digits_) {
      labels_.steps = (n + observations_per_step - 1) / observations_per_step;
      digits_ = fill_digit_tiles<Shape>(context, whole, terms, order, skipped,
                                        comparison.alternative, digit_pairs_);
    } else {
      values_ = fill_value_tiles<Shape>(context, whole, terms, order, skipped);
      entries_.n = n;
      entries_.steps = values_.steps;
      entries_.columns = columns_;
    }
  }

  /// Replicates are drawn in multiples of it.
  static constexpr std::uint64_t width = Shape::replicates;
  /// Of values with entries of columns, those that take some second.
  static constexpr std::uint64_t products_of_second = std::uint64_t{1} << 43;

  /// The bytes of a replicate that is drawn.
  std::uint64_t bytes_of_replicate() const {
    return is_by_digits_ ? sizeof(std::uint32_t) * labels_.steps
                         : sizeof(PairOfDoubles) * entries_.chunk_size() / width;
  }

  /// draw(sink) draws the replicates of `counts`, rounded up to a multiple of `width`, to a ReplicateSink.
  template <class Draw>
  void count(TileCounts counts, Draw const& draw_to) {
    counts.raw += skipped_;
    counts.step_down += skipped_;
    draw(counts.replicates, draw_to);
    if (is_by_digits_) {
      count_labels(counts);
    } else {
      count_columns(counts);
    }
  }

  template <class Draw>
  void draw(std::uint64_t replicates, Draw const& draw_to) {
    std::uint64_t const chunks = (replicates + width - 1) / width;
    if (is_by_digits_) {
      reserve(chunks * labels_.steps * width, "::labels", labels_.words);
      draw_to(ToLabelWords<Memory, Shape::replicates>{labels_});
    } else {
      reserve(chunks * entries_.chunk_size(), "::columns", entries_.entries);
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

  void count_labels(TileCounts const& counts) const {
    choose_kernel([&]<int Pairs, int Steps>() {
      if (comparison_.alternative == Alternative::two_sided) {
        launch(CountLabels<Memory, Pairs, Steps, true>{digits_, labels_, counts});
      } else {
        launch(CountLabels<Memory, Pairs, Steps, false>{digits_, labels_, counts});
      }
    });
  }

  /// use<Pairs, Steps>() of the kernel for the data's digits and observations.
  template <class Use>
  void choose_kernel(Use const& use) const {
    switch (digit_pairs_) {
      case 1: return choose_steps<1>(use);
      case 2: return choose_steps<2>(use);
      default: return choose_steps<3>(use);
    }
  }

  template <int Pairs, class Use>
  void choose_steps(Use const& use) const {
    // Most data have two pairs of digits: up to 128 observations stay in registers. Few have three.
    if constexpr (Pairs == 2) {
      if (labels_.steps == 3) return use.template operator()<Pairs, 3>();
      if (labels_.steps == 4) return use.template operator()<Pairs, 4>();
    }
    if constexpr (Pairs < 3) {
      if (labels_.steps == 1) return use.template operator()<Pairs, 1>();
      if (labels_.steps == 2) return use.template operator()<Pairs, 2>();
    }
    use.template operator()<Pairs, 0>();
  }

  void count_columns(TileCounts const& counts) const {
    switch (formula_of(comparison_)) {
      case ColumnFormula::simple: return count_by<ColumnFormula::simple>(counts);
      case ColumnFormula::adjusted: return count_by<ColumnFormula::adjusted>(counts);
      case ColumnFormula::share: return count_by<ColumnFormula::share>(counts);
      case ColumnFormula::welch: return count_by<ColumnFormula::welch>(counts);
    }
  }

  template <ColumnFormula formula>
  void count_by(TileCounts const& counts) const {
    launch(CountColumns<Memory, formula>{values_, entries_, comparison_, counts});
  }

  Context<Exec> context_;
  Comparison comparison_;
  std::uint64_t skipped_;
  int columns_;
  int digit_pairs_ = 0;
  bool is_by_digits_ = false;
  DigitTiles<Memory, Shape> digits_;
  Labels labels_;
  ValueTiles<Memory, Shape> values_;
  Columns entries_;
};

}  // namespace riffle::detail::variables
