#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "data_matrix.hpp"
#include "settings.hpp"

namespace example::permute {

struct Group {
  std::string name;
  std::size_t size = 0;
};

/// A term of a linear model: a factor, a covariate, or an interaction of two other terms.
struct Term {
  std::string name;
  std::string first;  // names of the two terms of an interaction
  std::string second;
  std::vector<std::string> levels;  // level of each observation, of a factor
  std::string reference;            // empty: the first level in sorted order
  std::vector<double> numbers;      // value of each observation, of a covariate
};

/// The checked input of a test: data and design with the same observations.
struct Task {
  DataMatrix data;
  std::vector<double> by;     // group labels 0, 1, ..., or a covariate
  std::vector<Group> groups;  // by label
  std::vector<Term> terms;
  std::vector<BlockLevel> blocks;  // the outermost level first
  std::size_t pairs = 0;  // number of pairs, if the data are differences of pairs; otherwise 0

  // Numbers of items that were left out, for the report.
  std::size_t design_rows_left_over = 0;
  std::size_t observations_without_row = 0;  // in the design
  std::size_t observations_without_group = 0;
  std::size_t pairs_with_missing = 0;
  std::size_t observations_with_missing_design = 0;
  std::size_t observations_with_missing = 0;  // in the data; pairs and the design are counted above
  std::size_t variables_with_missing = 0;
};

/// The number of tested observations in the files: two for each pair.
inline std::size_t observations_of(Task const& task) {
  return task.pairs > 0 ? 2 * task.pairs : task.data.observations.size();
}

/// Reads and combines the files. Throws InputError.
Task make_task(Settings const& settings);

}  // namespace example::permute
