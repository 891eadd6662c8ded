#pragma once

// Permutations and signs in text files, for other programs and from them. A line is an observation and a column a
// replicate: PALM's permutation sets are such files, and the option -permutations of MRtrix3's statistics reads them
//   J.-D. Tournier et al., "MRtrix3", NeuroImage 202 (2019), doi 10.1016/j.neuroimage.2019.116137,
// version 3.0.3 of vectorstats as seen by experiment: entry i of a column is sigma(i), where the data of replicate r are
// y_sigma(i), as Riffle's are. It looks for the first index, 0 or 1, in the first line alone, does not see whether a
// column is a permutation, takes no file of signs, and counts the columns as they are: the observed arrangement should be
// one of them, the first by custom.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle {

namespace detail {

/// A rank-2 View that the host reads.
template <class View>
concept HostMatrix = Kokkos::is_view_v<View> && View::rank()
== 2 && static_cast<bool>(
            Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible);

/// How many there are in a file.
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

/// Writes value(replicate, observation) for all of both.
void write_columns(char const* function, std::filesystem::path const& file,
                   ColumnCounts const& counts,
                   std::function<std::int64_t(std::uint64_t, std::uint64_t)> const& value);

}  // namespace detail

/// Writes permutations, a row for each replicate, to a file of a column for each, with indices from 1 on. A first line
/// that begins with # says how many there are.
///
/// - permutations: a rank-2 View of integers that the host reads, any layout, as fill_permutations() fills it. Its values
///   must be there: the call waits for nothing.
///
/// What vectorstats does with the file is said above; it refuses one where no replicate leaves observation 0 at its place.
///
/// Throws std::invalid_argument where a row is no permutation, with its place, before anything is written, and
/// std::runtime_error where the file cannot be written. It has its name only when it is whole: until then the name ends
/// in ".unfinished". Cost: some 4 to 6 bytes of text an entry.
template <detail::HostMatrix Permutations>
void write_permutations(std::filesystem::path const& file, Permutations const& permutations) {
  detail::check_rows_are_permutations("write_permutations", permutations);
  detail::write_columns("write_permutations", file, detail::counts_of(permutations),
                        [&](std::uint64_t r, std::uint64_t i) {
                          return static_cast<std::int64_t>(permutations(r, i)) + 1;
                        });
}

/// Writes signs, +1 and -1 of any arithmetic type, in the same form. Throws likewise.
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

/// Reads permutations from a file of a column for each, a row for each into the View, with indices from 0 on.
///
/// The file may count from 0 or from 1, which the least of its indices says. Entries are separated by blanks, tabs or
/// commas; what follows a # is no entry, and empty lines are none. Files that Riffle, PALM (palm_quickperms) and others
/// wrote for vectorstats are read, and they are checked.
///
/// Throws std::runtime_error, with the file, the line and the value, where the file cannot be read, an entry is no
/// integer, lines differ in length, a column is no permutation, or there is less than the first line says. Cost: 8 bytes
/// an entry while it reads, 4 in the View.
Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_permutations(
    std::filesystem::path const& file);

/// Reads signs, 1 (or +1) and -1, from a file of the same form. Throws likewise. A file without Riffle's first line that
/// ends early at the end of a line is taken for one of fewer observations.
Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_signs(
    std::filesystem::path const& file);

}  // namespace riffle
