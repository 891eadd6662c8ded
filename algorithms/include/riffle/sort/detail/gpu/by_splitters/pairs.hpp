#pragma once

// Sorts numbers of 8 bytes on a GPU by splitters, each with a value of up to 4 bytes.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/context.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/sort/block/number_code.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/run.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort::by_splitters {

/// Codes that can be turned back into numbers.
template <class T, class Order>
struct NumberCodes {
  using Code = team_sort::NumberCode<T, Order>;

  KOKKOS_FUNCTION static std::uint64_t code(T const& number) { return Code::encode(number); }
  KOKKOS_FUNCTION static T number(std::uint64_t code) { return Code::decode(code); }
  KOKKOS_FUNCTION static std::uint32_t oddity(std::uint64_t code) {
    return oddity_of(number(code));
  }
};

template <class Value>
KOKKOS_FUNCTION std::uint32_t to_companion(Value const& value) {
  std::uint32_t companion = 0;
  memcpy(&companion, static_cast<void const*>(&value), sizeof(Value));
  return companion;
}

template <class Value>
KOKKOS_FUNCTION void from_companion(std::uint32_t companion, Value& value) {
  memcpy(static_cast<void*>(&value), &companion, sizeof(Value));
}

/// Views of keys and of values as one View of IndexedCodes. Writes keep the indices, too, since crowded parts are read
/// again.
template <class Keys, class Values, class Codes>
struct KeysAndValues {
  using Key = typename Keys::non_const_value_type;
  using Value = typename Values::non_const_value_type;

  struct Reference {
    Key& key;
    Value& value;
    std::uint32_t& index;

    KOKKOS_FUNCTION operator IndexedCode() const {
      return {Codes::code(key), index, to_companion(value)};
    }
    KOKKOS_FUNCTION Reference const& operator=(IndexedCode const& other) const {
      key = Codes::number(other.code);
      index = other.index;
      from_companion(other.companion, value);
      return *this;
    }
  };

  KOKKOS_FUNCTION Reference operator()(std::uint64_t i) const {
    return {keys(i), values(i), indices[i]};
  }

  Keys keys;
  Values values;
  std::uint32_t* indices;
};

/// The same before the sort, when an index is the place.
template <class Keys, class Values, class Codes>
struct UnsortedKeysAndValues {
  KOKKOS_FUNCTION std::size_t extent(int) const { return keys.extent(0); }
  KOKKOS_FUNCTION IndexedCode operator()(std::uint64_t i) const {
    return {Codes::code(keys(i)), static_cast<std::uint32_t>(i), to_companion(values(i))};
  }

  Keys keys;
  Values values;
};

/// The fewest pairs that are sorted by splitters: fewer are sorted as fast by CUB.
inline constexpr std::uint64_t min_pairs = std::uint64_t{1} << 23;

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
  using Codes = NumberCodes<typename Keys::non_const_value_type, Order>;
  using Kind = IndexedCodes<Codes>;
  struct Temporaries {
    std::uint32_t* indices;
    Arrays<Kind> arrays;
  };
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto const all = scope.arrays([&](ArrayMemory& memory) {
    auto* const indices = memory.take<std::uint32_t>(n);
    return Temporaries{indices, {memory, n, part_depth<IndexedCode>(n)}};
  });
  return sort_elements(context, UnsortedKeysAndValues<Keys, Values, Codes>{keys, values},
                       KeysAndValues<Keys, Values, Codes>{keys, values, all.indices}, all.arrays);
}

}  // namespace riffle::detail::sort::by_splitters
