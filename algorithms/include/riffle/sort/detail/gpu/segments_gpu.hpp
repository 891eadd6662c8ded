#pragma once

// Sorts segments of any lengths on a GPU, by merges that do not cross the borders of segments [1]. The elements are divided into
// windows. A team sorts, in scratch memory, a tile: the elements of a window, but a segment that begins in one window and ends in
// the next is left to the first of them if it is short. Other segments that cross borders are cut there. In each round,
// pairs of neighbouring runs of a segment are merged, until the segment is one run:
//
//     windows         |        |        |        |        |
//     segments        | a |b |  c  |d|          e         |f|
//     tiles           | a |b |  c  |d| e|   e    |   e    |e|f|     c is short, e is cut into four pieces
//     round 0         |              |    e      |   e      |
//     round 1         |              |           e          |
//
// One kernel does all rounds. Lists of pieces are written on the GPU, so the host waits for nothing.
//
// [1] S. Baxter, "moderngpu" (2013), "Segmented sort and locality sort".

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/merge_path.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/number_code.hpp>
#include <riffle/sort/segments.hpp>

namespace riffle::detail::sort {

// --- items ---

/// The keys that are sorted: numbers are sorted by their codes, other elements by comparisons.
template <class T, class Order, bool have_codes>
struct KeyOfItem {
  using Key = T;
  using Before = IsItemBefore<Order>;

  static Before before(Order const& order) { return {order}; }
  KOKKOS_FUNCTION static T const& encode(T const& element) { return element; }
  KOKKOS_FUNCTION static T const& decode(T const& key) { return key; }
};

template <class T, class Order>
struct KeyOfItem<T, Order, true> : NumberCode<T, Order> {
  using Key = typename NumberCode<T, Order>::Word;
  using Before = IsItemBefore<Ascending>;

  static Before before(Order const&) { return {}; }
};

/// Reads the elements of `source` as items: keys, with indices unless Index is void. Writes items, or their indices, to `sink`.
template <class Source, class Sink, class Segments, class Order, class Index>
struct SegmentItemsOnGpu {
  using T = typename Source::Item;
  using Coding = KeyOfItem<T, Order, has_number_code<T, Order>>;
  using Key = typename Coding::Key;
  /// Whether `before` is known to be a strict weak ordering.
  static constexpr bool are_ordered = has_number_code<T, Order>;
  static constexpr bool have_indices = !std::is_void_v<Index>;
  using Item =
      std::conditional_t<have_indices, KeyValue<Key, std::conditional_t<have_indices, Index, char>>,
                         Key>;

  Source source;
  Sink sink;
  Segments segments;

  static auto before(Order const& order) { return Coding::before(order); }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const {
    if constexpr (have_indices) {
      return {Coding::encode(source(i)), static_cast<Index>(segments.index(i))};
    } else {
      return Coding::encode(source(i));
    }
  }

  KOKKOS_FUNCTION void write(std::uint64_t i, Item const& item) const {
    if constexpr (have_indices) {
      sink(i, item.value);
    } else {
      sink(i, Coding::decode(item));
    }
  }

  /// The memory of the elements that are written, if it can hold items; otherwise null.
  Item* own_memory() const {
    if constexpr (!have_indices && sizeof(Item) == sizeof(typename Sink::Element)) {
      return sink.is_contiguous() ? reinterpret_cast<Item*>(sink.address(0)) : nullptr;
    } else {
      return nullptr;
    }
  }
};

// --- windows ---

/// A window has this number of elements. With a short segment that crosses its end, they fit in a tile.
template <class Item>
struct WindowShape {
  static constexpr std::uint64_t max_short = MergeTileShape<Item>::size / 16;
  static constexpr std::uint64_t size = MergeTileShape<Item>::size - max_short;
};

/// A piece of a long segment: the part of the segment that is in one window.
struct Piece {
  std::uint64_t window;
  Segment segment;
};

/// The numbers of items of the left run before a piece of a merge and before its end.
struct Cuts {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The windows and the pieces. Pieces have numbers: 2 w is the piece in window w of the segment that crosses the
/// begin of the window, 2 w + 1 the first piece of the segment that crosses its end.
template <class Item>
struct Windows {
  static constexpr std::uint64_t size = WindowShape<Item>::size;
  static constexpr int max_rounds = 64;

  /// Zero before the first kernel.
  struct Counts {
    std::uint64_t pieces[max_rounds];    // the number of pieces that take part in exactly r rounds
    std::uint64_t listed[max_rounds];    // how many of them are in the list
    std::uint64_t done[2 * max_rounds];  // how many tasks of a phase have been done
    std::uint64_t tickets;
    std::uint32_t is_inconsistent;  // 1 if the comparison is known not to be a strict weak ordering
  };

  std::uint64_t n;
  int all_rounds;              // the number of rounds of a segment that has all elements
  std::uint64_t* begins;       // the begin of each window's tile, and n
  std::uint64_t* first_heads;  // the number of the first segment that begins in a window or later
  Segment* crossing;           // the long segment that crosses the begin of a window, if any
  Counts* counts;
  std::uint32_t* list;  // of pieces, those that take part in the most rounds first
  Cuts* cuts;           // of each piece, in one round
  Item* buffers[2];     // before round r, a segment of R rounds is in buffers[(R - r) % 2]

  KOKKOS_FUNCTION std::uint64_t count() const { return (n + size - 1) / size; }

  KOKKOS_FUNCTION static int rounds(Segment const& segment) {
    std::uint64_t const pieces = (segment.end - 1) / size - segment.begin / size + 1;
    int rounds = 0;
    while (std::uint64_t{1} << rounds < pieces) ++rounds;
    return rounds;
  }
  KOKKOS_FUNCTION Item* buffer(Segment const& segment, int round) const {
    return buffers[(rounds(segment) - round) % 2];
  }

  /// The number of pieces that take part in round `round`.
  KOKKOS_FUNCTION std::uint64_t pieces_of(int round) const {
    std::uint64_t sum = 0;
    for (int r = round + 1; r <= all_rounds; ++r) sum += counts->pieces[r];
    return sum;
  }
  KOKKOS_FUNCTION Piece piece(std::uint32_t number) const {
    return {number / 2, crossing[number / 2 + number % 2]};
  }

  /// The part of a merge that becomes a piece in a round. Runs begin where the segment begins and where windows begin.
  KOKKOS_FUNCTION PartOfMerge merged(Piece const& piece, int round) const {
    Segment const& segment = piece.segment;
    auto const place = [&](std::uint64_t window) {
      return Kokkos::clamp(window * size, segment.begin, segment.end);
    };
    std::uint64_t const first = segment.begin / size;
    std::uint64_t const run = std::uint64_t{1} << round;
    std::uint64_t const left = first + (piece.window - first) / (2 * run) * (2 * run);
    TwoRuns const runs{place(left), place(left + run), place(left + run), place(left + 2 * run)};
    return {runs, place(piece.window) - runs.left, place(piece.window + 1) - runs.left};
  }
};

template <class Item>
Windows<Item> take_windows(ArrayMemory& memory, std::uint64_t n, Item* own_memory) {
  Windows<Item> windows{};
  windows.n = n;
  windows.all_rounds = windows.rounds({0, n});
  std::uint64_t const count = windows.count();
  windows.begins = memory.take<std::uint64_t>(count + 1);
  windows.first_heads = memory.take<std::uint64_t>(count + 1);
  windows.crossing = memory.take<Segment>(count + 1);
  windows.counts = memory.take<typename Windows<Item>::Counts>(1);
  windows.list = memory.take<std::uint32_t>(2 * count);
  windows.cuts = memory.take<Cuts>(2 * count);
  windows.buffers[0] = own_memory != nullptr ? own_memory : memory.take<Item>(n);
  windows.buffers[1] = memory.take<Item>(n);
  return windows;
}

/// Finds where the tile of a window begins, and which long segment is cut there. Called for each window, and for the end.
template <class Segments, class Item>
struct FindWindows {
  Segments segments;
  Windows<Item> windows;

  KOKKOS_FUNCTION void operator()(std::uint64_t window) const {
    std::uint64_t const border = Kokkos::min(window * windows.size, windows.n);
    windows.begins[window] = border;
    windows.crossing[window] = {border, border};
    windows.first_heads[window] = border == 0 ? 0 : segments.count();
    if (border == 0 || border == windows.n) return;
    std::uint64_t const number = segments.number(border);
    Segment const segment = segment_around(segments, number, border);
    windows.first_heads[window] = number + (segment.begin == border ? 0 : 1);
    if (segment.begin == border) return;
    if (segment.size() <= WindowShape<Item>::max_short) {
      windows.begins[window] = segment.end;
      return;
    }
    windows.crossing[window] = segment;
    bool const begins_in_previous = segment.begin >= border - windows.size;
    Kokkos::atomic_add(&windows.counts->pieces[windows.rounds(segment)],
                       std::uint64_t{begins_in_previous ? 2u : 1u});
  }
};

// --- kernels ---

/// Sorts the tile of a window, one per team.
template <class Items, class Segments, class Before>
struct SortWindows : TileKernel<typename Items::Item, Before> {
  using Item = typename Items::Item;
  using Shape = MergeTileShape<Item>;
  static constexpr std::uint32_t words = TileHeads::words(Shape::size);
  struct State {
    union {
      std::uint32_t flags[8 * words];  // a byte for each item: 1 if it is a head
      HeadsOfRun runs[2 * Shape::parts];
    };
    std::uint32_t bits[words + 1];
    std::uint32_t has_long;  // 1 if a segment is long for a sort by counting
  };
  static constexpr int teams_per_processor = sizeof(Item) <= 8 ? 4 : Shape::sorting_teams;
  static constexpr std::size_t scratch_bytes =
      team_state_bytes<State> + TileKernel<Item, Before>::scratch_bytes;
  static_assert(scratch_bytes <= max_scratch_bytes_of(Shape::threads));

  Items items;
  Segments segments;
  Windows<Item> windows;
  Before before;

  SortWindows(Items const& items_, Segments const& segments_, Windows<Item> const& windows_,
              Before const& before_)
      : items(items_), segments(segments_), windows(windows_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    auto const window = static_cast<std::uint64_t>(team.league_rank());
    std::uint64_t const begin = windows.begins[window];
    std::uint64_t const end = windows.begins[window + 1];
    MergeTile<Item, Member, Before> const tile(team, end - begin, before);
    find_heads(team, state, {begin, end}, window);
    tile.load([&](std::uint32_t i) { return items(begin + i); });
    TileHeads const heads(state.bits, static_cast<std::uint32_t>(end - begin));
    if (Items::are_ordered && state.has_long == 0) {
      tile.store_by_counting(heads, Store(*this, window, begin));
    } else {
      tile.sort_segments(heads, state.runs);
      tile.store(Store(*this, window, begin));
    }
    if (team.team_rank() == 0) {
      list(windows.crossing[window], 2 * window);
      Segment const next = windows.crossing[window + 1];
      if (next.begin >= window * windows.size) list(next, 2 * window + 1);
    }
  }

 private:
  /// Stores item i of the tile: pieces in buffers, other items with the elements.
  class Store {
   public:
    KOKKOS_FUNCTION Store(SortWindows const& kernel, std::uint64_t window, std::uint64_t begin)
        : kernel_(kernel), begin_(begin) {
      Segment const left = kernel.windows.crossing[window];
      Segment const right = kernel.windows.crossing[window + 1];
      left_end_ = left.size() == 0 ? begin : left.end;
      right_begin_ = right.size() == 0 ? ~std::uint64_t{0} : right.begin;
      left_to_ = kernel.windows.buffer(left, 0);
      right_to_ = kernel.windows.buffer(right, 0);
    }

    KOKKOS_FUNCTION void operator()(std::uint32_t i, Item const& item) const {
      std::uint64_t const place = begin_ + i;
      if (place < left_end_) {
        left_to_[place] = item;
      } else if (place >= right_begin_) {
        right_to_[place] = item;
      } else {
        kernel_.items.write(place, item);
      }
    }

   private:
    SortWindows const& kernel_;
    std::uint64_t begin_;
    std::uint64_t left_end_;
    std::uint64_t right_begin_;
    Item* left_to_;
    Item* right_to_;
  };

  /// Adds a piece to the list, if there is one.
  KOKKOS_FUNCTION void list(Segment const& segment, std::uint64_t number) const {
    if (segment.size() == 0) return;
    int const rounds = windows.rounds(segment);
    std::uint64_t const place =
        Kokkos::atomic_fetch_add(&windows.counts->listed[rounds], std::uint64_t{1});
    windows.list[windows.pieces_of(rounds) + place] = static_cast<std::uint32_t>(number);
  }

  /// Finds the heads of a tile. Ends with a team barrier.
  template <class Member>
  KOKKOS_FUNCTION void find_heads(Member const& team, State& state, Segment const& tile,
                                  std::uint64_t window) const {
    auto const rank = static_cast<std::uint32_t>(team.team_rank());
    constexpr std::uint32_t threads = Shape::threads;
    for (std::uint32_t k = rank; k < 8 * words; k += threads) state.flags[k] = 0;
    if (rank == 0) state.has_long = 0;
    team.team_barrier();
    auto* const flags = reinterpret_cast<std::uint8_t*>(state.flags);
    if (rank == 0) backend::store_same(&flags[0], 1);
    std::uint64_t const first = windows.first_heads[window];
    std::uint64_t const last = windows.first_heads[window + 1];
    // A thread reads several offsets before it uses the first one, so that the reads overlap.
    constexpr int at_once = 8;
    for (std::uint64_t s = first + rank; s < last; s += at_once * threads) {
      std::uint64_t heads[at_once];
      RIFFLE_UNROLL
      for (int k = 0; k < at_once; ++k) {
        std::uint64_t const segment = s + static_cast<std::uint64_t>(k) * threads;
        heads[k] = segment < last ? segments.begin(segment) : tile.end;
      }
      RIFFLE_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (tile.begin < heads[k] && heads[k] < tile.end)
          backend::store_same(&flags[heads[k] - tile.begin], 1);
      }
    }
    team.team_barrier();
    std::uint32_t const whole = static_cast<std::uint32_t>(tile.size()) / 32;
    for (std::uint32_t w = rank / backend::width; w <= words; w += threads / backend::width) {
      std::uint32_t const bits =
          backend::ballot(w < words && flags[32 * w + rank % backend::width] != 0);
      if (rank % backend::width != 0) continue;
      state.bits[w] = bits;
      if (bits == 0 && w < whole) backend::store_same(&state.has_long, 1);
    }
    team.team_barrier();
  }
};

/// Merges pieces, in rounds of two phases. The tasks of the first phase of a round find the cuts of pieces, the tasks of the
/// second phase merge pieces. The tasks of a phase begin when all tasks of the phase before it have ended. Teams take tickets for tasks, in
/// the order of phases. A team with the lowest ticket of all tasks that have not ended waits for no other team, so the kernel ends
/// under every schedule.
template <class Items, class Before>
struct MergePieces : TileKernel<typename Items::Item, Before> {
  using Item = typename Items::Item;
  /// The next task of a team, in scratch memory rather than in registers, which the merge needs.
  struct State {
    int phase;
    std::uint64_t first;   // the ticket of the first task of the phase
    std::uint64_t tasks;   // the number of tasks of the phase; 0 if there are no more phases
    std::uint64_t pieces;  // the number of pieces of the round
    std::uint64_t pieces_of_task;  // except that the last task may have fewer
    std::uint64_t place;           // the number of the current task in its phase
  };
  static constexpr std::size_t scratch_bytes =
      team_state_bytes<State> + TileKernel<Item, Before>::scratch_bytes;
  static constexpr int probes = 8;  // of each search for a cut
  static constexpr std::uint64_t pieces_at_once = MergeTileShape<Item>::threads / (2 * probes);

  Items items;
  Windows<Item> windows;
  Before before;

  MergePieces(Items const& items_, Windows<Item> const& windows_, Before const& before_)
      : items(items_), windows(windows_), before(before_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    bool const is_first = team.team_rank() == 0;
    std::uint64_t ticket = 0;  // of the next task; known to the first thread
    if (is_first) {
      state = {};
      begin_phase(state, team.league_size());
      ticket = take_ticket();
    }
    while (true) {
      if (is_first) {
        begin_task(team, state, ticket);
        ticket = take_ticket();
      }
      team.team_barrier();
      if (state.tasks == 0) return;
      backend::acquire_fence();
      int const round = state.phase / 2;
      if (state.phase % 2 == 0) {
        find_cuts(team, round, state.place * state.pieces_of_task, state.pieces);
      } else {
        merge_some(team, round, state);
      }
      backend::release_fence();
      team.team_barrier();
      if (is_first) backend::fetch_add_relaxed(&windows.counts->done[state.phase], 1);
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t take_ticket() const {
    return backend::fetch_add_relaxed(&windows.counts->tickets, 1);
  }

  KOKKOS_FUNCTION void begin_phase(State& state, int teams) const {
    if (state.phase % 2 == 0) {
      state.pieces = windows.pieces_of(state.phase / 2);
      state.pieces_of_task = pieces_at_once;
    } else {
      // More than one, so that a team waits less often, if this leaves many tasks per team.
      std::uint64_t const per_team = state.pieces / static_cast<std::uint64_t>(teams);
      state.pieces_of_task = Kokkos::min<std::uint64_t>(1 + per_team / 8, 4);
    }
    state.tasks = (state.pieces + state.pieces_of_task - 1) / state.pieces_of_task;
  }

  /// Finds the task of a ticket, and waits until it can begin. Called by one thread.
  template <class Member>
  KOKKOS_FUNCTION void begin_task(Member const& team, State& state, std::uint64_t ticket) const {
    std::uint64_t previous = 0;
    while (state.tasks > 0 && ticket - state.first >= state.tasks) {
      previous = state.tasks;
      state.first += state.tasks;
      ++state.phase;
      begin_phase(state, team.league_size());
    }
    state.place = ticket - state.first;
    if (state.tasks == 0 || previous == 0) return;
    while (backend::load_relaxed(&windows.counts->done[state.phase - 1]) < previous) {
      backend::wait();
    }
  }

  /// Finds the cuts of pieces. `probes` lanes search for the cut at the begin of a piece, the next `probes` lanes for the cut at its
  /// end.
  template <class Member>
  KOKKOS_FUNCTION void find_cuts(Member const& team, int round, std::uint64_t place,
                                 std::uint64_t pieces) const {
    int const search = team.team_rank() / probes;
    place += static_cast<std::uint64_t>(search / 2);
    bool const is_piece = place < pieces;
    std::uint32_t const number = windows.list[is_piece ? place : pieces - 1];
    Piece const piece = windows.piece(number);
    PartOfMerge const part = windows.merged(piece, round);
    int const lane = team.team_rank() % backend::width;
    std::uint64_t const cut = cut_after(windows.buffer(piece.segment, round), part.runs, round,
                                        search % 2 == 0 ? part.begin : part.end, lane);
    std::uint64_t const next = backend::from_lane(cut, (lane + probes) % backend::width);
    if (!is_piece || lane % (2 * probes) != 0) return;
    windows.cuts[number] = {cut, next};
    if (!part.are_cuts(cut, next))
      Kokkos::atomic_store(&windows.counts->is_inconsistent, std::uint32_t{1});
  }

  KOKKOS_FUNCTION std::uint64_t cut_after(Item const* from, TwoRuns const& runs, int round,
                                          std::uint64_t count, int lane) const {
    WideCutRange range{cut_range_after(runs, count)};
    // Each step divides the width of the range by at least probes + 1, so after these steps the range is empty.
    for (std::uint64_t width = windows.size << round; width > 0; width /= probes + 1) {
      bool const is_after =
          !range.is_found() &&
          is_after_cut(from, runs, count, range.place(lane % probes, probes), before);
      std::uint32_t const found =
          backend::ballot(is_after) >> (lane - lane % probes) & ((std::uint32_t{1} << probes) - 1);
      if (!range.is_found())
        range = range.before_place(found == 0 ? probes : backend::lowest_one(found), probes);
    }
    return range.low;
  }

  template <class Member>
  KOKKOS_FUNCTION void merge_some(Member const& team, int round, State const& state) const {
    std::uint64_t const first = state.place * state.pieces_of_task;
    std::uint64_t const end = Kokkos::min(first + state.pieces_of_task, state.pieces);
    for (std::uint64_t place = first; place < end; ++place) {
      if (place > first) team.team_barrier();
      merge(team, round, windows.list[place]);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void merge(Member const& team, int round, std::uint32_t number) const {
    Piece const piece = windows.piece(number);
    PartOfMerge const part = windows.merged(piece, round);
    Cuts const cuts = windows.cuts[number];
    TwoRuns const runs =
        windows.counts->is_inconsistent != 0 ? part.copied() : part.between(cuts.begin, cuts.end);
    MergeTile<Item, Member, Before> const tile(team, runs.size(), before);
    tile.load_runs(windows.buffer(piece.segment, round), runs);
    tile.merge_two(runs.left_end - runs.left);
    std::uint64_t const to = part.runs.left + part.begin;
    if (round + 1 == windows.rounds(piece.segment)) {
      tile.store([&](std::uint32_t i, Item const& item) { items.write(to + i, item); });
    } else {
      Item* const items_of_round = windows.buffer(piece.segment, round + 1) + to;
      tile.store([&](std::uint32_t i, Item const& item) { items_of_round[i] = item; });
    }
  }
};

// --- the sort ---

/// Sorts n > 0 elements segment by segment.
template <class Exec, class Segments, class Items, class Before>
void sort_segments_on_device(Context<Exec> const& context, Segments const& segments,
                             Items const& items, Before const& before) {
  using Item = typename Items::Item;
  using Merge = MergePieces<Items, Before>;
  using Counts = Kokkos::View<std::uint64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Scope scope(context);
  auto const windows = scope.arrays([&](ArrayMemory& memory) {
    return take_windows<Item>(memory, segments.n, items.own_memory());
  });
  std::uint64_t const count = windows.count();
  Kokkos::deep_copy(context.exec(),
                    Counts(reinterpret_cast<std::uint64_t*>(windows.counts),
                           sizeof(*windows.counts) / sizeof(std::uint64_t)),
                    std::uint64_t{0});
  context.named("windows").for_each(count + 1, FindWindows<Segments, Item>{segments, windows});
  launch_teams(context.named("tiles"), count,
               SortWindows<Items, Segments, Before>(items, segments, windows, before));
  if (count == 1) return;
  std::uint64_t const teams = backend::processors(context.exec()) * Merge::teams_per_processor;
  launch_teams(context.named("merge"), Kokkos::min(2 * count, teams),
               Merge(items, windows, before));
}

}  // namespace riffle::detail::sort
