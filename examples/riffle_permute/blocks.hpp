#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "design_file.hpp"
#include "settings.hpp"

namespace example::permute {

/// The blocks of one column of the design. Each block lies within one block of the previous column.
struct BlockLevel {
  std::string column;
  std::vector<std::string> names;  // of blocks 1, 2, ..., ordered by enclosing block, then by name
  std::vector<int> block_of;       // block number of each observation

  std::size_t size() const { return names.size(); }
};

/// The lines of these observations in the design file, as text: "line 3", "lines 3, 5 and 9".
std::string lines_of(DesignFile const& design, std::vector<std::size_t> const& observations);

/// Numbers the blocks of the columns in settings.blocks. Throws InputError if the blocks must be pairs and one is not.
std::vector<BlockLevel> number_blocks(DesignFile const& design, Settings const& settings);

/// Throws InputError, with the blocks' names, if blocks that are permuted as wholes differ in size or in the structure of the
/// blocks inside them.
void check_equal_structure(DesignFile const& design, Settings const& settings,
                           std::vector<BlockLevel> const& levels);

}  // namespace example::permute
