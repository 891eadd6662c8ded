#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/detail/bucket/cpu/array.hpp>
#include <riffle/shuffle/detail/bucket/cpu/digits.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// The 256 parts of an array that are riffled into each other, and how far each has been read.
template <class T, bool IsContiguous>
class Cursors {
 public:
  /// Part k goes on at element at[k].
  Cursors(Array<T> const& from, std::uint64_t const* at) : stride_(from.stride) {
    for (int k = 0; k < buckets; ++k) next_[k] = from.at(at[k]);
  }

  T const& take(unsigned digit) {
    T const* const here = next_[digit];
    next_[digit] = here + stride();
    // No processor foresees so many streams. An element that is a few ahead in its stream is a few hundred ahead in
    // all. The address is computed as a number, since it may be beyond the array.
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

/// Gives places first, ..., last - 1 of a node, whose output starts at `start`, their elements; first is
/// a multiple of 256.
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

/// The same from parts of an array, of which part k goes on at element at[k].
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
