#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "csv_table.hpp"
#include "options.hpp"

namespace example {

/// The values of one group or one column.
struct Sample {
  std::string name;
  std::vector<double> values;

  double mean() const;
};

/// The input of a test: two or more samples; for correlations and pairs, two samples matched row by row.
struct Samples : std::vector<Sample> {
  using std::vector<Sample>::vector;

  std::size_t rows_with_missing = 0;  // rows with at least one missing value that was left out
  /// Number of missing values in the columns of --value and --group, or of --x and --y.
  std::array<std::size_t, 2> missing{};
};

/// Takes the samples named by the options from the table, and checks them: values must be finite numbers, the number of groups
/// and of values in each group must suit the statistic, and the values must not all be equal. Throws InputError.
///
/// With `skip_missing`, missing values are left out: for pairs the whole row, for groups the value (also if its group is
/// missing), and for two unpaired columns only the value itself.
Samples choose_samples(CsvTable const& table, Options const& options);

}  // namespace example
