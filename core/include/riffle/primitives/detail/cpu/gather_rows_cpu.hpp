#pragma once

// Gathers of rows on a CPU. A thread evaluates sigma for a block of rows in vector registers, and then copies these
// rows. If a row is contiguous in memory, the rows are copied one after the other, and the next rows are prefetched.
// Otherwise the columns are copied one after the other.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// Consecutive rows of the output, and their images under sigma.
struct BlockOfRows {
  static constexpr std::uint64_t max_size = 512;

  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t images[max_size];

  template <class Sigma>
  void evaluate(Sigma const& sigma) {
    if constexpr (VisitsBlocks<Sigma>) {
      copy_blocks(sigma, first, count, images);
    } else {
      for (std::uint64_t k = 0; k < count; ++k) images[k] = sigma(first + k);
    }
  }
};

// --- rows of contiguous bytes ---

/// Copies a number of bytes that is known at compile time.
template <std::size_t size>
struct CopyFixedSize {
  void operator()(std::byte* to, std::byte const* from) const { std::memcpy(to, from, size); }
};

struct CopyAnySize {
  std::size_t size;

  void operator()(std::byte* to, std::byte const* from) const { std::memcpy(to, from, size); }
};

/// Prefetches the start of a row; the hardware then prefetches the lines that follow.
inline void prefetch_row(std::byte const* row, std::size_t size) {
  constexpr std::size_t most = 16 * backend::cache_line;
  std::size_t const asked = std::min(size, most);
  for (std::size_t begin = 0; begin < asked; begin += backend::cache_line) {
    backend::prefetch_line(row + begin);
  }
  backend::prefetch_line(row + asked - 1);
}

/// Copies bytes begin, ..., begin + size - 1 of each row by copy(to, from).
template <class Copy>
void copy_rows_of_bytes(RowBytes const& bytes, BlockOfRows const& rows, std::size_t begin,
                        std::size_t size, Copy const& copy) {
  constexpr std::size_t bytes_ahead = 2048;
  std::uint64_t const ahead = std::clamp<std::uint64_t>(bytes_ahead / size, 1, 16);
  std::byte const* const from = bytes.from + begin;
  std::byte* to = bytes.to + rows.first * bytes.to_pitch + begin;
  for (std::uint64_t k = 0; k < rows.count; ++k, to += bytes.to_pitch) {
    if (k + ahead < rows.count) {
      prefetch_row(from + rows.images[k + ahead] * bytes.from_pitch, size);
    }
    copy(to, from + rows.images[k] * bytes.from_pitch);
  }
}

template <class In, class Out>
void copy_bytes(RowCopy<In, Out> const& copy, BlockOfRows const& rows, Columns const& columns) {
  constexpr std::size_t element = sizeof(typename Out::value_type);
  auto const word = static_cast<std::size_t>(copy.bytes.word);
  std::size_t const begin = columns.begin * word;
  std::size_t const size = columns.count() * word;
  auto const by = [&](auto const& function) {
    copy_rows_of_bytes(copy.bytes, rows, begin, size, function);
  };
  if (size == element) return by(CopyFixedSize<element>{});
  if (size == 2 * element) return by(CopyFixedSize<2 * element>{});
  if (size == 3 * element) return by(CopyFixedSize<3 * element>{});
  if (size == 4 * element) return by(CopyFixedSize<4 * element>{});
  by(CopyAnySize{size});
}

// --- rows of elements ---

template <class In, class Out>
void copy_elements(RowCopy<In, Out> const& copy, BlockOfRows const& rows, Columns const& columns) {
  if constexpr (Out::rank() == 1) {
    for (std::uint64_t k = 0; k < rows.count; ++k) {
      copy.out(rows.first + k) = copy.in(rows.images[k]);
    }
  } else if (copy.by_rows) {
    for (std::uint64_t k = 0; k < rows.count; ++k) {
      for (std::uint64_t column = columns.begin; column < columns.end; ++column) {
        copy.out(rows.first + k, column) = copy.in(rows.images[k], column);
      }
    }
  } else {
    for (std::uint64_t column = columns.begin; column < columns.end; ++column) {
      for (std::uint64_t k = 0; k < rows.count; ++k) {
        copy.out(rows.first + k, column) = copy.in(rows.images[k], column);
      }
    }
  }
}

inline void copy_part(ViewPack<> const&, BlockOfRows const&, std::uint64_t) {}

template <class In, class Out, class... Rest>
void copy_part(ViewPack<RowCopy<In, Out>, Rest...> const& copies, BlockOfRows const& rows,
               std::uint64_t part) {
  RowCopy<In, Out> const& copy = copies.first;
  Columns const columns = copy.columns_of(part);
  if (columns.count() > 0) {
    if (copy.has_words()) {
      if constexpr (may_copy_bytes<In, Out>) copy_bytes(copy, rows, columns);
    } else if constexpr (!always_has_words<In, Out>) {
      copy_elements(copy, rows, columns);
    }
  }
  copy_part(copies.rest, rows, part);
}

/// Gathers n > 0 rows. A worker processes some blocks of rows, and copies all parts of the rows of each block. If there
/// are fewer blocks than threads, several workers share a block, and each of them copies some parts.
template <class Sigma, class Copies>
class GatherByBlocks {
 public:
  GatherByBlocks(std::uint64_t n, Sigma const& sigma, Copies const& copies, std::uint64_t threads)
      : n_(n), block_(block_size(n, threads)), sigma_(sigma), copies_(copies) {
    std::uint64_t const blocks = quotient(n, block_);
    row_workers_ = std::min(blocks, threads);
    std::uint64_t const sharers = quotient(threads, row_workers_);
    set_chunks(copies_, [&](auto const& copy) { return chunk_of(n, copy, sharers); });
    parts_ = part_count(copies_);
    part_workers_ = std::min(parts_, sharers);
    std::uint64_t bytes = 0;
    for_each_view(copies_, [&](auto const& copy) { bytes += n * copy.bytes_per_row(); });
    is_small_ = bytes <= small_size;
  }

  /// Whether one thread is faster than several threads, which need to synchronize.
  bool is_small() const { return is_small_; }
  std::uint64_t workers() const { return row_workers_ * part_workers_; }

  void operator()(std::uint64_t worker) const {
    std::uint64_t const row_worker = worker % row_workers_;
    std::uint64_t const part_worker = worker / row_workers_;
    std::uint64_t const blocks = quotient(n_, block_);
    for (std::uint64_t part = part_worker; part < parts_; part += part_workers_) {
      std::uint64_t const end = (row_worker + 1) * blocks / row_workers_;
      for (std::uint64_t block = row_worker * blocks / row_workers_; block < end; ++block) {
        copy_block(block, part);
      }
    }
  }

 private:
  static constexpr std::uint64_t small_size = std::uint64_t{1} << 15;

  static std::uint64_t quotient(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

  // Returns the number of rows per block. The rows fill whole vectors, and all threads process the same number of
  // blocks.
  static std::uint64_t block_size(std::uint64_t n, std::uint64_t threads) {
    constexpr std::uint64_t vector_multiple = 64;
    std::uint64_t const of_thread = quotient(n, threads);
    std::uint64_t const blocks = quotient(of_thread, BlockOfRows::max_size);
    return quotient(quotient(of_thread, blocks), vector_multiple) * vector_multiple;
  }

  // Returns the number of columns per part. If several threads share a block, each has an equal share of the columns.
  // If rows are copied column by column, the number is at most the number of columns that fit in a cache.
  template <class Copy>
  static std::uint64_t chunk_of(std::uint64_t n, Copy const& copy, std::uint64_t sharers) {
    constexpr std::uint64_t least = 64;
    std::uint64_t const own = std::max(quotient(copy.columns, sharers), least);
    if (copy.by_rows) return copy.equal_chunks(own);
    return columns_in_cache(backend::last_level_cache() / 4, n, sizeof(typename Copy::Value),
                            std::min(own, copy.columns));
  }

  void copy_block(std::uint64_t block, std::uint64_t part) const {
    BlockOfRows rows;
    rows.first = block * block_;
    rows.count = std::min(block_, n_ - rows.first);
    rows.evaluate(sigma_);
    copy_part(copies_, rows, part);
  }

  std::uint64_t n_;
  std::uint64_t block_;
  std::uint64_t row_workers_;
  std::uint64_t part_workers_;
  std::uint64_t parts_;
  bool is_small_;
  Sigma sigma_;
  Copies copies_;
};

template <class Exec, class Sigma, class Copies>
void gather_by_blocks(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                      Copies const& copies) {
  auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
  GatherByBlocks<Sigma, Copies> const kernel(n, sigma, copies, threads);
  if (kernel.is_small()) {
    run_on_calling_thread(context, [&](std::uint64_t) {
      for (std::uint64_t worker = 0; worker < kernel.workers(); ++worker) kernel(worker);
    });
  } else {
    context.for_each(kernel.workers(), kernel);
  }
}

}  // namespace riffle::detail
