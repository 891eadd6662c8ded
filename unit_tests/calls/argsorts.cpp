// argsort.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::argsorts_cases {
namespace {

template <class T>
struct ArgsortOf {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const indices = make_output<Exec, std::uint32_t>(n);
    argsort(exec, to_array<Exec>(special_numbers<T>(n)), indices);
    results.add("special numbers", indices);
    argsort(exec, to_array<Exec>(plain_numbers<T>(n)), indices);
    results.add("plain numbers", indices);
  }
};

struct InDescendingOrder {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const indices = make_output<Exec, std::int64_t>(n);
    argsort(Context(exec, "descending", workspace), to_array<Exec>(special_numbers<double>(n)),
            indices, Descending{});
    results.add("indices", indices);
  }
};

struct ByUsersComparison {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const indices = make_output<Exec, std::uint32_t>(n);
    argsort(exec, to_array<Exec>(cards(n)), indices, BySuit{});
    results.add("indices", indices);
  }
};

Cases const cases{
    make_case<ArgsortOf<double>>("argsort_doubles", huge_sizes()),
    make_case<ArgsortOf<float>>("argsort_floats", large_sizes()),
    make_case<ArgsortOf<std::int8_t>>("argsort_int8s", sizes()),
    make_case<ArgsortOf<std::uint16_t>>("argsort_uint16s", sizes()),
    make_case<ArgsortOf<std::int32_t>>("argsort_int32s", huge_sizes()),
    make_case<ArgsortOf<std::uint64_t>>("argsort_uint64s", large_sizes()),
    make_case<InDescendingOrder>("argsort_doubles_descending", large_sizes()),
    make_case<ByUsersComparison>("argsort_cards_by_users_comparison", large_sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::argsorts_cases
