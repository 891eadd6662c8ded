#pragma once

// Writes random or enumerated permutations and signs of a scheme (riffle/monte_carlo/permutation_scheme.hpp) to Views,
// one replicate in each row.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/fill_rows.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

namespace detail {

template <class Permutations>
void check_permutations(char const* function, PermutationScheme const& scheme,
                        Permutations const& permutations) {
  check(permutations.extent(1) == scheme.size(), function,
        "permutations.extent(1) = ", permutations.extent(1),
        ": must be the number of observations, ", scheme.size());
  check_can_index(function, "permutations", permutations, scheme.size());
}

template <class Signs>
void check_signs(char const* function, PermutationScheme const& scheme, Signs const& signs) {
  using Value = typename Signs::non_const_value_type;
  static_assert(std::is_arithmetic_v<Value> && std::is_signed_v<Value>,
                "riffle: signs are +1 and -1: their value type is a signed number");
  check(signs.extent(1) == scheme.size(), function, "signs.extent(1) = ", signs.extent(1),
        ": must be the number of observations, ", scheme.size());
}

template <class Permutations, class Signs>
void check_both(char const* function, PermutationScheme const& scheme,
                Permutations const& permutations, Signs const& signs) {
  check_permutations(function, scheme, permutations);
  check_signs(function, scheme, signs);
  check(permutations.extent(0) == signs.extent(0), function,
        "permutations.extent(0) = ", permutations.extent(0),
        " and signs.extent(0) = ", signs.extent(0), ": must be equal");
  check_disjoint(function, "permutations", permutations, "signs", signs);
}

/// Throws unless first_rank, ..., first_rank + rows - 1 are ranks of arrangements of the scheme.
inline void check_ranks(char const* function, PermutationScheme const& scheme,
                        std::uint64_t first_rank, std::uint64_t rows) {
  std::uint64_t const all = scheme.arrangements();
  check(all < saturated, function,
        "scheme has 2^64 - 1 arrangements or more: too many to be enumerated");
  check(rows <= all && first_rank <= all - rows, function, "first_rank = ", first_rank, " and ",
        rows, " rows: must be at most the number of arrangements, ", all);
}

}  // namespace detail

/// Writes random arrangements: permutations(k, i) = sigma(i) and signs(k, i) = s_i (+1 or -1) of replicate r =
/// first_replicate + k.
///
/// - exec: an execution space instance, or a Context of one. With a Context, the call allocates no device memory if the
///   workspace is already large enough.
/// - permutations: a rank-2 View with one column for each observation, of any layout. Its integers must be able to hold
///   n - 1.
/// - signs: a rank-2 View of signed integers or floating-point numbers, with the same extents as `permutations`.
///
/// Replicate r is a function of (seed, r) and of `scheme`. It is the same on every back end, and does not depend on how
/// replicates are divided into calls. It may be the observed arrangement by chance. If the scheme does not permute,
/// sigma is the identity; if it does not flip signs, all signs are +1. A scheme with n sign units gets the same signs
/// as a permutation_test of n pairs. The index r wraps around at 2^64.
///
/// Throws: std::invalid_argument, before anything is written, if extents are wrong, the value type of `permutations`
/// cannot hold an index, or the Views overlap. Complexity: O(n) for each replicate, which one lane computes. Random
/// numbers take one Philox block for every 128 signs, and in small sets one for every 20 to 30 swaps. Memory: 4 n bytes
/// for each level of blocks, plus 8 n to 12 n bytes. Blocking: fences, because tables are copied from the host.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Permutations,
          detail::WritableMatrixFrom<Exec> Signs>
void fill_arrangements(Exec const& exec, PermutationScheme const& scheme, std::uint64_t seed,
                       std::uint64_t first_replicate, Permutations const& permutations,
                       Signs const& signs) {
  detail::Call const context(exec, "riffle::fill_arrangements");
  detail::check_both("fill_arrangements", scheme, permutations, signs);
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::draw_permutations(context, plan, seed, first_replicate, permutations);
  detail::write_signs(context, plan, detail::RandomSigns{seed}, first_replicate, signs);
}

/// Writes the permutations that fill_arrangements() writes, without the signs.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Permutations>
void fill_permutations(Exec const& exec, PermutationScheme const& scheme, std::uint64_t seed,
                       std::uint64_t first_replicate, Permutations const& permutations) {
  detail::Call const context(exec, "riffle::fill_permutations");
  detail::check_permutations("fill_permutations", scheme, permutations);
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::draw_permutations(context, plan, seed, first_replicate, permutations);
}

/// Writes the signs that fill_arrangements() writes, without the permutations.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Signs>
void fill_signs(Exec const& exec, PermutationScheme const& scheme, std::uint64_t seed,
                std::uint64_t first_replicate, Signs const& signs) {
  detail::Call const context(exec, "riffle::fill_signs");
  detail::check_signs("fill_signs", scheme, signs);
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::write_signs(context, plan, detail::RandomSigns{seed}, first_replicate, signs);
}

/// Writes enumerated arrangements: permutations(k, i) = sigma(i) and signs(k, i) = s_i of the arrangement of rank
/// first_rank + k. The ranks 0, ..., scheme.arrangements() - 1 enumerate each arrangement once; rank 0 is the observed
/// one. The lowest bits of a rank are the signs, one bit for each sign unit (the observations whose signs change
/// together).
///
/// The Views must meet the requirements of fill_arrangements(). Throws: as fill_arrangements(). Also throws
/// std::invalid_argument, before anything is written, if there are 2^64 - 1 arrangements or more, or fewer than
/// first_rank + permutations.extent(0). Complexity: O(n + units x classes) for each rank, which one lane computes; a
/// class is a set of interchangeable units. Memory: as fill_arrangements(), plus 8 n bytes for each active lane, about
/// 64 MB at most. Blocking: fences, because tables are copied from the host.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Permutations,
          detail::WritableMatrixFrom<Exec> Signs>
void enumerate_arrangements(Exec const& exec, PermutationScheme const& scheme,
                            std::uint64_t first_rank, Permutations const& permutations,
                            Signs const& signs) {
  detail::Call const context(exec, "riffle::enumerate_arrangements");
  detail::check_both("enumerate_arrangements", scheme, permutations, signs);
  detail::check_ranks("enumerate_arrangements", scheme, first_rank, permutations.extent(0));
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::rank_permutations(context, scope, plan, first_rank, permutations);
  detail::write_signs(context, plan, detail::RankedSigns{}, first_rank, signs);
}

/// Writes the permutations that enumerate_arrangements() writes. Over all ranks, each permutation occurs once for each
/// choice of signs.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Permutations>
void enumerate_permutations(Exec const& exec, PermutationScheme const& scheme,
                            std::uint64_t first_rank, Permutations const& permutations) {
  detail::Call const context(exec, "riffle::enumerate_permutations");
  detail::check_permutations("enumerate_permutations", scheme, permutations);
  detail::check_ranks("enumerate_permutations", scheme, first_rank, permutations.extent(0));
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::rank_permutations(context, scope, plan, first_rank, permutations);
}

/// Writes the signs that enumerate_arrangements() writes. Over all ranks, each choice of signs occurs once for each
/// permutation.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Signs>
void enumerate_signs(Exec const& exec, PermutationScheme const& scheme, std::uint64_t first_rank,
                     Signs const& signs) {
  detail::Call const context(exec, "riffle::enumerate_signs");
  detail::check_signs("enumerate_signs", scheme, signs);
  detail::check_ranks("enumerate_signs", scheme, first_rank, signs.extent(0));
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::write_signs(context, plan, detail::RankedSigns{}, first_rank, signs);
}

RIFFLE_CALL_DIAGNOSTICS(fill_arrangements, scheme<NoView>, seed<WholeNumber>,
                        first_replicate<WholeNumber>, permutations<WrittenMatrix>,
                        signs<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(fill_permutations, scheme<NoView>, seed<WholeNumber>,
                        first_replicate<WholeNumber>, permutations<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(fill_signs, scheme<NoView>, seed<WholeNumber>, first_replicate<WholeNumber>,
                        signs<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(enumerate_arrangements, scheme<NoView>, first_rank<WholeNumber>,
                        permutations<WrittenMatrix>, signs<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(enumerate_permutations, scheme<NoView>, first_rank<WholeNumber>,
                        permutations<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(enumerate_signs, scheme<NoView>, first_rank<WholeNumber>,
                        signs<WrittenMatrix>)

}  // namespace riffle
