#pragma once

// Converts the data, and computes the test statistics of replicates, if missing values are left out. Sample sizes then
// differ between variables. Replicates are counted as in count_batch.hpp, but their test statistics are computed from
// more sums.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>

namespace riffle::detail::variables {

// --- data ---
//
// Converts the values that are not missing to whole numbers.

/// A sum that is stored in two doubles. The compiler cannot contract any of its operations.
class DoubledSum {
 public:
  /// Adds the product a b.
  KOKKOS_FUNCTION void add_product(double a, double b) {
    double const product = separate_product(a, b);
    add(product);
    add(Kokkos::fma(a, b, -product));
  }

  KOKKOS_FUNCTION double high() const { return as_rounded(high_ + low_); }
  KOKKOS_FUNCTION double low() const { return low_ - as_rounded(high() - high_); }

 private:
  KOKKOS_FUNCTION void add(double x) {
    double const sum = as_rounded(high_ + x);
    double const of_x = as_rounded(sum - high_);
    double const of_high = as_rounded(sum - of_x);
    low_ += as_rounded(high_ - of_high) + as_rounded(x - of_x);
    high_ = sum;
  }

  double high_ = 0;
  double low_ = 0;
};

struct PerVariableConversion {
  double column_length;
  bool is_welch;
  bool is_about_0;
  /// Whether masks contain, instead of 0 and 1, the index of the next missing value (PerVariableBatch).
  bool links;
  /// An upper bound for the difference between test statistics that tie in exact arithmetic. It does not include the
  /// rounding errors of the values.
  double tie;
  double fewest;
};

/// Converts a variable. A missing value becomes 0 and gets mask 0.
template <class Memory>
struct ConvertPerVariable {
  Matrix<Memory> values;
  Matrix<Memory> masks;
  Kokkos::View<VariableFacts*, Memory> facts;
  PerVariableConversion conversion;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    std::uint64_t const n = values.extent(1);
    std::uint64_t const own = gather(g, n);
    VariableFacts found;
    found.n = static_cast<double>(own);
    found.is_missing = found.n < conversion.fewest;
    if (found.is_missing) {
      for (std::uint64_t i = 0; i < n; ++i) values(g, i) = 0;
    } else {
      WholeValues whole(Row<Memory>{values, g}, own);
      whole.convert({!conversion.is_about_0, true, false, conversion.column_length});
      describe(g, own, found);
      found.is_tested = found.squares > 0 && !(whole.is_constant() && !conversion.is_about_0);
      found.tie = conversion.tie + (whole.is_exact() || !found.is_tested ? 0 : rounding_of(found));
      scatter(g, n, own);
    }
    if (conversion.links) link(g, n);
    facts(g) = found;
  }

 private:
  /// Moves the values that are not missing to the front, and returns their number.
  KOKKOS_FUNCTION std::uint64_t gather(std::uint64_t g, std::uint64_t n) const {
    std::uint64_t own = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const y = values(g, i);
      masks(g, i) = detail::is_nan(y) ? 0 : 1;
      if (!detail::is_nan(y)) values(g, own++) = y;
    }
    return own;
  }

  KOKKOS_FUNCTION void scatter(std::uint64_t g, std::uint64_t n, std::uint64_t own) const {
    for (std::uint64_t i = n; i-- > 0;) values(g, i) = masks(g, i) > 0 ? values(g, --own) : 0;
  }

  /// Subtracts the rounded mean from the values, so that their remaining mean is small. Writes the properties of the
  /// variable to `found`.
  KOKKOS_FUNCTION void describe(std::uint64_t g, std::uint64_t own, VariableFacts& found) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < own; ++i) sum += values(g, i);
    if (!conversion.is_about_0) {
      double const mean = Kokkos::floor(sum / found.n + 0.5);
      sum = 0;
      for (std::uint64_t i = 0; i < own; ++i) sum += values(g, i) -= mean;
    }
    DoubledSum squares;
    double const times = conversion.is_about_0 || conversion.is_welch ? 1 : found.n;
    for (std::uint64_t i = 0; i < own; ++i) squares.add_product(times * values(g, i), values(g, i));
    if (!conversion.is_about_0 && !conversion.is_welch) squares.add_product(-sum, sum);
    found.base = conversion.is_about_0 ? 0 : sum;
    found.squares = squares.high();
    found.squares_low = squares.low();
  }

  /// Returns the rounding error of a variable whose values are rounded to whole numbers, relative to its length.
  KOKKOS_FUNCTION double rounding_of(VariableFacts const& found) const {
    double const times = conversion.is_about_0 || conversion.is_welch ? 1 : found.n;
    return 2 / Kokkos::sqrt(found.squares / times);
  }

  KOKKOS_FUNCTION void link(std::uint64_t g, std::uint64_t n) const {
    auto next = static_cast<double>(n);
    for (std::uint64_t i = n; i-- > 0;) {
      if (!(masks(g, i) > 0)) next = static_cast<double>(i);
      masks(g, i) = next;
    }
  }
};

template <class Data>
struct CountMissing {
  Data values;

  KOKKOS_FUNCTION void operator()(std::uint64_t at, std::uint64_t& count) const {
    std::uint64_t const n = values.extent(1);
    count += detail::is_nan(static_cast<double>(values(at / n, at % n))) ? 1 : 0;
  }
};

template <class Exec>
auto convert_per_variable(char const* function, Context<Exec> const& context,
                          TestData<Exec> const& data, ColumnModel const& own, bool links) {
  using Memory = typename Exec::memory_space;
  auto whole = read_values(function, context, data, own);
  whole.masks = Matrix<Memory>(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::masks"),
      data.variables, data.observations);
  auto const room = value_range(own);
  double tie = room.is_exact ? 0 : 0x1p-40;
  if (!own.is_exact) tie += 2.0 / (1 << real_column_bits);
  PerVariableConversion const conversion{room.length,
                                         own.form == Form::per_variable_welch,
                                         own.treatment == Treatment::as_they_are,
                                         links,
                                         tie,
                                         static_cast<double>(fewest_values(own))};
  context.named("whole").for_each(
      data.variables,
      ConvertPerVariable<Memory>{whole.values, whole.masks, whole.facts, conversion});
  return whole;
}

// --- replicates ---

/// A batch with per-variable sample sizes. If the column is ranked again for each variable, the mask of observation i
/// is the index of the first missing value at or after i, or n if there is none.
template <class Memory, int V, int Width>
struct PerVariableBatch : CountedBatch<Memory, V, Width> {
  static constexpr bool has_per_variable_n = true;
  PerVariableComparison own;
};

/// Computes the sums of m x^2 for R replicates x.
template <int Stride, int Step, int V, int R>
KOKKOS_INLINE_FUNCTION void multiply_column_squares(double const* m, double const* x,
                                                    std::uint64_t n, Tile<V, R>& tile) {
  tile.clear();
  for (std::uint64_t i = 0; i < n; ++i, m += V, x += Stride) {
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) tile.sums[v][r] += m[v] * (x[r * Step] * x[r * Step]);
    }
  }
}

/// Computes the sums for Spearman's correlation of one variable and R replicates. y[i V] is the value of observation i,
/// and next[i V] the index of the first missing value at or after i. x contains twice the centred ranks among all
/// observations, that is, for each value the number of smaller values minus the number of greater values. To rank only
/// the observations of the variable, the contributions of missing observations are subtracted.
template <int V, int Stride, int Step, int R>
KOKKOS_INLINE_FUNCTION void multiply_per_variable_ranks(double const* y, double const* next,
                                                        double const* x, std::uint64_t n,
                                                        double (&sums)[R], double (&squares)[R]) {
  auto const missing_from = [=](std::uint64_t i) {
    return i < n ? static_cast<std::uint64_t>(next[i * V]) : n;
  };
  for (int r = 0; r < R; ++r) sums[r] = squares[r] = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (missing_from(i) == i) continue;
    double own[R];
    double rank[R];
    for (int r = 0; r < R; ++r) own[r] = rank[r] = x[i * Stride + r * Step];
    for (auto j = missing_from(0); j < n; j = missing_from(j + 1)) {
      for (int r = 0; r < R; ++r) {
        double const difference = own[r] - x[j * Stride + r * Step];
        double const below = difference < 1 ? difference : 1.0;
        rank[r] -= below > -1 ? below : -1.0;  // the sign of `difference`, a whole number
      }
    }
    for (int r = 0; r < R; ++r) {
      sums[r] += y[i * V] * rank[r];
      squares[r] += rank[r] * rank[r];
    }
  }
}

template <class Batch, int V, int R, int Stride, int Step>
KOKKOS_INLINE_FUNCTION void find_per_variable_ranks(Batch const& batch, std::uint64_t block,
                                                    std::uint64_t chunk, int lane,
                                                    Tile<V, R>& tile) {
  double const* const y = batch.blocks.of_block(block);
  double const* const next = batch.blocks.masks_of_block(block);
  double const* const x = batch.columns.chunk(chunk, 0) + lane;
  for (int v = 0; v < V; ++v) {
    VariableTerms const& terms = batch.blocks.terms(block * V + static_cast<std::uint64_t>(v));
    for (int r = 0; r < R; ++r) tile.sums[v][r] = -HUGE_VAL;
    if (terms.shift != 0) continue;  // untested, or padding, for which `next` is not set
    double squares[R];
    multiply_per_variable_ranks<V, Stride, Step>(y + v, next + v, x, batch.blocks.n, tile.sums[v],
                                                 squares);
    for (int r = 0; r < R; ++r) {
      double const statistic = batch.own.of_column(tile.sums[v][r], 0, squares[r], terms);
      tile.sums[v][r] = batch.own.sided(statistic, terms);
    }
  }
}

template <class Batch, int V, int R, int Stride, int Step>
KOKKOS_INLINE_FUNCTION void find_per_variable_shares(Batch const& batch, std::uint64_t block,
                                                     std::uint64_t chunk, int lane,
                                                     Tile<V, R>& tile) {
  VariableTerms const* const terms = &batch.blocks.terms(block * V);
  PerVariableShare found[V][R];
  Tile<V, R> counts;
  for (int k = 0; k < batch.own.groups; ++k) {
    double const* const x = batch.columns.chunk(chunk, k) + lane;
    tile.template multiply<Stride, Step>(batch.blocks.of_block(block), x, batch.blocks.n);
    counts.template multiply<Stride, Step>(batch.blocks.masks_of_block(block), x, batch.blocks.n);
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) {
        PerVariableComparison::add(tile.sums[v][r], counts.sums[v][r], found[v][r]);
      }
    }
  }
  for (int v = 0; v < V; ++v) {
    for (int r = 0; r < R; ++r) {
      tile.sums[v][r] = batch.own.sided(batch.own.of_share(found[v][r], terms[v]), terms[v]);
    }
  }
}

/// Writes the test statistics of a tile to tile.sums.
template <class Batch, int V, int R, int Stride, int Step>
requires(Batch::has_per_variable_n)
    KOKKOS_INLINE_FUNCTION void find_test_statistics(Batch const& batch, std::uint64_t block,
                                                     std::uint64_t chunk, int lane,
                                                     Tile<V, R>& tile) {
  auto const& own = batch.own;
  if (own.form == Form::per_variable_share) {
    find_per_variable_shares<Batch, V, R, Stride, Step>(batch, block, chunk, lane, tile);
    return;
  }
  if (own.ranks_column) {
    find_per_variable_ranks<Batch, V, R, Stride, Step>(batch, block, chunk, lane, tile);
    return;
  }
  std::uint64_t const n = batch.blocks.n;
  double const* const y = batch.blocks.of_block(block);
  double const* const m = batch.blocks.masks_of_block(block);
  double const* const x = batch.columns.chunk(chunk, 0) + lane;
  VariableTerms const* const terms = &batch.blocks.terms(block * V);
  Tile<V, R> counts;
  Tile<V, R> squares;
  tile.template multiply<Stride, Step>(y, x, n);
  counts.template multiply<Stride, Step>(m, x, n);
  if (own.form == Form::per_variable_welch) {
    squares.template multiply_squares<Stride, Step>(y, x, n);
  } else if (!own.is_binary && !own.is_about_0) {
    multiply_column_squares<Stride, Step>(m, x, n, squares);
  }
  for (int v = 0; v < V; ++v) {
    for (int r = 0; r < R; ++r) {
      double const sum = tile.sums[v][r];
      double const count = counts.sums[v][r];
      double const statistic =
          own.form == Form::per_variable_welch
              ? own.welch(sum, squares.sums[v][r], count, terms[v])
              : own.of_column(sum, count, own.is_binary ? count : squares.sums[v][r], terms[v]);
      tile.sums[v][r] = own.sided(statistic, terms[v]);
    }
  }
}

/// Writes the terms, the test statistic and the statistic of a variable, which are computed as for a replicate with the
/// identity permutation. If the observed statistic is undefined, the status of the variable is "missing values".
template <class Memory>
struct ObservePerVariable {
  WholeData<Memory> whole;
  Array<Memory> design;
  PerVariableComparison own;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    VariableFacts& facts = whole.facts(g);
    VariableTerms found;
    found.n = facts.n;
    found.base = facts.base;
    found.squares = facts.squares;
    found.squares_low = facts.squares_low;
    if (facts.is_tested) {
      found.factor =
          own.is_u ? Kokkos::sqrt(3 / (facts.n + 1)) / facts.n : 1 / Kokkos::sqrt(facts.squares);
      found.shift = 0;
    }
    double const statistic = facts.is_missing ? 0 : statistic_of(g, found);
    if (detail::is_nan(statistic)) facts.is_missing = true;
    if (facts.is_missing) facts.is_tested = false;
    if (!facts.is_tested) found.shift = -HUGE_VAL;
    facts.statistic = own.is_u ? u(g, statistic) : statistic;
    terms(g) = found;
    values(g) = facts.is_tested ? statistic : 0;
  }

 private:
  KOKKOS_FUNCTION double statistic_of(std::uint64_t g, VariableTerms const& found) const {
    std::uint64_t const n = whole.values.extent(1);
    if (own.form == Form::per_variable_share) {
      PerVariableShare share;
      for (int k = 0; k < own.groups; ++k)
        PerVariableComparison::add(sum(g, k), count(g, k), share);
      return own.of_share(share, found);
    }
    if (own.ranks_column) {
      double sums[1];
      double ranks[1];
      multiply_per_variable_ranks<1, 1, 1>(&whole.values(g, 0), &whole.masks(g, 0), design.data(),
                                           n, sums, ranks);
      return own.of_column(sums[0], 0, ranks[0], found);
    }
    if (own.form == Form::per_variable_welch)
      return own.welch(sum(g, 0), column_sum_of_squares(whole.values, g, design), count(g, 0),
                       found);
    double column_squares = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      column_squares += whole.masks(g, i) * (design(i) * design(i));
    }
    return own.of_column(sum(g, 0), count(g, 0), column_squares, found);
  }

  /// Computes U from the standardized U. The result is rounded to a multiple of one half, as every U is.
  KOKKOS_FUNCTION double u(std::uint64_t g, double statistic) const {
    double const n = whole.facts(g).n;
    double const pairs = count(g, 0) * (n - count(g, 0));
    double const about_mean = statistic * Kokkos::sqrt(pairs * (n + 1) / 12);
    return Kokkos::floor(2 * about_mean + pairs + 0.5) / 2;
  }

  KOKKOS_FUNCTION double sum(std::uint64_t g, int k) const {
    return column_sum(whole.values, g, design, k);
  }
  KOKKOS_FUNCTION double count(std::uint64_t g, int k) const {
    return column_sum(whole.masks, g, design, k);
  }
};

/// Sets the threshold: a test statistic >= threshold counts as at least as extreme as the observed one.
template <class Memory>
struct SetPerVariableThreshold {
  Kokkos::View<VariableFacts*, Memory> facts;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;
  Array<Memory> test_statistics;  // written
  PerVariableComparison own;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    auto& found = terms(g);
    test_statistics(g) = own.sided(values(g), found);
    if (!facts(g).is_tested) return;
    found.threshold = own.threshold(test_statistics(g), found.n, facts(g).tie);
  }
};

}  // namespace riffle::detail::variables
