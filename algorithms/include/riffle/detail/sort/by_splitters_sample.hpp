#pragma once

// Splitters, from a sample that a team sorts.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/sort/by_splitters_level.hpp>
#include <riffle/detail/team_sort/entries.hpp>
#include <riffle/detail/team_sort/run.hpp>
#include <riffle/philox.hpp>

namespace riffle::detail::sort::by_splitters {

/// Elements drawn at random, some maybe twice.
template <class Source>
struct RandomElements {
  Source source;
  std::uint64_t seed;
  Index begin;
  Index size;
  int drawn;

  KOKKOS_FUNCTION std::size_t extent(int) const { return static_cast<std::size_t>(drawn); }
  KOKKOS_FUNCTION auto operator()(int i) const {
    std::uint64_t const random = Philox4x32(seed)({static_cast<std::uint32_t>(i), 0, begin, 0})[0];
    return source(begin + (random * size >> 32));
  }
};

/// `size` elements from `begin` on, as a View is.
template <class Target, class T>
struct Part {
  using non_const_value_type = T;

  Target target;
  std::uint64_t begin;
  std::size_t size;

  KOKKOS_FUNCTION std::size_t extent(int) const { return size; }
  KOKKOS_FUNCTION T& operator()(int i) const {
    return target(begin + static_cast<std::uint64_t>(i));
  }
};

/// An array, called as a View is.
template <class T>
struct Items {
  T* data;

  KOKKOS_FUNCTION T& operator()(std::uint64_t i) const { return data[i]; }
};

/// Draws, sorts, and chooses splitters. By all threads of a team, of which scratch memory sorts the sample.
template <class T, class Order, class Member, class Source>
KOKKOS_FUNCTION void make_splitters(Member const& team, RandomElements<Source> const& drawn,
                                    T* sample, RadixWord<T>* words, int depth) {
  using Entries = team_sort::NumberEntries<T, Order>;
  int const count = 1 << depth;
  // And the last word, which all read and none needs.
  if (team.team_rank() == 0) words[0] = words[2 * count - 1] = 0;
  Part<Items<T>, T> const sorted{{sample}, 0, drawn.extent(0)};
  team_sort::sort_numbers_by_lanes(team, Entries{}, drawn, sorted);
  auto const splitter = [&](int i) {
    return Entries::entry(sorted((i + 1) * (drawn.drawn / count)), 0);
  };
  for (int i = team.team_rank(); i + 1 < count; i += team.team_size()) {
    words[count + i] = splitter(i);
    words[i + 1] = splitter(Splitters<RadixWord<T>>::index_at(i + 1, depth));
    if (i > 0 && splitter(i - 1) == splitter(i)) words[0] = 1;
  }
}

template <class T>
constexpr std::size_t sample_scratch_bytes(int size) {
  return team_sort::scratch_bytes<RadixWord<T>>(static_cast<std::size_t>(size));
}

/// Of all keys; one team. Also clears what later passes add to.
template <class Order, class Keys>
struct SampleKeys {
  using T = typename Keys::non_const_value_type;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 1;

  Keys keys;
  Arrays<T> arrays;

  std::size_t scratch_bytes() const { return sample_scratch_bytes<T>(sample_size); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    arrays.sizes[team.team_rank()] = 0;
    if (team.team_rank() == 0) *arrays.oddities = *arrays.crowded_count = 0;
    std::uint64_t const n = keys.extent(0);
    make_splitters<T, Order>(team,
                             RandomElements<Keys>{keys, n, 0, static_cast<Index>(n), sample_size},
                             arrays.sample, arrays.splitters, bucket_depth);
  }
};

/// Of each bucket that is to be sorted; a team each.
template <class Order, class T>
struct SampleBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 2;

  Arrays<T> arrays;
  std::uint64_t seed;
  int drawn;

  std::size_t scratch_bytes() const { return sample_scratch_bytes<T>(drawn); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank();
    Index const begin = arrays.begins[bucket];
    Index const size = arrays.begins[bucket + 1] - begin;
    if (size == 0 || arrays.bucket_splitters().has_ties_only(bucket)) return;
    make_splitters<T, Order>(team,
                             RandomElements<Items<T>>{{arrays.elements}, seed, begin, size, drawn},
                             arrays.sample + bucket * drawn,
                             arrays.part_splitters + static_cast<std::size_t>(bucket) *
                                                         (std::size_t{2} << arrays.part_depth),
                             arrays.part_depth);
  }
};

}  // namespace riffle::detail::sort::by_splitters
