#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "delimiter.hpp"

namespace example::permute {

/// A matrix of variables by observations; missing values are NaN.
struct DataMatrix {
  std::string file;
  Delimiter delimiter = Delimiter::comma;
  std::vector<std::string> variables;
  std::vector<std::string> observations;
  std::vector<double> values;  // row-major: all observations of variable 0, then of variable 1, ...

  double& at(std::size_t variable, std::size_t observation) {
    return values[variable * observations.size() + observation];
  }
  double at(std::size_t variable, std::size_t observation) const {
    return values[variable * observations.size() + observation];
  }

  /// The values of one variable.
  std::span<double const> of(std::size_t variable) const {
    return {values.data() + variable * observations.size(), observations.size()};
  }

  /// Keeps only these observations, in this order.
  void keep(std::vector<std::size_t> const& kept);
};

/// Reads a file or standard input. The header has the observations' names, and each further row has a variable's name and
/// its values; `observations_in_rows` means the transposed layout. Throws InputError with the line and the value.
DataMatrix read_data(std::string const& file, std::optional<Delimiter> delimiter,
                     bool observations_in_rows);

}  // namespace example::permute
