#pragma once

// The kernels of riffle/permute/permutation_check.hpp.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail {

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
