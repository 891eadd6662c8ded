#pragma once

// Transposes a matrix that is no square in its own memory on a GPU, by permutations of each column and of each row
//   B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP 2014,
//   doi 10.1145/2555243.2555253, section 3: the C2R transposition, Algorithm 1.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/decomposed_transpose.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// The index functions of the paper, with multiplications instead of divisions. (m + 1)(n + 1) must fit in one bit less
/// than Word has.
template <class Word>
using RectangleIndices = DecomposedTranspose<Word, Divider<Word>>;

template <class Word>
RectangleIndices<Word> rectangle_indices(Word rows, Word columns) {
  Word const c = greatest_common_divisor(rows, columns);
  return {Divider<Word>(rows), Divider<Word>(columns), Divider<Word>(rows / c),
          Divider<Word>(columns / c)};
}

/// A line is a row, or a few neighbouring columns. Each team moves some lines, one by one, through its buffer.
enum class LineStep { rotate, permute_row, permute_columns };

template <class T, class Word, LineStep step>
class PermuteLines {
 public:
  static constexpr int threads = 256;

  /// width: the columns of a line. buffers: memory for the lines of all teams; null where their scratch memory holds
  /// them.
  PermuteLines(RectangleIndices<Word> const& indices, T* data, Word width, T* buffers)
      : indices_(indices),
        data_(data),
        buffers_(buffers),
        width_(step == LineStep::permute_row ? indices.columns() : width),
        lines_(step == LineStep::permute_row ? indices.rows()
                                             : (indices.columns() - 1) / width + 1) {}

  std::uint64_t lines() const { return lines_; }
  std::size_t line_bytes() const {
    return sizeof(T) * width_ * (step == LineStep::permute_row ? 1 : std::size_t{indices_.rows()});
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const buffer = buffer_of(member);
    for (auto line = static_cast<Word>(member.league_rank()); line < lines_;
         line += static_cast<Word>(member.league_size())) {
      if constexpr (step == LineStep::permute_row) {
        permute_row(member, line, buffer);
      } else {
        permute_columns(member, line * width_, buffer);
      }
      member.team_barrier();
    }
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION T* buffer_of(Member const& member) const {
    std::size_t const elements =
        step == LineStep::permute_row ? width_ : std::size_t{width_} * indices_.rows();
    if (buffers_ != nullptr) {
      return buffers_ + static_cast<std::size_t>(member.league_rank()) * elements;
    }
    return static_cast<T*>(member.team_scratch(0).get_shmem_aligned(elements * sizeof(T), 16));
  }

  template <class Member>
  KOKKOS_FUNCTION void permute_row(Member const& member, Word i, T* buffer) const {
    T* const row = data_ + std::size_t{i} * width_;
    auto const first = static_cast<Word>(member.team_rank());
    auto const next = static_cast<Word>(member.team_size());
    for (Word j = first; j < width_; j += next) buffer[indices_.target_in_row(i, j)] = row[j];
    member.team_barrier();
    for (Word j = first; j < width_; j += next) row[j] = buffer[j];
  }

  // Threads move the columns of one row before those of the next.
  template <class Member>
  KOKKOS_FUNCTION void permute_columns(Member const& member, Word begin, T* buffer) const {
    Word const width = Kokkos::min(width_, indices_.columns() - begin);
    Word const across = Kokkos::min(width, static_cast<Word>(member.team_size()));
    Word const first_row = static_cast<Word>(member.team_rank()) / across;
    Word const first = static_cast<Word>(member.team_rank()) % across;
    Word const rows = static_cast<Word>(member.team_size()) / across;
    bool const takes_part = first_row < rows;
    for (Word i = first_row; takes_part && i < indices_.rows(); i += rows) {
      T const* const row = data_ + (std::size_t{i} * indices_.columns() + begin);
      for (Word k = first; k < width; k += across) buffer[std::size_t{i} * width + k] = row[k];
    }
    member.team_barrier();
    for (Word i = first_row; takes_part && i < indices_.rows(); i += rows) {
      T* const row = data_ + (std::size_t{i} * indices_.columns() + begin);
      Word from = source(i, begin + first);
      for (Word k = first; k < width; k += across) {
        row[k] = buffer[std::size_t{from} * width + k];
        from = next_source(from, i, begin + k, across);
      }
    }
  }

  // source(i, j + distance), given source(i, j); takes no division where it advances with j.
  KOKKOS_FUNCTION Word next_source(Word from, Word i, Word j, Word distance) const {
    if constexpr (step == LineStep::rotate) {
      return source(i, j + distance);
    } else {
      Word const next = from + distance;
      if (next < indices_.rows()) return next;
      return distance <= indices_.rows() ? next - indices_.rows() : source(i, j + distance);
    }
  }

  KOKKOS_FUNCTION Word source(Word i, Word j) const {
    return step == LineStep::rotate ? indices_.row_before_rotation(i, j)
                                    : indices_.source_in_column(i, j);
  }

  RectangleIndices<Word> indices_;
  T* data_;
  T* buffers_;
  Word width_;
  Word lines_;
};

/// The bytes of neighbouring columns in a line.
inline std::size_t column_bytes(std::size_t scratch, std::uint64_t rows) {
  return rows <= scratch / most_column_bytes ? most_column_bytes : sector_bytes;
}

template <LineStep step, class T, class Word, class Exec>
void permute_lines(Context<Exec> const& context, RectangleIndices<Word> const& indices, T* data) {
  using Kernel = PermuteLines<T, Word, step>;
  using Bounds = Kokkos::LaunchBounds<Kernel::threads>;
  auto const scratch = max_team_scratch_bytes<Bounds>(context.exec(), Kernel::threads) - 64;
  auto const width = static_cast<Word>(
      std::max<std::size_t>(column_bytes(scratch, indices.rows()) / sizeof(T), 1));
  Kernel kernel(indices, data, width, nullptr);

  constexpr std::uint64_t max_teams = 1024;
  std::uint64_t teams = std::min(kernel.lines(), max_teams);
  bool const fits = kernel.line_bytes() <= scratch;
  Scope scope(context);
  if (!fits) {
    // Buffers take a sixteenth of the matrix, or are enough for a few teams.
    std::uint64_t const lines =
        std::uint64_t{indices.rows()} * indices.columns() * sizeof(T) / 16 / kernel.line_bytes();
    teams = std::min(teams, std::max<std::uint64_t>(lines, 8));
    void* const buffers = scope.template take<std::byte>(teams * kernel.line_bytes());
    kernel = Kernel(indices, data, width, static_cast<T*>(buffers));
  }
  launch_league<Bounds>(context, {teams, Kernel::threads, fits ? kernel.line_bytes() + 16 : 0},
                        kernel);
}

template <class Word, class T, class Exec>
void transpose_by_lines_as(Context<Exec> const& context, T* data, std::uint64_t rows,
                           std::uint64_t columns) {
  auto const indices = rectangle_indices(static_cast<Word>(rows), static_cast<Word>(columns));
  if (indices.needs_rotation()) {
    permute_lines<LineStep::rotate>(context.named("rotate"), indices, data);
  }
  permute_lines<LineStep::permute_row>(context.named("rows"), indices, data);
  permute_lines<LineStep::permute_columns>(context.named("columns"), indices, data);
}

/// Transposes a matrix of rows x columns elements, both above 1, held row by row.
template <class T, class Exec>
void transpose_by_lines(Context<Exec> const& context, T* data, std::uint64_t rows,
                        std::uint64_t columns) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  if ((rows + 1) <= most / (columns + 1)) {
    transpose_by_lines_as<std::uint32_t>(context, data, rows, columns);
  } else {
    transpose_by_lines_as<std::uint64_t>(context, data, rows, columns);
  }
}

}  // namespace riffle::detail::tiles
