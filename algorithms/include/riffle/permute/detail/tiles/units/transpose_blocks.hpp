#pragma once

// Transposes small matrices that follow each other in memory, each in its own place, by teams.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/gpu/arrangement.hpp>
#include <riffle/permute/detail/tiles/gpu/by_teams.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// Each team moves a block of rows x columns elements through its scratch memory, where rows begin an odd number of
/// elements apart: so lanes that go down a column meet no bank twice.
template <class T>
struct TransposeBlocks {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 6;
  static constexpr std::size_t scratch_bytes = max_block_bytes + (std::size_t{2} << 10);

  T* data;
  Divider<std::uint32_t> rows;
  Divider<std::uint32_t> columns;

  std::uint32_t pitch() const { return pitch_of(columns.divisor()); }
  static std::size_t bytes(std::uint32_t rows, std::uint32_t columns) {
    return sizeof(T) * rows * pitch_of(columns) + vector_bytes;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::uint32_t const size = rows.divisor() * columns.divisor();
    std::uint32_t const pitch = pitch_of(columns.divisor());
    auto* const stage = static_cast<Cell<T>*>(member.team_scratch(0).get_shmem_aligned(
        std::size_t{sizeof(T)} * rows.divisor() * pitch, vector_bytes));
    T* const block = data + static_cast<std::uint64_t>(member.league_rank()) * size;
    auto const first = static_cast<std::uint32_t>(member.team_rank());
    auto const step = static_cast<std::uint32_t>(member.team_size());
    for_batches(first, step, size, [&](std::uint32_t const(&k)[at_once]) {
      T x[at_once];
      unrolled<at_once>([&](auto i) { x[i] = block[Kokkos::min(k[i], size - 1)]; });
      unrolled<at_once>([&](auto i) {
        std::uint32_t const row = columns.quotient(k[i]);
        if (k[i] < size) stage[row * pitch + (k[i] - row * columns.divisor())].value = x[i];
      });
    });
    member.team_barrier();
    for_batches(first, step, size, [&](std::uint32_t const(&k)[at_once]) {
      unrolled<at_once>([&](auto i) {
        std::uint32_t const column = rows.quotient(k[i]);
        std::uint32_t const from = (k[i] - column * rows.divisor()) * pitch + column;
        if (k[i] < size) block[k[i]] = stage[from].value;
      });
    });
  }

 private:
  static constexpr int at_once = sizeof(T) <= 8 ? 8 : 4;

  KOKKOS_FUNCTION static constexpr std::uint32_t pitch_of(std::uint32_t columns) {
    return columns | 1;
  }

  /// body(k), where k are some elements of this thread's that the loads of are under way at once, and maybe some beyond
  /// the last.
  template <class Body>
  KOKKOS_FUNCTION static void for_batches(std::uint32_t first, std::uint32_t step,
                                          std::uint32_t size, Body const& body) {
    RIFFLE_NO_UNROLL
    for (std::uint32_t begin = first; begin < size; begin += at_once * step) {
      std::uint32_t k[at_once];
      unrolled<at_once>([&](auto i) { k[i] = begin + i * step; });
      body(k);
    }
  }
};

template <class Exec, class T>
void transpose_blocks(Context<Exec> const& context, T* data, std::uint64_t blocks,
                      std::uint32_t rows, std::uint32_t columns) {
  if (rows < 2 || columns < 2) return;
  using Kernel = TransposeBlocks<T>;
  Kernel const kernel{data, Divider<std::uint32_t>(rows), Divider<std::uint32_t>(columns)};
  launch_teams(context, blocks, kernel, Kernel::bytes(rows, columns));
}

}  // namespace riffle::detail::tiles
