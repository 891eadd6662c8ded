#pragma once

// A tile that is not full, or cannot be moved by quads: elements are read one by one, and once more when they are
// written, so that few registers are held.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>
#include <riffle/scan/detail/to_value.hpp>

namespace riffle::detail::scan {

/// A thread's part of a tile: a run of elements of each row of its warp. Tile is what a full one is scanned as.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class PlainTile {
 public:
  using Value = typename Op::value_type;

  KOKKOS_FUNCTION PlainTile(std::uint64_t n, Source const& source, Sink const& sink, Op const& op,
                            std::uint64_t tile, int thread)
      : n_(n), source_(source), sink_(sink), op_(op), tile_(tile), thread_(thread) {}

  /// Writes the totals of the rows to `totals`.
  KOKKOS_FUNCTION void scan(Value* totals) const {
    for_own_rows([&](int row) {
      Value x[run_size];
      read_run(begin_of(row), x);
      Value const scanned = scan_lanes(op_, lane(), x[run_size - 1]);
      if (lane() == backend::width - 1) totals[row] = scanned;
    });
  }

  /// Writes the prefixes of a tile that comes after `prefix`; `rows` are its row totals, scanned.
  KOKKOS_FUNCTION void write(Value const& prefix, Value const* rows) const {
    for_own_rows([&](int row) {
      std::uint64_t const begin = begin_of(row);
      Value x[run_size];
      read_run(begin, x);
      Value before = before_row(op_, rows, row, prefix);
      Value const scanned = scan_lanes(op_, lane(), x[run_size - 1]);
      Value const runs_before = backend::shuffle_up(scanned, lane(), 1);
      if (lane() > 0) before = op_(before, runs_before);
      for (int j = 0; j < run_size; ++j) {
        std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
        if (i < n_) write_element(i, run_prefix<Inclusive>(op_, before, x, j));
      }
    });
  }

 private:
  static constexpr int warps = Tile::threads / backend::width;
  static constexpr int run_size = Tile::run_size;
  static constexpr int row_size = run_size * backend::width;

  KOKKOS_FUNCTION int lane() const { return thread_ % backend::width; }

  template <class Use>
  KOKKOS_FUNCTION void for_own_rows(Use const& use) const {
    RIFFLE_NO_UNROLL
    for (int row = thread_ / backend::width; row < tile_rows; row += warps) use(row);
  }

  KOKKOS_FUNCTION std::uint64_t begin_of(int row) const {
    return tile_ * Tile::size + static_cast<std::uint64_t>(row * row_size + lane() * run_size);
  }

  KOKKOS_FUNCTION void read_run(std::uint64_t begin, Value (&x)[run_size]) const {
    for (int j = 0; j < run_size; ++j) {
      std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
      x[j] = i < n_ ? to_value<Op>(source_(i)) : op_.identity();
    }
    scan_run(op_, x);
  }

  KOKKOS_FUNCTION void write_element(std::uint64_t i, Value const& prefix) const {
    if constexpr (takes_items<Sink>) {
      sink_(i, prefix, source_(i));
    } else {
      sink_(i, prefix);
    }
  }

  std::uint64_t n_;
  Source const& source_;
  Sink const& sink_;
  Op const& op_;
  std::uint64_t tile_;
  int thread_;
};

}  // namespace riffle::detail::scan
