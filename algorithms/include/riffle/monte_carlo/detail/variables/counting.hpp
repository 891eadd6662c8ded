#pragma once

// Permutation tests of many variables under way: the data as replicates meet them, and the counts so far.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/kernel/fill_zero.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/exchanges/plan.hpp>
#include <riffle/monte_carlo/detail/variables/adjust.hpp>
#include <riffle/monte_carlo/detail/variables/blocks.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/count.hpp>
#include <riffle/monte_carlo/detail/variables/observed.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_columns.hpp>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::variables {

template <class View>
auto to_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

template <class T, class View>
std::vector<T> to_std_vector(View const& view) {
  auto const host = to_host(view);
  std::vector<T> values(host.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(host(i));
  return values;
}

/// A host array of doubles in the memory of kernels. Fences.
template <class Exec>
Array<typename Exec::memory_space> upload(Context<Exec> const& context,
                                          std::vector<double> const& values) {
  using Unmanaged = Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Array<typename Exec::memory_space> const to(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::design"),
      values.size());
  Kokkos::deep_copy(context.exec(), to, Unmanaged(values.data(), values.size()));
  context.exec().fence(context.label() + "::design");
  return to;
}

template <class Exec>
Matrix<typename Exec::memory_space> upload_basis(Context<Exec> const& context,
                                                 ColumnModel const& model) {
  using Memory = typename Exec::memory_space;
  auto const columns = static_cast<std::uint64_t>(model.basis_columns);
  using Unmanaged =
      Kokkos::View<double const**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Matrix<Memory> const basis(context.label() + "::basis", columns == 0 ? 0 : model.n, columns);
  if (columns > 0) {
    Kokkos::deep_copy(basis, Unmanaged(model.residual_basis.data(), model.n, columns));
  }
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
  std::copy(model.scales.begin(), model.scales.end(), comparison.scales.data());
  return comparison;
}

template <class Exec>
class Counting {
 public:
  using Memory = typename Exec::memory_space;
  static constexpr int at_once = variables_at_once<Exec>;
  static constexpr int width = replicates_at_once<Exec>;

  /// `replicates` are all, of which maxima are kept. Fences.
  template <class Data>
  Counting(char const* function, Context<Exec> const& context, Data const& data,
           ColumnModel const& model, Alternative alternative, std::uint64_t replicates)
      : context_(context),
        comparison_(comparison_of(model, alternative)),
        design_(upload(context, model.columns)),
        columns_(model.width()) {
    auto const whole = make_whole(function, context_, data, model, upload_basis(context, model));
    Kokkos::View<VariableTerms*, Memory> const terms(allocate("::terms"), data.extent(0));
    values_ = Array<Memory>(allocate("::observed"), data.extent(0));
    observe(whole, terms);
    if (!model.identity_is_observed) observe_alone(function, data, model.of_observed());
    set_thresholds(whole, terms);
    Kokkos::View<std::uint64_t*, Memory> const order(allocate("::order"), data.extent(0));
    argsort(context_.named("order"), comparands_, order);
    blocks_ = fill_blocks<at_once>(context_, whole, terms, order);
    order_ = to_std_vector<std::uint64_t>(order);
    facts_ = to_host(whole.facts);
    thresholds_ = thresholds_of(terms);
    raw_ = zeros("::raw", blocks_.terms.extent(0));
    step_down_ = zeros("::step_down", blocks_.terms.extent(0));
    maxima_ = Array<Memory>(allocate("::maxima"), replicates);
  }

  std::uint64_t variables() const { return order_.size(); }

  /// Counts replicates first, ..., first + count - 1, with `plan`'s exchanges.
  void count(ExchangePlan<Memory> const& plan, Numbering const& numbering, std::uint64_t first,
             std::uint64_t count) {
    ReplicateColumns<Memory, width> const drawn = draw(plan, numbering, first, count);
    CountedBatch<Memory, at_once, width> const batch{blocks_,    drawn,   comparison_, raw_,
                                                     step_down_, maxima_, first,       count};
    std::uint64_t const chunks = (count + width - 1) / width;
    if constexpr (lanes::is_cpu<Exec>) {
      using Kernel = CountOnCpu<Memory, at_once, width>;
      std::uint64_t const units = (chunks + Kernel::chunks_at_once - 1) / Kernel::chunks_at_once;
      for_each_dynamic(context_.named("count"), units, Kernel{batch});
    } else {
      using Kernel = CountOnGpu<Memory, at_once, width>;
      constexpr std::uint64_t warps = Kernel::threads / lanes::width;
      launch_teams(context_.named("count"), (chunks + warps - 1) / warps, Kernel{batch});
    }
  }

  /// How many replicates a batch has, unless it is asked for: as many as fit in a part of memory.
  std::uint64_t batch_size(std::uint64_t asked) const {
    constexpr std::uint64_t unit = width * 16;
    constexpr std::uint64_t bytes = std::uint64_t{1} << (lanes::is_cpu<Exec> ? 24 : 28);
    std::uint64_t const each = sizeof(double) * blocks_.n * static_cast<std::uint64_t>(columns_);
    std::uint64_t const wanted = asked > 0 ? asked : bytes / std::max<std::uint64_t>(each, 1);
    return std::clamp<std::uint64_t>(wanted / unit * unit, unit, std::uint64_t{1} << 20);
  }

  // Read by results; places are in the order from the least to the most extreme variable.
  std::vector<std::uint64_t> const& order() const { return order_; }
  std::vector<double> observed() const { return to_std_vector<double>(values_); }
  std::vector<double> const& thresholds() const { return thresholds_; }
  std::vector<std::uint64_t> raw() const { return to_std_vector<std::uint64_t>(raw_); }
  std::vector<std::uint64_t> step_down() const { return to_std_vector<std::uint64_t>(step_down_); }
  std::vector<double> maxima() const { return to_std_vector<double>(maxima_); }
  /// The counts by variable.
  template <class PermutationCounts>
  PermutationCounts counts(std::uint64_t done) const {
    PermutationCounts counts;
    counts.done = done;
    counts.maxima = maxima();
    counts.maxima.resize(done);
    counts.extreme = by_variable(raw());
    counts.step_down = by_variable(step_down());
    return counts;
  }

  /// Begins with earlier counts.
  template <class PermutationCounts>
  void add(PermutationCounts const& counts) {
    begin_with(counts.extreme, raw_);
    begin_with(counts.step_down, step_down_);
    auto const earlier = Kokkos::subview(
        maxima_, std::make_pair<std::uint64_t, std::uint64_t>(0, std::uint64_t{counts.done}));
    using Unmanaged = Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(earlier, Unmanaged(counts.maxima.data(), counts.done));
  }

  VariableFacts const& facts(std::uint64_t g) const { return facts_(g); }

 private:
  auto allocate(char const* name) const {
    return Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                              context_.label() + name);
  }

  Counts<Memory> zeros(char const* name, std::uint64_t count) const {
    Counts<Memory> const counts(allocate(name), count);
    context_.named("fill").for_each(count, FillZero<Counts<Memory>>{counts});
    return counts;
  }

  std::vector<std::uint64_t> by_variable(std::vector<std::uint64_t> const& by_place) const {
    std::vector<std::uint64_t> counts(order_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) {
      counts[order_[place]] = by_place[place];
    }
    return counts;
  }

  void begin_with(std::vector<std::uint64_t> const& by_variable, Counts<Memory> const& counts) {
    auto const host = Kokkos::create_mirror_view(counts);
    Kokkos::deep_copy(host, 0);
    for (std::size_t place = 0; place < order_.size(); ++place) {
      host(place) = by_variable[order_[place]];
    }
    Kokkos::deep_copy(counts, host);
  }

  void observe(WholeData<Memory> const& whole,
               Kokkos::View<VariableTerms*, Memory> const& terms) const {
    Comparison with_signs = comparison_;
    with_signs.alternative = Alternative::greater;
    context_.named("observe").for_each(
        whole.values.extent(0),
        ObserveVariable<Memory>{whole, design_, with_signs, terms, values_});
  }

  /// The observed values by a model of their own.
  template <class Data>
  void observe_alone(char const* function, Data const& data, ColumnModel const& model) const {
    auto const whole = make_whole(function, context_, data, model, upload_basis(context_, model));
    Kokkos::View<VariableTerms*, Memory> const terms(allocate("::terms"), data.extent(0));
    observe(whole, terms);
  }

  void set_thresholds(WholeData<Memory> const& whole,
                      Kokkos::View<VariableTerms*, Memory> const& terms) {
    comparands_ = Array<Memory>(allocate("::comparands"), terms.extent(0));
    context_.named("thresholds")
        .for_each(terms.extent(0),
                  SetThreshold<Memory>{whole.facts, terms, values_, comparands_, comparison_});
  }

  static std::vector<double> thresholds_of(Kokkos::View<VariableTerms*, Memory> const& terms) {
    auto const host = to_host(terms);
    std::vector<double> thresholds(host.extent(0));
    for (std::size_t g = 0; g < thresholds.size(); ++g) thresholds[g] = host(g).threshold;
    return thresholds;
  }

  ReplicateColumns<Memory, width> draw(ExchangePlan<Memory> const& plan, Numbering const& numbering,
                                       std::uint64_t first, std::uint64_t count) {
    std::uint64_t const drawn = (count + width - 1) / width * width;
    std::uint64_t const entries = drawn * blocks_.n * static_cast<std::uint64_t>(columns_);
    if (entries_.extent(0) < entries) {
      using Draw = DrawColumns<Memory, width>;
      entries_ = Array<Memory>(allocate("::columns"), entries);
      rows_ = typename Draw::Indices(allocate("::permutations"), drawn, blocks_.n);
      scratch_ = typename Draw::Indices(allocate("::scratch"), drawn, plan.scratch_size());
    }
    ReplicateColumns<Memory, width> const to{entries_, blocks_.n, columns_};
    context_.named("draw").for_each(
        drawn, DrawColumns<Memory, width>{plan, design_, to, rows_, scratch_, numbering, first});
    return to;
  }

  Context<Exec> context_;
  Comparison comparison_;
  Array<Memory> design_;
  int columns_;
  Array<Memory> values_;
  Array<Memory> comparands_;
  Blocks<Memory, at_once> blocks_;
  std::vector<std::uint64_t> order_;
  decltype(to_host(std::declval<Kokkos::View<VariableFacts*, Memory>>())) facts_;
  std::vector<double> thresholds_;
  Counts<Memory> raw_;
  Counts<Memory> step_down_;
  Array<Memory> maxima_;
  Array<Memory> entries_;
  typename DrawColumns<Memory, width>::Indices rows_;
  typename DrawColumns<Memory, width>::Indices scratch_;
};

}  // namespace riffle::detail::variables
