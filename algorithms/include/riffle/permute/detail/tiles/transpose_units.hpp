#pragma once

// Transposes matrices of units in place. A unit is a run of contiguous elements. Units are moved along the cycles of
// the permutation, and the cycles are divided among threads.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// The transposition of a matrix of rows x columns units, stored by rows. A position is the index of a unit.
///
/// A cycle can be as long as the matrix. Therefore cycles are cut into chains at marked positions. The positions are
/// divided into blocks of `spacing`, and one pseudorandom position in each whole block is marked. The units at marked
/// positions are saved first. Then each thread begins at a mark, and moves units along the cycle until the next unit is
/// a saved one. Threads do not wait for each other:
///
///     mark  <--  source(mark)  <--  source(source(mark))  <--  ...  <--  a marked position, whose unit was saved
///
/// A chain has `spacing` units on average; the longest of m chains has about spacing * ln m. If a cycle contains no
/// mark, its chain begins at the cycle's leader, which is its smallest position.
///
/// Requires that 2 * rows * columns can be represented by Word.
template <class Word>
class UnitTransposition {
 public:
  static constexpr Word spacing = mark_spacing;

  UnitTransposition(Word rows, Word columns)
      : rows_(rows), columns_(columns), marks_(rows * columns / spacing) {}

  KOKKOS_FUNCTION Word units() const { return rows_.divisor() * columns_; }

  /// Returns the position of the unit that moves to `target`.
  KOKKOS_FUNCTION Word source(Word target) const {
    Word const row = rows_.quotient(target);
    return (target - row * rows_.divisor()) * columns_ + row;
  }

  /// The number of marked positions.
  KOKKOS_FUNCTION Word marks() const { return marks_; }
  KOKKOS_FUNCTION Word marked(Word mark) const { return mark * spacing + place_of(mark); }
  KOKKOS_FUNCTION static Word mark_at(Word position) { return position / spacing; }
  KOKKOS_FUNCTION bool is_marked(Word position) const {
    Word const mark = mark_at(position);
    return mark < marks_ && marked(mark) == position;
  }

  /// Whether `position` is a leader: the smallest position in a cycle that has at least two units and no marks.
  KOKKOS_FUNCTION bool is_leader(Word position) const {
    if (is_marked(position)) return false;
    Word next = source(position);
    if (next == position) return false;
    while (next > position && !is_marked(next)) next = source(next);
    return next == position;
  }

 private:
  // Returns a hash of the mark's index, so that the marked positions are not related to the rows of the matrix.
  KOKKOS_FUNCTION static Word place_of(Word mark) {
    auto x = static_cast<std::uint32_t>(mark);
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return (x ^ x >> 16) % spacing;
  }

  Divider<Word> rows_;
  Word columns_;
  Word marks_;
};

// --- kernels ---
//
//   F. Gustavson, L. Karlsson, B. Kagstrom, "Parallel and cache-efficient in-place matrix storage format conversion",
//   ACM Trans. Math. Softw. 38 (2012), doi 10.1145/2168773.2168775.

/// The part of a unit that a thread moves at a time. All pieces of a unit move along the same cycle.
template <int bytes>
struct alignas(bytes) Piece {
  using Word = std::conditional_t<bytes == 1, std::uint8_t,
                                  std::conditional_t<bytes == 2, std::uint16_t, std::uint32_t>>;
  Word words[bytes / sizeof(Word)];
};

/// Consecutive matrices of units.
template <class Piece, class Word>
struct UnitMatrices {
  Piece* data;
  std::uint64_t matrices;
  Word pieces;  // the number of pieces in a unit
  UnitTransposition<Word> cycles;

  KOKKOS_FUNCTION std::uint64_t matrix_size() const {
    return std::uint64_t{cycles.units()} * pieces;
  }
};

/// Saves the units at marked positions, matrix by matrix.
template <class Piece, class Word>
struct SaveMarkedUnits {
  UnitMatrices<Piece, Word> of;
  Piece* saved;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t const unit = k / of.pieces;
    Word const piece = static_cast<Word>(k - unit * of.pieces);
    std::uint64_t const matrix = unit / of.cycles.marks();
    Word const mark = static_cast<Word>(unit - matrix * of.cycles.marks());
    saved[k] = of.data[matrix * of.matrix_size() +
                       std::uint64_t{of.cycles.marked(mark)} * of.pieces + piece];
  }
};

/// Writes the leaders, in any order, and the number of leaders.
template <class Word>
struct FindLeaders {
  UnitTransposition<Word> cycles;
  Word* leaders;
  Word* count;

  KOKKOS_FUNCTION void operator()(Word position) const {
    if (cycles.is_leader(position)) leaders[Kokkos::atomic_fetch_add(count, Word{1})] = position;
  }
};

/// Moves all units, for any number of threads. A thread issues several loads before its first store. This is correct
/// because no other thread accesses the positions in this thread's chain.
template <class Piece, class Word>
struct MoveUnits {
  static constexpr int loads_at_once = pieces_at_once;

  UnitMatrices<Piece, Word> of;
  Piece const* saved;
  Word const* leaders;
  Word const* leader_count;
  std::uint64_t threads;

  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    std::uint64_t const chains = std::uint64_t{of.cycles.marks()} + *leader_count;
    std::uint64_t const all = chains * of.matrices * of.pieces;
    for (std::uint64_t k = thread; k < all; k += threads) {
      std::uint64_t const unit = k / of.pieces;
      std::uint64_t const piece = k - unit * of.pieces;
      std::uint64_t const matrix = unit / chains;
      Word const chain = static_cast<Word>(unit - matrix * chains);
      Piece* const data = of.data + matrix * of.matrix_size() + piece;
      if (chain < of.cycles.marks()) {
        Piece const* const saved_here = saved + matrix * of.cycles.marks() * of.pieces + piece;
        follow(data, of.cycles.marked(chain), [&](Word from, Piece& last) {
          bool const is_last = of.cycles.is_marked(from);
          if (is_last) last = saved_here[std::uint64_t{of.cycles.mark_at(from)} * of.pieces];
          return is_last;
        });
      } else {
        Word const leader = leaders[chain - of.cycles.marks()];
        Piece const first = data[std::uint64_t{leader} * of.pieces];
        follow(data, leader, [&](Word from, Piece& last) {
          if (from == leader) last = first;
          return from == leader;
        });
      }
    }
  }

 private:
  /// Follows a chain: moves the piece at source(to) to `to`, then the piece at source(source(to)) to source(to), and so
  /// on. ends(from, piece) returns whether position `from` ends the chain. If so, it also sets `piece`, and the last
  /// position of the chain receives `piece`.
  template <class Ends>
  KOKKOS_FUNCTION void follow(Piece* data, Word to, Ends const& ends) const {
    bool ended = false;
    while (!ended) {
      Piece moved[loads_at_once];
      Word target[loads_at_once];
      bool is_moved[loads_at_once];
      unrolled<loads_at_once>([&](auto i) {
        is_moved[i] = !ended;
        if (ended) return;
        target[i] = to;
        Word const from = of.cycles.source(to);
        ended = ends(from, moved[i]);
        if (!ended) moved[i] = data[std::uint64_t{from} * of.pieces];
        to = from;
      });
      unrolled<loads_at_once>([&](auto i) {
        if (is_moved[i]) data[std::uint64_t{target[i]} * of.pieces] = moved[i];
      });
    }
  }
};

template <class Exec, class Piece, class Word>
void transpose_pieces(Context<Exec> const& context, UnitMatrices<Piece, Word> const& of) {
  struct Arrays {
    Piece* saved;
    Word* leaders;
    Word* count;
  };
  std::uint64_t const units = of.cycles.units();
  std::uint64_t const saved = of.matrices * of.cycles.marks() * of.pieces;
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{memory.take<Piece>(saved), memory.take<Word>(units / 2), memory.take<Word>(1)};
  });
  using Count = Kokkos::View<Word*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  context.named("count").for_each(1, FillZero<Count>{Count(arrays.count, 1)});
  context.named("leaders").template for_each<Word>(
      units, FindLeaders<Word>{of.cycles, arrays.leaders, arrays.count});
  context.named("keep").for_each(saved, SaveMarkedUnits<Piece, Word>{of, arrays.saved});
  std::uint64_t const threads = std::min(max_unit_threads, units * of.matrices * of.pieces);
  context.named("move").for_each(
      threads, MoveUnits<Piece, Word>{of, arrays.saved, arrays.leaders, arrays.count, threads});
}

/// The shape of `matrices` consecutive matrices, each with rows x columns units of `unit` elements.
struct UnitMatricesShape {
  std::uint64_t matrices;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t unit;
};

template <int bytes, class Word, class T, class Exec>
void transpose_units_as(Context<Exec> const& context, T* data, UnitMatricesShape const& of) {
  using P = Piece<bytes>;
  UnitTransposition<Word> const cycles(static_cast<Word>(of.rows), static_cast<Word>(of.columns));
  transpose_pieces(context,
                   UnitMatrices<P, Word>{reinterpret_cast<P*>(data), of.matrices,
                                         static_cast<Word>(of.unit * sizeof(T) / bytes), cycles});
}

/// Calls use(bytes) with the maximum piece size for which all units are aligned, as an integral constant.
template <class T, class Use>
void with_piece(T const* data, std::uint64_t unit, Use const& use) {
  std::uint64_t const alignment = reinterpret_cast<std::uintptr_t>(data) | unit * sizeof(T);
  if (alignment % 16 == 0) return use(Constant<16>());
  if constexpr (alignof(T) <= 8) {
    if (alignment % 8 == 0) return use(Constant<8>());
  }
  if constexpr (alignof(T) <= 4) {
    if (alignment % 4 == 0) return use(Constant<4>());
  }
  if constexpr (alignof(T) <= 2) {
    if (alignment % 2 == 0) return use(Constant<2>());
  }
  if constexpr (alignof(T) == 1) use(Constant<1>());
}

/// Transposes each of the matrices.
template <class T, class Exec>
void transpose_units(Context<Exec> const& context, T* data, UnitMatricesShape const& of) {
  if (of.rows < 2 || of.columns < 2) return;
  bool const is_short = of.rows * of.columns <= std::uint64_t{1} << 30;
  with_piece(data, of.unit, [&](auto bytes) {
    if (is_short) {
      transpose_units_as<bytes, std::uint32_t>(context, data, of);
    } else {
      transpose_units_as<bytes, std::uint64_t>(context, data, of);
    }
  });
}

}  // namespace riffle::detail::tiles
