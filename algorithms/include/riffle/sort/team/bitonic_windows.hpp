#pragma once

// How a bitonic sort by a team of a GPU stores entries in scratch memory, and distributes them to
// the registers of threads.
//
// A thread holds 2^bits entries at a time. Their indices differ only in `bits` consecutive bits,
// which are called a window. The five bits of a lane's index in its warp are the lowest five index
// bits outside of the window:
//
//     index bit     15 ............ low + bits | low + bits - 1 ... low | low - 1 ... 0
//                   thread                     | window: registers      | thread
//
// Entry i is in slot i + i / 2^bits. For entries of up to 16 bytes, scratch memory has 2^bits banks
// that are one word (Shape::Word) wide, so bit j of an index, for j < 2 bits, adds 2^(j mod bits)
// to the bank index. Accesses to 32-bit words are served for a whole warp at a time, accesses to
// 64-bit words for half a warp. The lanes that are served together differ in `bits` index bits. In
// each window these bits have different values of j mod bits, so the lanes access different banks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::team_sort {

/// The sizes of a sort. Entries of more than 8 bytes are stored as planes of 8-byte words: plane p
/// contains word p of each entry. So each access to a plane uses banks in the same way as 8-byte
/// entries do.
template <class Entry>
struct Shape {
  using Word = std::conditional_t<sizeof(Entry) <= 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(Entry) % sizeof(Word) == 0);
  static constexpr int planes = static_cast<int>(sizeof(Entry) / sizeof(Word));

  // Entries of more than 16 bytes have some bank conflicts. A larger value of `bits` would avoid
  // them, but then the entries would not fit in a thread's registers.
  static constexpr int bits = sizeof(Entry) <= 4 ? 5 : planes <= 2 ? 4 : planes <= 4 ? 3 : 2;
  static constexpr int items_per_thread = 1 << bits;
  /// A chunk is 2^chunk_bits consecutive entries: those that the lanes of a warp hold together in a
  /// local window (see highest_local_low).
  static constexpr int lane_bits = 5;
  static constexpr int chunk_bits = bits + lane_bits;
  static constexpr int chunk = 1 << chunk_bits;
  /// The number of bits in an index. Scratch memory never holds more than max_entries entries.
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

/// Windows whose lowest bit is at most this one are local: the lanes of a warp hold a whole chunk,
/// so no team barrier is needed between two local windows.
inline constexpr int highest_local_low = 5;

/// The window of bits low, ..., low + bits - 1.
template <int bits, int low>
struct Window {
  static constexpr bool is_local = low <= highest_local_low;

  /// Returns the index of a thread's entry 0: the bits of `thread`, with zeros inserted at the bits
  /// of the window.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first(int thread) {
    constexpr int below = (1 << low) - 1;
    return (thread & below) | ((thread & ~below) << bits);
  }
  /// The distances between entry e and entry 0 of a thread: index_step(e) between their indices,
  /// position_step(e) between their slots.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index_step(int e) { return e << low; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position_step(int e) {
    return index_step(e) + (index_step(e) >> bits);
  }
};

/// The entries that one thread holds in a window. The first stage of a level compares mirror
/// images, whose indices differ in all bits up to bit `mirror` of the window. In this stage, all
/// index bits below the window are complemented for the entries e in which bit `mirror` is set, so
/// that one thread holds both entries of each pair. In other stages `mirror` is -1.
template <int bits, int low, int mirror>
class HeldByThread {
 public:
  static constexpr bool is_mirrored = mirror >= 0;
  static constexpr bool is_local = Window<bits, low>::is_local;

  KOKKOS_FORCEINLINE_FUNCTION explicit constexpr HeldByThread(int thread)
      : first_(At::first(thread)),
        first_position_(position_of(first_)),
        image_position_(position_of(image())) {}

  /// The index of entry 0, which is the smallest index of the thread's entries. If it is not less
  /// than the number of entries, the thread has no pair to compare.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int begin() const { return first_; }
  /// An upper bound: the indices of all the thread's entries are less than end().
  KOKKOS_FORCEINLINE_FUNCTION constexpr int end() const {
    return (first_ | below) + At::index_step((1 << bits) - 1) + 1;
  }

  /// Whether the index of entry e is less than `size`. Written such that one side of the comparison
  /// is a constant; no register then has to hold the index of e.
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

/// Loads and stores the entries in scratch memory.
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

// --- sorting networks in the registers of one thread ---
//
// Each comparator puts the lesser entry at the lower index.

/// Whether Batcher's odd-even merge sort of `size` entries compares x with x + distance when it
/// merges runs of `run` entries [1].
///
/// [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2.2, Algorithm M.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_lower_end(int x, int run, int distance, int size) {
  int const from = distance == run ? 0 : distance;
  return x >= from && (x - from) / distance % 2 == 0 && x + distance < size &&
         x / (2 * run) == (x + distance) / (2 * run);
}

/// Sorts registers by odd-even merges. For 32 entries this takes a fifth fewer comparators than the
/// bitonic network.
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

/// Compares each register e with register e ^ (2^(top + 1) - 1).
template <int top, class Entries, class Entry, int size>
KOKKOS_FORCEINLINE_FUNCTION void compare_mirrored(Entries const& entries, Entry (&held)[size]) {
  RIFFLE_UNROLL
  for (int e = 0; e < size; ++e) {
    if ((e >> top & 1) == 0) entries.put_in_order(held[e], held[e ^ ((2 << top) - 1)]);
  }
}

/// For bit = top, ..., bottom in turn: compares each register e with register e ^ 2^bit.
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

// --- stages, window by window ---
//
// For each window a thread loads its entries from their slots, compares them in registers and
// stores them in the same slots.

/// Returns the lowest bit among the stages that the first window of a level does. For level k,
/// these are the stages of bits k - 1, ..., lowest_of_level(k, bits). The stages of lower bits are
/// done in windows whose lowest bits are multiples of `bits`.
KOKKOS_FORCEINLINE_FUNCTION constexpr int lowest_of_level(int level, int bits) {
  return (level - 1) / bits * bits;
}

/// The lowest bit of the first window of a level. The highest bit of the window is bit level - 1.
/// But if the window would then begin below bit `bits`, it begins at bit `bits` instead.
KOKKOS_FUNCTION constexpr int window_of_level(int level, int bits) {
  return level <= 2 * bits ? bits : level - bits;
}

/// The highest multiple of `bits` at which a local window begins.
KOKKOS_FUNCTION constexpr int highest_local(int bits) { return highest_local_low / bits * bits; }

/// Calls f(Constant<v>()) for the v among first, first + step, ..., last that equals `value`, so
/// that v is known at compile time.
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

/// Does the stages of a bitonic sort of `size` entries, a multiple of Shape::chunk.
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

  /// Does levels 1, ..., bits: sorts the entries that a thread has loaded, and stores them in
  /// consecutive slots.
  KOKKOS_FORCEINLINE_FUNCTION void sort_and_store(int thread,
                                                  Entry (&held)[Shape::items_per_thread]) const {
    sort_registers<bits>(entries_, held);
    int const position = Shape::position(Window<bits, 0>::first(thread));
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::items_per_thread; ++e) {
      slots_.store(position + Window<bits, 0>::position_step(e), held[e]);
    }
  }

  /// Does the first window of a level with 2^level <= Shape::chunk.
  KOKKOS_FORCEINLINE_FUNCTION void compare_first_window_in_chunk(int level, int thread) const {
    dispatch<bits + 1, Shape::chunk_bits>(level,
                                          [&](auto k) { compare_first_window_of<k>(thread); });
  }

  /// Does the first window of a level with 2^level > Shape::chunk.
  KOKKOS_FORCEINLINE_FUNCTION void compare_first_window(int level, int thread) const {
    dispatch<Shape::chunk_bits + 1, Shape::max_bits>(
        level, [&](auto k) { compare_first_window_of<k>(thread); });
  }

  /// Does the window whose lowest bit is `low`. Requires: `low` is a multiple of `bits`, and the
  /// window is not local.
  KOKKOS_FORCEINLINE_FUNCTION void compare_window(int low, int thread) const {
    constexpr int lowest = highest_local(bits) + bits;
    constexpr int highest = lowest_of_level(Shape::max_bits, bits) - bits;
    dispatch<lowest, highest, bits>(low, [&](auto b) { compare<b, bits - 1, 0, false>(thread); });
  }

  /// Does the local windows whose lowest bits are `low` and the multiples of `bits` below `low`.
  /// The lanes of a warp synchronize before each window.
  KOKKOS_FORCEINLINE_FUNCTION void compare_local_windows(int low, int thread) const {
    compare_local_windows_from<highest_local(bits)>(low, thread);
  }

 private:
  static constexpr int bits = Shape::bits;

  template <int level>
  KOKKOS_FORCEINLINE_FUNCTION void compare_first_window_of(int thread) const {
    constexpr int low = window_of_level(level, bits);
    compare<low, level - 1 - low, lowest_of_level(level, bits) - low, true>(thread);
  }

  template <int highest>
  KOKKOS_FORCEINLINE_FUNCTION void compare_local_windows_from(int low, int thread) const {
    if constexpr (highest >= 0) {
      if (highest <= low) {
        backend::synchronize();
        compare<highest, bits - 1, 0, false>(thread);
      }
      compare_local_windows_from<highest - bits>(low, thread);
    }
  }

  /// Does the stages of bits top, ..., bottom of a window. If begins_level, the stage of bit `top`
  /// compares mirror images.
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
      // The load is not in a branch, because with branches nvcc takes 1.5 times the number of
      // registers.
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
