// Sorts of segments, rows and columns, and shuffles of segments and rows.

#include <Kokkos_Core.hpp>
#include <riffle/segmented_shuffle.hpp>
#include <riffle/segmented_sort.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/groups.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::segmented_sorts_cases {
namespace {

struct OfSegments {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    Context const context(exec, "segments", workspace);
    auto const offsets = to_array<Exec>(group_offsets(n));
    auto const values = to_array<Exec>(plain_numbers<double>(n));
    auto const indices = make_output<Exec, std::uint32_t>(n);
    argsort_segments(context, values, offsets, indices, Descending{});
    results.add("indices", indices);
    sort_segments(context, values, offsets);
    results.add("values", values);
  }
};

struct OfLines {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::size_t const columns = 60;
    auto const matrix = to_matrix<Exec>(plain_numbers<float>(n / columns * columns), columns);
    auto const indices = make_output<Exec, std::int32_t>(n / columns, columns);
    argsort_rows(exec, matrix, indices);
    results.add("indices in rows", indices);
    argsort_columns(exec, matrix, indices);
    results.add("indices in columns", indices);
    sort_rows(exec, matrix);
    results.add("rows", matrix);
    sort_columns(exec, matrix);
    results.add("columns of sorted rows", matrix);
  }
};

struct Shuffled {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const values = to_array<Exec>(plain_numbers<float>(n));
    shuffle_segments(exec, values, to_array<Exec>(group_offsets(n)), 7, 3);
    results.add("segments", values);
    std::size_t const columns = 60;
    auto const matrix = to_matrix<Exec>(plain_numbers<double>(n / columns * columns), columns);
    shuffle_rows_apart(exec, matrix, 7);
    results.add("rows", matrix);
  }
};

Cases const cases{
    make_case<OfSegments>("sort_segments", sizes()),
    make_case<OfLines>("sort_rows_and_columns", sizes()),
    make_case<Shuffled>("shuffle_segments_and_rows", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::segmented_sorts_cases
