#pragma once

// Text files of permutations and signs, which other programs can read and write. Each line is an observation, each
// column a replicate. PALM's permutation sets have this format, and MRtrix3's statistics read it with the option
// -permutations:
//   J.-D. Tournier et al., "MRtrix3", NeuroImage 202 (2019), doi 10.1016/j.neuroimage.2019.116137.
// This was checked with vectorstats of MRtrix3 3.0.3. As in Riffle, entry i of a column is sigma(i), and the data of
// the replicate are y_sigma(i). vectorstats
// - decides from the first line alone whether indices start at 0 or at 1,
// - does not check that a column is a permutation,
// - reads no signs,
// - does not add the observed arrangement, so a file should contain it, by convention as the first column.

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

/// The numbers of lines (observations) and columns (replicates) of a file.
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

/// Writes value(replicate, observation) to line `observation`, column `replicate`, for all observations and replicates.
void write_columns(char const* function, std::filesystem::path const& file,
                   ColumnCounts const& counts,
                   std::function<std::int64_t(std::uint64_t, std::uint64_t)> const& value);

}  // namespace detail

/// Writes the rows of `permutations` to the columns of a file, with indices that start at 1. The first line of the file
/// begins with # and gives the number of permutations.
///
/// - permutations: a rank-2 View of integers, of any layout, that the host can access, as fill_permutations() writes
///   it. The call does not fence, so the kernels that write `permutations` must have finished.
///
/// vectorstats (see above) reads the file only if sigma(0) = 0 for at least one replicate.
///
/// Throws: std::invalid_argument, before anything is written, if a row is not a permutation (the message gives the row,
/// the column and the value); std::runtime_error if the file cannot be written. Until the file is complete, its name
/// ends in ".unfinished". Complexity: about 4 to 6 bytes of text for each entry.
template <detail::HostMatrix Permutations>
void write_permutations(std::filesystem::path const& file, Permutations const& permutations) {
  detail::check_rows_are_permutations("write_permutations", permutations);
  detail::write_columns("write_permutations", file, detail::counts_of(permutations),
                        [&](std::uint64_t r, std::uint64_t i) {
                          return static_cast<std::int64_t>(permutations(r, i)) + 1;
                        });
}

/// Writes signs, which are +1 and -1 in any arithmetic type, in the same format. Throws: as write_permutations().
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

/// Reads the columns of a file into the rows of a View, with indices that start at 0.
///
/// Indices in the file may start at 0 or at 1; the smallest index in the file decides. Entries are separated by blanks,
/// tabs or commas. Text after # and empty lines are ignored. Files written by Riffle, files of PALM (palm_quickperms)
/// and files for vectorstats can be read.
///
/// Throws: std::runtime_error, with file, line and value, if the file cannot be read, an entry is not an integer, lines
/// differ in length, a column is not a permutation, or there are fewer entries than the first line says. Memory: 8
/// bytes for each entry during the call, and 4 bytes for each entry in the returned View.
Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_permutations(
    std::filesystem::path const& file);

/// Reads signs, 1 (or +1) and -1, from a file in the same format. Throws: as read_permutations(). If a file lacks
/// Riffle's first line, truncation at the end of a line is not detected: the file is read as one with fewer
/// observations.
Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_signs(
    std::filesystem::path const& file);

}  // namespace riffle
