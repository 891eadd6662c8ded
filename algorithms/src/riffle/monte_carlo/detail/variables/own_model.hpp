#pragma once

// The design where variables have numbers of observations of their own, as values are missing.
//
// With m_j = 1 where a variable has observation j, 0 elsewhere, and x the exchanged column, n the sum of m, the statistic is
// one of the sums of y x, m x and m x^2 (of Welch's t of y^2 x, too), and of n, the sum of y and that of y^2, which no
// exchange changes. All are of whole numbers, and exact.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/detail/column_model.hpp>

namespace riffle::detail::variables {

/// A column in whole numbers as small as they can be: no n times the covariate.
inline std::vector<double> own_column(ColumnModel const& model) {
  std::vector<double> column(model.columns.begin(),
                             model.columns.begin() + static_cast<std::ptrdiff_t>(model.n));
  if (!model.is_exact || model.reported != Reported::correlation) return column;
  auto const n = static_cast<double>(model.n);
  double const first = column[0];
  double sum = 0;
  for (double& x : column) sum += x = (x - first) / n;
  double const mean = std::nearbyint(sum / n);
  for (double& x : column) x -= mean;
  return column;
}

inline Form own_form(ColumnModel const& model) {
  if (model.form == Form::welch) return Form::own_welch;
  if (model.form == Form::share) return Form::own_share;
  return model.reported == Reported::t ? Form::own_t : Form::own_correlation;
}

/// The same tests of variables with observations of their own. Not of a linear model.
inline ColumnModel own_model(ColumnModel const& model) {
  ColumnModel own = model;
  own.form = own_form(model);
  own.common_squares = 0;
  if (own.form == Form::own_welch || own.form == Form::own_share || model.flips_signs) return own;
  own.columns.clear();
  own.scales.clear();
  if (model.reported == Reported::t || model.reported == Reported::mann_whitney_u) {
    own.add_column({model.types.begin(), model.types.end()}, 1);  // the labels
  } else if (model.treatment == Treatment::ranked) {
    own.add_column(centred_ranks({model.types.begin(), model.types.end()}), 1);
    own.is_exact = true;
  } else {
    own.add_column(own_column(model), 1);
  }
  return own;
}

/// The length for which values leave room in sums.
struct OwnRoom {
  double length = 1;
  /// Whether n times a sum, less the product of two others, is exact, too.
  bool is_exact = false;
};

inline OwnRoom own_room(ColumnModel const& own) {
  if (own.form == Form::own_welch) return {std::ldexp(1.0, exact_bits / 2), false};
  double const length = own.length();
  if (own.form == Form::own_share) return {length, false};
  double const all =
      own.treatment == Treatment::as_they_are ? length : length * static_cast<double>(own.n);
  bool const is_exact = own.is_exact && all <= std::ldexp(1.0, exact_bits / 2);
  return {is_exact ? all : length, is_exact};
}

/// The fewest values of a variable that has a statistic.
inline std::uint64_t fewest_values(ColumnModel const& own) {
  if (own.form == Form::own_share) return static_cast<std::uint64_t>(own.effects) + 1;
  if (own.form == Form::own_welch) return 4;
  return own.treatment == Treatment::as_they_are ? 2 : 3;
}

}  // namespace riffle::detail::variables
