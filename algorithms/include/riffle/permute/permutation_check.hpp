#pragma once

// Checks whether stored indices are a permutation, and finds the first index that is out of range or repeated.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail {

// --- kernels ---

template <class Word>
struct FillWords {
  Word* words;
  Word value;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { words[i] = value; }
};

/// Allocates `count` words from the scope, and sets each to `value`.
template <class Word, class Exec>
Word* take_filled_words(Context<Exec> const& context, std::uint64_t count, Word value,
                        Scope<Exec>& scope) {
  auto* const words = scope.template take<Word>(count);
  context.named("clear").for_each(count, FillWords<Word>{words, value});
  return words;
}

/// Sets one bit per value, and counts the values that are out of range or whose bit is already set. If two values are
/// equal, the order of the threads determines which one is counted. Therefore only the count is meaningful, not which
/// values were counted.
template <class View>
struct MarkValues {
  View p;
  std::uint32_t* marks;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& violations) const {
    auto const value = p(i);
    if (!is_index_below(value, n)) {
      ++violations;
      return;
    }
    auto const place = static_cast<std::uint64_t>(value);
    std::uint32_t const bit = std::uint32_t{1} << (place % 32);
    if ((Kokkos::atomic_fetch_or(marks + place / 32, bit) & bit) != 0) ++violations;
  }
};

/// Returns whether p is a permutation. Fences.
template <class Exec, class View>
bool takes_each_value_once(Context<Exec> const& context, View const& p) {
  std::uint64_t const n = p.extent(0);
  if (n == 0) return true;
  Scope scope(context);
  auto* const marks = take_filled_words<std::uint32_t>(context, (n + 31) / 32, 0, scope);
  std::uint64_t violations = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n),
                          MarkValues<View>{p, marks, n}, violations);
  return violations == 0;
}

/// Sets owners[v] to the smallest i with p(i) = v.
template <class View, class Place>
struct ClaimValues {
  View p;
  Place* owners;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const value = p(i);
    if (!is_index_below(value, n)) return;
    Kokkos::atomic_min(owners + static_cast<std::uint64_t>(value), static_cast<Place>(i));
  }
};

template <class Place>
struct IsOutOfRangeOrRepeated {
  Place const* owners;
  std::uint64_t n;

  template <class Index>
  KOKKOS_FUNCTION bool operator()(std::uint64_t i, Index value) const {
    return !is_index_below(value, n) || owners[static_cast<std::uint64_t>(value)] != i;
  }
};

/// Returns the first value of p that is out of range or repeats an earlier value. Requires n > 0. Fences.
template <class Exec, class View>
auto first_out_of_range_or_repeated(Context<Exec> const& context, View const& p) {
  std::uint64_t const n = p.extent(0);
  return with_index_type(n, [&]<class Place>(Place) {
    Scope scope(context);
    auto* const owners =
        take_filled_words<Place>(context, n, static_cast<Place>(~std::uint64_t{0}), scope);
    context.named("claim").for_each(n, ClaimValues<View, Place>{p, owners, n});
    return first_index_where(context.named("first"), p, IsOutOfRangeOrRepeated<Place>{owners, n});
  });
}

}  // namespace riffle::detail

namespace riffle {

/// Why an index does not belong to a permutation: it is not in [0, n), or it equals an earlier index.
enum class PermutationFault { none, out_of_range, repeated };

/// The first index that is out of range or equals an earlier index.
template <class Index>
struct PermutationViolation {
  /// The position of the index in the View; n if the indices are a permutation.
  std::uint64_t index = 0;
  /// The stored index.
  Index value = 0;
  PermutationFault kind = PermutationFault::none;
};

/// Returns whether p(0), ..., p(n - 1) are 0, ..., n - 1 in some order.
///
/// - exec: an execution space instance, or a Context of one.
/// - p: a rank-1 View of any integer type. Negative values are out of range.
///
/// Blocking: fences, because it returns a value. Complexity: one read and one atomic operation on a bit for each
/// element. Memory: n / 8 bytes, from the workspace of the Context or allocated by the call.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
bool is_permutation(Exec const& exec, Permutation const& p) {
  detail::Call const context(exec, "riffle::is_permutation");
  return detail::takes_each_value_once(context, p);
}

/// Returns a violation, whose `kind` is `none` if p is a permutation. Otherwise its `index` is the smallest i for which
/// p(i) is out of range or equals p(j) for some j < i.
///
/// - exec: an execution space instance, or a Context of one.
/// - p: as for is_permutation.
///
/// Blocking: fences, because it returns a value. Complexity: as for is_permutation; if p is not a permutation, each
/// element is read two more times. Memory: n / 8 bytes if p is a permutation, otherwise 4 n bytes (8 n if n > 2^32), from
/// the workspace of the Context or allocated by the call. Reproducible: the same result on every back end.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
auto first_violation(Exec const& exec, Permutation const& p)
    -> PermutationViolation<typename Permutation::non_const_value_type> {
  detail::Call const context(exec, "riffle::first_violation");
  using Violation = PermutationViolation<typename Permutation::non_const_value_type>;
  std::uint64_t const n = p.extent(0);
  if (detail::takes_each_value_once(context, p)) return Violation{n, 0, PermutationFault::none};
  auto const first = detail::first_out_of_range_or_repeated(context, p);
  bool const is_in_range = detail::is_index_below(first.index, n);
  return Violation{first.place, first.index,
                   is_in_range ? PermutationFault::repeated : PermutationFault::out_of_range};
}

namespace detail {

/// Throws unless p is a permutation; the message contains the first violation and its value. `name` is the name of p in
/// the caller's interface. Fences.
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
RIFFLE_CALL_DIAGNOSTICS(is_permutation, p<Indices>)
RIFFLE_CALL_DIAGNOSTICS(first_violation, p<Indices>)

}  // namespace riffle
