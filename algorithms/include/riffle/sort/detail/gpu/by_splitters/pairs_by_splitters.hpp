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
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::by_splitters {

static_assert(max_pairs_by_splitters<std::uint64_t, std::uint32_t> <= max_elements<IndexedCode>);

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
