#pragma once

// Permutations and signs in Views, one replicate a row, of what riffle/monte_carlo/permutation_scheme.hpp says may be exchanged.

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

/// Throws unless first, ..., first + rows - 1 are ranks.
inline void check_ranks(char const* function, PermutationScheme const& scheme,
                        std::uint64_t first_rank, std::uint64_t rows) {
  std::uint64_t const all = scheme.arrangements();
  check(all < saturated, function,
        "scheme has 2^64 - 1 arrangements or more: too many to be enumerated");
  check(rows <= all && first_rank <= all - rows, function, "first_rank = ", first_rank, " and ",
        rows, " rows: must be at most the number of arrangements, ", all);
}

}  // namespace detail

/// permutations(k, i) = sigma(i) and signs(k, i) = s_i (+1 or -1) of the random replicate r = first_replicate + k.
///
/// - exec: an execution space instance, or a Context of one, with whose workspace the call allocates nothing on the
///   device once that has grown.
/// - permutations: a rank-2 View of integers that hold n - 1, any layout, a column for each observation.
/// - signs: a rank-2 View of signed integers or floating-point numbers of as many rows and columns.
///
/// Replicate r is a function of (seed, r) and of `scheme`, the same on every back end, however the replicates are
/// shared out among calls; it may be the observed arrangement by chance. Where nothing permutes it is the identity, and
/// where no signs change they are +1. Signs are those of as many pairs in permutation_test. Numbers of replicates wrap
/// around at 2^64.
///
/// Throws std::invalid_argument where extents are not as they must be, the value type of `permutations` cannot hold an
/// index, or the Views overlap; nothing is written then.
///
/// Cost: O(n) a replicate, one lane each, and a random block for each 128 signs and for some 20 to 30 swaps of small
/// sets. Memory: 4 n bytes for each level of blocks, and 8 to 12 n. Fences: the tables are copied from the host.
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

/// fill_arrangements() of the permutations alone: those that it gives with signs.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Permutations>
void fill_permutations(Exec const& exec, PermutationScheme const& scheme, std::uint64_t seed,
                       std::uint64_t first_replicate, Permutations const& permutations) {
  detail::Call const context(exec, "riffle::fill_permutations");
  detail::check_permutations("fill_permutations", scheme, permutations);
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::draw_permutations(context, plan, seed, first_replicate, permutations);
}

/// fill_arrangements() of the signs alone: those that it gives with permutations.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Signs>
void fill_signs(Exec const& exec, PermutationScheme const& scheme, std::uint64_t seed,
                std::uint64_t first_replicate, Signs const& signs) {
  detail::Call const context(exec, "riffle::fill_signs");
  detail::check_signs("fill_signs", scheme, signs);
  detail::Scope scope(context);
  auto const plan = detail::make_scheme_plan(context, scope, scheme.layout());
  detail::write_signs(context, plan, detail::RandomSigns{seed}, first_replicate, signs);
}

/// permutations(k, i) = sigma(i) and signs(k, i) = s_i of the arrangement of rank first_rank + k: all ranks below
/// scheme.arrangements() together are all arrangements, each once. Rank 0 is the observed one. The lowest digits of a
/// rank are its signs, one bit for each sign that changes by itself.
///
/// Views are as for fill_arrangements(). Throws std::invalid_argument as that does, and where there are 2^64 - 1
/// arrangements or more, or fewer than first_rank and the rows together; nothing is written then.
///
/// Cost: O(n + units x classes) a rank, one lane each, where classes are those of units that are not alike. Memory: as
/// for fill_arrangements(), and for lanes at work 8 n bytes each, some 64 MB at most. Fences: the tables are copied from the
/// host.
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

/// enumerate_arrangements() of the permutations alone. Each is there as often as there are choices of signs.
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

/// enumerate_arrangements() of the signs alone. Each choice of signs is there as often as there are permutations.
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
