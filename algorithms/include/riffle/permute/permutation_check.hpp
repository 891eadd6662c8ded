#pragma once

// Checks whether stored indices are a permutation, and if not, where they first fail to be one.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/check_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/mistakes.hpp>

namespace riffle {

/// What is wrong with an entry: it is no index below n, or it is that of an earlier entry, too.
enum class PermutationFault { none, out_of_range, repeated };

/// The first entry that keeps indices from being a permutation.
template <class Index>
struct PermutationViolation {
  /// The place of the entry; n where there is no fault.
  std::uint64_t index = 0;
  /// The stored index.
  Index value = 0;
  PermutationFault kind = PermutationFault::none;
};

/// Whether p(0), ..., p(n - 1) are 0, ..., n - 1 in some order.
///
/// - exec: an execution space instance, or a Context of one, of whose workspace the call takes n / 8 bytes; else it
///   allocates and frees them through `exec`.
/// - p: a rank-1 View of any integer type. Negative values are out of range.
///
/// Fences: it returns a value. One read of each element, and one atomic operation on a bit for each.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
bool is_permutation(Exec const& exec, Permutation const& p) {
  detail::Call const context(exec, "riffle::is_permutation");
  return detail::takes_each_value_once(context, p);
}

/// The smallest i for which p(i) is out of range or equals p(j) for some j < i; kind none where p is a permutation.
///
/// - exec: an execution space instance, or a Context of one, of whose workspace a permutation takes n / 8 bytes, and
///   anything else 4 n (8 n where n > 2^32).
/// - p: as for is_permutation.
///
/// Throws and fences as is_permutation, and costs no more where p is a permutation; else takes two more reads of each
/// element. Reproducible: the same answer on every back end.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
auto first_violation(Exec const& exec, Permutation const& p)
    -> PermutationViolation<typename Permutation::non_const_value_type> {
  detail::Call const context(exec, "riffle::first_violation");
  using Violation = PermutationViolation<typename Permutation::non_const_value_type>;
  std::uint64_t const n = p.extent(0);
  if (detail::takes_each_value_once(context, p)) return Violation{n, 0, PermutationFault::none};
  auto const first = detail::first_not_its_own(context, p);
  bool const is_in_range = detail::is_index_below(first.index, n);
  return Violation{first.place, first.index,
                   is_in_range ? PermutationFault::repeated : PermutationFault::out_of_range};
}

namespace detail {

/// Throws unless p, which the caller calls `name`, is a permutation; the message names the first violation and the
/// value there. Fences.
template <class Exec, class Permutation>
void check_permutation(char const* function, char const* name, Context<Exec> const& context,
                       Permutation const& p) {
  auto const violation = first_violation(context.named("check"), p);
  check(violation.kind != PermutationFault::out_of_range, function, name, "(", violation.index,
        ") = ", +violation.value, ": must be at least 0 and less than n = ", p.extent(0));
  check(violation.kind != PermutationFault::repeated, function, name, "(", violation.index,
        ") = ", +violation.value, " is there before: must be a permutation, each value once");
}

}  // namespace detail
RIFFLE_EXPLAIN_MISTAKES(is_permutation, p<Indices>)
RIFFLE_EXPLAIN_MISTAKES(first_violation, p<Indices>)

}  // namespace riffle
