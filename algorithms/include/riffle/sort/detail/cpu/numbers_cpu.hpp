#pragma once

// Numbers, alone or each with a value, as items of a sort by digits. They are stored as they are; their codes are made
// anew wherever they are looked at.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/primitives/radix_key.hpp>
#include <riffle/sort/block/number_code.hpp>

namespace riffle::detail::sort {

template <class T, class Order>
struct NumberAlone {
  using Word = RadixWord<T>;

  T number;

  Word key() const { return team_sort::NumberCode<T, Order>::encode(number); }
};

/// A number with its value, in no more bytes than the two have. Host only.
template <class T, class Value, class Order>
class NumberWithValue {
 public:
  using Word = RadixWord<T>;

  NumberWithValue() = default;
  NumberWithValue(T const& number, Value const& value) {
    std::memcpy(number_, &number, sizeof number);
    std::memcpy(value_, &value, sizeof value);
  }

  Word key() const { return team_sort::NumberCode<T, Order>::encode(number()); }
  T number() const { return read<T>(number_); }
  Value value() const { return read<Value>(value_); }

 private:
  static constexpr std::size_t alignment = std::min(alignof(T), alignof(Value));

  template <class X>
  static X read(std::byte const* from) {
    X x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }

  alignas(alignment) std::byte number_[sizeof(T)];
  alignas(alignment) std::byte value_[sizeof(Value)];
};

// --- what is sorted ---

template <class View, class Order>
struct NumbersOfView {
  using Item = NumberAlone<typename View::non_const_value_type, Order>;
  using Word = typename Item::Word;

  View view;

  Item operator()(std::uint64_t i) const { return {view(i)}; }
  Word word(std::uint64_t i) const { return (*this)(i).key(); }
};

template <class Keys, class Values, class Order>
struct PairsOfViews {
  using Number = typename Keys::non_const_value_type;
  using Item = NumberWithValue<Number, typename Values::non_const_value_type, Order>;
  using Word = typename Item::Word;

  Keys keys;
  Values values;

  Item operator()(std::uint64_t i) const { return {keys(i), values(i)}; }
  Word word(std::uint64_t i) const { return team_sort::NumberCode<Number, Order>::encode(keys(i)); }
};

// --- where it goes ---

/// Stores numbers at the places of a View, in whose memory items may have been sorted.
template <class View>
struct StoreNumbers {
  View view;

  template <class Item>
  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item*) const {
    if (static_cast<void const*>(items) == static_cast<void const*>(&view(first))) return;
    for (std::uint64_t k = 0; k < count; ++k) view(first + k) = items[k].number;
  }

  template <class Item>
  void tied(std::uint64_t first, Item const* items, std::uint64_t count, std::uint64_t,
            std::uint64_t) const {
    bucket(first, items, count, static_cast<Item*>(nullptr));
  }
};

template <class Keys, class Values>
struct StorePairs {
  Keys keys;
  Values values;

  template <class Item>
  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item*) const {
    for (std::uint64_t k = 0; k < count; ++k) {
      keys(first + k) = items[k].number();
      values(first + k) = items[k].value();
    }
  }

  template <class Item>
  void tied(std::uint64_t first, Item const* items, std::uint64_t count, std::uint64_t,
            std::uint64_t) const {
    bucket(first, items, count, static_cast<Item*>(nullptr));
  }
};

}  // namespace riffle::detail::sort
