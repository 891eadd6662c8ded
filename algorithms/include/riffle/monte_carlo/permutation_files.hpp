#pragma once

// Text files of permutations and signs, to exchange with other programs. A line is an observation and a column a
// replicate. PALM's permutation sets have this format, and the option -permutations of MRtrix3's statistics reads it
//   J.-D. Tournier et al., "MRtrix3", NeuroImage 202 (2019), doi 10.1016/j.neuroimage.2019.116137,
// checked with vectorstats of version 3.0.3: entry i of a column is sigma(i), and the data of replicate r are
// y_sigma(i), as in Riffle. vectorstats determines the first index, 0 or 1, from the first line alone, does not check
// that a column is a permutation, reads no signs, and counts the columns as they are: so the observed arrangement
// should be one of them, by convention the first.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle {

namespace detail {

/// A rank-2 View that the host can access.
template <class View>
concept HostMatrix = Kokkos::is_view_v<View> && View::rank()
== 2 && static_cast<bool>(
            Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible);

/// The size of a file.
struct ColumnCounts {
  std::uint64_t observations;
  std::uint64_t replicates;
};

template <class Matrix>
ColumnCounts counts_of(Matrix const& matrix) {
  return {matrix.extent(1), matrix.extent(0)};
}

template <class Permutations>
void check_rows_are_permutations(char const* function, Permutations const& permutations) {
  std::uint64_t const n = permutations.extent(1);
  std::vector<std::uint64_t> met(n, 0);
  for (std::uint64_t r = 0; r < permutations.extent(0); ++r) {
    for (std::uint64_t i = 0; i < n; ++i) {
      auto const image = static_cast<std::uint64_t>(permutations(r, i));
      check(image < n && met[image] <= r, function, "permutations(", r, ", ", i,
            ") = ", +permutations(r, i),
            ": a row must be a permutation of 0, ..., n - 1 with n = ", n);
      met[image] = r + 1;
    }
  }
}

/// Writes value(replicate, observation) for all replicates and observations.
void write_columns(char const* function, std::filesystem::path const& file,
                   ColumnCounts const& counts,
                   std::function<std::int64_t(std::uint64_t, std::uint64_t)> const& value);

}  // namespace detail

/// Writes permutations, one in each row, to a file, one in each column, with indices from 1 on. The first line begins
/// with # and gives their number.
///
/// - permutations: a rank-2 View of integers, of any layout, that the host can access, as fill_permutations() writes
///   it. The call does not fence: the kernels that write the values must have finished.
///
/// vectorstats (see above) refuses a file in which no replicate leaves observation 0 at its place.
///
/// Throws: std::invalid_argument, with its place and before anything is written, if a row is not a permutation;
/// std::runtime_error if the file cannot be written. Until the file is complete, its name ends in ".unfinished".
/// Complexity: about 4 to 6 bytes of text for each entry.
template <detail::HostMatrix Permutations>
void write_permutations(std::filesystem::path const& file, Permutations const& permutations) {
  detail::check_rows_are_permutations("write_permutations", permutations);
  detail::write_columns("write_permutations", file, detail::counts_of(permutations),
                        [&](std::uint64_t r, std::uint64_t i) {
                          return static_cast<std::int64_t>(permutations(r, i)) + 1;
                        });
}

/// Writes signs, +1 and -1 of any arithmetic type, in the same format. Throws: as write_permutations().
template <detail::HostMatrix Signs>
void write_signs(std::filesystem::path const& file, Signs const& signs) {
  for (std::uint64_t r = 0; r < signs.extent(0); ++r) {
    for (std::uint64_t i = 0; i < signs.extent(1); ++i) {
      detail::check(signs(r, i) == 1 || signs(r, i) == -1, "write_signs", "signs(", r, ", ", i,
                    ") = ", +signs(r, i), ": must be 1 or -1");
    }
  }
  detail::write_columns(
      "write_signs", file, detail::counts_of(signs),
      [&](std::uint64_t r, std::uint64_t i) { return signs(r, i) == 1 ? 1 : -1; });
}

/// Reads permutations from a file, one from each column, into a View, one in each row, with indices from 0 on.
///
/// The file may count from 0 or from 1; its least index tells which. Entries are separated by blanks, tabs or commas.
/// Text after # and empty lines are ignored. Files of Riffle, of PALM (palm_quickperms), and files for vectorstats can
/// be read, and are checked.
///
/// Throws: std::runtime_error, with file, line and value, if the file cannot be read, an entry is not an integer, lines
/// differ in length, a column is not a permutation, or entries are missing according to the first line. Memory: 8 bytes
/// for each entry during the call, 4 in the View.
Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_permutations(
    std::filesystem::path const& file);

/// Reads signs, 1 (or +1) and -1, from a file of the same format. Throws: as read_permutations(). A truncated file that
/// ends at the end of a line, and has no first line of Riffle's, is read as one with fewer observations.
Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_signs(
    std::filesystem::path const& file);

}  // namespace riffle
