#pragma once

// Transposes a non-square matrix in place on a CPU, by panels that fit into a buffer:
//   F. Gustavson, L. Karlsson, B. Kagstrom, "Parallel and cache-efficient in-place matrix storage format conversion",
//   ACM Trans. Math. Softw. 38 (2012), doi 10.1145/2168773.2168775.
//
// The rows are divided into P panels of r rows, and the columns into Q panels of c columns. There are three passes.
// Each pass reads and writes each element once, and uses a buffer that holds one panel:
//
//   1. Each panel of rows is transposed:      [p][k][q][j] becomes [p][q][j][k], where k < r and j < c.
//   2. The blocks [j][k] are transposed:      [p][q][j][k] becomes [q][p][j][k], along the cycles of that permutation.
//   3. In each panel of columns, runs of r elements are interleaved: [q][p][j][k] becomes [q][j][p][k].
//
// Special cases: a matrix that fits into the buffer is a single panel, which is transposed to the buffer and copied
// back. If r is 1, pass 1 has nothing to transpose; if c is 1, pass 3 has nothing to interleave.
//
// The remainders are the last rows and the last columns, which fill no panel. They are saved in other memory before the
// passes. Pass 1 processes the panels in ascending order, and closes the gaps that the saved columns leave between
// rows. Pass 3 processes the panels in descending order, and opens gaps for the saved rows between the rows of the
// result.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::tiles {

/// `count` panels of `width` rows or columns.
struct Panels {
  std::uint64_t count;
  std::uint64_t width;

  std::uint64_t lines() const { return count * width; }
};

/// Divides `lines` lines into between `least` and 2 * least - 1 panels of equal width, such that as few lines as
/// possible remain. But if least > 1, and there are fewer than 2 * least lines or runs would be short (see
/// min_panel_lines), each line is a panel.
inline Panels choose_panels(std::uint64_t lines, std::uint64_t least, std::size_t element) {
  if (least <= 1) return {1, lines};
  if (std::max(lines * element / min_panel_line_bytes, lines / min_panel_lines) == 0 ||
      lines < 2 * least)
    return {lines, 1};
  std::uint64_t best = least;
  for (std::uint64_t count = least; count < 2 * least; ++count) {
    if (lines % count < lines % best) best = count;
  }
  return {best, lines / best};
}

/// Copies elements first, ..., first + shares.n - 1 of a matrix whose rows have `length` elements. Between two rows
/// there are `gap` other elements in the source, and `target_gap` in the target. If `gap` is 0, from[0] is element
/// `first`; otherwise from[0] is the first element of row 0. The same holds for `target_gap` and `to`.
template <class T>
struct CopyRange {
  T const* from;
  T* to;
  std::uint64_t length;
  std::uint64_t gap;
  std::uint64_t target_gap;
  std::uint64_t first;
  Chunks shares;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t share) const {
    KOKKOS_IF_ON_HOST((copy(share);))
  }

 private:
  void copy(std::uint64_t share) const {
    std::uint64_t const end = first + shares.begin(share + 1);
    for (std::uint64_t k = first + shares.begin(share); k < end;) {
      std::uint64_t const row = k / length;
      std::uint64_t const count = std::min((row + 1) * length, end) - k;
      std::memcpy(static_cast<void*>(to + place(k, row, target_gap)), from + place(k, row, gap),
                  count * sizeof(T));
      k += count;
    }
  }

  std::uint64_t place(std::uint64_t k, std::uint64_t row, std::uint64_t apart) const {
    return apart == 0 ? k - first : k + row * apart;
  }
};

/// Interleaves the runs of `panels` panels: to[(j * panels + p) * run + k] = from[(p * rows + j) * run + k] for
/// j < rows, p < panels and k < run.
template <class T>
struct InterleaveRuns {
  T const* from;
  T* to;
  std::uint64_t rows;
  std::uint64_t panels;
  std::uint64_t run;
  Chunks shares;  // shares of the runs, which are numbered in the order of the target

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t share) const {
    KOKKOS_IF_ON_HOST((interleave(share);))
  }

 private:
  void interleave(std::uint64_t share) const {
    std::uint64_t const end = shares.begin(share + 1);
    std::uint64_t j = shares.begin(share) / panels;
    std::uint64_t p = shares.begin(share) % panels;
    for (std::uint64_t u = shares.begin(share); u < end; ++u) {
      std::memcpy(static_cast<void*>(to + u * run), from + (p * rows + j) * run, run * sizeof(T));
      if (++p == panels) {
        p = 0;
        ++j;
      }
    }
  }
};

/// Transposes a matrix of rows x columns blocks, stored by rows. A block has parts.n elements. All workers move along
/// the cycles of the permutation; each worker moves the same part of every block.
template <class T>
struct MoveBlocks {
  T* data;
  std::uint64_t rows;
  std::uint64_t columns;
  Chunks parts;
  T* saved;              // one part of a block for each worker
  std::uint64_t* marks;  // for each worker, a bit for each block: whether the block has been moved
  std::uint64_t mark_words;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t worker) const {
    KOKKOS_IF_ON_HOST((work(worker);))
  }

 private:
  void work(std::uint64_t worker) const {
    std::uint64_t const first = parts.begin(worker);
    std::size_t const bytes = (parts.begin(worker + 1) - first) * sizeof(T);
    auto* const own = static_cast<void*>(saved + first);
    std::uint64_t* const moved = marks + worker * mark_words;
    std::fill_n(moved, mark_words, std::uint64_t{0});
    auto const part = [&](std::uint64_t block) {
      return static_cast<void*>(data + block * parts.n + first);
    };
    // The first and the last block do not move.
    for (std::uint64_t leader = 1; leader + 1 < rows * columns; ++leader) {
      if ((moved[leader / 64] >> leader % 64 & 1) != 0) continue;
      std::uint64_t to = leader;
      std::uint64_t from = source(to);
      if (from == leader) continue;
      std::memcpy(own, part(leader), bytes);
      for (; from != leader; to = from, from = source(to)) {
        std::memcpy(part(to), part(from), bytes);
        moved[from / 64] |= std::uint64_t{1} << from % 64;
      }
      std::memcpy(part(to), own, bytes);
    }
  }

  /// Returns the block that moves to index `to`.
  std::uint64_t source(std::uint64_t to) const { return to % rows * columns + to / rows; }
};

/// Transposes one matrix of T: stores its division into panels, and launches the passes.
template <class Exec, class T>
class TransposeByPanels {
 public:
  TransposeByPanels(Context<Exec> const& context, T* data, std::uint64_t rows,
                    std::uint64_t columns)
      : context_(context), data_(data), rows_(rows), columns_(columns) {
    std::uint64_t const bytes = rows * columns * sizeof(T);
    // If the size of a matrix is at most 2 * panel_bytes, the matrix is a single panel.
    std::uint64_t const least =
        bytes <= 2 * panel_bytes
            ? 1
            : std::min<std::uint64_t>((bytes + panel_bytes - 1) / panel_bytes, max_panels);
    row_panels_ = choose_panels(rows, least, sizeof(T));
    column_panels_ = choose_panels(columns, least, sizeof(T));
    range_size_ = (rows * columns + least - 1) / least;
  }

  void run() const {
    Scope scope(context_);
    auto const arrays = scope.arrays([&](ArrayMemory& memory) {
      return Arrays{memory.take<T>(buffer_size()), memory.take<T>(remainder_columns() * rows_),
                    memory.take<T>(remainder_rows() * columns_in_panels()),
                    memory.take<T>(is_one_panel() ? 0 : block_size()),
                    memory.take<std::uint64_t>(is_one_panel() ? 0 : workers() * mark_words())};
    });
    save_remainders(arrays);
    transpose_panels(arrays.buffer);
    if (!is_one_panel()) {
      for_each_dynamic(
          context_.named("blocks"), workers(),
          MoveBlocks<T>{data_, row_panels_.count, column_panels_.count,
                        Chunks{block_size(), workers()}, arrays.saved, arrays.marks, mark_words()});
      interleave_panels(arrays.buffer);
    }
    write_remainders(arrays);
  }

 private:
  struct Arrays {
    T* buffer;
    T* columns;
    T* rows;
    T* saved;
    std::uint64_t* marks;
  };

  std::uint64_t rows_in_panels() const { return row_panels_.lines(); }
  std::uint64_t columns_in_panels() const { return column_panels_.lines(); }
  std::uint64_t remainder_rows() const { return rows_ - rows_in_panels(); }
  std::uint64_t remainder_columns() const { return columns_ - columns_in_panels(); }
  bool is_one_panel() const { return row_panels_.count == 1; }

  std::uint64_t block_size() const { return row_panels_.width * column_panels_.width; }
  std::uint64_t mark_words() const { return (row_panels_.count * column_panels_.count + 63) / 64; }
  std::uint64_t threads() const {
    return static_cast<std::uint64_t>(context_.exec().concurrency());
  }
  /// The number of threads that move blocks. It is so small that each thread moves at least 256 bytes of every block.
  std::uint64_t workers() const {
    return std::clamp<std::uint64_t>(block_size() * sizeof(T) / 256, 1, threads());
  }
  /// The buffer must hold the largest panel. If each line is a panel, it must also hold the rows that are moved at a
  /// time.
  std::uint64_t buffer_size() const {
    auto const needed = [&](Panels const& panels, std::uint64_t length, std::uint64_t rest) {
      if (panels.width > 1) return panels.width * length;
      return rest > 0 ? range_size_ : 0;
    };
    return std::max(needed(row_panels_, columns_in_panels(), remainder_columns()),
                    needed(column_panels_, rows_in_panels(), remainder_rows()));
  }

  Chunks shares_of(std::uint64_t n) const { return {n, std::min(n, 4 * threads())}; }

  void transpose(Context<Exec> const& context, Transposition const& matrix, T const* in,
                 T* out) const {
    if (matrix.rows == 0 || matrix.columns == 0) return;
    run_transpose<false>(context, matrix, in, out);
  }

  void copy(Context<Exec> const& context, CopyRange<T> const& range) const {
    if (range.shares.n > 0) for_each_dynamic(context, range.shares.count, range);
  }
  void copy(Context<Exec> const& context, T const* from, T* to, std::uint64_t size) const {
    copy(context, {from, to, std::max<std::uint64_t>(size, 1), 0, 0, 0, shares_of(size)});
  }

  /// Pass 1: transposes each panel of rows. If each panel is a single row, it only closes the gaps between rows.
  void transpose_panels(T* buffer) const {
    std::uint64_t const rows = row_panels_.width;
    std::uint64_t const columns = columns_in_panels();
    Context<Exec> const context = context_.named("rows");
    if (rows == 1) return move_together(context, buffer);
    for (std::uint64_t p = 0; p < row_panels_.count; ++p) {
      transpose(context, {rows, columns, columns_, 1, rows, 1}, data_ + p * rows * columns_,
                buffer);
      copy(context, buffer, data_ + p * rows * columns, rows * columns);
    }
  }

  /// Moves the rows together, range by range in ascending order. This overwrites the remainder of each row, which has
  /// been saved. No element that is still to be moved is overwritten, because no element moves to a higher index.
  void move_together(Context<Exec> const& context, T* buffer) const {
    std::uint64_t const columns = columns_in_panels();
    std::uint64_t const all = rows_in_panels() * columns;
    if (remainder_columns() == 0) return;
    for (std::uint64_t first = 0; first < all; first += range_size_) {
      std::uint64_t const size = std::min(range_size_, all - first);
      copy(context, {data_, buffer, columns, remainder_columns(), 0, first, shares_of(size)});
      copy(context, buffer, data_ + first, size);
    }
  }

  /// Pass 3: interleaves the runs in each panel of columns. If each panel is a single column, the pass only opens the
  /// gaps between the rows of the result.
  void interleave_panels(T* buffer) const {
    std::uint64_t const rows = rows_in_panels();
    std::uint64_t const columns = column_panels_.width;
    Context<Exec> const context = context_.named("columns");
    if (columns == 1) return move_apart(context, buffer);
    for (std::uint64_t q = column_panels_.count; q-- > 0;) {
      T const* const from = data_ + q * columns * rows;
      if (row_panels_.width == 1) {
        transpose(context, {rows, columns, columns, 1, rows, 1}, from, buffer);
      } else {
        Chunks const shares = shares_of(columns * row_panels_.count);
        for_each_dynamic(
            context, shares.count,
            InterleaveRuns<T>{from, buffer, columns, row_panels_.count, row_panels_.width, shares});
      }
      copy(context, {buffer, data_ + q * columns * rows_, rows, 0, remainder_rows(), 0,
                     shares_of(columns * rows)});
    }
  }

  /// Moves the rows of the result apart, so that the remainders fit into the gaps between them.
  void move_apart(Context<Exec> const& context, T* buffer) const {
    std::uint64_t const rows = rows_in_panels();
    if (remainder_rows() == 0) return;
    std::uint64_t end = columns_in_panels() * rows;
    while (end > 0) {
      std::uint64_t const size = std::min(range_size_, end);
      end -= size;
      copy(context, data_ + end, buffer, size);
      copy(context, {buffer, data_, rows, 0, remainder_rows(), end, shares_of(size)});
    }
  }

  /// Saves the last columns, and the last rows without these columns. The saved elements are in the order of the
  /// result.
  void save_remainders(Arrays const& arrays) const {
    std::uint64_t const columns = columns_in_panels();
    Context<Exec> const context = context_.named("keep");
    transpose(context, {rows_, remainder_columns(), columns_, 1, rows_, 1}, data_ + columns,
              arrays.columns);
    transpose(context, {remainder_rows(), columns, columns_, 1, remainder_rows(), 1},
              data_ + rows_in_panels() * columns_, arrays.rows);
  }

  void write_remainders(Arrays const& arrays) const {
    std::uint64_t const columns = columns_in_panels();
    Context<Exec> const context = context_.named("write");
    copy(context, arrays.columns, data_ + columns * rows_, remainder_columns() * rows_);
    copy(context,
         {arrays.rows, data_ + rows_in_panels(), std::max<std::uint64_t>(remainder_rows(), 1), 0,
          rows_in_panels(), 0, shares_of(remainder_rows() * columns)});
  }

  Context<Exec> context_;
  T* data_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  Panels row_panels_;
  Panels column_panels_;
  /// The number of elements that move_together() and move_apart() move at a time.
  std::uint64_t range_size_;
};

/// Transposes a matrix of rows x columns elements that is stored by rows. Requires rows > 1 and columns > 1.
template <class T, class Exec>
void transpose_by_panels(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  TransposeByPanels<Exec, T>(context, data, rows, columns).run();
}

}  // namespace riffle::detail::tiles
