#pragma once

// Where entries lie in scratch memory while a team of a GPU sorts them, and who holds which in registers.
//
// A thread holds 2^bits entries at a time, those whose indices differ in `bits` neighbouring bits: a window. The lanes
// of a warp differ in the lowest five bits outside the window. Entry i lies at position i + i / 2^bits. So bit j of an
// index moves an entry by 2^(j mod bits) banks, plus maybe higher powers, of 2^bits banks as wide as a word. For every
// window, the lanes that are served together differ in one bit of each such class, so that each lane has a bank of its
// own. Warps of 32-bit words are served as a whole, those of 64-bit words by halves.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::team_sort {

/// Entries of more than 8 bytes lie in planes of words, whose banks are those of entries of 8 bytes.
template <class Entry>
struct Shape {
  using Word = std::conditional_t<sizeof(Entry) <= 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(Entry) % sizeof(Word) == 0);
  static constexpr int planes = static_cast<int>(sizeof(Entry) / sizeof(Word));

  // Registers are few, so entries of more than 16 bytes are sorted with some bank conflicts.
  static constexpr int bits = sizeof(Entry) <= 4 ? 5 : planes <= 2 ? 4 : planes <= 4 ? 3 : 2;
  static constexpr int held = 1 << bits;
  /// The lanes of a warp hold a chunk together: a run of neighbours, for the windows called local.
  static constexpr int lane_bits = 5;
  static constexpr int chunk_bits = bits + lane_bits;
  static constexpr int chunk = 1 << chunk_bits;
  /// The bits of an index; no scratch memory holds more entries.
  static constexpr int max_bits = 16;
  static constexpr std::size_t most = std::size_t{1} << max_bits;

  KOKKOS_FUNCTION static constexpr std::size_t rounded(std::size_t n) {
    return (n + chunk - 1) / chunk * chunk;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int i) { return i + (i >> bits); }
  KOKKOS_FUNCTION static constexpr std::size_t bytes(std::size_t n) {
    return (rounded(n) + (rounded(n) >> bits)) * sizeof(Entry);
  }
};

/// Windows that begin at this bit or below are local: the lanes of a warp hold a chunk.
inline constexpr int highest_local_low = 5;

/// The threads of a team hold entries whose indices differ in bits low, ..., low + bits - 1.
template <int bits, int low>
struct Window {
  static constexpr bool is_local = low <= highest_local_low;

  /// The first index of a thread: its own bits around those of the window.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first(int thread) {
    constexpr int below = (1 << low) - 1;
    return (thread & below) | ((thread & ~below) << bits);
  }
  /// The distance from the first index, or from its position, to that of entry e.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index_step(int e) { return e << low; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position_step(int e) {
    return index_step(e) + (index_step(e) >> bits);
  }
};

/// The entries that one thread holds in a window. The first stage of a level compares mirror images: there, entries
/// whose bit `mirror` of the window is set have all bits below the window complemented, so that both entries of a pair
/// are of one thread. In other stages `mirror` is -1.
template <int bits, int low, int mirror>
class HeldByThread {
 public:
  static constexpr bool is_mirrored = mirror >= 0;
  static constexpr bool is_local = Window<bits, low>::is_local;

  KOKKOS_FORCEINLINE_FUNCTION explicit constexpr HeldByThread(int thread)
      : first_(At::first(thread)),
        first_position_(position_of(first_)),
        image_position_(position_of(image())) {}

  /// The index of entry 0; where that entry is missing, no pair is whole.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int begin() const { return first_; }
  /// The end of all indices.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int end() const {
    return (first_ | below) + At::index_step((1 << bits) - 1) + 1;
  }

  /// Whether the index of entry e is below `size`. It is compared as a constant, so that no register holds the index.
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_below(int e, int size) const {
    return At::index_step(e) < size - (is_image(e) ? image() : first_);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int position(int e) const {
    return (is_image(e) ? image_position_ : first_position_) + At::position_step(e);
  }

 private:
  using At = Window<bits, low>;
  static constexpr int below = (1 << low) - 1;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position_of(int i) { return i + (i >> bits); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_image(int e) {
    return is_mirrored && (e >> (is_mirrored ? mirror : 0) & 1) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int image() const { return first_ ^ below; }

  int first_;
  int first_position_;
  int image_position_;
};

/// The slots of the entries in memory.
template <class Entry>
class Slots {
 public:
  using Word = typename Shape<Entry>::Word;

  KOKKOS_FORCEINLINE_FUNCTION Slots(void* memory, int n)
      : words_(static_cast<Word*>(memory)), plane_(Shape<Entry>::position(n)) {}

  KOKKOS_FORCEINLINE_FUNCTION Entry load(int position) const {
    if constexpr (std::is_same_v<Entry, Word>) {
      return words_[position];
    } else {
      Word words[planes];
      RIFFLE_UNROLL
      for (int p = 0; p < planes; ++p) words[p] = words_[p * plane_ + position];
      return Entry::of_words(words);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(int position, Entry const& entry) const {
    if constexpr (std::is_same_v<Entry, Word>) {
      words_[position] = entry;
    } else {
      Word words[planes] = {};
      entry.to_words(words);
      RIFFLE_UNROLL
      for (int p = 0; p < planes; ++p) words_[p * plane_ + position] = words[p];
    }
  }

 private:
  static constexpr int planes = Shape<Entry>::planes;

  Word* words_;
  int plane_;
};

}  // namespace riffle::detail::team_sort
