#pragma once

// The elements that the samplesorts of a GPU move, and how they are read and written. An element,
// or word, is a code, or a code with an index. Codes are unsigned integers that compare as the
// sorted numbers or keys do.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::sort::samplesort {

/// The type of element indices and tile indices, which are less than 2^32.
using Index = std::uint32_t;

/// The code of a number, the number's index before the sort, and the value that is moved with it.
/// Indices differ, so no two objects of this type are equal.
struct alignas(16) IndexedCode {
  std::uint64_t code;
  std::uint32_t index;
  std::uint32_t payload;

  KOKKOS_FUNCTION friend bool operator<(IndexedCode const& a, IndexedCode const& b) {
    // Without branches.
    return static_cast<bool>(
        static_cast<int>(a.code < b.code) |
        (static_cast<int>(a.code == b.code) & static_cast<int>(a.index < b.index)));
  }
  KOKKOS_FUNCTION friend bool operator==(IndexedCode const& a, IndexedCode const& b) {
    return a.code == b.code && a.index == b.index;
  }
};

/// The code of a word. Words with an index are compared by index only if their codes are equal.
KOKKOS_INLINE_FUNCTION std::uint32_t code_of(std::uint32_t word) { return word; }
KOKKOS_INLINE_FUNCTION std::uint64_t code_of(std::uint64_t word) { return word; }
KOKKOS_INLINE_FUNCTION std::uint64_t code_of(IndexedCode const& word) { return word.code; }

/// Whether words have an index in addition to their code.
template <class Word>
inline constexpr bool has_index = std::is_same_v<Word, IndexedCode>;

/// The least and the greatest word with a given code.
template <class Word, class Code>
KOKKOS_FUNCTION Word least_of_code(Code code) {
  if constexpr (has_index<Word>) {
    return {code, 0, 0};
  } else {
    return code;
  }
}
template <class Word, class Code>
KOKKOS_FUNCTION Word greatest_of_code(Code code) {
  if constexpr (has_index<Word>) {
    return {code, ~std::uint32_t{0}, 0};
  } else {
    return code;
  }
}

/// The greatest word whose code is less than the code of `word`.
KOKKOS_INLINE_FUNCTION std::uint32_t greatest_below(std::uint32_t word) { return word - 1; }
KOKKOS_INLINE_FUNCTION std::uint64_t greatest_below(std::uint64_t word) { return word - 1; }
KOKKOS_INLINE_FUNCTION IndexedCode greatest_below(IndexedCode const& word) {
  return {word.code - 1, ~std::uint32_t{0}, 0};
}

// --- inputs and outputs ---
//
// An input returns element i, and may be read more than once. The output may be in the same memory
// as the input, so the input is not read after the output is written. An output writes element i of
// the sorted elements. For parts that do not fit in scratch memory, an output can also store
// elements unsorted, at the indices where sorted elements will be written, and load them again.

/// An input that is read in two steps: raw(i) reads memory, then element(raw, i) makes the element
/// and may write to memory.
template <class In>
concept ReadInSteps = requires {
  typename In::Raw;
};

/// Sets elements[k] to element first + k * step if that index is less than `end`, and otherwise
/// leaves it unchanged. If the input is read in two steps, all reads come before the first call of
/// element(). If element() were called between reads, the reads would not overlap, because the
/// compiler has to assume that element() writes to memory that is read next.
template <int count, class In>
KOKKOS_FUNCTION void read_elements(In const& in, std::uint64_t first, std::uint64_t step,
                                   std::uint64_t end, typename In::Element (&elements)[count]) {
  auto const place = [&](int k) { return first + static_cast<std::uint64_t>(k) * step; };
  if constexpr (ReadInSteps<In>) {
    typename In::Raw raw[count] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      if (place(k) < end) raw[k] = in.raw(place(k));
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      if (place(k) < end) elements[k] = in.element(raw[k], place(k));
    }
  } else {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      if (place(k) < end) elements[k] = in(place(k));
    }
  }
}

// --- numbers ---

/// Numbers in memory, which are read as codes and written from codes.
template <class Word>
struct NumberWords {
  KOKKOS_FUNCTION Word code_at(std::uint64_t i) const { return code.encode(words[i * stride]); }
  KOKKOS_FUNCTION void set(std::uint64_t i, Word code_of_number) const {
    words[i * stride] = code.decode(code_of_number);
  }

  Word* words;
  std::uint64_t stride;
  WordCode<Word> code;
};

template <class Order, class View>
auto words_of(View const& view) {
  using T = typename View::non_const_value_type;
  using Code = NumberCode<T, Order>;
  using Word = typename Code::Word;
  static_assert(sizeof(T) == sizeof(Word));
  auto* const data = const_cast<T*>(view.data());
  return NumberWords<Word>{reinterpret_cast<Word*>(data),
                           static_cast<std::uint64_t>(view.stride(0)), Code::of_words()};
}

template <class Word>
struct NumbersIn {
  using Element = Word;

  KOKKOS_FUNCTION Word operator()(std::uint64_t i) const { return numbers.code_at(i); }

  NumberWords<Word> numbers;
};

template <class Word>
struct NumbersOut {
  using Element = Word;

  KOKKOS_FUNCTION void write(std::uint64_t i, Word code) const { numbers.set(i, code); }
  KOKKOS_FUNCTION void store_unsorted(std::uint64_t i, Word code) const { numbers.set(i, code); }
  KOKKOS_FUNCTION Word load_unsorted(std::uint64_t i) const { return numbers.code_at(i); }

  NumberWords<Word> numbers;
};

// --- numbers with values ---

/// Reads and writes the values that are sorted with numbers, as unsigned integers. Values of up to
/// 4 bytes are stored in the elements. Larger values are first copied to `staged`; when an element
/// is written, its value is copied from there.
template <class Value>
struct Payloads {
  static constexpr bool are_in_elements = sizeof(Value) <= sizeof(IndexedCode::payload);

  /// Returns the value that is stored in element i, or 0 if values are not stored in elements.
  KOKKOS_FUNCTION std::uint32_t read(std::uint64_t i) const {
    if constexpr (are_in_elements) return static_cast<std::uint32_t>(values[i * stride]);
    return 0;
  }
  /// Copies value i to `staged` if values are not stored in elements.
  KOKKOS_FUNCTION void stage(std::uint64_t i) const {
    if constexpr (!are_in_elements) backend::store_same(&staged[i], values[i * stride]);
  }
  KOKKOS_FUNCTION void write(std::uint64_t i, IndexedCode const& element) const {
    if constexpr (are_in_elements) {
      values[i * stride] = static_cast<Value>(element.payload);
    } else {
      values[i * stride] = staged[element.index];
    }
  }
  KOKKOS_FUNCTION void store_unsorted(std::uint64_t i, IndexedCode const& element) const {
    if constexpr (are_in_elements) write(i, element);
  }

  Value* values;
  std::uint64_t stride;
  Value* staged;
};

/// The unsigned integer type that has the size of a View's values.
template <class Values>
using PayloadOf = UnsignedOf<sizeof(typename Values::non_const_value_type)>;

template <class Values>
Payloads<PayloadOf<Values>> payloads_of(Values const& values, PayloadOf<Values>* staged) {
  return {reinterpret_cast<PayloadOf<Values>*>(values.data()),
          static_cast<std::uint64_t>(values.stride(0)), staged};
}

template <class Word, class Value>
struct PairsIn {
  using Element = IndexedCode;

  struct Raw {
    Word code;
    std::uint32_t payload;
  };

  KOKKOS_FUNCTION Raw raw(std::uint64_t i) const { return {keys.code_at(i), payloads.read(i)}; }
  KOKKOS_FUNCTION Element element(Raw const& pair, std::uint64_t i) const {
    payloads.stage(i);
    return {pair.code, static_cast<std::uint32_t>(i), pair.payload};
  }
  KOKKOS_FUNCTION Element operator()(std::uint64_t i) const { return element(raw(i), i); }

  NumberWords<Word> keys;
  Payloads<Value> payloads;
};

template <class Word, class Value>
struct PairsOut {
  using Element = IndexedCode;

  KOKKOS_FUNCTION void write(std::uint64_t i, Element const& element) const {
    keys.set(i, static_cast<Word>(element.code));
    payloads.write(i, element);
  }
  KOKKOS_FUNCTION void store_unsorted(std::uint64_t i, Element const& element) const {
    keys.set(i, static_cast<Word>(element.code));
    payloads.store_unsorted(i, element);
    indices[i] = element.index;
  }
  KOKKOS_FUNCTION Element load_unsorted(std::uint64_t i) const {
    return {keys.code_at(i), indices[i], payloads.read(i)};
  }

  NumberWords<Word> keys;
  Payloads<Value> payloads;
  std::uint32_t* indices;
};

// --- keys with their indices ---

template <class View, class Key>
struct KeysIn {
  using Element = IndexedCode;

  KOKKOS_FUNCTION Element operator()(std::uint64_t i) const {
    return {key(view(i)), static_cast<std::uint32_t>(i), 0};
  }

  View view;
  Key key;
};

template <class Word, class Index>
struct KeysOut {
  using Element = IndexedCode;

  KOKKOS_FUNCTION void write(std::uint64_t i, Element const& element) const {
    keys[i] = static_cast<Word>(element.code);
    indices[i] = static_cast<Index>(element.index);
  }
  KOKKOS_FUNCTION void store_unsorted(std::uint64_t i, Element const& element) const {
    write(i, element);
  }
  KOKKOS_FUNCTION Element load_unsorted(std::uint64_t i) const {
    return {keys[i], static_cast<std::uint32_t>(indices[i]), 0};
  }

  Word* keys;
  Index* indices;
};

}  // namespace riffle::detail::sort::samplesort
