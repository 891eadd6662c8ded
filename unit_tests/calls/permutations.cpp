// Permutations as stored indices: filling, checks, inverse, composition, and moves.

#include <Kokkos_Core.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/named_permutations.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <bit>
#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::permutations_cases {
namespace {

struct GatherAndScatter {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const in = to_array<Exec>(cards(n));
    auto const p = to_array<Exec>(permutation_of<std::int32_t>(n));
    auto const out = make_output<Exec, Card>(n);
    gather(exec, in, p, out);
    results.add("gather", out);
    gather_if_valid(Context(exec, "gather"), out, p, in);
    results.add("gather_if_valid", in);
    scatter(Context(exec, "scatter"), in, p, out);
    results.add("scatter", out);
    scatter_if_permutation(Context(exec, workspace), out, p, in);
    results.add("scatter_if_permutation", in);
  }
};

struct CardOf {
  KOKKOS_FUNCTION Card operator()(std::uint64_t i) const {
    return {static_cast<std::int32_t>(i % 7), static_cast<std::uint32_t>(i)};
  }
};

template <class Exec>
struct WriteCard {
  Array<Exec, Card> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Card const& card) const { out(i) = card; }
};

struct OfFunctions {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const p = to_array<Exec>(permutation_of<std::int32_t>(n));
    auto const out = make_output<Exec, Card>(n);
    gather(exec, CardOf{}, p, WriteCard<Exec>{out});
    results.add("gather", out);
    scatter(exec, CardOf{}, p, WriteCard<Exec>{out});
    results.add("scatter", out);
  }
};

struct GatherOfRows {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_matrix<Exec>(plain_numbers<double>(5 * n), 5);
    auto const p = to_array<Exec>(permutation_of<std::uint64_t>(n));
    auto const out = make_output<Exec, double>(n, 5);
    gather(Context(exec, "rows"), in, p, out);
    results.add("rows", out);
    permute(exec, in, p, out);
    results.add("permuted rows", out);
  }
};

struct Permute {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const in = to_array<Exec>(cards(n));
    auto const numbers = to_array<Exec>(plain_numbers<float>(n));
    auto const p = to_array<Exec>(permutation_of<std::uint32_t>(n));
    auto const out = make_output<Exec, Card>(n);
    auto const out_numbers = make_output<Exec, float>(n);
    permute(Context(exec, "pack", workspace), pack(in, numbers), p, pack(out, out_numbers));
    results.add("cards", out);
    results.add("numbers", out_numbers);
  }
};

struct Algebra {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const p = to_array<Exec>(permutation_of<std::uint32_t>(n, 1));
    auto const q = to_array<Exec>(permutation_of<std::int64_t>(n, 2));
    auto const out = make_output<Exec, std::uint64_t>(n);
    inverse(exec, p, out);
    results.add("inverse", out);
    inverse_if_permutation(Context(exec, "inverse", workspace), q, out);
    results.add("inverse_if_permutation", out);
    compose(exec, p, q, out);
    results.add("compose", out);
    compose_if_permutations(exec, q, p, out);
    results.add("compose_if_permutations", out);
    results.add("address groups of 32",
                count_address_groups(Context(exec, "address groups", workspace), p, 32));
    results.add("address groups of 100", count_address_groups(exec, p, 100));
    results.add("address groups of 8", count_address_groups(exec, q, 8));
  }
};

struct Check {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto values = permutation_of<std::int32_t>(n);
    results.add("is one", is_permutation(exec, to_array<Exec>(values)));
    if (n > 2) values[n / 2] = values[n / 3];
    auto const repeated = to_array<Exec>(values);
    results.add("is none", is_permutation(Context(exec, "check", workspace), repeated));
    add_violation(results, first_violation(Context(exec, "check", workspace), repeated));
    if (n > 0) values[n - 1] = -1;
    if (n > 4) values[n / 4] = static_cast<std::int32_t>(n);
    add_violation(results, first_violation(exec, to_array<Exec>(values)));
  }

  template <class Index>
  static void add_violation(Results& results, PermutationViolation<Index> const& violation) {
    results.add("first violation", violation.index);
    results.add("its value", violation.value);
    results.add("its kind", violation.kind);
  }
};

/// A user-defined permutation: reversal.
struct Backwards {
  std::uint64_t n;
  KOKKOS_FUNCTION std::uint64_t size() const { return n; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const { return n - 1 - u; }
};

struct ByName {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    fill(exec, IdentityPermutation(n), results);
    fill(exec, TransposePermutation(n / 7, 7), results);
    fill(exec, PerfectShuffle(n - n % 2), results);
    fill(exec, BitReversal(std::bit_floor(n)), results);
    fill(exec, RandomPermutation(n, 3), results);
    fill(exec, Backwards{n}, results);
  }

  template <class Exec, PermutationFunction Sigma>
  static void fill(Exec const& exec, Sigma const& sigma, Results& results) {
    auto const out = make_output<Exec, std::uint32_t>(sigma.size());
    fill_permutation(exec, sigma, out);
    results.add("images", out);
  }
};

Cases const cases{
    make_case<GatherAndScatter>("gather_and_scatter_cards", sizes()),
    make_case<OfFunctions>("gather_and_scatter_by_functions", sizes()),
    make_case<GatherOfRows>("gather_rows", sizes()),
    make_case<Permute>("permute_pack", sizes()),
    make_case<Algebra>("permutation_algebra", sizes()),
    make_case<Check>("permutation_check", sizes()),
    make_case<ByName>("permutations_by_name", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::permutations_cases
