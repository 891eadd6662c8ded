#pragma once

// A tile that is not full, or cannot be moved by quads: elements are read one by one, and once more when they are
// written, so that few registers are held.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/kernel/sink.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>
#include <riffle/scan/detail/to_value.hpp>

namespace riffle::detail::scan {

/// A thread's part of a tile: a quad of each row of its warp.
template <class Source, class Sink, class Op, bool Inclusive, int Threads>
class PlainTile {
 public:
  using Value = typename Op::value_type;

  KOKKOS_FUNCTION PlainTile(std::uint64_t n, Source const& source, Sink const& sink, Op const& op,
                            std::uint64_t tile, int thread)
      : n_(n), source_(source), sink_(sink), op_(op), tile_(tile), thread_(thread) {}

  /// Writes the totals of the rows to `totals`.
  KOKKOS_FUNCTION void scan(Value* totals) const {
    for_own_rows([&](int row) {
      Value x[quad_size];
      read_quad(begin_of(row), x);
      Value const scanned = scan_lanes(op_, lane(), x[quad_size - 1]);
      if (lane() == lanes::width - 1) totals[row] = scanned;
    });
  }

  /// Writes the prefixes of a tile that comes after `prefix`; `rows` are its row totals, scanned.
  KOKKOS_FUNCTION void write(Value const& prefix, Value const* rows) const {
    for_own_rows([&](int row) {
      std::uint64_t const begin = begin_of(row);
      Value x[quad_size];
      read_quad(begin, x);
      Value before = before_row(op_, rows, row, prefix);
      Value const scanned = scan_lanes(op_, lane(), x[quad_size - 1]);
      Value const quads_before = lanes::shuffle_up(scanned, lane(), 1);
      if (lane() > 0) before = op_(before, quads_before);
      for (int j = 0; j < quad_size; ++j) {
        std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
        if (i < n_) write_element(i, quad_prefix<Inclusive>(op_, before, x, j));
      }
    });
  }

 private:
  static constexpr int warps = Threads / lanes::width;

  KOKKOS_FUNCTION int lane() const { return thread_ % lanes::width; }

  template <class Use>
  KOKKOS_FUNCTION void for_own_rows(Use const& use) const {
    RIFFLE_NO_UNROLL
    for (int row = thread_ / lanes::width; row < tile_rows; row += warps) use(row);
  }

  KOKKOS_FUNCTION std::uint64_t begin_of(int row) const {
    return tile_ * tile_size + static_cast<std::uint64_t>(row * row_size + lane() * quad_size);
  }

  KOKKOS_FUNCTION void read_quad(std::uint64_t begin, Value (&x)[quad_size]) const {
    for (int j = 0; j < quad_size; ++j) {
      std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
      x[j] = i < n_ ? to_value<Op>(source_(i)) : op_.identity();
    }
    scan_quad(op_, x);
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
