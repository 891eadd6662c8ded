// sort_by_key.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::sorts_by_key_cases {
namespace {

template <class Key>
struct IndicesByKey {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const special = to_array<Exec>(special_numbers<Key>(n));
    auto const values = to_array<Exec>(permutation_of<std::uint32_t>(n));
    sort_by_key(exec, special, values);
    results.add("special keys", special);
    results.add("their values", values);
    auto const plain = to_array<Exec>(plain_numbers<Key>(n));
    sort_by_key(exec, plain, values);
    results.add("plain keys", plain);
    results.add("values of these", values);
  }
};

struct CardsByKey {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const keys = to_array<Exec>(special_numbers<double>(n));
    auto const values = to_array<Exec>(cards(n));
    sort_by_key(Context(exec, "descending", workspace), keys, values, Descending{});
    results.add("keys", keys);
    results.add("cards", values);
  }
};

struct PackByUsersComparison {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const keys = to_array<Exec>(cards(n));
    auto const rows = to_matrix<Exec>(plain_numbers<float>(3 * n), 3);
    auto const values = to_array<Exec>(plain_numbers<std::int32_t>(n));
    sort_by_key(exec, keys, pack(values, rows), BySuit{});
    results.add("keys", keys);
    results.add("values", values);
    results.add("rows", rows);
  }
};

Cases const cases{
    make_case<IndicesByKey<double>>("sort_by_key_doubles", large_sizes()),
    make_case<IndicesByKey<std::int32_t>>("sort_by_key_int32s", large_sizes()),
    make_case<CardsByKey>("sort_by_key_cards", large_sizes()),
    make_case<PackByUsersComparison>("sort_by_key_by_users_comparison", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::sorts_by_key_cases
