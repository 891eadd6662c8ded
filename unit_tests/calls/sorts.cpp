// Sorts of values.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::sorts_cases {
namespace {

template <class T>
struct SortOf {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const special = to_array<Exec>(special_numbers<T>(n));
    riffle::sort(exec, special);
    results.add("special numbers", special);
    auto const plain = to_array<Exec>(plain_numbers<T>(n));
    riffle::sort(exec, plain);
    results.add("plain numbers", plain);
  }
};

struct CopyInDescendingOrder {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const in = to_array<Exec>(special_numbers<double>(n));
    auto const out = make_output<Exec, double>(n);
    sort_copy(Context(exec, "descending", workspace), in, out, Descending{});
    results.add("sort_copy", out);
    riffle::sort(Context(exec, "descending", workspace), in, Descending{});
    results.add("sort", in);
  }
};

struct ByUsersComparison {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    sort_copy(exec, data, out, BySuit{});
    results.add("sort_copy", out);
    riffle::sort(exec, data, BySuit{});
    results.add("sort", data);
  }
};

Cases const cases{
    make_case<SortOf<double>>("sort_doubles", huge_sizes()),
    make_case<SortOf<float>>("sort_floats", huge_sizes()),
    make_case<SortOf<std::int8_t>>("sort_int8s", sizes()),
    make_case<SortOf<std::uint16_t>>("sort_uint16s", sizes()),
    make_case<SortOf<std::int32_t>>("sort_int32s", huge_sizes()),
    make_case<SortOf<std::uint64_t>>("sort_uint64s", huge_sizes()),
    make_case<SortOf<std::int64_t>>("sort_int64s", large_sizes()),
    make_case<CopyInDescendingOrder>("sort_doubles_descending", large_sizes()),
    make_case<ByUsersComparison>("sort_cards_by_users_comparison", large_sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::sorts_cases
