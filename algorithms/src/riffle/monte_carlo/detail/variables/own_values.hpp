#pragma once

// Brings data with missing values into whole numbers, of which each variable has some.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/own_model.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>

namespace riffle::detail::variables {

/// A sum in two doubles. Its operations leave a compiler nothing to contract.
class DoubledSum {
 public:
  /// Adds a b.
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

struct OwnConversion {
  double column_length;
  bool is_welch;
  bool is_about_0;
  /// At which place of the masks the next missing value is written, in place of 0 and 1 (OwnBatch).
  bool links;
  /// How far from each other comparands that tie on paper may be, but for what values are rounded.
  double tie;
  double fewest;
};

/// Missing values become 0, with masks of 0.
template <class Memory>
struct MakeOwnWhole {
  Matrix<Memory> values;
  Matrix<Memory> masks;
  Kokkos::View<VariableFacts*, Memory> facts;
  OwnConversion conversion;

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
  /// The values that are there, side by side.
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

  /// Numbers about their mean, so that what is taken off for it is small.
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

  /// Of values that are rounded to whole ones, over their length.
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

template <class Exec, class Data>
auto make_own_whole(char const* function, Context<Exec> const& context, Data const& data,
                    ColumnModel const& own, bool links) {
  using Memory = typename Exec::memory_space;
  auto whole = read_values(function, context, data, own);
  whole.masks = Matrix<Memory>(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::masks"),
      data.extent(0), data.extent(1));
  auto const room = own_room(own);
  double tie = room.is_exact ? 0 : 0x1p-40;
  if (!own.is_exact) tie += 2.0 / (1 << real_column_bits);
  OwnConversion const conversion{room.length,
                                 own.form == Form::own_welch,
                                 own.treatment == Treatment::as_they_are,
                                 links,
                                 tie,
                                 static_cast<double>(fewest_values(own))};
  context.named("whole").for_each(
      data.extent(0), MakeOwnWhole<Memory>{whole.values, whole.masks, whole.facts, conversion});
  return whole;
}

}  // namespace riffle::detail::variables
