#pragma once

// What is read when elements are sorted by splitters, and what is written.
//
// An input gives element i; it may be read more than once, until the result is written, which may be in the same
// place. An output writes element i of the result. Until then it keeps elements in the same places as they are, for
// parts that scratch memory does not hold.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/exact_code.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>

namespace riffle::detail::sort::by_splitters {

/// Bits of NaNs, which codes do not have: that of element i at i.
template <class T, class Order>
struct SavedNaNs {
  using Code = ExactCode<T, Order>;
  using Word = typename Code::Word;

  KOKKOS_FUNCTION Word encode(T const& value, std::uint64_t i) const {
    Word const code = Code::encode(value, i);
    if (Code::is_nan(code)) nans[i] = value;
    return code;
  }
  KOKKOS_FUNCTION T decode(Word code) const {
    return Code::is_nan(code) ? nans[Code::index_of_nan(code)] : Code::decode(code);
  }

  T* nans;
};

/// The numbers whose NaNs are saved: those that may be NaNs.
template <class T>
constexpr std::uint64_t saved_nans(std::uint64_t n) {
  return std::is_floating_point_v<T> ? n : 0;
}

/// The elements `begin`, ..., `begin + size - 1` of an output, called as a View is, which are written; or kept as they
/// are, and read again.
template <class Out>
struct PartOfOutput {
  using Element = typename Out::Element;

  struct Place {
    PartOfOutput const& part;
    std::uint64_t i;

    KOKKOS_FUNCTION operator Element() const { return part.out.kept(i); }
    KOKKOS_FUNCTION Place const& operator=(Element const& element) const {
      if (part.is_kept) {
        part.out.keep(i, element);
      } else {
        part.out.write(i, element);
      }
      return *this;
    }
  };

  KOKKOS_FUNCTION std::size_t extent(int) const { return size; }
  KOKKOS_FUNCTION Place operator()(int i) const {
    return {*this, begin + static_cast<std::uint64_t>(i)};
  }

  Out out;
  std::uint64_t begin;
  std::size_t size;
  bool is_kept;
};

/// An input that is read in two steps: raw(i), and then element(raw, i), which may write to memory.
template <class In>
concept ReadInSteps = requires {
  typename In::Raw;
};

/// Reads the elements first, first + step, ... below `end`; others stay as they are. All reads are under way before an
/// element is made of the first: what that writes, the compiler must think, might be what is read next.
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

template <class View, class Order>
struct NumbersIn {
  using T = typename View::non_const_value_type;
  using Raw = T;
  using Element = typename SavedNaNs<T, Order>::Word;

  KOKKOS_FUNCTION std::size_t extent(int) const { return view.extent(0); }
  KOKKOS_FUNCTION Raw raw(std::uint64_t i) const { return view(i); }
  KOKKOS_FUNCTION Element element(Raw const& value, std::uint64_t i) const {
    return saved.encode(value, i);
  }
  KOKKOS_FUNCTION Element operator()(std::uint64_t i) const { return element(raw(i), i); }

  View view;
  SavedNaNs<T, Order> saved;
};

template <class View, class Order>
struct NumbersOut {
  using T = typename View::non_const_value_type;
  using Element = typename SavedNaNs<T, Order>::Word;

  KOKKOS_FUNCTION void write(std::uint64_t i, Element element) const {
    view(i) = saved.decode(element);
  }
  KOKKOS_FUNCTION void keep(std::uint64_t i, Element element) const {
    view(i) = Kokkos::bit_cast<T>(element);
  }
  KOKKOS_FUNCTION Element kept(std::uint64_t i) const {
    return Kokkos::bit_cast<Element>(static_cast<T>(view(i)));
  }

  View view;
  SavedNaNs<T, Order> saved;
};

// --- numbers with values ---

/// The values: those of up to 4 bytes move along in elements, others wait in memory until their elements are written.
template <class Values>
struct Companions {
  using Value = typename Values::non_const_value_type;
  static constexpr bool are_in_elements = sizeof(Value) <= sizeof(IndexedCode::companion);

  /// What moves along in element i.
  KOKKOS_FUNCTION std::uint32_t read(std::uint64_t i) const {
    if constexpr (are_in_elements) return to_companion(values(i));
    return 0;
  }
  /// Lets a value wait that does not move along.
  KOKKOS_FUNCTION void put_aside(std::uint64_t i) const {
    if constexpr (!are_in_elements) waiting[i] = values(i);
  }
  KOKKOS_FUNCTION void write(std::uint64_t i, IndexedCode const& element) const {
    if constexpr (are_in_elements) {
      from_companion(element.companion, values(i));
    } else {
      values(i) = waiting[element.index];
    }
  }
  KOKKOS_FUNCTION void keep(std::uint64_t i, IndexedCode const& element) const {
    if constexpr (are_in_elements) write(i, element);
  }
  KOKKOS_FUNCTION std::uint32_t kept(std::uint64_t i) const {
    if constexpr (are_in_elements) return to_companion(values(i));
    return 0;
  }

  Values values;
  Value* waiting;
};

template <class Keys, class Values, class Order>
struct PairsIn {
  using Element = IndexedCode;

  struct Raw {
    typename Keys::non_const_value_type key;
    std::uint32_t companion;
  };

  KOKKOS_FUNCTION std::size_t extent(int) const { return keys.extent(0); }
  KOKKOS_FUNCTION Raw raw(std::uint64_t i) const { return {keys(i), companions.read(i)}; }
  KOKKOS_FUNCTION Element element(Raw const& pair, std::uint64_t i) const {
    companions.put_aside(i);
    return {saved.encode(pair.key, i), static_cast<std::uint32_t>(i), pair.companion};
  }
  KOKKOS_FUNCTION Element operator()(std::uint64_t i) const { return element(raw(i), i); }

  Keys keys;
  SavedNaNs<typename Keys::non_const_value_type, Order> saved;
  Companions<Values> companions;
};

template <class Keys, class Values, class Order>
struct PairsOut {
  using T = typename Keys::non_const_value_type;
  using Saved = SavedNaNs<T, Order>;
  using Word = typename Saved::Word;
  using Element = IndexedCode;

  KOKKOS_FUNCTION void write(std::uint64_t i, Element const& element) const {
    keys(i) = saved.decode(static_cast<Word>(element.code));
    companions.write(i, element);
  }
  KOKKOS_FUNCTION void keep(std::uint64_t i, Element const& element) const {
    keys(i) = Kokkos::bit_cast<T>(static_cast<Word>(element.code));
    companions.keep(i, element);
    indices[i] = element.index;
  }
  KOKKOS_FUNCTION Element kept(std::uint64_t i) const {
    return {Kokkos::bit_cast<Word>(static_cast<T>(keys(i))), indices[i], companions.kept(i)};
  }

  Keys keys;
  Saved saved;
  Companions<Values> companions;
  std::uint32_t* indices;
};

// --- keys with their indices ---

template <class View, class Key>
struct KeysIn {
  using Element = IndexedCode;

  KOKKOS_FUNCTION std::size_t extent(int) const { return view.extent(0); }
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
  KOKKOS_FUNCTION void keep(std::uint64_t i, Element const& element) const { write(i, element); }
  KOKKOS_FUNCTION Element kept(std::uint64_t i) const {
    return {keys[i], static_cast<std::uint32_t>(indices[i]), 0};
  }

  Word* keys;
  Index* indices;
};

}  // namespace riffle::detail::sort::by_splitters
