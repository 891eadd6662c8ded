#pragma once

// The stages of a bitonic sort, window by window: a thread loads its entries, compares them in registers and stores
// them where they were.

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/sort/block/network.hpp>
#include <riffle/sort/block/slots.hpp>

namespace riffle::detail::team_sort {

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
  KOKKOS_FORCEINLINE_FUNCTION void sort_and_store(int thread, Entry (&held)[Shape::held]) const {
    sort_registers<bits>(entries_, held);
    int const position = Shape::position(Window<bits, 0>::first(thread));
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::held; ++e) {
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
    Entry held[Shape::held];
    RIFFLE_UNROLL
    for (int e = 0; e < Shape::held; ++e) {
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
    for (int e = 0; e < Shape::held; ++e) {
      if (is_whole || part.is_below(e, size_)) slots_.store(part.position(e), held[e]);
    }
  }

  Entries entries_;
  Slots<Entry> slots_;
  int size_;
};

}  // namespace riffle::detail::team_sort
