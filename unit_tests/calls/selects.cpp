// Copies of some values and rows, unique values, and run lengths.

#include <Kokkos_Core.hpp>
#include <riffle/select.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::selects_cases {
namespace {

template <class Exec>
using CountOf = Kokkos::View<std::uint32_t, typename Exec::memory_space>;

template <class Exec>
Array<Exec, std::uint32_t> as_array(CountOf<Exec> const& count) {
  auto const array = make_output<Exec, std::uint32_t>(1);
  Kokkos::deep_copy(Kokkos::subview(array, 0), count);
  return array;
}

struct OfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    CountOf<Exec> const count("count");
    copy_if(exec, in, out, HasOddSuit{}, count);
    results.add("kept", out);
    results.add("count", as_array<Exec>(count));
  }
};

struct HaveEqualSigns {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return (a < 0) == (b < 0); }
};

struct OfRuns {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const in = to_array<Exec>(plain_numbers<double>(n));
    auto const out = make_output<Exec, double>(n);
    auto const lengths = make_output<Exec, std::uint32_t>(n);
    Context const context(exec, "runs", workspace);
    results.add("runs", run_length_encode(context, in, out, lengths, HaveEqualSigns{}));
    results.add("values", out);
    results.add("lengths", lengths);
    auto const numbers = to_array<Exec>(numbers_below<std::int32_t>(3, n, 5));
    auto const unique = make_output<Exec, std::int32_t>(n);
    results.add("number of unique", unique_copy(context, numbers, unique));
    results.add("unique", unique);
  }
};

struct OfRows {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const rows = to_matrix<Exec>(plain_numbers<float>(2 * n), 2);
    auto const flags = to_array<Exec>(numbers_below<std::int32_t>(2, n, 7));
    auto const out = make_output<Exec, Card>(n);
    auto const out_rows = make_output<Exec, float>(n, 2);
    results.add("count", copy_flagged(exec, pack(in, rows), pack(out, out_rows), flags));
    results.add("cards", out);
    results.add("rows", out_rows);
  }
};

Cases const cases{
    make_case<OfCards>("copy_cards_by_users_predicate", sizes()),
    make_case<OfRuns>("runs_of_doubles_and_unique_numbers", sizes()),
    make_case<OfRows>("copy_flagged_rows", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::selects_cases
