#pragma once

// The passes of BucketShuffle on a CPU. The digit of a place says from which child the element at this place comes. In
// the first pass, each thread counts the digits in a range of places. In the second pass, each thread fills a range of
// places: for each place it takes the next element of the child that the digit names.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox_words.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// Prefetches `Count` elements starting at `from`. Addresses outside the array are allowed.
template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_elements(T const* from) {
  auto const* const bytes = reinterpret_cast<char const*>(from);
  RIFFLE_UNROLL
  for (std::size_t b = 0; b < Count * sizeof(T); b += backend::cache_line) {
    backend::prefetch_line(bytes + b);
  }
}

/// A rank-1 View as an address and a stride, for loops.
template <class T>
struct Array {
  T* data;
  std::ptrdiff_t stride;

  T* at(std::uint64_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

/// Writes blocks of up to `Size` consecutive elements to an array. begin() returns a pointer to contiguous memory in
/// which the caller stores a block. Then end() writes the block to the array.
template <class T, int Size>
class BlockWriter {
 public:
  explicit BlockWriter(Array<T> const& to) : to_(to) {}

  T* begin(std::uint64_t first) {
    return is_contiguous() ? to_.data + first : reinterpret_cast<T*>(stage_);
  }

  void end(std::uint64_t first, std::size_t count) const {
    if (is_contiguous()) return;
    auto const* const staged = reinterpret_cast<T const*>(stage_);
    T* to = to_.at(first);
    for (std::size_t k = 0; k < count; ++k, to += to_.stride) *to = staged[k];
  }

  /// Prefetches elements first, ..., first + Count - 1, which may be outside the array. This helps because the hardware
  /// prefetcher does not recognise the output stream among 256 input streams.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prepare(std::uint64_t first) const {
    if (is_contiguous()) prefetch_elements<Count>(to_.data + first);
  }

 private:
  bool is_contiguous() const { return to_.stride == 1; }

  Array<T> to_;
  alignas(T) std::byte stage_[Size * sizeof(T)];
};

// --- parts of sources: part(j) = source(start + j). Prefetched elements may be outside of the source ---

template <class Element, class Value, bool IsContiguous>
class PartOfView {
 public:
  PartOfView(Element const* data, std::ptrdiff_t stride) : data_(data), stride_(stride) {}

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const {
    return static_cast<Value>(data_[j * stride()]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void prefetch_one(std::uint32_t j) const {
    backend::prefetch_line(data_ + j * stride());
  }

  /// Prefetches elements j, ..., j + Count - 1 if they are contiguous, otherwise only some of them.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_some(std::uint32_t j) const {
    prefetch_elements<Count>(data_ + j * stride());
  }

  void prefetch_all(std::uint64_t size) const {
    constexpr int some = backend::cache_line;
    for (std::uint64_t j = 0; j < size; j += some)
      prefetch_some<some>(static_cast<std::uint32_t>(j));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride() const { return IsContiguous ? 1 : stride_; }

  Element const* data_;
  std::ptrdiff_t stride_;
};

template <class Value>
class PartOfIndices {
 public:
  explicit PartOfIndices(std::uint64_t start) : start_(start) {}

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const {
    return static_cast<Value>(start_ + j);
  }

  KOKKOS_FORCEINLINE_FUNCTION void prefetch_one(std::uint32_t) const {}
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_some(std::uint32_t) const {}
  void prefetch_all(std::uint64_t) const {}

 private:
  std::uint64_t start_;
};

template <class View, class Value>
auto part_of(ReadView<View, Value> const& source, std::uint64_t start) {
  constexpr bool is_contiguous = !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;
  auto const stride = static_cast<std::ptrdiff_t>(source.view.stride(0));
  return PartOfView<typename View::non_const_value_type, Value, is_contiguous>(
      source.view.data() + static_cast<std::ptrdiff_t>(start) * stride, stride);
}

template <class Value>
auto part_of(IndexSource<Value> const&, std::uint64_t start) {
  return PartOfIndices<Value>(start);
}

template <class T>
auto part_of(Array<T> const& source, std::uint64_t start) {
  return PartOfView<T, T, false>(source.at(start), source.stride);
}

/// Computes the digits of a node's places, one unit (256 places) at a time. Host only.
class Digits {
 public:
  Digits(std::uint64_t seed, Node node) : seed_(seed), node_(node) {}

  /// Draws the digits of places 256 * unit, ..., 256 * unit + 255.
  void draw(std::uint64_t unit) {
    blocks_.draw(seed_, node_, Purpose::digits, unit * digits_per_block);
  }

  /// Returns a pointer p such that p[4 * i] is the digit at place 16 * k + i in the unit, for 0 <= i < 16.
  unsigned char const* group(int k) const {
    return bytes() + byte_of_word(k % 4) + 4 * digits_per_block * (k / 4);
  }

  /// Returns the digit of place i of the unit.
  unsigned at(int i) const { return group(i / digits_per_block)[4 * (i % digits_per_block)]; }

  /// Returns all digits of the unit, in an unspecified order.
  unsigned char const* bytes() const {
    return reinterpret_cast<unsigned char const*>(blocks_.word(0));
  }

 private:
  static constexpr int byte_of_word(int k) {
    return std::endian::native == std::endian::little ? k : 3 - k;
  }

  std::uint64_t seed_;
  Node node_;
  BlocksOfUnit blocks_;
  static_assert(BlocksOfUnit::blocks == digits_per_block);
};

/// Adds the number of places p with first <= p < last and digit k to counts[k]. Requires: `first` is a multiple of 256.
inline void count_digits(std::uint64_t seed, Node node, std::uint64_t first, std::uint64_t last,
                         std::uint64_t* counts) {
  // Neighbouring places are counted in different tables. If there were only one table and two neighbouring digits were
  // equal, counting the second digit would wait for the store of the first count.
  constexpr int tables = 4;
  std::uint64_t table[tables][buckets] = {};
  Digits digits(seed, node);
  std::uint64_t place = first;
  for (; place + places_per_unit <= last; place += places_per_unit) {
    digits.draw(place / places_per_unit);
    unsigned char const* const bytes = digits.bytes();
    for (int b = 0; b < places_per_unit; b += tables) {
      RIFFLE_UNROLL
      for (int t = 0; t < tables; ++t) ++table[t][bytes[b + t]];
    }
  }
  if (place < last) {
    digits.draw(place / places_per_unit);
    for (int i = 0; i < static_cast<int>(last - place); ++i) {
      ++table[0][digits.at(i)];
    }
  }
  for (int k = 0; k < buckets; ++k) {
    for (int t = 0; t < tables; ++t) counts[k] += table[t][k];
  }
}

/// One pointer for each of the 256 parts of an array: to the next element of the part.
template <class T, bool IsContiguous>
class Cursors {
 public:
  /// The next element of part k is element at[k].
  Cursors(Array<T> const& from, std::uint64_t const* at) : stride_(from.stride) {
    for (int k = 0; k < buckets; ++k) next_[k] = from.at(at[k]);
  }

  T const& take(unsigned digit) {
    T const* const here = next_[digit];
    next_[digit] = here + stride();
    // The hardware does not prefetch 256 streams. Therefore take() prefetches the element that is a few elements ahead
    // in the same stream. That element is taken a few hundred calls later. Its address is computed as an integer,
    // because the address may be outside the array.
    auto const bytes_ahead = static_cast<std::uintptr_t>(elements_ahead * stride()) * sizeof(T);
    backend::prefetch_line(
        reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(here) + bytes_ahead));
    return *here;
  }

 private:
  static constexpr std::ptrdiff_t elements_ahead = 4;

  std::ptrdiff_t stride() const { return IsContiguous ? 1 : stride_; }

  T const* next_[buckets];
  std::ptrdiff_t stride_;
};

/// Riffles the elements for places first, ..., last - 1 of a node: for each place i, takes the next element from the
/// part that the place's digit selects, and writes it to element start + i of `to`. Requires: `first` is a multiple of
/// 256.
template <class T, bool IsContiguous>
void riffle_places(Digits& digits, std::uint64_t first, std::uint64_t last,
                   Cursors<T, IsContiguous>& cursors, Array<T> const& to, std::uint64_t start) {
  BlockWriter<T, places_per_unit> writer(to);
  std::uint64_t place = first;
  for (; place + places_per_unit <= last; place += places_per_unit) {
    digits.draw(place / places_per_unit);
    T* values = writer.begin(start + place);
    for (int k = 0; k < digits_per_block; ++k, values += digits_per_block) {
      unsigned char const* const group = digits.group(k);
      writer.template prepare<digits_per_block>(start + place + places_per_unit +
                                                k * digits_per_block);
      RIFFLE_UNROLL
      for (int lane = 0; lane < digits_per_block; ++lane) {
        values[lane] = cursors.take(group[4 * lane]);
      }
    }
    writer.end(start + place, places_per_unit);
  }
  if (place == last) return;
  digits.draw(place / places_per_unit);
  auto const count = static_cast<int>(last - place);
  T* const values = writer.begin(start + place);
  for (int i = 0; i < count; ++i) {
    values[i] = cursors.take(digits.at(i));
  }
  writer.end(start + place, static_cast<std::size_t>(count));
}

/// As above, but reads from `from`. The next element of part k is element at[k] of `from`.
template <class T>
void riffle_places(Digits& digits, std::uint64_t first, std::uint64_t last, Array<T> const& from,
                   std::uint64_t const* at, Array<T> const& to, std::uint64_t start) {
  if (from.stride == 1) {
    Cursors<T, true> cursors(from, at);
    riffle_places(digits, first, last, cursors, to, start);
  } else {
    Cursors<T, false> cursors(from, at);
    riffle_places(digits, first, last, cursors, to, start);
  }
}

}  // namespace riffle::detail::bucket_shuffle
