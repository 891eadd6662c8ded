#pragma once

// Variables as replicates are multiplied with them: in the order of their observed comparands, the least first, a few
// side by side.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// How many variables a thread multiplies a replicate with at a time.
template <class Exec>
inline constexpr int variables_at_once = backend::is_cpu<Exec> ? 4 : 8;

/// Value i of variable b * V + v is at ((b n) + i) V + v.
template <class Memory, int V>
struct Blocks {
  Array<Memory> values;
  Kokkos::View<VariableTerms*, Memory> terms;
  std::uint64_t n = 0;
  /// In the same order, where variables have observations of their own (own_values.hpp).
  Array<Memory> masks = {};

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / V; }
  KOKKOS_FUNCTION double const* of_block(std::uint64_t block) const {
    return values.data() + block * n * V;
  }
  KOKKOS_FUNCTION double const* masks_of_block(std::uint64_t block) const {
    return masks.data() + block * n * V;
  }
};

/// Those behind the last variable are all 0, and never tested.
template <class Memory, class Order, int V>
struct FillBlocks {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  Order order;
  Blocks<Memory, V> blocks;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = blocks.n;
    std::uint64_t const place = at / (n * V) * V + at % V;
    std::uint64_t const i = at / V % n;
    bool const is_variable = place < order.extent(0);
    auto const g = is_variable ? static_cast<std::uint64_t>(order(place)) : 0;
    blocks.values(at) = is_variable ? whole.values(g, i) : 0;
    if (blocks.masks.size() > 0) blocks.masks(at) = is_variable ? whole.masks(g, i) : 0;
    if (i == 0) blocks.terms(place) = is_variable ? terms(g) : VariableTerms{};
  }
};

template <int V, class Exec, class Order>
auto fill_blocks(Context<Exec> const& context, WholeData<typename Exec::memory_space> const& whole,
                 Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                 Order const& order) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const n = whole.values.extent(1);
  std::uint64_t const padded = (order.extent(0) + V - 1) / V * V;
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  Blocks<Memory, V> const blocks{
      Array<Memory>(named("::blocks"), padded * n),
      Kokkos::View<VariableTerms*, Memory>(named("::terms"), padded), n,
      Array<Memory>(named("::masks"), whole.masks.size() > 0 ? padded * n : 0)};
  context.named("blocks").for_each(padded * n,
                                   FillBlocks<Memory, Order, V>{whole, terms, order, blocks});
  return blocks;
}

}  // namespace riffle::detail::variables
