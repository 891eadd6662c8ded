#pragma once

// Sorts some thousands of elements on a GPU in one or two launches. The rank of an element is its
// index in the sorted output. If there are at most max_chunk elements, the rank is counted by
// comparing the element with all others [1]. If there are more, chunks are sorted in this way
// first. The rank of an element is then its index in its chunk, plus the number of elements before
// it in each other chunk, which a binary search finds. The time does not depend on the distribution
// of the keys.
//
// [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2, "Comparison counting".

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::sort::by_ranks {

using Index = std::uint32_t;

/// The number of elements that a team ranks: one per lane of a warp. All warps of the team rank the
/// same elements. Each warp compares them with different elements, and the counts of the warps are
/// added.
inline constexpr Index elements_per_team = backend::width;

/// The number of teams that rank n elements.
inline int teams_of(std::uint64_t n) {
  return static_cast<int>((n + elements_per_team - 1) / elements_per_team);
}

// --- ranks ---

/// Ranks elements by counting the elements before them. This takes many comparisons, but they do
/// not depend on each other, unlike the steps of a sort. They are executed by a short loop. The
/// code of a sorting network would be much longer, and each of its instructions would be fetched
/// from memory to be executed only once.
template <class Word, int threads>
struct CountedRanks {
  /// The bytes of scratch memory that ranking among `size` elements takes.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(Index size) {
    return rounded(size) * sizeof(Word) + elements_per_team * sizeof(Index);
  }
  static constexpr std::ptrdiff_t alignment = 16;

  /// Ranks the elements i = first, ..., first + elements_per_team - 1 for which i is less
  /// than `size`. Calls take(i, rank) for each of them, where `rank` is the index of element i
  /// after a stable sort of all `size` elements. `first` is a multiple of elements_per_team.
  /// code(i) returns an unsigned integer; codes compare as the elements do. All threads of a team
  /// call this.
  template <class Member, class Code, class Take>
  KOKKOS_FUNCTION static void rank(Member const& team, void* memory, Index size, Index first,
                                   Code const& code, Take const& take) {
    auto* const codes = static_cast<Word*>(memory);
    auto* const ranks = reinterpret_cast<Index*>(codes + rounded(size));
    auto const thread = static_cast<Index>(team.team_rank());
    Index const lane = thread % elements_per_team;
    load(codes, size, thread, code);
    if (thread < elements_per_team) ranks[lane] = 0;
    team.team_barrier();
    Index const before =
        count_before(codes, size, thread / elements_per_team * elements_per_team, first, lane);
    if (before != 0) backend::add_in_scratch(ranks + lane, before);
    team.team_barrier();
    if (thread < elements_per_team && first + lane < size) take(first + lane, ranks[lane]);
  }

 private:
  /// The number of codes, rounded up to a multiple of elements_per_team.
  KOKKOS_FUNCTION static constexpr Index rounded(Index size) {
    return (size + elements_per_team - 1) / elements_per_team * elements_per_team;
  }

  /// Loads all codes. Entries after the last code are set to the greatest code, which precedes no
  /// element.
  template <class Code>
  KOKKOS_FUNCTION static void load(Word* codes, Index size, Index thread, Code const& code) {
    constexpr Index batch = 4;
    RIFFLE_NO_UNROLL
    for (Index begin = thread; begin < rounded(size); begin += batch * threads) {
      // No load is in a branch, so all loads overlap.
      Word loaded[batch];
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        loaded[k] = code(Kokkos::min(begin + k * threads, size - 1));
      }
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const i = begin + k * threads;
        if (i < rounded(size)) codes[i] = i < size ? loaded[k] : static_cast<Word>(~Word{0});
      }
    }
  }

  /// Returns how many of the elements that this warp compares precede element first + lane. These
  /// elements are 32 elements at each of the indices begin, begin + threads, begin + 2 * threads,
  /// ...
  KOKKOS_FUNCTION static Index count_before(Word const* codes, Index size, Index begin, Index first,
                                            Index lane) {
    Word const own = codes[first + lane];
    Index before = 0;
    RIFFLE_NO_UNROLL
    for (; begin < size; begin += threads) {
      // Tied elements keep the order of their indices.
      if (begin < first) {
        before += count(codes + begin, [&](Word other, Index) { return !(own < other); });
      } else if (begin > first) {
        before += count(codes + begin, [&](Word other, Index) { return other < own; });
      } else {
        before += count(codes + begin, [&](Word other, Index i) {
          // Without branches.
          return static_cast<bool>(static_cast<int>(other < own) |
                                   (static_cast<int>(other == own) & static_cast<int>(i < lane)));
        });
      }
    }
    return before;
  }

  template <class IsBefore>
  KOKKOS_FUNCTION static Index count(Word const* codes, IsBefore const& is_before) {
    Index before[quad_size] = {};  // independent sums
    RIFFLE_UNROLL
    for (Index i = 0; i < elements_per_team; i += quad_size) {
      Word others[quad_size];
      load_quad(codes + i, others);
      RIFFLE_UNROLL
      for (int e = 0; e < quad_size; ++e) {
        before[e] += static_cast<Index>(is_before(others[e], i + static_cast<Index>(e)));
      }
    }
    return before[0] + before[1] + before[2] + before[3];
  }
};

/// Ranks elements of sorted chunks: for each element, a binary search in each other chunk counts
/// the elements before it. A team of `threads` threads ranks one element per lane of a warp. Each
/// warp of the team searches in some of the chunks for all of these elements.
struct SearchedRanks {
  static constexpr int threads = 256;
  static constexpr std::size_t bytes = elements_per_team * sizeof(Index);
  static constexpr std::ptrdiff_t alignment = 16;

  Index size;
  /// The size of each chunk but the last: a power of two that is at least elements_per_team.
  Index chunk;

  /// Ranks the elements i = first, ..., first + elements_per_team - 1 for which i is less
  /// than `size`. Calls take(i, rank) for each of them, where `rank` is the index of element i
  /// after a sort of all elements in which ties are ordered by chunk, then by index in the chunk.
  /// code(i) returns an unsigned integer; codes compare as the elements do. `first` is a multiple
  /// of elements_per_team. All threads of a team call this.
  template <class Member, class Code, class Take>
  KOKKOS_FUNCTION void rank(Member const& team, void* memory, Index first, Code const& code,
                            Take const& take) const {
    auto* const ranks = static_cast<Index*>(memory);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const lane = thread % elements_per_team;
    Index const own_chunk = first / chunk * chunk;
    Index const i = Kokkos::min(first + lane, size - 1);
    if (thread < elements_per_team) ranks[lane] = i - own_chunk;
    team.team_barrier();
    auto const own = code(i);
    Index before = 0;
    RIFFLE_NO_UNROLL
    for (Index begin = thread / elements_per_team * chunk; begin < size;
         begin += batch * warps * chunk) {
      before += count_before(own, own_chunk, begin, code);
    }
    if (before != 0) backend::add_in_scratch(ranks + lane, before);
    team.team_barrier();
    if (thread < elements_per_team && first + lane < size) take(i, ranks[lane]);
  }

 private:
  static constexpr Index warps = threads / elements_per_team;
  static constexpr Index batch = 4;

  /// Returns the number of elements before `own` in `batch` chunks, without the element's own
  /// chunk. The first of these chunks begins at `first`; the others follow at intervals of `warps`
  /// chunks. The searches in all these chunks take each step together, so that their reads overlap.
  template <class Word, class Code>
  KOKKOS_FUNCTION Index count_before(Word own, Index own_chunk, Index first,
                                     Code const& code) const {
    Index counts[batch] = {};
    RIFFLE_NO_UNROLL
    for (Index half = chunk; half > 0; half /= 2) {
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const begin = first + k * warps * chunk;
        Index const probe = begin + counts[k] + half - 1;
        if (counts[k] + half > chunk || probe >= size || begin == own_chunk) continue;
        Word const other = code(probe);
        if (begin < own_chunk ? !(own < other) : other < own) counts[k] += half;
      }
    }
    Index all = 0;
    RIFFLE_UNROLL
    for (Index k = 0; k < batch; ++k) all += counts[k];
    return all;
  }
};

// --- rows: a key, alone or with one value ---
//
// Keys are moved as they are, not decoded from codes.

/// The type that array(i) returns, without reference and const.
template <class Array>
using ElementOf = std::decay_t<decltype(std::declval<Array const&>()(std::uint64_t{0}))>;

/// Wraps a pointer, so that elements are accessed by operator(), as in a View.
template <class T>
struct ArrayOf {
  KOKKOS_FUNCTION T& operator()(std::uint64_t i) const { return data[i]; }

  T* data;
};

/// Represents the values if keys are sorted without values.
struct NoValues {
  struct Nothing {};

  KOKKOS_FUNCTION Nothing operator()(std::uint64_t) const { return {}; }
};

/// Values that are the indices of their rows.
template <class Index>
struct OwnIndices {
  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};

template <class Key, class Value>
struct Row {
  Key key;
  Value value;
};

template <class Keys, class Values = NoValues>
struct Rows {
  using Key = ElementOf<Keys>;
  using Value = ElementOf<Values>;

  KOKKOS_FUNCTION Key key(std::uint64_t i) const { return keys(i); }
  KOKKOS_FUNCTION Row<Key, Value> get(std::uint64_t i) const { return {keys(i), values(i)}; }
  KOKKOS_FUNCTION void set(std::uint64_t i, Row<Key, Value> const& row) const {
    keys(i) = row.key;
    values(i) = row.value;
  }

  Keys keys;
  Values values;
};

/// A destination of rows that stores only their values.
template <class Values>
struct ValuesOfRows {
  template <class SomeRow>
  KOKKOS_FUNCTION void set(std::uint64_t i, SomeRow const& row) const {
    values(i) = static_cast<ElementOf<Values>>(row.value);
  }

  Values values;
};

/// Allocates memory for n elements of the first argument's element type.
inline NoValues take_like(NoValues const&, ArrayMemory&, std::uint64_t) { return {}; }
template <class Array>
ArrayOf<ElementOf<Array>> take_like(Array const&, ArrayMemory& memory, std::uint64_t n) {
  return {memory.take<ElementOf<Array>>(n)};
}

template <class Keys, class Values>
auto take_rows_like(Rows<Keys, Values> const& rows, ArrayMemory& memory, std::uint64_t n) {
  auto const keys = take_like(rows.keys, memory, n);
  auto const values = take_like(rows.values, memory, n);
  return Rows<std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>>{keys, values};
}

// --- kernels ---
//
// encode(key) returns an unsigned integer. The integers compare as the keys do; tied keys have
// equal integers.

/// The maximum number of elements in a chunk. An element is compared with all others in its chunk,
/// whose codes take at most 32 KiB of scratch memory.
inline constexpr Index max_chunk = 4096;

template <class Encode, class From>
using CodeOf =
    std::decay_t<decltype(std::declval<Encode const&>()(std::declval<typename From::Key>()))>;

/// Sorts the rows of each chunk of `from`, and writes them to `to`.
template <class Encode, class From, class To>
struct SortChunks {
  static constexpr int threads = 512;
  static constexpr int teams_per_processor = 2;
  using Ranks = CountedRanks<CodeOf<Encode, From>, threads>;
  static constexpr std::size_t scratch_bytes = Ranks::bytes(max_chunk) + Ranks::alignment;

  Encode encode;
  From from;
  To to;
  Index size;
  Index chunk;  // a multiple of elements_per_team, at most max_chunk

  int teams() const { return teams_of(size); }
  /// Returns the bytes of scratch memory that this kernel needs; scratch_bytes is their maximum.
  std::size_t needed_bytes() const {
    return Ranks::bytes(Kokkos::min(chunk, size)) + Ranks::alignment;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const first = static_cast<Index>(team.league_rank()) * elements_per_team;
    Index const begin = first / chunk * chunk;
    Index const chunk_size = Kokkos::min(chunk, size - begin);
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(Ranks::bytes(chunk_size), Ranks::alignment);
    Ranks::rank(
        team, memory, chunk_size, first - begin,
        [&](Index i) { return encode(from.key(begin + i)); },
        [&](Index i, Index rank) { to.set(begin + rank, from.get(begin + i)); });
  }
};

/// Sorts one chunk in place: all teams write to temporary rows, and the last team to finish moves
/// the rows back.
template <class Encode, class Keys, class Temporary>
struct SortInPlace {
  using ToTemporary = SortChunks<Encode, Keys, Temporary>;
  static constexpr int threads = ToTemporary::threads;
  static constexpr int teams_per_processor = ToTemporary::teams_per_processor;
  static constexpr std::size_t scratch_bytes = ToTemporary::scratch_bytes + LastTeam::scratch_bytes;

  ToTemporary to_temporary;
  LastTeam last_team;

  int teams() const { return to_temporary.teams(); }
  std::size_t needed_bytes() const { return to_temporary.needed_bytes() + LastTeam::scratch_bytes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    to_temporary(team);
    if (last_team.is_this_team(team)) move(static_cast<Index>(team.team_rank()));
  }

 private:
  KOKKOS_FUNCTION void move(Index thread) const {
    constexpr Index batch = 4;
    Index const size = to_temporary.size;
    RIFFLE_NO_UNROLL
    for (Index begin = thread; begin < size; begin += batch * threads) {
      // No load is in a branch, so all loads overlap.
      decltype(to_temporary.to.get(0)) rows[batch];
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        rows[k] = to_temporary.to.get(Kokkos::min(begin + k * threads, size - 1));
      }
      RIFFLE_UNROLL
      for (Index k = 0; k < batch; ++k) {
        Index const i = begin + k * threads;
        if (i < size) to_temporary.from.set(i, rows[k]);
      }
    }
  }
};

/// Merges sorted chunks from `from` to `to`.
template <class Encode, class From, class To>
struct MergeChunks {
  static constexpr int threads = SearchedRanks::threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = SearchedRanks::bytes + SearchedRanks::alignment;

  Encode encode;
  From from;
  To to;
  SearchedRanks ranks;

  int teams() const { return teams_of(ranks.size); }
  std::size_t needed_bytes() const { return scratch_bytes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory = team.team_scratch(0).get_shmem_aligned(std::size_t{SearchedRanks::bytes},
                                                                SearchedRanks::alignment);
    ranks.rank(
        team, memory, static_cast<Index>(team.league_rank()) * elements_per_team,
        [&](Index i) { return encode(from.key(i)); },
        [&](Index i, Index rank) { to.set(rank, from.get(i)); });
  }
};

// --- sorts ---

/// The size of a chunk if there are several. Larger chunks take more comparisons, smaller chunks
/// more searches. Chunks are larger for 8-byte codes.
template <class Code>
inline constexpr Index merged_chunk = sizeof(Code) <= 4 ? 512 : 1024;

/// Temporary memory for n rows.
template <class Exec, class SomeRows>
auto take_temporary(Scope<Exec>& scope, SomeRows const& rows, std::uint64_t n) {
  return scope.arrays([&](ArrayMemory& memory) { return take_rows_like(rows, memory, n); });
}

/// Sorts n > 0 rows in chunks to `temporary`, and merges the chunks to `to`. launch(name, kernel)
/// launches kernels in order.
template <class Encode, class From, class Temporary, class To, class Launch>
void sort_in_chunks(Index n, Encode const& encode, From const& from, Temporary const& temporary,
                    To const& to, Launch const& launch) {
  constexpr Index chunk = merged_chunk<CodeOf<Encode, From>>;
  launch("chunks", SortChunks<Encode, From, Temporary>{encode, from, temporary, n, chunk});
  launch("merge", MergeChunks<Encode, Temporary, To>{encode, temporary, to, {n, chunk}});
}

/// Returns a function launch(name, kernel) that launches a kernel with the context's label, to
/// which `name` is appended, and with kernel.needed_bytes() bytes of scratch memory. The context
/// must outlive the function.
template <class Exec>
auto launcher_with_needed_scratch(Context<Exec> const& context) {
  return [&context](char const* part, auto const& kernel) {
    launch_teams(context.named(part), static_cast<std::uint64_t>(kernel.teams()), kernel,
                 kernel.needed_bytes());
  };
}

/// Sorts n > 0 rows from `from` to `to`, which do not overlap.
template <class Exec, class Encode, class From, class To>
void sort_rows(Context<Exec> const& context, Index n, Encode const& encode, From const& from,
               To const& to) {
  auto const launch = launcher_with_needed_scratch(context);
  if (n <= max_chunk) {
    launch("counts", SortChunks<Encode, From, To>{encode, from, to, n, max_chunk});
    return;
  }
  Scope scope(context);
  sort_in_chunks(n, encode, from, take_temporary(scope, from, n), to, launch);
}

/// Sorts n > 0 rows in place.
template <class Exec, class Encode, class SomeRows>
void sort_rows_in_place(Context<Exec> const& context, Index n, Encode const& encode,
                        SomeRows const& rows) {
  auto const launch = launcher_with_needed_scratch(context);
  Scope scope(context);
  auto const temporary = take_temporary(scope, rows, n);
  using Temporary = std::decay_t<decltype(temporary)>;
  if (n > max_chunk) {
    sort_in_chunks(n, encode, rows, temporary, rows, launch);
    return;
  }
  launch("counts", SortInPlace<Encode, SomeRows, Temporary>{{encode, rows, temporary, n, max_chunk},
                                                            LastTeam(context)});
}

/// Sorts n > 0 numbers from `in` to `out`, which may be the same View.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Key = NumberCode<typename Out::non_const_value_type, Order>;
  auto const n = static_cast<Index>(out.extent(0));
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) {
    sort_rows_in_place(context, n, Key(), Rows<Out>{out, {}});
  } else {
    sort_rows(context, n, Key(), Rows<In>{in, {}}, Rows<Out>{out, {}});
  }
}

/// Sorts n > 0 keys, which are numbers, and values with them.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Key = NumberCode<typename Keys::non_const_value_type, Order>;
  sort_rows_in_place(context, static_cast<Index>(keys.extent(0)), Key(),
                     Rows<Keys, Values>{keys, values});
}

/// Function i -> code of element i of a View.
template <class View, class Key>
struct CodesOfView {
  KOKKOS_FUNCTION typename Key::Word operator()(std::uint64_t i) const { return key(view(i)); }

  View view;
  Key key;
};

/// Encoder for keys that are already codes: returns the code itself.
struct CodeItself {
  template <class Word>
  KOKKOS_FUNCTION Word operator()(Word code) const {
    return code;
  }
};

/// Sorts the codes of n > 0 elements, and their indices with them, from a View to `to`.
template <class RowIndex, class Exec, class View, class Key, class To>
void sort_codes(Context<Exec> const& context, View const& view, Key const& key, To const& to) {
  using From = Rows<CodesOfView<View, Key>, OwnIndices<RowIndex>>;
  sort_rows(context, static_cast<Index>(view.extent(0)), CodeItself(), From{{view, key}, {}}, to);
}

/// Writes the sorted codes of n > 0 elements, and their indices.
template <class Exec, class View, class Key, class RowIndex>
void sort_keys(Context<Exec> const& context, View const& view, Key const& key,
               typename Key::Word* keys, RowIndex* indices) {
  sort_codes<RowIndex>(context, view, key,
                       Rows<ArrayOf<typename Key::Word>, ArrayOf<RowIndex>>{{keys}, {indices}});
}

/// Writes the indices of n > 0 elements in sorted order.
template <class Exec, class View, class Key, class Indices>
void sort_indices(Context<Exec> const& context, View const& view, Key const& key,
                  Indices const& indices) {
  sort_codes<Index>(context, view, key, ValuesOfRows<Indices>{indices});
}

}  // namespace riffle::detail::sort::by_ranks
