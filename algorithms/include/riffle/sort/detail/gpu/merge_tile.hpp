#pragma once

// Sorts and merges items in the scratch memory of a GPU team, by a user's comparison. Each thread
// sorts some items in registers. Then the team merges pairs of runs in several rounds; in each
// round, each thread merges one part of the result.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/merge_path.hpp>

namespace riffle::detail::sort {

/// Items in scratch memory. Lanes that access neighbouring items should use different banks.
/// Therefore, if items have more than 8 bytes, the distance between items is an odd number of
/// units, where a unit is a 4-byte word, or the alignment of the items if that is larger. Without
/// gaps, for example, the first words of all 32-byte items would be in only four of the 32 banks.
/// Smaller items have no gaps.
template <class Item>
class ScratchItems {
  static constexpr std::size_t unit = std::max<std::size_t>(alignof(Item), 4);

 public:
  static constexpr std::size_t stride =
      sizeof(Item) <= 8 ? sizeof(Item) : ((sizeof(Item) + unit - 1) / unit | 1) * unit;

  KOKKOS_FUNCTION explicit ScratchItems(std::byte* bytes) : bytes_(bytes) {}

  KOKKOS_FUNCTION void* place(std::uint64_t i) const {
    return bytes_ + static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(stride);
  }
  KOKKOS_FUNCTION Item& operator[](std::uint64_t i) const { return *static_cast<Item*>(place(i)); }

  KOKKOS_FUNCTION ScratchItems from(std::uint64_t i) const {
    return ScratchItems(static_cast<std::byte*>(place(i)));
  }

 private:
  std::byte* bytes_;
};

/// The sizes of a tile: `parts` threads process items_per_thread items each. items_per_thread is
/// odd, so that the threads of a warp access different banks when each of them accesses its own
/// items. For items of up to 8 bytes it is 17 rather than 15, so that a tile has more than 2^12
/// items. With 15, a sort of 2^k items would take one more round of merges for a small remainder.
template <class Item>
struct MergeTileShape {
  static_assert(sizeof(Item) <= 16384,
                "riffle: values of up to 16 KiB are sorted by a comparison on a GPU; sort indices "
                "of larger ones");
  static constexpr std::size_t stride = ScratchItems<Item>::stride;
  static constexpr int parts =
      static_cast<int>(std::bit_floor(std::clamp<std::size_t>(16384 / sizeof(Item), 2, 256)));
  static constexpr int threads = std::max(parts, backend::width);
  static constexpr int items_per_thread = sizeof(Item) <= 8    ? 17
                                          : sizeof(Item) <= 16 ? 7
                                          : stride <= 36       ? 5
                                          : stride <= 56       ? 3
                                                               : 1;
  static constexpr int size = parts * items_per_thread;
  /// The number of teams per multiprocessor in kernels that merge, and in kernels that sort tiles.
  /// With one more team, a thread would have too few registers for its items, so they would be
  /// spilled.
  static constexpr int merging_teams = sizeof(Item) <= 4 || items_per_thread == 1 ? 4
                                       : sizeof(Item) <= 16                       ? 3
                                                                                  : 2;
  static constexpr int sorting_teams = sizeof(Item) <= 4 || items_per_thread == 1 ? 4 : 2;
};

/// The scratch memory of a team.
template <class Item>
struct MergeTileState {
  using Shape = MergeTileShape<Item>;

  alignas(Item) std::byte items[Shape::size * Shape::stride];
  /// cuts[p] is the number of items of the left run that precede part p in the result.
  std::uint16_t cuts[Shape::parts];
  std::uint32_t is_inconsistent;
};

/// Which items of a tile are heads, that is, the first items of segments.
class TileHeads {
 public:
  /// Bit i % 32 of bits[i / 32] is set if item i < count is a head. Item 0 is one. One more word, which is 0, follows.
  KOKKOS_FUNCTION TileHeads(std::uint32_t const* bits, std::uint32_t count)
      : bits_(bits), count_(count) {}

  KOKKOS_FUNCTION static constexpr std::uint32_t words(std::uint32_t count) {
    return (count + 31) / 32;
  }

  /// Bit k of the result is set if item i + k is a head. Requires i <= count.
  KOKKOS_FUNCTION std::uint32_t next_32(std::uint32_t i) const {
    std::uint64_t const two = std::uint64_t{bits_[i / 32 + 1]} << 32 | bits_[i / 32];
    return static_cast<std::uint32_t>(two >> i % 32);
  }

  /// The last head that is not after item i.
  KOKKOS_FUNCTION std::uint32_t before(std::uint32_t i) const {
    std::uint32_t word = i / 32;
    std::uint32_t bits = bits_[word] & up_to(i);
    while (bits == 0) bits = bits_[--word];
    return 32 * word + static_cast<std::uint32_t>(backend::highest_one(bits));
  }

  /// The first head after item i, or `count`.
  KOKKOS_FUNCTION std::uint32_t after(std::uint32_t i) const {
    std::uint32_t word = i / 32;
    std::uint32_t bits = bits_[word] & ~up_to(i);
    while (bits == 0 && ++word < words(count_)) bits = bits_[word];
    return bits == 0 ? count_ : 32 * word + static_cast<std::uint32_t>(backend::lowest_one(bits));
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t up_to(std::uint32_t i) {
    return ~std::uint32_t{0} >> (31 - i % 32);
  }

  std::uint32_t const* bits_;
  std::uint32_t count_;
};

/// The first and the last head among some items of a tile.
struct HeadsOfRun {
  std::uint16_t first;  // without a head: the index after the items
  std::uint16_t last;   // without a head: the index of the first item
};

/// The items of one thread, in registers. A union, so that Item does not need a default
/// constructor.
template <class Item, int count>
union ThreadItems {
  Item items[count];

  KOKKOS_FUNCTION ThreadItems() {}
  KOKKOS_FUNCTION Item& operator[](int k) { return items[k]; }
};

/// Sorts items in registers by comparing neighbours. Stable (D. E. Knuth, "The Art of Computer
/// Programming", vol. 3, sec. 5.3.4, "odd-even transposition sort"). If bit k of `heads` is set, no
/// item before item k is compared with item k or an item after it.
template <int count, class Item, class Before>
KOKKOS_FUNCTION void sort_items(ThreadItems<Item, count>& own, std::uint32_t heads,
                                Before const& before) {
  RIFFLE_UNROLL
  for (int round = 0; round < count; ++round) {
    RIFFLE_UNROLL
    for (int k = round % 2; k + 1 < count; k += 2) {
      if ((heads >> (k + 1) & 1) == 0 && before(own[k + 1], own[k])) {
        Item const item = own[k];
        own[k] = own[k + 1];
        own[k + 1] = item;
      }
    }
  }
}

/// Per-thread interface through which a team loads, sorts, merges and stores a tile of up to
/// MergeTileShape::size items.
template <class Item, class Member, class Before>
class MergeTile {
 public:
  using Shape = MergeTileShape<Item>;
  using State = MergeTileState<Item>;
  using Runs = TwoRunsOf<std::uint32_t>;
  static constexpr std::size_t alignment = std::max<std::size_t>(16, alignof(State));
  static constexpr std::size_t scratch_bytes = sizeof(State) + alignment;
  static_assert(scratch_bytes <= max_scratch_bytes_of(Shape::threads) && Shape::size <= 0xFFFF);

  /// A tile of `count` items.
  KOKKOS_FUNCTION MergeTile(Member const& team, std::uint64_t count, Before const& before)
      : team_(team),
        state_(state_of(team)),
        items_(state_.items),
        count_(static_cast<std::uint32_t>(count)),
        before_(before) {
    if (team.team_rank() == 0) state_.is_inconsistent = 0;
  }

  /// Loads all items of the tile; load(i) returns item i. A thread reads all its items before it
  /// stores the first one, so that the reads overlap. Ends with a team barrier.
  template <class Load>
  KOKKOS_FUNCTION void load(Load const& load) const {
    Items loaded;
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k) < count_) new (&loaded[k]) Item(load(place(k)));
    }
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k) < count_) new (items_.place(place(k))) Item(loaded[k]);
    }
    team_.team_barrier();
  }

  /// Loads the items of two runs: first the left run, then the right run.
  KOKKOS_FUNCTION void load_runs(Item const* from, TwoRuns const& runs) const {
    auto const left = static_cast<std::uint32_t>(runs.left_end - runs.left);
    // Item i is element i of one of these arrays, so that few instructions compute an address.
    Item const* const lefts = from + runs.left;
    Item const* const rights = from + (runs.right - left);
    load([&](std::uint32_t i) { return (i < left ? lefts : rights)[i]; });
  }

  template <class Store>
  KOKKOS_FUNCTION void store(Store const& store) const {
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k) < count_) store(place(k), items_[place(k)]);
    }
  }

  KOKKOS_FUNCTION void sort() const {
    sort_own();
    team_.team_barrier();
    for (std::uint32_t parts = 2; parts * items_per_thread < 2 * count_; parts *= 2) {
      std::uint32_t const run_size = parts / 2 * items_per_thread;
      std::uint32_t const first = number() / parts * 2 * run_size;
      merge(runs_from(Kokkos::min(first, count_), run_size, count_), number() % parts, parts);
    }
  }

  /// Stores the items of sorted short segments. Each item is compared with the items of its segment,
  /// whose number determines the time. Requires a strict weak ordering.
  template <class Store>
  KOKKOS_FUNCTION void store_by_counting(TileHeads const& heads, Store const& store) const {
    RIFFLE_NO_UNROLL
    for (std::uint32_t i = place(0); i < count_; i += Shape::threads) {
      Item const item = items_[i];
      std::uint32_t const begin = heads.before(i);
      std::uint32_t const end = heads.after(i);
      std::uint32_t to = begin;
      // One loop, because in each loop all lanes of a warp wait for the lane with the most steps.
      for (std::uint32_t k = begin; k < end; ++k) {
        Item const other = items_[k];
        to += before_(other, item) || (k < i && !before_(item, other)) ? 1 : 0;
      }
      store(to, item);
    }
  }

  /// Sorts the items of each segment. `runs` has room for the heads of 2 * Shape::parts runs. A
  /// merge of two runs changes only the segment that both runs have items of.
  KOKKOS_FUNCTION void sort_segments(TileHeads const& heads, HeadsOfRun* runs) const {
    if (is_active()) runs[number()] = sort_own_segments(heads);
    team_.team_barrier();
    HeadsOfRun* merged = runs + Shape::parts;
    for (std::uint32_t parts = 2; parts * items_per_thread < 2 * count_; parts *= 2) {
      std::uint32_t const first = number() / parts * parts;
      std::uint32_t const half = parts / 2;
      std::uint32_t const middle = Kokkos::min((first + half) * items_per_thread, count_);
      Runs shared{middle, middle, middle, middle};
      if (is_active()) {
        HeadsOfRun const left = runs[first];
        HeadsOfRun const right = runs[first + half];
        if (right.first > middle) shared = {left.last, middle, middle, right.first};
        bool const has_right_head =
            right.first < Kokkos::min((first + parts) * items_per_thread, count_);
        if (number() == first) {
          merged[first] = {left.first < middle ? left.first : right.first,
                           has_right_head ? right.last : left.last};
        }
      }
      merge(shared, number() - first, parts);
      HeadsOfRun* const other = runs;
      runs = merged;
      merged = other;
    }
  }

  /// Merges all items. The first `left` items are one sorted run, the others another.
  KOKKOS_FUNCTION void merge_two(std::uint64_t left) const {
    auto const middle = static_cast<std::uint32_t>(left);
    merge({0, middle, middle, count_}, number(), Shape::parts);
  }

 private:
  static constexpr int items_per_thread = Shape::items_per_thread;
  using Items = ThreadItems<Item, items_per_thread>;

  /// The memory after the arrays that the caller has taken. It comes from a copy of the scratch
  /// space, so the tiles of a team that a kernel processes one after the other use the same memory.
  KOKKOS_FUNCTION static State& state_of(Member const& team) {
    auto const scratch = team.team_scratch(0);
    return *static_cast<State*>(scratch.get_shmem_aligned(std::size_t{sizeof(State)},
                                                          static_cast<std::ptrdiff_t>(alignment)));
  }

  KOKKOS_FUNCTION std::uint32_t number() const {
    return static_cast<std::uint32_t>(team_.team_rank());
  }
  KOKKOS_FUNCTION bool is_active() const { return team_.team_rank() < Shape::parts; }

  /// Returns the index of the k-th item that this thread loads and stores. If the index is not less
  /// than count_, there is no such item.
  KOKKOS_FUNCTION std::uint32_t place(int k) const {
    return number() + static_cast<std::uint32_t>(k * Shape::threads);
  }

  KOKKOS_FUNCTION void sort_own() const {
    std::uint32_t const begin = number() * items_per_thread;
    if (begin >= count_) return;
    if (count_ - begin < items_per_thread) {
      insertion_sort(items_.from(begin), count_ - begin, before_);
      return;
    }
    Items own;
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k)
      new (&own[k]) Item(items_[begin + static_cast<unsigned>(k)]);
    sort_items<items_per_thread>(own, 0, before_);
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) items_[begin + static_cast<unsigned>(k)] = own[k];
  }

  KOKKOS_FUNCTION HeadsOfRun sort_own_segments(TileHeads const& heads) const {
    std::uint32_t const begin = Kokkos::min(number() * items_per_thread, count_);
    std::uint32_t const count = Kokkos::min<std::uint32_t>(items_per_thread, count_ - begin);
    std::uint32_t const existing = (std::uint32_t{1} << count) - 1;
    std::uint32_t const own_heads = heads.next_32(begin) & existing;
    Items own;
    RIFFLE_UNROLL
    for (std::uint32_t k = 0; k < items_per_thread; ++k) {
      if (k < count) new (&own[static_cast<int>(k)]) Item(items_[begin + k]);
    }
    sort_items<items_per_thread>(own, own_heads | ~existing, before_);
    RIFFLE_UNROLL
    for (std::uint32_t k = 0; k < items_per_thread; ++k) {
      if (k < count) items_[begin + k] = own[static_cast<int>(k)];
    }
    auto const place = [&](int k) {
      return static_cast<std::uint16_t>(begin + static_cast<std::uint32_t>(k));
    };
    if (own_heads == 0) return {place(static_cast<int>(count)), place(0)};
    return {place(backend::lowest_one(own_heads)), place(backend::highest_one(own_heads))};
  }

  /// Merges two runs. This thread merges part `part` of the result, other threads merge the other
  /// parts. Each thread searches for the start of its part. If a part does not end where the next
  /// part starts, the comparison is not a strict weak ordering, so any permutation is a valid
  /// result. In this case all items stay where they are, so that no item is lost.
  KOKKOS_FUNCTION void merge(Runs const& runs, std::uint32_t part, std::uint32_t parts) const {
    std::uint32_t const begin = Kokkos::min<std::uint32_t>(part * items_per_thread, runs.size());
    std::uint32_t const count = Kokkos::min<std::uint32_t>(items_per_thread, runs.size() - begin);
    Items merged;
    std::uint32_t end = 0;
    if (is_active()) {
      std::uint32_t const cut = count_from_left(items_, runs, begin, before_);
      state_.cuts[number()] = static_cast<std::uint16_t>(cut);
      end = merge_part({runs.left + cut, runs.left_end, runs.right + (begin - cut), runs.right_end},
                       count, merged) -
            runs.left;
    }
    team_.team_barrier();
    if (is_active() && part + 1 < parts && end != state_.cuts[number() + 1]) {
      backend::add_in_scratch(&state_.is_inconsistent, 1);
    }
    team_.team_barrier();
    if (is_active() && state_.is_inconsistent == 0) {
      auto const to = items_.from(runs.left + begin);
      RIFFLE_UNROLL
      for (int k = 0; k < items_per_thread; ++k) {
        if (static_cast<std::uint32_t>(k) < count) to[static_cast<std::uint32_t>(k)] = merged[k];
      }
    }
    team_.team_barrier();
  }

  /// Merges the first `count` items of two runs into `merged`. Returns the index of the left run's
  /// first item that is not merged.
  KOKKOS_FUNCTION std::uint32_t merge_part(Runs runs, std::uint32_t count, Items& merged) const {
    if constexpr (items_per_thread == 1) {
      if (count == 1) new (&merged[0]) Item(items_[take_next(runs)]);
    } else {
      merge_from_registers(runs, count, merged);
    }
    return runs.left;
  }

  /// Advances past the next merged item, and returns its index.
  KOKKOS_FUNCTION std::uint32_t take_next(Runs& runs) const {
    bool const is_right =
        runs.left >= runs.left_end ||
        (runs.right < runs.right_end && before_(items_[runs.right], items_[runs.left]));
    return is_right ? runs.right++ : runs.left++;
  }

  /// Implements merge_part() with the next item of each run in registers. If a run is empty, its
  /// register contains some other item of the tile, so that all lanes make one comparison in each
  /// step, without divergence. Items merged beyond `count` are not stored.
  KOKKOS_FUNCTION void merge_from_registers(Runs& runs, std::uint32_t count, Items& merged) const {
    if (count == 0) return;
    std::uint32_t const last = count_ - 1;
    Item left(items_[runs.left < runs.left_end ? runs.left : runs.right]);
    Item right(items_[runs.right < runs.right_end ? runs.right : runs.left]);
    std::uint32_t sum = runs.left + runs.right;
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      bool const precedes = before_(right, left);
      bool const is_right =
          (runs.left >= runs.left_end) | ((runs.right < runs.right_end) & precedes);
      // Selects values rather than addresses, since registers have no addresses.
      new (&merged[k]) Item(is_right ? Item(right) : Item(left));
      runs.right += static_cast<std::uint32_t>(is_right);
      runs.left = ++sum - runs.right;
      Item const item(items_[Kokkos::min(is_right ? runs.right : runs.left, last)]);
      left = is_right ? Item(left) : Item(item);
      right = is_right ? Item(item) : Item(right);
    }
  }

  Member const& team_;
  State& state_;
  ScratchItems<Item> items_;
  std::uint32_t count_;
  Before const& before_;
};

}  // namespace riffle::detail::sort
