#pragma once

// The BucketShuffle pass on a GPU that permutes the leaves. Teams read a leaf's part of the input at random addresses.
// These reads are fast because the part fits in a cache.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Many small teams permute a leaf together. The leaf's elements fit the L2 cache.
template <class T>
struct ManyTeams {
  static constexpr int threads = threads_of_many_teams;
  static constexpr int teams_per_processor = many_teams_per_processor(sizeof(T));
  static constexpr bool streams = false;

  /// Returns the number of teams for a leaf with an expected size of `size` elements, if a team processes `step`
  /// elements at a time. If the leaf exceeds its expected size by at most four standard deviations (4 sqrt(size)), each
  /// team needs only one step. For a larger leaf, some teams take a second step.
  static std::uint64_t teams_for(double size, std::uint64_t step) {
    double const large = size + 4 * std::sqrt(size);
    return static_cast<std::uint64_t>(large / static_cast<double>(step)) + 1;
  }
};

/// One large team, alone on its multiprocessor, permutes a whole leaf. Most of the leaf stays in the L1 cache, because
/// the team's stores bypass this cache.
template <class T>
struct OneTeam {
  static constexpr int threads = threads_of_one_team;
  static constexpr int teams_per_processor = 1;
  static constexpr bool streams = true;
  static constexpr bool suits_elements = sizeof(T) <= max_element_bytes_of_one_team;

  static bool suits(double size) {
    return size * sizeof(T) <= static_cast<double>(max_leaf_bytes_of_one_team);
  }

  static std::uint64_t teams_for(double, std::uint64_t) { return 1; }
};

/// Sets to(j) = source(begin + F(j - begin)) for each element j of each leaf. `begin` is the index of the leaf's first
/// element, and F is the leaf's bijection.
template <class Source, class To, class Index, template <class T> class Teams>
struct ShuffleLeaves {
  using T = typename To::non_const_value_type;

  static constexpr int threads = Teams<T>::threads;
  static constexpr int teams_per_processor = Teams<T>::teams_per_processor;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr int images_per_thread = images_of_thread;
  static constexpr std::uint64_t step = threads * images_per_thread;

  std::uint64_t n;
  std::uint64_t leaves;
  std::uint64_t teams_per_leaf;
  Index const* starts;  // leaf k begins at starts[k * starts_stride]
  std::uint64_t starts_stride;
  LeafKeys const* keys;
  std::uint64_t seed_of_leaves;
  Source source;
  To to;

  int teams() const { return static_cast<int>(leaves * teams_per_leaf); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const rank = static_cast<std::uint64_t>(team.league_rank());
    std::uint64_t const leaf = rank / teams_per_leaf;
    std::uint64_t const begin = starts[leaf * starts_stride];
    std::uint64_t const end = leaf + 1 == leaves ? n : starts[(leaf + 1) * starts_stride];
    std::uint64_t const first = (rank - leaf * teams_per_leaf) * step;
    shuffle_leaf(leaf, begin, end - begin, first, static_cast<std::uint64_t>(team.team_rank()));
  }

 private:
  KOKKOS_FUNCTION void shuffle_leaf(std::uint64_t leaf, std::uint64_t begin, std::uint64_t size,
                                    std::uint64_t first, std::uint64_t thread) const {
    if (size <= 2) {
      if (first + thread < size) shuffle_few(leaf, begin, size, first + thread);
      return;
    }
    // Leaves have fewer than 2^32 elements, because level_count() keeps them at about 2^22 or fewer.
    shuffle_by(leaf_form<std::uint32_t>(size, keys[leaf]), begin, size, first, thread);
  }

  // FeistelForm needs more than two points.
  KOKKOS_FUNCTION void shuffle_few(std::uint64_t leaf, std::uint64_t begin, std::uint64_t size,
                                   std::uint64_t i) const {
    auto const sigma = bucket_shuffle::leaf(size, seed_of_leaves, leaves * root + leaf);
    to(begin + i) = source.at_random(begin + sigma(i));
  }

  template <class Form>
  KOKKOS_FUNCTION void shuffle_by(Form const& form, std::uint64_t begin, std::uint64_t size,
                                  std::uint64_t first, std::uint64_t thread) const {
    RIFFLE_NO_UNROLL
    for (; first < size; first += teams_per_leaf * step) {
      std::uint64_t points[images_per_thread];
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_thread; ++k) points[k] = place(first, thread, k);
      if (first + step <= size) {
        form.replace_by_images(points);
        move(begin, first, thread, ~std::uint64_t{0}, points);
      } else {
        // Threads beyond the end evaluate the bijection at the last place, and do not write.
        RIFFLE_UNROLL
        for (int k = 0; k < images_per_thread; ++k) points[k] = Kokkos::min(points[k], size - 1);
        form.replace_by_images(points);
        move(begin, first, thread, size, points);
      }
    }
  }

  KOKKOS_FUNCTION static std::uint64_t place(std::uint64_t first, std::uint64_t thread, int k) {
    return first + static_cast<std::uint64_t>(k * threads) + thread;
  }

  KOKKOS_FUNCTION void move(std::uint64_t begin, std::uint64_t first, std::uint64_t thread,
                            std::uint64_t end,
                            std::uint64_t const (&images)[images_per_thread]) const {
    T values[images_per_thread];
    RIFFLE_UNROLL
    for (int k = 0; k < images_per_thread; ++k) values[k] = source.at_random(begin + images[k]);
    RIFFLE_UNROLL
    for (int k = 0; k < images_per_thread; ++k) {
      std::uint64_t const j = place(first, thread, k);
      if (j < end) store(begin + j, values[k]);
    }
  }

  KOKKOS_FUNCTION void store(std::uint64_t j, T const& value) const {
    if constexpr (Teams<T>::streams) {
      backend::store_streaming(&to(j), value);
    } else {
      to(j) = value;
    }
  }
};

}  // namespace riffle::detail::bucket_shuffle
