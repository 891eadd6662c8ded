#pragma once

// Sorts numbers of 8 bytes on a GPU by splitters, each with a value of up to 4 bytes.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/sort_by_splitters.hpp>

namespace riffle::detail::sort::by_splitters {

/// The fewest pairs that are sorted so: fewer are sorted by parts.
inline constexpr std::uint64_t min_pairs = (std::uint64_t{1} << 20) + 1;

inline bool are_preferred(std::uint64_t n) {
  return n >= min_pairs && n <= max_elements<IndexedCode>;
}

template <class Keys, class Values>
inline constexpr bool has_pairs = sizeof(typename Keys::non_const_value_type) == 8 &&
                                  sizeof(typename Values::non_const_value_type) <=
                                      sizeof(IndexedCode::companion);

/// Sorts keys in place, and values with them; where it cannot, they stay as they were. Fences.
template <class Order, class Exec, class Keys, class Values>
Verdict sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  struct Temporaries {
    std::uint32_t* indices;
    Arrays<IndexedCode> arrays;
  };
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto const all = scope.arrays([&](ArrayMemory& memory) {
    auto* const indices = memory.take<std::uint32_t>(n);
    return Temporaries{indices, {memory, n, part_depth<IndexedCode>(n)}};
  });
  using Value = CompanionOf<Values>;
  auto const words = words_of<Order>(keys);
  auto const companions = companions_of(values, nullptr);
  return sort_elements(context, PairsIn<std::uint64_t, Value>{words, companions},
                       PairsOut<std::uint64_t, Value>{words, companions, all.indices}, all.arrays);
}

}  // namespace riffle::detail::sort::by_splitters
