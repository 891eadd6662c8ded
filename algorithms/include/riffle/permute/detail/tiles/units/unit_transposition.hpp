#pragma once

// Where the units of a matrix go when it is transposed in its own memory, and how the cycles of that permutation are
// divided among threads.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/primitives/divider.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// The transposition of a matrix of rows x columns units, held row by row. Positions are those of units in memory.
///
/// A cycle may be as long as the matrix, so it is cut: of each `apart` neighbouring positions one is marked, at random.
/// What lies at marked positions is kept elsewhere beforehand; then a thread that begins at a marked position and moves
/// units until it meets a marked one has no need of other threads. On average it moves `apart`, and one of m threads
/// some apart ln m. Of cycles without a marked position, the least position is found: their leader.
///
/// Word holds two times rows * columns.
template <class Word>
class UnitTransposition {
 public:
  static constexpr Word apart = units_apart;

  UnitTransposition(Word rows, Word columns)
      : rows_(rows), columns_(columns), marks_(rows * columns / apart) {}

  KOKKOS_FUNCTION Word units() const { return rows_.divisor() * columns_; }

  /// The position whose unit comes to `target`.
  KOKKOS_FUNCTION Word source(Word target) const {
    Word const row = rows_.quotient(target);
    return (target - row * rows_.divisor()) * columns_ + row;
  }

  /// The number of marked positions.
  KOKKOS_FUNCTION Word marks() const { return marks_; }
  KOKKOS_FUNCTION Word marked(Word mark) const { return mark * apart + place_of(mark); }
  KOKKOS_FUNCTION static Word mark_at(Word position) { return position / apart; }
  KOKKOS_FUNCTION bool is_marked(Word position) const {
    Word const mark = mark_at(position);
    return mark < marks_ && marked(mark) == position;
  }

  /// Whether `position` is the least of a cycle of at least two units that has no marked one.
  KOKKOS_FUNCTION bool is_leader(Word position) const {
    if (is_marked(position)) return false;
    Word next = source(position);
    if (next == position) return false;
    while (next > position && !is_marked(next)) next = source(next);
    return next == position;
  }

 private:
  // The bits of a mark's number, well mixed: those of neighbours have nothing to do with the rows of the matrix.
  KOKKOS_FUNCTION static Word place_of(Word mark) {
    auto x = static_cast<std::uint32_t>(mark);
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return (x ^ x >> 16) % apart;
  }

  Divider<Word> rows_;
  Word columns_;
  Word marks_;
};

}  // namespace riffle::detail::tiles
