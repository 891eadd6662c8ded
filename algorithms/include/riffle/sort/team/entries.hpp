#pragma once

// The entries that a team sorts: keys, or keys with their indices, in a strict total order. Two
// entries tie only if they are identical. For each type, last() is an entry that no other entry
// follows in the order; it fills up the last chunk.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <riffle/order.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::team_sort {

/// The base class of the entry types whose entries are unsigned integers in ascending order.
template <class Word>
struct WordEntries {
  using Entry = Word;

  KOKKOS_FORCEINLINE_FUNCTION static Entry last() { return ~Entry{0}; }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_before(Entry a, Entry b) { return a < b; }

  KOKKOS_FORCEINLINE_FUNCTION static void put_in_order(Entry& a, Entry& b) {
    Entry const least = a < b ? a : b;
    b = a < b ? b : a;
    a = least;
  }
};

/// Numbers alone. An entry is a number's code.
template <class T, class Order>
struct NumberEntries : WordEntries<typename sort::NumberCode<T, Order>::Word> {
  using Code = sort::NumberCode<T, Order>;
  using Entry = typename Code::Word;

  KOKKOS_FORCEINLINE_FUNCTION static Entry entry(T const& key, std::uint32_t) {
    return Code::encode(key);
  }
  KOKKOS_FORCEINLINE_FUNCTION static T key(Entry entry) { return Code::decode(entry); }
};

/// Numbers of up to 4 bytes with their indices. An entry has the code in bits 32-63 and the index
/// in bits 0-31.
template <class T, class Order>
struct PackedEntries : WordEntries<std::uint64_t> {
  using Code = sort::NumberCode<T, Order>;

  KOKKOS_FORCEINLINE_FUNCTION static Entry entry(T const& key, std::uint32_t index) {
    return Entry{Code::encode(key)} << 32 | index;
  }
  KOKKOS_FORCEINLINE_FUNCTION static T key(Entry entry) {
    return Code::decode(static_cast<std::uint32_t>(entry >> 32));
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t index(Entry entry) {
    return static_cast<std::uint32_t>(entry);
  }
};

/// A key and its index before the sort. It is copied to and from words member by member; nvcc would
/// take three times the number of registers if it were copied with its padding.
template <class Key>
struct alignas(alignof(Key) > 8 ? alignof(Key) : 8) IndexedEntry {
  Key key;
  std::uint32_t index;

  KOKKOS_FORCEINLINE_FUNCTION static IndexedEntry of_words(std::uint64_t const* words) {
    IndexedEntry entry;
    memcpy(static_cast<void*>(&entry.key), words, sizeof(Key));
    memcpy(&entry.index, reinterpret_cast<char const*>(words) + place_of_index, sizeof(index));
    return entry;
  }
  KOKKOS_FORCEINLINE_FUNCTION void to_words(std::uint64_t* words) const {
    memcpy(words, static_cast<void const*>(&key), sizeof(Key));
    memcpy(reinterpret_cast<char*>(words) + place_of_index, &index, sizeof(index));
  }

 private:
  static constexpr std::size_t place_of_index = (sizeof(Key) + 3) / 4 * 4;
};

/// The base class of the entry types below. `Kind` is the derived class, which defines the order.
template <class Kind, class Key>
struct IndexedEntries {
  using Entry = IndexedEntry<Key>;

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t index(Entry const& entry) { return entry.index; }

  KOKKOS_FORCEINLINE_FUNCTION void put_in_order(Entry& a, Entry& b) const {
    if (!static_cast<Kind const&>(*this).is_before(b, a)) return;
    Entry const other = a;
    a = b;
    b = other;
  }

 protected:
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};
};

/// Numbers of 8 bytes with their indices.
template <class T, class Order>
struct IndexedNumberEntries
    : IndexedEntries<IndexedNumberEntries<T, Order>, typename sort::NumberCode<T, Order>::Word> {
  using Code = sort::NumberCode<T, Order>;
  using Entry = IndexedEntry<typename Code::Word>;

  KOKKOS_FORCEINLINE_FUNCTION static Entry entry(T const& key, std::uint32_t index) {
    return {Code::encode(key), index};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Entry last() {
    return {~typename Code::Word{0}, IndexedNumberEntries::no_index};
  }
  KOKKOS_FORCEINLINE_FUNCTION static T key(Entry const& entry) { return Code::decode(entry.key); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_before(Entry const& a, Entry const& b) {
    // Without branches.
    return static_cast<bool>(
        static_cast<int>(a.key < b.key) |
        (static_cast<int>(a.key == b.key) & static_cast<int>(a.index < b.index)));
  }
};

/// Keys of any type with their indices, compared by a function of the user. The function is called
/// for keys of the user only, never for an entry that fills up a chunk.
template <class T, class Comparison>
struct ComparedEntries : IndexedEntries<ComparedEntries<T, Comparison>, T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                "riffle: team_sort moves keys through registers and scratch memory: they must be "
                "trivially copyable and default constructible");
  using Entry = IndexedEntry<T>;

  KOKKOS_FORCEINLINE_FUNCTION explicit ComparedEntries(Comparison const& comparison)
      : comparison_(comparison) {}

  KOKKOS_FORCEINLINE_FUNCTION static Entry entry(T const& key, std::uint32_t index) {
    return {key, index};
  }
  KOKKOS_FORCEINLINE_FUNCTION static Entry last() { return {T{}, ComparedEntries::no_index}; }
  KOKKOS_FORCEINLINE_FUNCTION static T const& key(Entry const& entry) { return entry.key; }

  KOKKOS_FORCEINLINE_FUNCTION bool is_before(Entry const& a, Entry const& b) const {
    if (a.index == ComparedEntries::no_index || b.index == ComparedEntries::no_index) {
      return a.index < b.index;
    }
    if (detail::is_before(comparison_, a.key, b.key)) return true;
    return a.index < b.index && !detail::is_before(comparison_, b.key, a.key);
  }

 private:
  Comparison comparison_;
};

template <class T, class Comparison>
inline constexpr bool are_numbers = sort::has_number_code<T, Comparison>;

/// The entries for sorts of keys alone, and for sorts of keys with values.
template <class T, class Comparison>
using KeyEntries = std::conditional_t<are_numbers<T, Comparison>, NumberEntries<T, Comparison>,
                                      ComparedEntries<T, Comparison>>;
template <class T, class Comparison>
using PairEntries =
    std::conditional_t<!are_numbers<T, Comparison>, ComparedEntries<T, Comparison>,
                       std::conditional_t<sizeof(T) <= 4, PackedEntries<T, Comparison>,
                                          IndexedNumberEntries<T, Comparison>>>;

/// Whether an entry can be computed from its key alone.
template <class Entries>
inline constexpr bool are_determined_by_keys = is_instance_of<Entries, NumberEntries>;

/// Whether the order is a comparison of the user, which may not be a strict weak ordering.
template <class Entries>
inline constexpr bool have_user_comparison = is_instance_of<Entries, ComparedEntries>;

template <class Entries, class Comparison>
KOKKOS_FORCEINLINE_FUNCTION Entries make_entries(Comparison const& comparison) {
  if constexpr (std::is_constructible_v<Entries, Comparison const&>) {
    return Entries(comparison);
  } else {
    return Entries();
  }
}

}  // namespace riffle::detail::team_sort
