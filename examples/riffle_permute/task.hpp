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

/// A term of a linear model: a factor, a covariate or an interaction of two others.
struct Term {
  std::string name;
  std::string first;  // of an interaction
  std::string second;
  std::vector<std::string> levels;  // of a factor, by observation
  std::string reference;            // empty: the first in sorted order
  std::vector<double> numbers;      // of a covariate, by observation
};

/// All that a test needs, checked: data and design with the same observations.
struct Task {
  DataMatrix data;
  std::vector<double> by;     // labels 0, 1, ..., or a covariate
  std::vector<Group> groups;  // in the order of their labels
  std::vector<Term> terms;
  std::vector<BlockLevel> blocks;  // the outermost first
  std::size_t pairs = 0;           // whose differences the data are; 0: they are none

  // What the reader of the report may not expect.
  std::size_t design_rows_left_over = 0;
  std::size_t observations_without_row = 0;  // of the design
  std::size_t observations_without_group = 0;
  std::size_t pairs_with_missing = 0;
  std::size_t observations_with_missing_design = 0;
  std::size_t observations_with_missing = 0;  // of others, in the data
  std::size_t variables_with_missing = 0;
};

/// Those that the files have and that are tested: two of each pair.
inline std::size_t observations_of(Task const& task) {
  return task.pairs > 0 ? 2 * task.pairs : task.data.observations.size();
}

/// Reads the files and puts them together. Throws InputError.
Task make_task(Settings const& settings);

}  // namespace example::permute
