#pragma once

// A team of a GPU sorts and merges in its scratch memory, by a comparison of the user's.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/kernel/merge_parts.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::sort {

/// A team has `parts` threads with `held` items each. `held` is odd, so that lanes which each write items of their own
/// do not meet in a bank.
template <class Item>
struct MergeTileShape {
  static_assert(sizeof(Item) <= 16384,
                "riffle sorts values of up to 16 KiB by a comparison on a GPU; sort their indices");
  static constexpr int parts =
      static_cast<int>(std::bit_floor(std::clamp<std::size_t>(16384 / sizeof(Item), 2, 128)));
  static constexpr int threads = std::max(parts, lanes::width);
  static constexpr int held = sizeof(Item) <= 16 ? 7 : sizeof(Item) <= 32 ? 3 : 1;
  static constexpr int size = parts * held;
};

/// The scratch memory of a team.
template <class Item>
struct MergeTileState {
  alignas(Item) std::byte items[MergeTileShape<Item>::size * sizeof(Item)];
  /// For each part, how many elements of the left run come before it in the merge.
  std::uint32_t cuts[MergeTileShape<Item>::parts];
  std::uint32_t disorder;
};

/// One thread's part of the work on a tile of up to MergeTileShape::size items.
template <class Item, class Member, class Before>
class MergeTile {
 public:
  using Shape = MergeTileShape<Item>;
  using State = MergeTileState<Item>;
  static constexpr std::size_t alignment = std::max<std::size_t>(16, alignof(State));
  static constexpr std::size_t scratch_bytes = sizeof(State) + alignment;

  /// A tile of `count` items.
  KOKKOS_FUNCTION MergeTile(Member const& team, int count, Before const& before)
      : team_(team),
        state_(*static_cast<State*>(team.team_scratch(0).get_shmem_aligned(
            std::size_t{sizeof(State)}, static_cast<std::ptrdiff_t>(alignment)))),
        items_(reinterpret_cast<Item*>(state_.items)),
        count_(static_cast<std::uint64_t>(count)),
        before_(before) {
    if (team.team_rank() == 0) state_.disorder = 0;
  }

  /// load(i) gives item i.
  template <class Load>
  KOKKOS_FUNCTION void load(Load const& load) const {
    for_each_item([&](std::uint64_t i) { items_[i] = load(i); });
    team_.team_barrier();
  }

  template <class Store>
  KOKKOS_FUNCTION void store(Store const& store) const {
    for_each_item([&](std::uint64_t i) { store(i, items_[i]); });
  }

  KOKKOS_FUNCTION void sort() const {
    std::uint64_t const begin = number() * held;
    if (is_active() && begin < count_) {
      insert_each(items_ + begin, Kokkos::min(std::uint64_t{held}, count_ - begin), before_);
    }
    team_.team_barrier();
    for (std::uint64_t parts = 2; parts * held < 2 * count_; parts *= 2) {
      std::uint64_t const run_size = parts / 2 * held;
      std::uint64_t const first = number() / parts * 2 * run_size;
      merge(runs_from(Kokkos::min(first, count_), run_size, count_), number() % parts, parts);
    }
  }

  /// All items, the first `left` of which are one run and the others another.
  KOKKOS_FUNCTION void merge_two(std::uint64_t left) const {
    merge({0, left, left, count_}, number(), Shape::parts);
  }

 private:
  static constexpr std::uint64_t held = Shape::held;

  KOKKOS_FUNCTION std::uint64_t number() const {
    return static_cast<std::uint64_t>(team_.team_rank());
  }
  KOKKOS_FUNCTION bool is_active() const { return team_.team_rank() < Shape::parts; }

  template <class F>
  KOKKOS_FUNCTION void for_each_item(F const& f) const {
    for (std::uint64_t i = number(); i < count_; i += Shape::threads) f(i);
  }

  /// Merges this thread's part; other threads merge the others.
  KOKKOS_FUNCTION void merge(TwoRuns const& runs, std::uint64_t part, std::uint64_t parts) const {
    Item merged[Shape::held];
    std::uint64_t const begin = Kokkos::min(part * held, runs.size());
    std::uint64_t const end = Kokkos::min(begin + held, runs.size());
    merge_part(part_of(runs, begin, end, part + 1 == parts), merged);
    team_.team_barrier();
    if (is_active()) {
      for (std::uint64_t k = 0; k < end - begin; ++k) items_[runs.left + begin + k] = merged[k];
    }
    team_.team_barrier();
  }

  /// The parts of two runs that make the places begin, ..., end - 1 of their merge. Each thread searches for where its
  /// part begins. If some part would end before it begins, the comparison is no order: any result will do, and runs are
  /// left as they are, so that no item is lost.
  KOKKOS_FUNCTION TwoRuns part_of(TwoRuns const& runs, std::uint64_t begin, std::uint64_t end,
                                  bool is_last) const {
    std::uint64_t const all = runs.left_end - runs.left;
    std::uint64_t cut = 0;
    std::uint64_t next = all;
    if (is_active()) {
      cut = count_from_left(items_, runs, begin, before_);
      state_.cuts[number()] = static_cast<std::uint32_t>(cut);
    }
    team_.team_barrier();
    if (is_active() && !is_last) next = state_.cuts[number() + 1];
    bool const is_part = cut <= next && next - cut <= end - begin;
    if (is_active() && !is_part) lanes::add_in_scratch(&state_.disorder, 1);
    team_.team_barrier();
    if (state_.disorder != 0) {
      cut = Kokkos::min(begin, all);
      next = Kokkos::min(end, all);
    }
    return {runs.left + cut, runs.left + next, runs.right + (begin - cut),
            runs.right + (end - next)};
  }

  KOKKOS_FUNCTION void merge_part(TwoRuns runs, Item (&merged)[Shape::held]) const {
    if (!is_active()) return;
    std::uint64_t const count = runs.size();
    RIFFLE_UNROLL
    for (std::uint64_t k = 0; k < held; ++k) {
      if (k >= count) continue;
      bool const has_left = runs.left < runs.left_end;
      bool const has_right = runs.right < runs.right_end;
      bool const is_right =
          !has_left || (has_right && before_(items_[runs.right], items_[runs.left]));
      merged[k] = items_[is_right ? runs.right++ : runs.left++];
    }
  }

  Member const& team_;
  State& state_;
  Item* items_;
  std::uint64_t count_;
  Before const& before_;
};

}  // namespace riffle::detail::sort
