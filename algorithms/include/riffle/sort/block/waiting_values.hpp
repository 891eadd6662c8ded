#pragma once

// The values of keys that are sorted, between the place where they were and that where they go.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/sort/block/slots.hpp>

namespace riffle::detail::team_sort {

/// Where n values wait on their way through scratch memory: each in the slot of the entry that it follows, if there
/// is room, or else behind the entries.
template <class Entry, class Value>
struct WaitingValues {
  static_assert(std::is_trivially_copyable_v<Value>,
                "riffle: team_sort_by_key moves values through scratch memory: they must be "
                "trivially copyable");
  using Word = typename Shape<Entry>::Word;
  static constexpr bool are_in_slots =
      sizeof(Value) <= sizeof(Word) && alignof(Value) <= alignof(Word);

  KOKKOS_FUNCTION static constexpr std::size_t bytes(std::size_t n) {
    return are_in_slots ? 0 : n * sizeof(Value) + alignof(Value);
  }

  KOKKOS_FORCEINLINE_FUNCTION static Value* at(void* memory, std::size_t n, std::size_t i,
                                               std::size_t position) {
    auto* const bytes_of_team = static_cast<std::byte*>(memory);
    if constexpr (are_in_slots) {
      return reinterpret_cast<Value*>(bytes_of_team + sizeof(Word) * position);
    } else {
      // Of the address: the team's memory need not be aligned as values are.
      constexpr std::uintptr_t step = alignof(Value);
      auto const behind = reinterpret_cast<std::uintptr_t>(bytes_of_team + Shape<Entry>::bytes(n));
      return reinterpret_cast<Value*>((behind + step - 1) / step * step) + i;
    }
  }
};

}  // namespace riffle::detail::team_sort
