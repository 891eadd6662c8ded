#pragma once

// Draws the labels of replicates, 0 and 1, on a GPU, without a permutation for each.
//
// A replicate's permutation is a product of swaps. What its labels need are these swaps in the opposite order, made on
// the bits of the labels: a lane has its n bits in scratch memory, and the swaps' partners there or, where they do not
// fit, in memory where those of a warp lie side by side. So nothing is read or written at random but bits on the chip.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/exchanges/plan.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_words.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_columns.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

/// The labels of a lane: its words lie `lanes` apart.
struct LabelBits {
  std::uint32_t* words;
  std::uint32_t lanes;

  KOKKOS_FUNCTION void swap(std::uint32_t i, std::uint32_t j) const {
    std::uint32_t& of_i = words[i / 32 * lanes];
    std::uint32_t const differ = (of_i >> i % 32 ^ words[j / 32 * lanes] >> j % 32) & 1;
    of_i ^= differ << i % 32;
    words[j / 32 * lanes] ^= differ << j % 32;
  }
};

template <class Memory, int Width, bool PartnersAreInScratch>
struct DrawLabels {
  ExchangePlan<Memory> plan;
  Array<Memory> design;
  LabelWords<Memory, Width> to;
  DrawnIndices<Memory> partners;  // replicates x n, where they are not in scratch
  std::uint64_t n;
  std::uint64_t seed;
  std::uint64_t first;
  std::uint64_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const lanes = static_cast<std::uint32_t>(team.team_size());
    auto const lane = static_cast<std::uint32_t>(team.team_rank());
    std::uint64_t const r = static_cast<std::uint64_t>(team.league_rank()) * lanes + lane;
    auto* const words =
        static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem_aligned(
            static_cast<std::size_t>(to.steps) * lanes * sizeof(std::uint32_t), 16)) +
        lane;
    std::uint16_t* scratch = nullptr;
    if constexpr (PartnersAreInScratch) {
      scratch = static_cast<std::uint16_t*>(team.team_scratch(0).get_shmem_aligned(
                    std::size_t{plan.swaps()} * lanes * sizeof(std::uint16_t), 16)) +
                lane;
    }
    if (r >= count) return;
    std::uint32_t next = 0;
    plan.draw_swaps(seed, first + r, [&](std::uint32_t b) {
      if constexpr (PartnersAreInScratch) {
        scratch[next++ * lanes] = static_cast<std::uint16_t>(b);
      } else {
        partners(r, next++) = b;
      }
    });
    fill(words, lanes);
    plan.swap_back(
        [&](std::uint32_t q) -> std::uint32_t {
          if constexpr (PartnersAreInScratch) {
            return scratch[q * lanes];
          } else {
            return partners(r, q);
          }
        },
        LabelBits{words, lanes});
    for (std::uint64_t step = 0; step < to.steps; ++step) to.of(r, step) = words[step * lanes];
  }

 private:
  /// The labels as the data have them.
  KOKKOS_FUNCTION void fill(std::uint32_t* words, std::uint32_t lanes) const {
    for (std::uint64_t step = 0; step < to.steps; ++step) {
      std::uint32_t word = 0;
      for (std::uint64_t bit = 0; bit < 32 && 32 * step + bit < n; ++bit) {
        word |= static_cast<std::uint32_t>(design(32 * step + bit) != 0) << bit;
      }
      words[step * lanes] = word;
    }
  }
};

/// How DrawLabels is launched.
struct LabelLeague {
  int threads = 0;
  std::size_t scratch_bytes = 0;
  bool partners_are_in_scratch = false;

  /// Threads are 0 where not even the labels fit.
  static LabelLeague of(std::uint64_t n, std::uint64_t swaps) {
    std::size_t const words = (n + 31) / 32 * sizeof(std::uint32_t);
    std::size_t const partners = swaps * sizeof(std::uint16_t);
    auto const bytes = [](std::size_t each, int threads) {
      return each * static_cast<std::size_t>(threads) + 32;
    };
    constexpr int most = 128;
    // With fewer threads for the partners' sake too few would run at a time.
    if (n <= 0xFFFF && bytes(words + partners, most) <= max_scratch_bytes) {
      return {most, bytes(words + partners, most), true};
    }
    for (int threads = most; threads >= backend::width; threads /= 2) {
      if (bytes(words, threads) <= max_scratch_bytes)
        return {threads, bytes(words, threads), false};
    }
    return {};
  }
};

}  // namespace riffle::detail::variables
