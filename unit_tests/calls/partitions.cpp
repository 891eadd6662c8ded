// Partitions by a user-defined predicate, and by labels.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::partitions_cases {
namespace {

struct IsNegative {
  KOKKOS_FUNCTION bool operator()(double value) const { return value < 0; }
};

struct OfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    results.add("first part", partition_copy(exec, in, out, HasOddSuit{}));
    results.add("cards", out);
  }
};

struct OfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(special_numbers<double>(n));
    results.add("first part",
                riffle::partition(Context(exec, "negative", workspace), data, IsNegative{}));
    results.add("doubles", data);
  }
};

template <std::uint64_t labels>
struct ByLabel {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const rows = to_matrix<Exec>(plain_numbers<float>(2 * n), 2);
    auto const of_rows = to_array<Exec>(numbers_below<std::int32_t>(labels, n, 5));
    auto const out = make_output<Exec, Card>(n);
    auto const out_rows = make_output<Exec, float>(n, 2);
    auto const offsets = make_output<Exec, std::uint64_t>(labels + 1);
    partition_by_label(exec, pack(in, rows), of_rows, pack(out, out_rows), offsets);
    results.add("cards", out);
    results.add("rows", out_rows);
    results.add("offsets", offsets);
    auto const numbers = make_output<Exec, std::uint32_t>(n);
    argpartition_by_label(exec, of_rows, numbers, offsets);
    results.add("numbers", numbers);
  }
};

/// The cells are in the pack. Cells 40 to 49 are out of range.
struct ByCell {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const particles = to_array<Exec>(cards(n));
    auto const rows = to_matrix<Exec>(plain_numbers<float>(2 * n), 2);
    auto const cells = to_array<Exec>(numbers_below<std::int32_t>(50, n, 5));
    auto const offsets = make_output<Exec, std::uint64_t>(41);
    sort_by_cell(exec, pack(particles, cells, rows), cells, offsets);
    results.add("particles", particles);
    results.add("rows", rows);
    results.add("cells", cells);
    results.add("offsets", offsets);
  }
};

struct ByFlags {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const rows = to_matrix<Exec>(plain_numbers<float>(2 * n), 2);
    auto const flags = to_array<Exec>(numbers_below<std::int32_t>(2, n, 5));
    auto const out = make_output<Exec, Card>(n);
    auto const out_rows = make_output<Exec, float>(n, 2);
    results.add("flagged",
                partition_copy_flagged(exec, pack(in, rows), pack(out, out_rows), flags));
    results.add("cards", out);
    results.add("rows", out_rows);
    results.add("flagged in place", partition_flagged(exec, pack(flags, rows), flags));
    results.add("flags in place", flags);
    results.add("rows in place", rows);
  }
};

struct Square {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i * i; }
};

struct LastDigit {
  KOKKOS_FUNCTION std::int32_t operator()(std::uint64_t i) const {
    return static_cast<std::int32_t>(i * i % 10);
  }
};

template <class Exec>
struct WriteSquare {
  Array<Exec, std::uint64_t> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t place, std::uint64_t square) const {
    out(place) = square;
  }
};

struct OfFunctions {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const out = make_output<Exec, std::uint64_t>(n);
    auto const offsets = make_output<Exec, std::uint64_t>(11);
    partition_by_label(exec, n, Square{}, LastDigit{}, WriteSquare<Exec>{out}, offsets);
    results.add("squares", out);
    results.add("offsets", offsets);
  }
};

Cases const cases{
    make_case<OfCards>("partition_cards_by_users_predicate", sizes()),
    make_case<OfDoubles>("partition_doubles_in_place", sizes()),
    make_case<ByFlags>("partition_rows_by_flags", sizes()),
    make_case<OfFunctions>("partition_by_label_of_functions", sizes()),
    make_case<ByCell>("sort_by_cell", sizes()),
    make_case<ByLabel<7>>("partition_by_few_labels", sizes()),
    make_case<ByLabel<5000>>("partition_by_many_labels", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::partitions_cases
