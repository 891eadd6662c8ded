#pragma once

// Sorts numbers, or other entries that can be made again from what is stored, where scratch memory holds all of them or
// only a part. With a part, blocks are sorted there one after the other, and then merged. The stages of a merge between
// blocks work on the result itself, those within a block in scratch memory again.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/sort/block/by_lanes.hpp>

namespace riffle::detail::team_sort {

template <class Entries, class Member, class In, class Out>
class BlockSorter {
 public:
  /// `memory` holds `block` entries: all, or a power of two, at least a chunk.
  KOKKOS_FORCEINLINE_FUNCTION BlockSorter(Member const& team, Entries const& entries, void* memory,
                                          int block, In const& in, Out const& out)
      : team_(team), entries_(entries), memory_(memory), block_(block), in_(in), out_(out) {}

  KOKKOS_FORCEINLINE_FUNCTION void sort() const {
    team_.team_barrier();
    sort_blocks(false);
    RIFFLE_NO_UNROLL
    for (int run = block_; run < size(); run *= 2) {
      compare(run, 2 * run - 1);
      RIFFLE_NO_UNROLL
      for (int half = run / 2; half >= block_; half /= 2) compare(half, half);
      sort_blocks(true);
    }
    team_.team_barrier();
  }

 private:
  using Sorter = LaneSorter<Entries, Member>;

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return static_cast<int>(out_.extent(0)); }

  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION auto entry(View const& view, int i) const {
    return entries_.entry(view(i), static_cast<std::uint32_t>(i));
  }

  /// Sorts each block; or, when runs are merged, does the stages within each.
  KOKKOS_FORCEINLINE_FUNCTION void sort_blocks(bool is_merged) const {
    RIFFLE_NO_UNROLL
    for (int begin = 0; begin < size(); begin += block_) {
      if (begin > 0 || is_merged) team_.team_barrier();
      Sorter const sorter(team_, entries_, memory_, Kokkos::min(block_, size() - begin));
      sorter.sort_or_end(
          is_merged, [&](int i) { return entry(in_, begin + i); },
          [&](int i) { return entry(out_, begin + i); });
      sorter.for_each_sorted([&](int i, int position) {
        out_(begin + i) = entries_.key(sorter.slots().load(position));
      });
    }
  }

  /// Compares entries that differ in the bit `half` of their index, each with the one that differs from it in the bits
  /// of `mask`.
  KOKKOS_FORCEINLINE_FUNCTION void compare(int half, int mask) const {
    team_.team_barrier();
    RIFFLE_NO_UNROLL
    for (int pair = team_.team_rank(); pair < size(); pair += team_.team_size()) {
      int const lower = (pair & ~(half - 1)) + pair;
      if ((lower ^ mask) >= size()) continue;
      auto a = entry(out_, lower);
      auto b = entry(out_, lower ^ mask);
      entries_.put_in_order(a, b);
      out_(lower) = entries_.key(a);
      out_(lower ^ mask) = entries_.key(b);
    }
  }

  Member const& team_;
  Entries const& entries_;
  void* memory_;
  int block_;
  In const& in_;
  Out const& out_;
};

}  // namespace riffle::detail::team_sort
