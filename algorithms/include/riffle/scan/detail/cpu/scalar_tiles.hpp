#pragma once

// The tiles of a scan on a CPU, for any operation, processed by loops over arrays of 32 lanes. Also RunningPrefix, an
// exclusive scan of up to 32 values in the order of riffle/primitives/tile_tree.hpp.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/operations.hpp>

namespace riffle::detail::scan {

/// An exclusive scan of up to 32 members (for example rows of a tile) that are added one by one. The members added so
/// far are divided into blocks, one block of 2^k members for each bit k that is set in their number. Only the totals of
/// the blocks are stored: blocks_[k] is the total of the block of 2^k members.
template <class Op>
class RunningPrefix {
 public:
  using Value = typename Op::value_type;

  explicit RunningPrefix(Op const& op) : op_(op) {}

  bool is_empty() const { return count_ == 0; }

  /// Returns the combination of all members added so far. Requires that there is at least one.
  Value prefix() const {
    int level = 0;
    while ((count_ >> level & 1) == 0) ++level;
    Value result = blocks_[level];
    for (++level; count_ >> level != 0; ++level) {
      if (count_ >> level & 1) result = op_(blocks_[level], result);
    }
    return result;
  }

  /// Returns the combination of `before` and all members added so far.
  Value after(Value const& before) const { return is_empty() ? before : op_(before, prefix()); }

  void push(Value value) {
    int level = 0;
    for (; count_ >> level & 1; ++level) value = op_(blocks_[level], value);
    blocks_[level] = value;
    ++count_;
  }

 private:
  static constexpr int levels = 6;

  Op op_;
  unsigned count_ = 0;
  Value blocks_[levels];
};

/// A tile is divided into 32 blocks with the same number of rows.
inline constexpr int block_rows = tile_rows / backend::width;
inline constexpr int block_size = block_rows * row_size;

/// A source that reads the elements of a contiguous View through a pointer.
template <class T>
struct PointerSource {
  using Item = T;

  T operator()(std::uint64_t i) const { return from[i]; }

  T const* from;
};

template <class T>
struct PointerSink {
  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix) const {
    to[i] = static_cast<T>(prefix);
  }

  T* to;
};

/// Reads element i of a tile, where the tile starts at element `first` of the source.
template <class Source>
struct ReadSource {
  Source const& source;
  std::uint64_t first;

  auto operator()(int i) const { return source(first + static_cast<std::uint64_t>(i)); }
};

/// Computes the totals of a scan's tiles, and writes the prefixes. `read(i)` returns element i of the tile.
template <class Source, class Sink, class Op, bool Inclusive>
class ScalarTiles {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  ScalarTiles(std::uint64_t n, Source const& source, Sink const& sink, Op const& op)
      : n_(n), source_(source), sink_(sink), op_(op) {}

  /// The data that total() stores for write(). Empty here.
  struct RowTotals {};

  std::uint64_t count() const { return (n_ + tile_size - 1) / tile_size; }

  int size(std::uint64_t tile) const {
    return static_cast<int>(std::min<std::uint64_t>(tile_size, n_ - tile * tile_size));
  }

  Value total(std::uint64_t tile, RowTotals&) const { return total(size(tile), read(tile)); }

  void write(std::uint64_t tile, Value const& before, RowTotals const&, std::uint64_t) const {
    write(tile, size(tile), before, read(tile));
  }

  /// Writes the prefixes of a tile. Returns the tile's total.
  Value advance(std::uint64_t tile, Value const& before) const {
    return write(tile, size(tile), before, read(tile));
  }

  void finish() const {}

  template <class Read>
  Value total(int count, Read const& read) const {
    if constexpr (is_exact<Op>) {
      Value result = op_.identity();
      for (int i = 0; i < count; ++i) result = op_(result, to_value<Op>(read(i)));
      return result;
    } else {
      RunningPrefix<Op> blocks(op_);
      for (int block = 0; block < count; block += block_size) {
        RunningPrefix<Op> rows(op_);
        int const end = std::min(block + block_size, count);
        for (int begin = block; begin < end; begin += row_size) {
          Value x[quad_size][backend::width];
          read_row(begin, count, read, x);
          scan_all_lanes(op_, x[quad_size - 1]);
          rows.push(x[quad_size - 1][backend::width - 1]);
        }
        blocks.push(rows.prefix());
      }
      return blocks.prefix();
    }
  }

  /// Writes the prefixes of a tile. `prefix` is the reduction of everything before the tile. Returns the tile's total.
  template <class Read>
  Value write(std::uint64_t tile, int count, Value const& prefix, Read const& read) const {
    std::uint64_t const first = tile * tile_size;
    if constexpr (is_exact<Op>) {
      Value running = op_.identity();
      for (int i = 0; i < count; ++i) {
        Item const item = read(i);
        Value const before = op_(prefix, running);
        running = op_(running, to_value<Op>(item));
        write_value(sink_, first + static_cast<std::uint64_t>(i),
                    Inclusive ? op_(prefix, running) : before, item);
      }
      return running;
    } else {
      RunningPrefix<Op> blocks(op_);
      for (int block = 0; block < count; block += block_size) {
        RunningPrefix<Op> rows(op_);
        Value const before = blocks.after(prefix);
        int const end = std::min(block + block_size, count);
        for (int begin = block; begin < end; begin += row_size) {
          rows.push(write_row(first, begin, count, rows.after(before), read));
        }
        blocks.push(rows.prefix());
      }
      return blocks.prefix();
    }
  }

  Source const& source() const { return source_; }

 private:
  ReadSource<Source> read(std::uint64_t tile) const { return {source_, tile * tile_size}; }

  /// Reads the row that starts at element `begin` of the tile, and scans its quads: x[j][lane] is the combination of
  /// elements 0, ..., j of quad `lane`.
  template <class Read>
  void read_row(int begin, int count, Read const& read,
                Value (&x)[quad_size][backend::width]) const {
    if (begin + row_size <= count) {
      for (int lane = 0; lane < backend::width; ++lane) {
        for (int j = 0; j < quad_size; ++j) {
          x[j][lane] = to_value<Op>(read(begin + lane * quad_size + j));
        }
      }
    } else {
      for (int lane = 0; lane < backend::width; ++lane) {
        for (int j = 0; j < quad_size; ++j) {
          int const i = begin + lane * quad_size + j;
          x[j][lane] = i < count ? to_value<Op>(read(i)) : op_.identity();
        }
      }
    }
    for (int lane = 0; lane < backend::width; ++lane) {
      x[1][lane] = op_(x[0][lane], x[1][lane]);
      Value const upper = op_(x[2][lane], x[3][lane]);
      x[2][lane] = op_(x[1][lane], x[2][lane]);
      x[3][lane] = op_(x[1][lane], upper);
    }
  }

  template <class Read>
  Value write_row(std::uint64_t first, int begin, int count, Value const& prefix,
                  Read const& read) const {
    Value x[quad_size][backend::width];
    read_row(begin, count, read, x);
    Value quads[backend::width];
    for (int lane = 0; lane < backend::width; ++lane) quads[lane] = x[quad_size - 1][lane];
    scan_all_lanes(op_, quads);
    Value before[backend::width];
    before[0] = prefix;
    for (int lane = 1; lane < backend::width; ++lane) before[lane] = op_(prefix, quads[lane - 1]);
    Value out[row_size];
    for (int lane = 0; lane < backend::width; ++lane) {
      for (int j = 0; j < quad_size; ++j) {
        if constexpr (Inclusive) {
          out[lane * quad_size + j] = op_(before[lane], x[j][lane]);
        } else {
          out[lane * quad_size + j] = j == 0 ? before[lane] : op_(before[lane], x[j - 1][lane]);
        }
      }
    }
    int const end = std::min(row_size, count - begin);
    for (int i = 0; i < end; ++i) {
      write_value(sink_, first + static_cast<std::uint64_t>(begin + i), out[i], read(begin + i));
    }
    return quads[backend::width - 1];
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  Op op_;
};

}  // namespace riffle::detail::scan
