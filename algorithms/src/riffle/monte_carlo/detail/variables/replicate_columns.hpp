#pragma once

// The columns of a batch of replicates, drawn on the device.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/exchanges/plan.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// What takes the columns of drawn replicates: begin(r), then put(r, column, i, x) for the entry x of each column and
/// observation i. All of a replicate come from one thread.
template <class To>
concept ReplicateSink = requires(To const& to, std::uint64_t r, int column, double x) {
  to.begin(r);
  to.put(r, column, r, x);
};

/// How many replicates lie side by side.
template <class Exec>
inline constexpr int replicates_at_once = backend::is_cpu<Exec> ? 8 : 64;

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

  KOKKOS_FUNCTION void begin(std::uint64_t) const {}
  KOKKOS_FUNCTION void put(std::uint64_t r, int column, std::uint64_t i, double x) const {
    chunk(r / Width, column)[i * Width + r % Width] = x;
  }
};

/// Memory for permutations: an array of `n` for each replicate, side by side for the threads of a GPU, one after the
/// other for those of a CPU.
template <class Memory>
using DrawnIndices =
    Kokkos::View<std::uint32_t**, typename Memory::execution_space::array_layout, Memory>;

/// Draws a replicate in a thread. The columns are permuted in place of the data: what observation i of the exchanged data
/// meets, observation sigma(i) of the data meets here.
template <class Memory, ReplicateSink To>
struct DrawReplicates {
  using Indices = DrawnIndices<Memory>;

  ExchangePlan<Memory> plan;
  Array<Memory> design;  // column by column
  std::uint64_t n;
  int columns;
  To to;
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
    to.begin(r);
    for (std::uint64_t i = 0; i < n; ++i) {
      bool const flips = is_flipped(number, rank, static_cast<std::uint32_t>(i));
      std::uint64_t const j = row(i);
      for (int k = 0; k < columns; ++k) {
        double const x = design(static_cast<std::uint64_t>(k) * n + i);
        to.put(r, k, j, flips ? -x : x);
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
