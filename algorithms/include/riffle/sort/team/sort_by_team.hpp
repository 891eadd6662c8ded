#pragma once

// The sorts of riffle/team.hpp: makes entries from keys, sorts them, and writes keys and values
// back.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/team/bitonic_sort.hpp>
#include <riffle/sort/team/bitonic_windows.hpp>
#include <riffle/sort/team/entries.hpp>
#include <riffle/sort/team/sort_by_one_thread.hpp>

namespace riffle::detail::team_sort {

/// The scratch memory in which values are staged, that is, stored after they are read and before
/// they are written. Value i is staged in the slot of sorted entry i if a slot is large enough,
/// otherwise in element i of an array after the entries.
template <class Entry, class Value>
struct StagedValues {
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
      // Aligned by address, since the team's memory may be less aligned than Value.
      constexpr std::uintptr_t step = alignof(Value);
      auto const end_of_entries =
          reinterpret_cast<std::uintptr_t>(bytes_of_team + Shape<Entry>::bytes(n));
      return reinterpret_cast<Value*>((end_of_entries + step - 1) / step * step) + i;
    }
  }
};

template <class Entry>
inline constexpr std::size_t alignment = alignof(Entry) > 16 ? alignof(Entry) : 16;

/// The bytes of scratch memory that a sort of n entries takes, including the maximum padding for
/// alignment.
template <class Entry>
KOKKOS_FUNCTION constexpr std::size_t scratch_bytes(std::size_t n) {
  return n == 0 ? 0 : Shape<Entry>::bytes(n) + alignment<Entry>;
}

/// Returns scratch memory that follows the Views that the caller has taken, or null if there is
/// too little. It comes from a copy of the scratch space, so it is free again when the sort returns.
template <class Entry, class Member>
KOKKOS_INLINE_FUNCTION void* take_scratch(Member const& team, std::size_t bytes, int level = 0) {
  auto const scratch = team.team_scratch(level);
  return scratch.get_shmem_aligned(bytes, static_cast<std::ptrdiff_t>(alignment<Entry>));
}

/// Takes scratch memory of level 0, or else of level 1. On a CPU both are the same kind of memory,
/// but Kokkos allows little of level 0.
template <class Entry, class Member>
void* take_scratch_of_host(Member const& team, std::size_t bytes) {
  void* const memory = take_scratch<Entry>(team, bytes, 0);
  return memory != nullptr ? memory : take_scratch<Entry>(team, bytes, 1);
}

/// The maximum n for which numbers are sorted in several blocks. It is limited because indices have
/// 32 bits.
inline constexpr std::size_t max_by_blocks = std::size_t{1} << 30;

/// Whether a team of a GPU can sort n entries in one block.
template <class Entry, class Member>
KOKKOS_INLINE_FUNCTION bool fits_in_one_block(Member const& team, std::size_t n) {
  return n <= Shape<Entry>::max_entries && team.team_size() >= backend::width;
}

/// Sorts numbers in one block, or in blocks of the largest size for which there is scratch memory.
/// Returns false if there is too little even for one chunk.
template <class Entries, class Member, class In, class Out>
KOKKOS_INLINE_FUNCTION bool sort_numbers_by_network(Member const& team, Entries const& entries,
                                                    In const& in, Out const& out) {
  using Entry = typename Entries::Entry;
  auto const n = static_cast<std::size_t>(in.extent(0));
  if (n > max_by_blocks || team.team_size() < backend::width) return false;
  std::size_t block = n < Shape<Entry>::max_entries ? n : Shape<Entry>::max_entries;
  void* memory = take_scratch<Entry>(team, Shape<Entry>::bytes(block));
  if (memory == nullptr) {
    for (block = Shape<Entry>::max_entries; block >= n; block /= 2) continue;
    for (; memory == nullptr && block >= Shape<Entry>::chunk; block /= 2) {
      memory = take_scratch<Entry>(team, Shape<Entry>::bytes(block));
    }
    block *= 2;
  }
  if (memory == nullptr) return false;
  BlockSorter<Entries, Member, In, Out>(team, entries, memory, static_cast<int>(block), in, out)
      .sort();
  return true;
}

/// Sorts entries that cannot be computed from their keys alone, in one block. Returns false if they
/// do not fit in scratch memory.
template <class Entries, class Member, class In, class Out>
KOKKOS_INLINE_FUNCTION bool sort_entries_by_network(Member const& team, Entries const& entries,
                                                    In const& in, Out const& out) {
  using Entry = typename Entries::Entry;
  auto const n = static_cast<std::size_t>(in.extent(0));
  if (!fits_in_one_block<Entry>(team, n)) return false;
  void* const memory = take_scratch<Entry>(team, Shape<Entry>::bytes(n));
  if (memory == nullptr) return false;
  BitonicSorter<Entries, Member> const sorter(team, entries, memory, static_cast<int>(n));
  team.team_barrier();
  sorter.sort([&](int i) { return entries.entry(in(i), static_cast<std::uint32_t>(i)); });
  sorter.for_each_sorted(
      [&](int i, int position) { out(i) = entries.key(sorter.slots().load(position)); });
  team.team_barrier();
  return true;
}

template <class Entries, class Member, class In, class Out>
KOKKOS_INLINE_FUNCTION bool sort_keys_by_network(Member const& team, Entries const& entries,
                                                 In const& in, Out const& out) {
  if constexpr (are_determined_by_keys<Entries>) {
    return sort_numbers_by_network(team, entries, in, out);
  } else {
    return sort_entries_by_network(team, entries, in, out);
  }
}

template <class Entries, class Member, class Keys, class Values>
KOKKOS_INLINE_FUNCTION bool sort_pairs_by_network(Member const& team, Entries const& entries,
                                                  Keys const& keys, Values const& values) {
  using Entry = typename Entries::Entry;
  using Value = typename Values::non_const_value_type;
  using Staged = StagedValues<Entry, Value>;
  auto const n = static_cast<std::size_t>(keys.extent(0));
  if (!fits_in_one_block<Entry>(team, n)) return false;
  void* const memory = take_scratch<Entry>(team, Shape<Entry>::bytes(n) + Staged::bytes(n));
  if (memory == nullptr) return false;
  auto const at = [&](int i, int position) {
    return Staged::at(memory, n, static_cast<std::size_t>(i), static_cast<std::size_t>(position));
  };
  BitonicSorter<Entries, Member> const sorter(team, entries, memory, static_cast<int>(n));
  team.team_barrier();
  sorter.sort([&](int i) { return entries.entry(keys(i), static_cast<std::uint32_t>(i)); });
  sorter.for_each_sorted([&](int i, int position) {
    Entry const entry = sorter.slots().load(position);
    keys(i) = entries.key(entry);
    new (at(i, position)) Value(values(static_cast<int>(entries.index(entry))));
  });
  team.team_barrier();
  sorter.for_each_sorted([&](int i, int position) { values(i) = *at(i, position); });
  team.team_barrier();
  return true;
}

/// Sorts on a CPU: thread 0 of the team sorts all entries.
template <class Entries, class Member, class In, class Out>
bool sort_keys_on_host(Member const& team, Entries const& entries, In const& in, Out const& out) {
  using Entry = typename Entries::Entry;
  auto const n = static_cast<std::size_t>(in.extent(0));
  void* const memory = take_scratch_of_host<Entry>(team, Shape<Entry>::bytes(n));
  if (memory == nullptr) return false;
  team.team_barrier();
  if (team.team_rank() == 0) {
    auto const* const sorted = sort_by_one_thread(entries, in, memory);
    for (std::size_t i = 0; i < n; ++i) out(i) = entries.key(sorted[i]);
  }
  team.team_barrier();
  return true;
}

template <class Entries, class Member, class Keys, class Values>
bool sort_pairs_on_host(Member const& team, Entries const& entries, Keys const& keys,
                        Values const& values) {
  using Entry = typename Entries::Entry;
  using Value = typename Values::non_const_value_type;
  using Staged = StagedValues<Entry, Value>;
  auto const n = static_cast<std::size_t>(keys.extent(0));
  void* const memory = take_scratch_of_host<Entry>(team, Shape<Entry>::bytes(n) + Staged::bytes(n));
  if (memory == nullptr) return false;
  team.team_barrier();
  if (team.team_rank() == 0) {
    auto const* const sorted = sort_by_one_thread(entries, keys, memory);
    for (std::size_t i = 0; i < n; ++i) {
      Entry const entry = sorted[i];
      keys(i) = entries.key(entry);
      // A slot is at most as large as an entry, so this does not overwrite entries after i.
      new (Staged::at(memory, n, i, i)) Value(values(entries.index(entry)));
    }
    for (std::size_t i = 0; i < n; ++i) values(i) = *Staged::at(memory, n, i, i);
  }
  team.team_barrier();
  return true;
}

/// Sorts with the threads of the team. Returns false if there is too little scratch memory. An
/// empty View needs no scratch memory.
template <class Entries, class Member, class In, class Out>
KOKKOS_INLINE_FUNCTION bool sort_keys(Member const& team, Entries const& entries, In const& in,
                                      Out const& out) {
  if (in.extent(0) == 0) {
    team.team_barrier();
    return true;
  }
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    KOKKOS_IF_ON_HOST((return sort_keys_on_host(team, entries, in, out);))
    KOKKOS_IF_ON_DEVICE((return false;))
  } else {
    return sort_keys_by_network(team, entries, in, out);
  }
}

template <class Entries, class Member, class Keys, class Values>
KOKKOS_INLINE_FUNCTION bool sort_pairs(Member const& team, Entries const& entries, Keys const& keys,
                                       Values const& values) {
  if (keys.extent(0) == 0) {
    team.team_barrier();
    return true;
  }
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    KOKKOS_IF_ON_HOST((return sort_pairs_on_host(team, entries, keys, values);))
    KOKKOS_IF_ON_DEVICE((return false;))
  } else {
    return sort_pairs_by_network(team, entries, keys, values);
  }
}

}  // namespace riffle::detail::team_sort
