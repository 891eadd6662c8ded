#pragma once

#include <cstdint>
#include <vector>

namespace reorder {

/// A sparse matrix in compressed rows: row i has the entries row_begins[i], ..., row_begins[i + 1] - 1.
struct CsrMatrix {
  std::vector<std::uint64_t> row_begins{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_begins.size() - 1); }
};

/// The largest |places[i] - places[j]| over all entries (i, j).
std::uint32_t bandwidth(CsrMatrix const& matrix, std::vector<std::uint32_t> const& places);

}  // namespace reorder
