#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "design_file.hpp"
#include "settings.hpp"

namespace example::permute {

/// The blocks of one column of the design, inside those of the columns before.
struct BlockLevel {
  std::string column;
  std::vector<std::string>
      names;  // of the blocks 1, 2, ..., in the order of those around them and of their names
  std::vector<int> block_of;  // their numbers, by observation

  std::size_t size() const { return names.size(); }
};

/// "line 3", "lines 3, 5 and 9": of observations in the design's file.
std::string lines_of(DesignFile const& design, std::vector<std::size_t> const& observations);

/// The blocks of settings.blocks. Throws InputError where pairs are none.
std::vector<BlockLevel> number_blocks(DesignFile const& design, Settings const& settings);

/// Throws InputError, with the blocks' names, where blocks that change places as wholes are not alike in size and in the
/// blocks inside of them.
void check_that_blocks_are_alike(DesignFile const& design, Settings const& settings,
                                 std::vector<BlockLevel> const& levels);

}  // namespace example::permute
