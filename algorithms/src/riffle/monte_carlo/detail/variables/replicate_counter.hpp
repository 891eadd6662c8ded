#pragma once

// The state of permutation tests of many variables: the converted data, the thresholds that replicates are compared
// with, and the counts so far.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/plan.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/cpu/count_labels_cpu.hpp>
#include <riffle/monte_carlo/detail/variables/draw_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_counter.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/min_p.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_n.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/detail/variables/wide_integers.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort.hpp>

namespace riffle::detail::variables {

template <class Exec>
Matrix<typename Exec::memory_space> upload_basis(Context<Exec> const& context,
                                                 ColumnModel const& model) {
  using Unmanaged = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space,
                                 Kokkos::MemoryUnmanaged>;
  using Memory = typename Exec::memory_space;
  auto const columns = static_cast<std::uint64_t>(model.basis_columns);
  if (columns == 0) return {};
  auto const values = upload(context, model.residual_basis);
  Matrix<Memory> const basis(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::basis"),
      model.n, columns);
  Kokkos::deep_copy(context.exec(), basis, Unmanaged(values.data(), model.n, columns));
  return basis;
}

inline Comparison comparison_of(ColumnModel const& model, Alternative alternative) {
  check(model.width() <= Comparison::max_columns, "permutation_tests", "the design has ",
        model.width(), " columns: must be at most ", Comparison::max_columns);
  Comparison comparison;
  comparison.form = model.form;
  comparison.alternative = alternative;
  comparison.effects = model.effects;
  comparison.adjustments = model.adjustments;
  comparison.n_1 = model.n_1;
  comparison.n_2 = model.n_2;
  comparison.common_squares = model.common_squares;
  if (!model.is_exact) comparison.rounding = 8.0 / (1 << real_column_bits);
  std::copy(model.scales.begin(), model.scales.end(), comparison.scales.data());
  return comparison;
}

/// The counter for the models that FastCounter::can_count() accepts. The kernels of count_batch.hpp count all models,
/// but are slower.
template <class Exec>
using FastCounter =
    std::conditional_t<backend::is_cpu<Exec>, LabelCounter<Exec>, TileCounter<Exec>>;

/// The type of the numbers in which replicates are compared with the data: doubles, or wide integers
/// (wide_integers.hpp). For wide integers, the model must be a result of wide_model().
enum class Precision { doubles, wide };

template <class Exec>
class ReplicateCounter {
 public:
  using Memory = typename Exec::memory_space;
  static constexpr int at_once = variables_at_once<Exec>;
  static constexpr int width = replicates_at_once<Exec>;

  /// Makes a counter that keeps the maxima of the first `kept` replicates. Requires: `kept` is 0 or the total number of
  /// replicates. If it is 0, only the maxima of one batch are stored at a time. Fences.
  ReplicateCounter(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
                   ColumnModel const& model, Alternative alternative, std::uint64_t kept,
                   Precision precision = Precision::doubles)
      : context_(context),
        is_wide_(precision == Precision::wide),
        comparison_(comparison_of(model, alternative)),
        design_(upload(context, model.columns)),
        drawing_(context, model, design_),
        columns_(model.width()),
        n_(model.n),
        keeps_maxima_(kept > 0) {
    if (has_per_variable_n(model.form)) {
      own_ = per_variable_comparison(model, alternative);
      whole_ = convert_per_variable(function, context_, data, model, own_.ranks_column);
    } else if (is_wide_) {
      make_wide(function, data, model, alternative);
    } else {
      whole_ = convert_to_whole(function, context_, data, model, upload_basis(context, model));
    }
    terms_ = Kokkos::View<VariableTerms*, Memory>(allocate("::terms"), data.variables);
    values_ = Array<Memory>(allocate("::observed"), data.variables);
    observe(whole_, terms_);
    if (!model.identity_is_observed) observe_by_model(function, data, model.observed_model());
    Kokkos::parallel_reduce(context_.label() + "::facts", range(context_.exec(), 0, variables()),
                            CountFacts<Memory>{whole_.facts}, counted_facts_);
    begin(model, 1);
    maxima_ = Array<Memory>(allocate("::maxima"), kept);
  }

  /// Returns a counter for the same data. It counts only replicates that are certainly at least as extreme as the data;
  /// replicates that may or may not tie are not counted. It keeps no maxima. Requires: no per-variable sample sizes.
  /// Fences.
  ReplicateCounter certain(ColumnModel const& model) const {
    ReplicateCounter other = *this;
    other.keeps_maxima_ = false;
    other.maxima_ = {};
    other.fast_.reset();
    other.terms_ = Kokkos::View<VariableTerms*, Memory>(allocate("::terms"), variables());
    other.observe(whole_, other.terms_);
    other.begin(model, -1);
    return other;
  }

  std::uint64_t variables() const { return terms_.extent(0); }

  /// Counts replicates first, ..., first + count - 1, except for single-step counts.
  void count(SchemePlan<Memory> const& plan, Numbering const& numbering, std::uint64_t first,
             std::uint64_t count) {
    std::uint64_t const place = place_of(first, count);
    if (fast_) {
      fast_->count({raw_.data(), step_down_.data(), maxima_.data() + place, count},
                   drawing_of({plan, numbering, first, count}));
      return;
    }
    auto const columns = drawing_.columns({plan, numbering, first, count});
    Batch const batch{blocks_, columns, comparison_, raw_, step_down_, maxima_, place, count};
    if (has_per_variable_n(comparison_.form)) {
      count_batch(WithPerVariableN{batch, own_});
    } else if (is_wide_) {
      count_batch(Wide{batch, wide_model_, wide_, device_order_});
    } else {
      count_batch(batch);
    }
  }

  /// Counts the same replicates for single-step p-values, from their maxima. Requires: count() was called for these
  /// replicates. A batch has at most max_batch maxima; sort_copy() sorts this many on a GPU without a fence.
  void count_single_step(std::uint64_t first, std::uint64_t count) {
    reserve("::sorted", count, sorted_);
    Array<Memory> const sorted = part_of(sorted_, 0, count);
    sort_copy(context_.named("sort"), part_of(maxima_, place_of(first, count), count), sorted);
    context_.named("beyond").for_each(variables(), CountFrom<Memory>{sorted, terms_, single_step_});
  }

  /// Draws the replicates without counting them, so that benchmarks can measure the time for drawing.
  void draw_without_counting(SchemePlan<Memory> const& plan, Numbering const& numbering,
                             std::uint64_t first, std::uint64_t count) {
    if (fast_) {
      fast_->draw(count, drawing_of({plan, numbering, first, count}));
    } else {
      drawing_.columns({plan, numbering, first, count});
    }
  }

  /// Returns the rank of every arrangement for each of `variables`. The rank of an arrangement is the number of
  /// arrangements that are at least as extreme. The arrangements are the replicates and, if it is not among them, the
  /// observed arrangement, which comes last.
  Ranks<Memory> rank_replicates(SchemePlan<Memory> const& plan, Numbering const& numbering,
                                std::uint64_t replicates,
                                Kokkos::View<std::uint64_t*, Memory> const& variables,
                                std::uint64_t asked) {
    std::uint64_t const arrangements = replicates + (numbering.is_exact() ? 0 : 1);
    auto const blocks = fill_blocks<at_once>(context_, whole_, terms_, variables);
    Matrix<Memory> const test_statistics(allocate("::test_statistics"), variables.extent(0),
                                         arrangements);
    std::uint64_t const step = batch_of_columns(asked);
    for (std::uint64_t first = 0; first < replicates; first += step) {
      std::uint64_t const count = std::min(step, replicates - first);
      auto const columns = drawing_.columns({plan, numbering, first, count});
      Batch const batch{blocks, columns, comparison_, {}, {}, {}, first, count};
      if (has_per_variable_n(comparison_.form)) {
        store_test_statistics(WithPerVariableN{batch, own_}, test_statistics);
      } else if (is_wide_) {
        store_test_statistics(Wide{batch, wide_model_, wide_, variables}, test_statistics);
      } else {
        store_test_statistics(batch, test_statistics);
      }
    }
    if (!numbering.is_exact()) {
      context_.named("observed")
          .for_each(variables.extent(0),
                    CopyObserved<Memory>{test_statistics_, variables, comparison_.is_simple(),
                                         test_statistics});
    }
    Ranks<Memory> const ranks(allocate("::ranks"), variables.extent(0), arrangements);
    rank_unsorted_rows(context_.named("rank"), test_statistics, ranks, ties::ModifiedCompetition{},
                       RankOptions<Descending>{});
    return ranks;
  }

  /// Returns the number of variables that are ranked at a time. It is chosen so that the memory for their test
  /// statistics, ranks and sorting fits in max_ranked_bytes.
  static std::uint64_t variables_at_a_time(std::uint64_t arrangements) {
    constexpr std::uint64_t bytes_each = 48;
    std::uint64_t const fit = max_ranked_bytes<Exec> / (bytes_each * arrangements);
    return std::clamp<std::uint64_t>(fit / at_once * at_once, at_once, max_ranked_variables);
  }

  /// Returns the number of replicates in a batch: `asked`, if this is not 0. Otherwise the batch fits in
  /// max_batch_bytes and takes at most about a second, so that progress is reported often enough.
  std::uint64_t batch_size(std::uint64_t asked) const {
    if (!fast_) return batch_of_columns(asked);
    return batch_size(asked, fast_->bytes_of_replicate(), FastCounter<Exec>::products_of_second);
  }

  /// Returns, for each variable, the number of counted replicates that are at least as extreme as the data. Fences.
  std::vector<std::uint64_t> extreme() const {
    auto counts = zeros_on_host<std::uint64_t>(variables());
    HostArrays<Exec> host(context_);
    write_extreme(host.view(counts.data(), counts.size()));
    host.read();
    return counts;
  }

  /// Writes the numbers that extreme() returns to a View.
  void write_extreme(Counts<Memory> const& by_variable) const { to_variables(raw_, by_variable); }

  /// Copies the counts of all counted replicates, in the order of the data. Fences.
  void read_counts(PermutationCounts& counts) const {
    HostArrays<Exec> host(context_);
    write_extreme(host.view(counts.extreme.data(), variables()));
    to_variables(step_down_, host.view(counts.step_down.data(), variables()));
    host.read();
    copy_to_host<std::uint64_t>(context_, single_step_.data(), variables(),
                                counts.single_step.data());
  }

  // Functions for making results. order()(place) is the variable at position `place` in the order from the least to the
  // most extreme variable. The first untested() variables in this order are not tested.
  auto const& order() const { return device_order_; }
  std::uint64_t untested() const { return counted_facts_.untested; }
  auto const& facts() const { return whole_.facts; }
  FactCounts const& counted_facts() const { return counted_facts_; }
  /// The observed test statistics, before the alternative is applied.
  Array<Memory> const& observed() const { return values_; }
  Counts<Memory> const& step_down_by_place() const { return step_down_; }
  Counts<Memory> const& single_step() const { return single_step_; }

  /// Returns the maximum of each counted replicate, if maxima are kept.
  Array<Memory> const& maxima() const { return maxima_; }

  /// Initialises the counts with `counts`, which are the counts of replicates 0, ..., counts.done - 1.
  void add(PermutationCounts const& counts) {
    bool const has_maxima = counts.maxima.size() == counts.done;
    write_counts(counts, !has_maxima);
    if (has_maxima) add_maxima(counts.maxima);
  }

  /// Replaces the counts. The single-step counts are optional.
  void write_counts(PermutationCounts const& counts, bool has_single_step = true) const {
    to_places(upload(context_, counts.extreme), raw_);
    to_places(upload(context_, counts.step_down), step_down_);
    if (has_single_step) copy_to_kernels(context_, counts.single_step.data(), single_step_);
  }

  /// Stores the maxima of replicates 0, ..., maxima.size() - 1, which were counted elsewhere.
  void place_maxima(std::vector<double> const& maxima) const {
    copy_to_kernels(context_, maxima.data(), part_of(maxima_, 0, maxima.size()));
  }

  /// Returns the number of multiplications that counting `replicates` replicates takes.
  double products(std::uint64_t replicates) const {
    return static_cast<double>(replicates) * static_cast<double>(variables()) *
           static_cast<double>(n_) * columns_;
  }

 private:
  /// Sets the thresholds and sets all counts to 0. If `side` is 1, replicates that may or may not tie with the data
  /// count as at least as extreme; if it is -1, they do not.
  void begin(ColumnModel const& model, double side) {
    set_thresholds(side);
    sort_variables();
    SetStepDownThresholds<Memory> const step_down{device_order_, terms_, variables() - 1};
    inclusive_scan(context_.named("step_down"), variables() - untested(), step_down, step_down,
                   Min<double>{});
    make_counters(model);
    raw_ = zeros("::raw", places());
    step_down_ = zeros("::step_down", places());
    single_step_ = zeros("::single_step", variables());
  }

  using Batch = CountedBatch<Memory, at_once, width>;
  using WithPerVariableN = PerVariableBatch<Memory, at_once, width>;
  using Wide = WideBatch<Memory, at_once, width>;

  template <class AnyBatch>
  void count_batch(AnyBatch const& batch) const {
    std::uint64_t const chunks = (batch.count + width - 1) / width;
    if constexpr (backend::is_cpu<Exec>) {
      using Kernel = CountOnCpu<Memory, at_once, width, AnyBatch>;
      std::uint64_t const units = (chunks + Kernel::chunks_at_once - 1) / Kernel::chunks_at_once;
      for_each_dynamic(context_.named("count"), units, Kernel{batch});
    } else {
      using Kernel = CountOnGpu<Memory, at_once, width, AnyBatch>;
      constexpr std::uint64_t warps = Kernel::threads / backend::width;
      launch_teams(context_.named("count"), (chunks + warps - 1) / warps, Kernel{batch});
    }
  }

  template <class AnyBatch>
  void store_test_statistics(AnyBatch const& batch, Matrix<Memory> const& test_statistics) const {
    context_.named("test_statistics")
        .for_each(batch.blocks.count() * batch.count,
                  StoreTestStatistics<Memory, at_once, width, AnyBatch>{batch, test_statistics});
  }

  auto allocate(char const* name) const {
    return Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                              context_.label() + name);
  }

  void reserve(char const* name, std::uint64_t count, Array<Memory>& array) const {
    if (array.extent(0) < count) array = Array<Memory>(allocate(name), count);
  }

  static Array<Memory> part_of(Array<Memory> const& array, std::uint64_t first,
                               std::uint64_t count) {
    return Kokkos::subview(array, std::make_pair(first, first + count));
  }

  /// Returns the index in maxima_ at which the maxima of a batch start.
  std::uint64_t place_of(std::uint64_t first, std::uint64_t count) {
    if (keeps_maxima_) return first;
    reserve("::maxima", count, maxima_);
    return 0;
  }

  /// Stores the maxima of the first maxima.size() replicates, and adds their single-step counts.
  void add_maxima(std::vector<double> const& maxima) {
    for (std::uint64_t first = 0; first < maxima.size(); first += max_batch) {
      std::uint64_t const count = std::min<std::uint64_t>(max_batch, maxima.size() - first);
      std::uint64_t const place = place_of(first, count);
      copy_to_kernels(context_, maxima.data() + first, part_of(maxima_, place, count));
      count_single_step(first, count);
    }
  }

  /// Returns the number of elements in arrays of counts. It exceeds the number of variables, because the last tile may
  /// extend beyond them.
  std::uint64_t places() const { return variables() + backend::width; }

  std::uint64_t batch_of_columns(std::uint64_t asked) const {
    return batch_size(asked, sizeof(double) * n_ * static_cast<std::uint64_t>(columns_),
                      products_of_second<Exec>);
  }

  std::uint64_t batch_size(std::uint64_t asked, std::uint64_t bytes_of_replicate,
                           std::uint64_t most_products) const {
    constexpr std::uint64_t unit = width * 16;
    std::uint64_t const products = variables() * n_ * static_cast<std::uint64_t>(columns_);
    std::uint64_t const fit =
        max_batch_bytes<Exec> / std::max<std::uint64_t>(bytes_of_replicate, 1);
    std::uint64_t const in_time = most_products / std::max<std::uint64_t>(products, 1);
    std::uint64_t const wanted = asked > 0 ? asked : std::min(fit, in_time);
    return std::clamp<std::uint64_t>(wanted / unit * unit, unit, max_batch);
  }

  /// Sorts the variables from the least to the most extreme one. Untested variables come first.
  void sort_variables() {
    auto keys = test_statistics_;
    if (untested() > 0) {
      keys = Array<Memory>(allocate("::keys"), variables());
      context_.named("keys").for_each(variables(),
                                      WriteSortKeys<Memory>{whole_.facts, test_statistics_, keys});
    }
    device_order_ = Kokkos::View<std::uint64_t*, Memory>(allocate("::order"), variables());
    argsort(context_.named("order"), keys, device_order_);
  }

  void make_counters(ColumnModel const& model) {
    if (untested() < variables() && !is_wide_ && FastCounter<Exec>::can_count(model)) {
      fast_.emplace(context_, whole_, terms_, device_order_, untested(), model, comparison_);
      return;
    }
    blocks_ = fill_blocks<at_once>(context_, whole_, terms_, device_order_);
  }

  /// Returns a function that draws a batch to a given ReplicateSink of the fast counter.
  auto drawing_of(DrawnBatch<Memory> const& batch) {
    return [this, batch](auto const& to) {
      drawing_.draw(batch.rounded_up_to(FastCounter<Exec>::width), to);
    };
  }

  Counts<Memory> zeros(char const* name, std::uint64_t count) const {
    Counts<Memory> const counts(allocate(name), count);
    context_.named("fill").for_each(count, FillZero<Counts<Memory>>{counts});
    return counts;
  }

  /// Sets by_variable(order(place)) = by_place(place).
  void to_variables(Counts<Memory> const& by_place, Counts<Memory> const& by_variable) const {
    scatter_rows(context_.named("by_variable"), by_place, device_order_, by_variable);
  }

  /// Sets by_place(place) = by_variable(order(place)).
  void to_places(Counts<Memory> const& by_variable, Counts<Memory> const& by_place) const {
    gather_rows(context_.named("by_place"), variables(),
                StoredIndices<Kokkos::View<std::uint64_t*, Memory>>{device_order_}, by_variable,
                by_place);
  }

  void make_wide(char const* function, TestData<Exec> const& data, ColumnModel const& model,
                 Alternative alternative) {
    wide_model_ = make_wide_model(model, alternative);
    whole_ = read_values(function, context_, data, model);
    wide_ = Kokkos::View<WideTerms*, Memory>(allocate("::wide"), data.variables);
    context_.named("wide").for_each(
        data.variables, ConvertToWide<Memory>{whole_.values, whole_.facts, wide_, wide_model_});
  }

  void observe(WholeData<Memory> const& whole,
               Kokkos::View<VariableTerms*, Memory> const& terms) const {
    if (is_wide_) {
      context_.named("observe").for_each(
          whole.values.extent(0),
          ObserveWide<Memory>{whole, design_, wide_model_, wide_, terms, values_});
      return;
    }
    if (has_per_variable_n(comparison_.form)) {
      context_.named("observe").for_each(
          whole.values.extent(0), ObservePerVariable<Memory>{whole, design_, own_, terms, values_});
      return;
    }
    Comparison with_signs = comparison_;
    with_signs.alternative = Alternative::greater;
    context_.named("observe").for_each(
        whole.values.extent(0),
        ObserveVariable<Memory>{whole, design_, with_signs, terms, values_});
  }

  /// Computes the observed values with a separate model, for models whose identity permutation does not give them.
  void observe_by_model(char const* function, TestData<Exec> const& data,
                        ColumnModel const& model) const {
    auto const whole =
        convert_to_whole(function, context_, data, model, upload_basis(context_, model));
    Kokkos::View<VariableTerms*, Memory> const terms(allocate("::terms"), data.variables);
    observe(whole, terms);
  }

  void set_thresholds(double side) {
    test_statistics_ = Array<Memory>(allocate("::test_statistics"), terms_.extent(0));
    auto const& named = context_.named("thresholds");
    if (has_per_variable_n(comparison_.form)) {
      named.for_each(terms_.extent(0), SetPerVariableThreshold<Memory>{
                                           whole_.facts, terms_, values_, test_statistics_, own_});
    } else {
      named.for_each(terms_.extent(0), SetThreshold<Memory>{whole_.facts, terms_, values_,
                                                            test_statistics_, comparison_, side});
    }
  }

  Context<Exec> context_;
  bool is_wide_;
  WideModel wide_model_;
  Kokkos::View<WideTerms*, Memory> wide_;
  Kokkos::View<std::uint64_t*, Memory> device_order_;
  WholeData<Memory> whole_;
  Kokkos::View<VariableTerms*, Memory> terms_;
  Comparison comparison_;
  PerVariableComparison own_;
  Array<Memory> design_;
  ColumnDrawer<Exec> drawing_;
  int columns_;
  std::uint64_t n_;
  bool keeps_maxima_;
  FactCounts counted_facts_;
  Array<Memory> values_;
  Array<Memory> test_statistics_;
  Blocks<Memory, at_once> blocks_;
  Counts<Memory> raw_;
  Counts<Memory> step_down_;
  Counts<Memory> single_step_;  // by variable
  Array<Memory> maxima_;
  Array<Memory> sorted_;
  std::optional<FastCounter<Exec>> fast_;
};

}  // namespace riffle::detail::variables
