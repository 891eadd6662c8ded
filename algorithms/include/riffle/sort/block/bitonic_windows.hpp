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
#include <riffle/random/integers.hpp>

namespace riffle::detail::team_sort {

/// Entries of more than 8 bytes lie in planes of words, whose banks are those of entries of 8 bytes.
template <class Entry>
struct Shape {
  using Word = std::conditional_t<sizeof(Entry) <= 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(Entry) % sizeof(Word) == 0);
  static constexpr int planes = static_cast<int>(sizeof(Entry) / sizeof(Word));

  // Registers are few, so entries of more than 16 bytes are sorted with some bank conflicts.
  static constexpr int bits = sizeof(Entry) <= 4 ? 5 : planes <= 2 ? 4 : planes <= 4 ? 3 : 2;
  static constexpr int items_per_thread = 1 << bits;
  /// The lanes of a warp hold a chunk together: a run of neighbours, for the windows called local.
  static constexpr int lane_bits = 5;
  static constexpr int chunk_bits = bits + lane_bits;
  static constexpr int chunk = 1 << chunk_bits;
  /// The bits of an index; no scratch memory holds more entries.
  static constexpr int max_bits = 16;
  static constexpr std::size_t max_entries = std::size_t{1} << max_bits;

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

// --- sorting networks among the registers of one thread ---
//
// Every comparator puts the lesser entry at the lower index.

/// Whether Batcher's network for `size` entries compares x with x + distance as it merges runs of `run` [1].
///
/// [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2.2, Algorithm M.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_lower_end(int x, int run, int distance, int size) {
  int const from = distance == run ? 0 : distance;
  return x >= from && (x - from) / distance % 2 == 0 && x + distance < size &&
         x / (2 * run) == (x + distance) / (2 * run);
}

/// Sorts registers by merging odd and even places, with a fifth fewer comparators than the bitonic network for 32.
template <int bits, class Entries, class Entry>
KOKKOS_FORCEINLINE_FUNCTION void sort_registers(Entries const& entries, Entry (&held)[1 << bits]) {
  RIFFLE_UNROLL
  for (int r = 0; r < bits; ++r) {
    RIFFLE_UNROLL
    for (int d = r; d >= 0; --d) {
      RIFFLE_UNROLL
      for (int x = 0; x < 1 << bits; ++x) {
        if (is_lower_end(x, 1 << r, 1 << d, 1 << bits)) {
          entries.put_in_order(held[x], held[x + (1 << d)]);
        }
      }
    }
  }
}

/// Compares each register with the one whose index has all bits from `top` down complemented.
template <int top, class Entries, class Entry, int size>
KOKKOS_FORCEINLINE_FUNCTION void compare_mirrored(Entries const& entries, Entry (&held)[size]) {
  RIFFLE_UNROLL
  for (int e = 0; e < size; ++e) {
    if ((e >> top & 1) == 0) entries.put_in_order(held[e], held[e ^ ((2 << top) - 1)]);
  }
}

/// Compares each register with the one whose index differs in one bit, for bits top, ..., bottom.
template <int top, int bottom, class Entries, class Entry, int size>
KOKKOS_FORCEINLINE_FUNCTION void compare_bits(Entries const& entries, Entry (&held)[size]) {
  RIFFLE_UNROLL
  for (int bit = top; bit >= bottom; --bit) {
    RIFFLE_UNROLL
    for (int e = 0; e < size; ++e) {
      if ((e >> bit & 1) == 0) entries.put_in_order(held[e], held[e | 1 << bit]);
    }
  }
}

// The stages of a bitonic sort, window by window: a thread loads its entries, compares them in registers and stores
// them where they were.

/// The stages of level k from bit k - 1 down to this one belong to the level's first window; those of lower bits belong
/// to windows that begin at multiples of `bits`.
KOKKOS_FORCEINLINE_FUNCTION constexpr int lowest_of_level(int level, int bits) {
  return (level - 1) / bits * bits;
}

/// Where the first window of a level begins: it ends with the level's highest bit, or is the second one from below.
KOKKOS_FUNCTION constexpr int window_of_level(int level, int bits) {
  return level <= 2 * bits ? bits : level - bits;
}

/// The highest of the windows at multiples of `bits` that are local.
KOKKOS_FUNCTION constexpr int highest_local(int bits) { return highest_local_low / bits * bits; }

/// Calls f with the constant among first, first + step, ..., last that equals `value`.
template <int first, int last, int step = 1, class F>
KOKKOS_FORCEINLINE_FUNCTION void dispatch(int value, F const& f) {
  if constexpr (first <= last) {
    if (value == first) {
      f(Constant<first>());
    } else {
      dispatch<first + step, last, step>(value, f);
    }
  }
}

/// The windows of `size` entries, which are whole chunks.
template <class Entries>
class Windows {
 public:
  using Entry = typename Entries::Entry;
  using Shape = team_sort::Shape<Entry>;

  KOKKOS_FORCEINLINE_FUNCTION Windows(Entries const& entries, void* memory, int size)
      : entries_(entries), slots_(memory, size), size_(size) {}

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION Entry last() const { return entries_.last(); }
  KOKKOS_FORCEINLINE_FUNCTION Slots<Entry> const& slots() const { return slots_; }

  /// Does all levels of the lowest window, for entries that are in registers already.
  KOKKOS_FORCEINLINE_FUNCTION void sort_and_store(int thread,
                                                  Entry (&held)[Shape::items_per_thread]) const {
    sort_registers<bits>(entries_, held);
    int const position = Shape::position(Window<bits, 0>::first(thread));
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::items_per_thread; ++e) {
      slots_.store(position + Window<bits, 0>::position_step(e), held[e]);
    }
  }

  /// Does the first window of a level within chunks.
  KOKKOS_FORCEINLINE_FUNCTION void begin_in_chunk(int level, int thread) const {
    dispatch<bits + 1, Shape::chunk_bits>(level, [&](auto k) { begin_level<k>(thread); });
  }

  /// Does the first window of a level above chunks.
  KOKKOS_FORCEINLINE_FUNCTION void begin(int level, int thread) const {
    dispatch<Shape::chunk_bits + 1, Shape::max_bits>(level,
                                                     [&](auto k) { begin_level<k>(thread); });
  }

  /// Does the window at `low`, one of those at multiples of `bits` that are not local.
  KOKKOS_FORCEINLINE_FUNCTION void go_on(int low, int thread) const {
    constexpr int lowest = highest_local(bits) + bits;
    constexpr int highest = lowest_of_level(Shape::max_bits, bits) - bits;
    dispatch<lowest, highest, bits>(low, [&](auto b) { compare<b, bits - 1, 0, false>(thread); });
  }

  /// Does the local windows from the one at `low` down. The lanes of a warp wait for each other before each.
  KOKKOS_FORCEINLINE_FUNCTION void end(int low, int thread) const {
    end_from<highest_local(bits)>(low, thread);
  }

 private:
  static constexpr int bits = Shape::bits;

  template <int level>
  KOKKOS_FORCEINLINE_FUNCTION void begin_level(int thread) const {
    constexpr int low = window_of_level(level, bits);
    compare<low, level - 1 - low, lowest_of_level(level, bits) - low, true>(thread);
  }

  template <int highest>
  KOKKOS_FORCEINLINE_FUNCTION void end_from(int low, int thread) const {
    if constexpr (highest >= 0) {
      if (highest <= low) {
        backend::synchronize();
        compare<highest, bits - 1, 0, false>(thread);
      }
      end_from<highest - bits>(low, thread);
    }
  }

  /// Does the stages of bits top, ..., bottom of the window; the first stage of a level compares with the mirror image.
  template <int low, int top, int bottom, bool begins_level>
  KOKKOS_FORCEINLINE_FUNCTION void compare(int thread) const {
    using Part = HeldByThread<bits, low, begins_level ? top : -1>;
    Part const part(thread);
    if constexpr (Part::is_local) {
      compare_held<top, bottom, true>(part);
    } else if (part.end() <= size_) {
      compare_held<top, bottom, true>(part);
    } else if (part.begin() < size_) {
      compare_held<top, bottom, false>(part);
    }
  }

  template <int top, int bottom, bool is_whole, class Part>
  KOKKOS_FORCEINLINE_FUNCTION void compare_held(Part const& part) const {
    Entry held[Shape::items_per_thread];
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::items_per_thread; ++e) {
      bool const is_there = is_whole || part.is_below(e, size_);
      // A load without a branch: branches would cost nvcc half as many registers again.
      Entry const found = slots_.load(is_there ? part.position(e) : part.position(0));
      held[e] = is_there ? found : last();
    }
    if constexpr (Part::is_mirrored) {
      compare_mirrored<top>(entries_, held);
      compare_bits<top - 1, bottom>(entries_, held);
    } else {
      compare_bits<top, bottom>(entries_, held);
    }
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::items_per_thread; ++e) {
      if (is_whole || part.is_below(e, size_)) slots_.store(part.position(e), held[e]);
    }
  }

  Entries entries_;
  Slots<Entry> slots_;
  int size_;
};

}  // namespace riffle::detail::team_sort
