#pragma once

// Gathers of rows on a GPU. A warp evaluates sigma for a block of 128 rows, four per lane, and then copies these rows
// together. Neighbouring lanes copy elements that are neighbours in the output: neighbouring columns of a row, or, if
// columns are contiguous, neighbouring rows of a column. Lanes that reach the end of a row (column) continue with the
// next one. If rows are long, several warps share a block.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// The widest word that one load instruction loads.
struct alignas(16) Word16 {
  std::uint64_t half[2];
};

/// Accesses rows as words. A position is an offset in bytes.
template <class Word>
struct WordAccess {
  using Value = Word;

  RowBytes const& rows;

  KOKKOS_FUNCTION std::uint64_t from_place(std::uint64_t row) const {
    return row * rows.from_pitch;
  }
  KOKKOS_FUNCTION std::uint64_t to_place(std::uint64_t row) const { return row * rows.to_pitch; }
  KOKKOS_FUNCTION Word load(std::uint64_t place, std::uint64_t column) const {
    return reinterpret_cast<Word const*>(rows.from + place)[column];
  }
  KOKKOS_FUNCTION void store(std::uint64_t place, std::uint64_t column, Word const& word) const {
    reinterpret_cast<Word*>(rows.to + place)[column] = word;
  }
};

/// Accesses rows as elements. A position is a row.
template <class In, class Out>
struct ElementAccess {
  using Value = typename In::non_const_value_type;

  In const& in;
  Out const& out;

  KOKKOS_FUNCTION static std::uint64_t from_place(std::uint64_t row) { return row; }
  KOKKOS_FUNCTION static std::uint64_t to_place(std::uint64_t row) { return row; }
  KOKKOS_FUNCTION Value load(std::uint64_t row, std::uint64_t column) const {
    if constexpr (In::rank() == 1) {
      return in(row);
    } else {
      return in(row, column);
    }
  }
  KOKKOS_FUNCTION void store(std::uint64_t row, std::uint64_t column, Value const& value) const {
    if constexpr (Out::rank() == 1) {
      out(row) = value;
    } else {
      out(row, column) = value;
    }
  }
};

/// The position (slow, fast) of a lane in a two-dimensional box, where fast < `extent`. The lanes of a warp have
/// successive positions. advance() moves the lane by 32 positions, without a division.
class LaneWalk {
 public:
  KOKKOS_FUNCTION LaneWalk(int lane, std::uint32_t extent)
      : extent_(extent),
        fast_step_(backend::width % extent),
        slow_step_(backend::width / extent),
        fast_(static_cast<std::uint32_t>(lane) % extent),
        slow_(static_cast<std::uint32_t>(lane) / extent) {}

  KOKKOS_FUNCTION std::uint32_t fast() const { return fast_; }
  KOKKOS_FUNCTION std::uint32_t slow() const { return slow_; }

  KOKKOS_FUNCTION void advance() {
    fast_ += fast_step_;
    slow_ += slow_step_;
    if (fast_ >= extent_) {
      fast_ -= extent_;
      ++slow_;
    }
  }

 private:
  std::uint32_t extent_;
  std::uint32_t fast_step_;
  std::uint32_t slow_step_;
  std::uint32_t fast_;
  std::uint32_t slow_;
};

/// The images sigma(i) of a warp's rows, of which each lane stores four. The rows are divided into four shares of up to
/// 32 rows, and lane l stores the image of row l of each share. So a lane has four loads in flight.
class RowsOfWarp {
 public:
  static constexpr int shares = 4;
  static constexpr std::uint64_t size = shares * backend::width;

  KOKKOS_FUNCTION RowsOfWarp(std::uint64_t n, std::uint64_t block, int lane)
      : lane_(lane),
        first_(block * size),
        count_(static_cast<std::uint32_t>(Kokkos::min(+size, n - first_))),
        share_((count_ + shares - 1) / shares) {
    auto const own = static_cast<std::uint32_t>(lane);
    RIFFLE_UNROLL
    for (int s = 0; s < shares; ++s) {
      // Lanes without a row, which are after the end of their share or of all rows, evaluate some other row. Nothing is
      // stored for them.
      images_[s] = first_ + Kokkos::min(begin_of(s) + own, count_ - 1);
    }
  }

  template <class Sigma>
  KOKKOS_FUNCTION void evaluate(Sigma const& sigma) {
    if constexpr (ReplacesByImages<Sigma, shares>) {
      sigma.replace_by_images(images_);
    } else {
      RIFFLE_UNROLL
      for (int s = 0; s < shares; ++s) images_[s] = sigma(images_[s]);
    }
  }

  /// Copies a range of fewer than 2^26 columns.
  template <class Access>
  KOKKOS_FUNCTION void copy(Access const& access, Columns const& columns, bool by_rows) const {
    using Value = typename Access::Value;
    // Four values of more than 16 bytes would need too many registers.
    constexpr int at_once = sizeof(Value) <= sizeof(Word16) ? shares : 1;
    std::uint64_t places[shares];
    RIFFLE_UNROLL
    for (int s = 0; s < shares; ++s) places[s] = access.from_place(images_[s]);
    std::uint64_t const next_share = access.to_place(share_);
    auto const width = static_cast<std::uint32_t>(columns.count());
    std::uint32_t const elements = share_ * width;
    LaneWalk walk(lane_, by_rows ? width : share_);
    for (std::uint32_t done = 0; done < elements; done += backend::width) {
      bool const is_inside = done + static_cast<std::uint32_t>(lane_) < elements;
      std::uint32_t const row = is_inside ? (by_rows ? walk.slow() : walk.fast()) : 0;
      std::uint32_t const column_in_part = is_inside ? (by_rows ? walk.fast() : walk.slow()) : 0;
      std::uint64_t const column = columns.begin + column_in_part;
      std::uint64_t to = access.to_place(first_ + row);
      RIFFLE_UNROLL
      for (int begin = 0; begin < shares; begin += at_once) {
        Value values[at_once];
        RIFFLE_UNROLL
        for (int k = 0; k < at_once; ++k) {
          auto const from = backend::from_lane(places[begin + k], static_cast<int>(row));
          values[k] = access.load(from, column);
        }
        RIFFLE_UNROLL
        for (int k = 0; k < at_once; ++k) {
          bool const is_row = begin_of(begin + k) + row < count_;
          if (is_inside && is_row) access.store(to, column, values[k]);
          to += next_share;
        }
      }
      walk.advance();
    }
  }

 private:
  KOKKOS_FUNCTION std::uint32_t begin_of(int s) const {
    return static_cast<std::uint32_t>(s) * share_;
  }

  int lane_;
  std::uint64_t first_;
  std::uint32_t count_;
  std::uint32_t share_;
  std::uint64_t images_[shares];
};

/// Copies words of the size that the host has chosen. The size is at least the alignment of an element, so copies of
/// smaller words are not instantiated.
template <class In, class Out>
KOKKOS_FUNCTION void copy_words(RowCopy<In, Out> const& copy, RowsOfWarp const& rows,
                                Columns const& columns) {
  constexpr std::size_t narrowest = alignof(typename Out::value_type);
  RowBytes const& bytes = copy.bytes;
  if (bytes.word == 16) return rows.copy(WordAccess<Word16>{bytes}, columns, true);
  if constexpr (narrowest <= 8) {
    if (bytes.word == 8) return rows.copy(WordAccess<std::uint64_t>{bytes}, columns, true);
  }
  if constexpr (narrowest <= 4) {
    if (bytes.word == 4) return rows.copy(WordAccess<std::uint32_t>{bytes}, columns, true);
  }
  if constexpr (narrowest <= 2) {
    if (bytes.word == 2) return rows.copy(WordAccess<std::uint16_t>{bytes}, columns, true);
  }
  if constexpr (narrowest == 1) rows.copy(WordAccess<std::uint8_t>{bytes}, columns, true);
}

KOKKOS_INLINE_FUNCTION void copy_part(ViewPack<> const&, RowsOfWarp const&, std::uint64_t) {}

template <class In, class Out, class... Rest>
KOKKOS_FUNCTION void copy_part(ViewPack<RowCopy<In, Out>, Rest...> const& copies,
                               RowsOfWarp const& rows, std::uint64_t part) {
  RowCopy<In, Out> const& copy = copies.first;
  Columns const columns = copy.columns_of(part);
  if (columns.count() > 0) {
    if (copy.has_words()) {
      if constexpr (may_copy_bytes<In, Out>) copy_words(copy, rows, columns);
    } else if constexpr (!always_has_words<In, Out>) {
      rows.copy(ElementAccess<In, Out>{copy.in, copy.out}, columns, copy.by_rows);
    }
  }
  copy_part(copies.rest, rows, part);
}

/// Gathers n > 0 rows. A work item is one part of a block.
template <class Sigma, class Copies>
class GatherByWarps {
 public:
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 4;
  static constexpr std::size_t scratch_bytes = 0;

  GatherByWarps(std::uint64_t n, Sigma const& sigma, Copies const& copies)
      : n_(n), sigma_(sigma), copies_(copies) {
    set_chunks(copies_, [n](auto const& copy) { return chunk_of(n, copy); });
    blocks_ = (n + RowsOfWarp::size - 1) / RowsOfWarp::size;
    parts_ = part_count(copies_);
    for_each_view(copies_, [this](auto const& copy) { part_by_part_ |= !copy.by_rows; });
  }

  /// Returns the number of teams, at most 2^31 - 1. If there are more items than warps, a warp processes several items.
  std::uint64_t teams() const {
    constexpr std::uint64_t max_teams = std::numeric_limits<int>::max();
    std::uint64_t const items = blocks_ * parts_;
    return std::min(max_teams, (items + warps_per_team - 1) / warps_per_team);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank() % backend::width;
    auto const warp = static_cast<std::uint64_t>(team.league_rank()) * warps_per_team +
                      static_cast<std::uint64_t>(team.team_rank() / backend::width);
    std::uint64_t const step = static_cast<std::uint64_t>(team.league_size()) * warps_per_team;
    for (std::uint64_t item = warp; item < blocks_ * parts_; item += step) {
      std::uint64_t const inner = part_by_part_ ? blocks_ : parts_;
      std::uint64_t const outer_place = inner == 1 ? item : item / inner;
      std::uint64_t const inner_place = item - outer_place * inner;
      RowsOfWarp rows(n_, part_by_part_ ? inner_place : outer_place, lane);
      rows.evaluate(sigma_);
      copy_part(copies_, rows, part_by_part_ ? outer_place : inner_place);
    }
  }

 private:
  static constexpr std::uint64_t warps_per_team = threads / backend::width;

  // Returns the number of columns per part. The number is large enough that copying a part takes longer than evaluating
  // sigma for its rows, and small enough that there are enough warps.
  template <class Copy>
  static std::uint64_t chunk_of(std::uint64_t n, Copy const& copy) {
    constexpr std::uint64_t words_of_part = 16 * RowsOfWarp::size;
    constexpr std::uint64_t bytes_of_row = 128;
    // In bytes: less than the second-level cache of current GPUs.
    constexpr std::uint64_t cache = std::uint64_t{1} << 24;
    std::uint64_t const columns = words_of_part / std::min<std::uint64_t>(n, RowsOfWarp::size);
    if (copy.has_words()) {
      auto const word = static_cast<std::uint64_t>(copy.bytes.word);
      return copy.equal_chunks(std::max(columns, bytes_of_row / word));
    }
    if (copy.by_rows) return copy.equal_chunks(columns);
    return columns_in_cache(cache, n, sizeof(typename Copy::Value),
                            std::min(columns, copy.columns));
  }

  std::uint64_t n_;
  std::uint64_t blocks_;
  std::uint64_t parts_;
  // Whether items are ordered by part: all blocks of one part, then all blocks of the next, so that the columns of a
  // part stay in a cache.
  bool part_by_part_ = false;
  Sigma sigma_;
  Copies copies_;
};

template <class Exec, class Sigma, class Copies>
void gather_by_warps_of(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                        Copies const& copies) {
  using Kernel = GatherByWarps<Sigma, Copies>;
  Kernel const kernel(n, sigma, copies);
  launch_teams(context, kernel.teams(), kernel);
}

template <class Exec, class Sigma, class Copies>
void gather_by_warps(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                     Copies const& copies) {
  if constexpr (Specializes<Sigma>) {
    sigma.specialize([&](auto const& form) { gather_by_warps_of(context, n, form, copies); });
  } else {
    gather_by_warps_of(context, n, sigma, copies);
  }
}

}  // namespace riffle::detail
