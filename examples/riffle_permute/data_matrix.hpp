#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "delimiter.hpp"

namespace example::permute {

/// Variables by observations, NaN where there is no value.
struct DataMatrix {
  std::string file;
  Delimiter delimiter = Delimiter::comma;
  std::vector<std::string> variables;
  std::vector<std::string> observations;
  std::vector<double> values;  // variable by variable

  double& at(std::size_t variable, std::size_t observation) {
    return values[variable * observations.size() + observation];
  }
  double at(std::size_t variable, std::size_t observation) const {
    return values[variable * observations.size() + observation];
  }

  /// The values of a variable.
  std::span<double const> of(std::size_t variable) const {
    return {values.data() + variable * observations.size(), observations.size()};
  }

  /// Keeps these observations, in this order.
  void keep(std::vector<std::size_t> const& kept);
};

/// Reads a file, or standard input: a header with the observations' names, then a row for each variable, its name first;
/// or the other way round. Throws InputError with the line and the value.
DataMatrix read_data(std::string const& file, std::optional<Delimiter> delimiter,
                     bool observations_in_rows);

}  // namespace example::permute
