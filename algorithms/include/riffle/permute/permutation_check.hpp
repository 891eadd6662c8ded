#pragma once

// Checks whether stored indices are a permutation, and if not, where they first fail to be one.

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

/// Takes `count` words from a scope and sets all to `value`.
template <class Word, class Exec>
Word* filled_words(Context<Exec> const& context, std::uint64_t count, Word value,
                   Scope<Exec>& scope) {
  auto* const words = scope.template take<Word>(count);
  context.named("clear").for_each(count, FillWords<Word>{words, value});
  return words;
}

/// Marks the values, a bit for each, and counts those that are out of range or marked already. Which of two equal
/// values comes first is open, so that the count says whether p is a permutation, not where it fails.
template <class View>
struct MarkValues {
  View p;
  std::uint32_t* marks;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& faults) const {
    auto const value = p(i);
    if (!is_index_below(value, n)) {
      ++faults;
      return;
    }
    auto const place = static_cast<std::uint64_t>(value);
    std::uint32_t const bit = std::uint32_t{1} << (place % 32);
    if ((Kokkos::atomic_fetch_or(marks + place / 32, bit) & bit) != 0) ++faults;
  }
};

/// Whether p is a permutation. Fences.
template <class Exec, class View>
bool takes_each_value_once(Context<Exec> const& context, View const& p) {
  std::uint64_t const n = p.extent(0);
  if (n == 0) return true;
  Scope scope(context);
  auto* const marks = filled_words<std::uint32_t>(context, (n + 31) / 32, 0, scope);
  std::uint64_t faults = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n),
                          MarkValues<View>{p, marks, n}, faults);
  return faults == 0;
}

/// owners[v] = the smallest i with p(i) = v.
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
struct IsNotItsOwn {
  Place const* owners;
  std::uint64_t n;

  template <class Index>
  KOKKOS_FUNCTION bool operator()(std::uint64_t i, Index value) const {
    return !is_index_below(value, n) || owners[static_cast<std::uint64_t>(value)] != i;
  }
};

/// The first value of p, n > 0 of them, that is out of range or repeats an earlier value. Fences.
template <class Exec, class View>
auto first_not_its_own(Context<Exec> const& context, View const& p) {
  std::uint64_t const n = p.extent(0);
  PlacedIndex<typename View::non_const_value_type> first{n, 0};
  with_index_type(n, [&](auto place) {
    using Place = decltype(place);
    Scope scope(context);
    auto* const owners =
        filled_words<Place>(context, n, static_cast<Place>(~std::uint64_t{0}), scope);
    context.named("claim").for_each(n, ClaimValues<View, Place>{p, owners, n});
    first = first_index_where(context.named("first"), p, IsNotItsOwn<Place>{owners, n});
  });
  return first;
}

}  // namespace riffle::detail

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
RIFFLE_CALL_DIAGNOSTICS(is_permutation, p<Indices>)
RIFFLE_CALL_DIAGNOSTICS(first_violation, p<Indices>)

}  // namespace riffle
