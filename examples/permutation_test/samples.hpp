#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "csv_table.hpp"
#include "options.hpp"

namespace example {

/// One group of rows, or one column.
struct Sample {
  std::string name;
  std::vector<double> values;

  double mean() const;
};

/// What a test compares: two samples or more; for correlations, two of partners row by row.
struct Samples : std::vector<Sample> {
  using std::vector<Sample>::vector;

  std::size_t rows_with_missing = 0;  // that were left out, in part or whole
  /// How many values were missing in the columns of --value and --group, or --x and --y.
  std::array<std::size_t, 2> missing{};
};

/// Takes from the table what the options name, and checks that a test can be made of it: numbers
/// that are finite, enough groups for the statistic and not too many, enough values in each, and
/// not all of them the same. Throws InputError.
///
/// With `skip_missing`, missing values are no error: of pairs both partners are left out, of groups the value (and what has
/// no group), and of two columns that are no pairs the one value alone.
Samples choose_samples(CsvTable const& table, Options const& options);

}  // namespace example
