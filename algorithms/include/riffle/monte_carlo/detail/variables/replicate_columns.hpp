#pragma once

// The columns of a batch of replicates, drawn on the device.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/exchanges/plan.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// How many replicates lie side by side.
template <class Exec>
inline constexpr int replicates_at_once = lanes::is_cpu<Exec> ? 8 : 64;

/// Entry i of column k of replicate c * Width + r of a batch is at ((c K + k) n + i) Width + r.
template <class Memory, int Width>
struct ReplicateColumns {
  Array<Memory> entries;
  std::uint64_t n = 0;
  int columns = 0;

  KOKKOS_FUNCTION double* chunk(std::uint64_t c, int k) const {
    return entries.data() +
           (c * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(k)) * n * Width;
  }
};

/// Draws a replicate in a thread. The columns are permuted in place of the data: what observation i of the exchanged data
/// meets, observation sigma(i) of the data meets here.
template <class Memory, int Width>
struct DrawColumns {
  using Indices = Kokkos::View<std::uint32_t**, Kokkos::LayoutLeft, Memory>;

  ExchangePlan<Memory> plan;
  Array<Memory> design;  // column by column
  ReplicateColumns<Memory, Width> to;
  Indices rows;     // replicates x n
  Indices scratch;  // replicates x plan.scratch_size()
  Numbering numbering;
  std::uint64_t first;

  struct Part {
    Indices indices;
    std::uint64_t r;
    KOKKOS_FUNCTION std::uint32_t& operator()(std::uint64_t i) const { return indices(r, i); }
  };

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    std::uint64_t const number = first + r;
    std::uint64_t const rank = number < numbering.arrangements ? number : 0;
    Part const row{rows, r};
    if (numbering.is_exact()) {
      plan.rank_permutation(rank, row, Part{scratch, r});
    } else {
      plan.draw_permutation(numbering.seed, number, row);
    }
    std::uint64_t const n = to.n;
    for (std::uint64_t i = 0; i < n; ++i) {
      bool const flips = is_flipped(number, rank, static_cast<std::uint32_t>(i));
      std::uint64_t const j = row(i);
      for (int k = 0; k < to.columns; ++k) {
        double const x = design(static_cast<std::uint64_t>(k) * n + i);
        to.chunk(r / Width, k)[j * Width + r % Width] = flips ? -x : x;
      }
    }
  }

 private:
  KOKKOS_FUNCTION bool is_flipped(std::uint64_t number, std::uint64_t rank, std::uint32_t i) const {
    return numbering.is_exact() ? plan.is_flipped_at_rank(rank, i)
                                : plan.is_flipped(numbering.seed, number, i);
  }
};

}  // namespace riffle::detail::variables
