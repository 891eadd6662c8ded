#pragma once

// NaNs behind the numbers, in the order that a stable sort leaves, where a sort by bits has left those of one sign before
// all numbers and those of the other behind. Nobody waits for whether there are any: two kernels are launched which, where
// there are none, or none but such as are alike and behind the numbers, have nothing to do.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/team_sum.hpp>

namespace riffle::detail::sort {

/// What the first kernel finds: `front` NaNs, and then so many numbers. Where it is settled, all are in their places.
struct NaNEnds {
  std::uint64_t front;
  std::uint64_t numbers;
  bool is_settled;
};

/// What the kernels read and write: `in` as it was, and `sorted` by bits. A team has a chunk of either.
template <class In, class T>
struct NaNArrays {
  In in;
  T* sorted;
  std::uint64_t n;
  std::uint64_t chunk;
  T* spare;               // room for the numbers
  std::uint64_t* counts;  // of NaNs, for each chunk of `in`
  NaNEnds* ends;
};

/// One team's part of the work.
template <class In, class T>
struct NaNKernel {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 4;
  using Sums = std::uint64_t[threads / backend::width];
  static constexpr std::size_t scratch_bytes = team_state_bytes<Sums>;

  NaNArrays<In, T> arrays;

 protected:
  /// The indices of the team's chunk below `end`, in an order in which lanes read neighbours.
  template <class Member, class F>
  KOKKOS_FUNCTION void for_each_of_chunk(Member const& team, std::uint64_t end, F const& f) const {
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * arrays.chunk;
    end = Kokkos::min(end, begin + arrays.chunk);
    for (std::uint64_t i = begin + static_cast<std::uint64_t>(team.team_rank()); i < end;
         i += threads) {
      f(i);
    }
  }

  /// The sum of what the team's threads have; `before` becomes that of the threads before this one.
  template <class Member>
  KOKKOS_FUNCTION static std::uint64_t team_sum(Member const& team, Sums& sums, std::uint64_t value,
                                                std::uint64_t& before) {
    std::uint64_t total = 0;
    team.team_barrier();
    before = exclusive_team_sum(team, &sums[0], value, total);
    return total;
  }
};

/// Finds where NaNs are in what is sorted. If they are to be moved, counts them in each chunk of the input, and copies
/// the numbers.
template <class In, class T>
struct FindNaNs : NaNKernel<In, T> {
  using Base = NaNKernel<In, T>;
  using Base::arrays;
  using typename Base::Sums;

  explicit FindNaNs(NaNArrays<In, T> const& arrays_) : Base{arrays_} {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& sums = team_state<Sums>(team);
    NaNEnds const ends = has_any() ? find_ends(team, sums) : NaNEnds{0, arrays.n, true};
    if (team.league_rank() == 0 && team.team_rank() == 0) *arrays.ends = ends;
    if (ends.is_settled) return;
    if (ends.front > 0) {
      this->for_each_of_chunk(team, ends.numbers, [&](std::uint64_t i) {
        arrays.spare[i] = arrays.sorted[ends.front + i];
      });
    }
    std::uint64_t own = 0;
    this->for_each_of_chunk(team, arrays.n, [&](std::uint64_t i) {
      if (detail::is_nan(arrays.in(i))) ++own;
    });
    std::uint64_t before = 0;
    std::uint64_t const count = this->team_sum(team, sums, own, before);
    if (team.team_rank() == 0) arrays.counts[team.league_rank()] = count;
  }

 private:
  KOKKOS_FUNCTION bool is_nan_at(std::uint64_t i) const { return detail::is_nan(arrays.sorted[i]); }
  KOKKOS_FUNCTION bool has_any() const { return is_nan_at(0) || is_nan_at(arrays.n - 1); }

  template <class Member>
  KOKKOS_FUNCTION NaNEnds find_ends(Member const& team, Sums& sums) const {
    std::uint64_t const front =
        first_where(team, sums, arrays.n, [&](std::uint64_t i) { return !is_in_front(i); });
    std::uint64_t const back = first_where(
        team, sums, arrays.n, [&](std::uint64_t i) { return i >= front && is_nan_at(i); });
    // Those behind are sorted by their bits.
    bool const is_front_settled = front == 0 || front == arrays.n;
    std::uint64_t const first = front == arrays.n ? 0 : back;
    return {front, back - front, is_front_settled && are_alike(first)};
  }

  /// NaNs of the other sign are behind the numbers.
  KOKKOS_FUNCTION bool is_in_front(std::uint64_t i) const {
    constexpr int sign_bit = 8 * sizeof(T) - 1;
    return is_nan_at(0) && is_nan_at(i) && bits(i) >> sign_bit == bits(0) >> sign_bit;
  }

  KOKKOS_FUNCTION auto bits(std::uint64_t i) const {
    return Kokkos::bit_cast<RadixWord<T>>(arrays.sorted[i]);
  }
  /// Whether all NaNs from `first` on have the same bits, if there are any.
  KOKKOS_FUNCTION bool are_alike(std::uint64_t first) const {
    return first == arrays.n || bits(first) == bits(arrays.n - 1);
  }

  /// The first i < end at which is(i), or `end`; is(i) implies is(i + 1). The team tests many places at a time.
  template <class Member, class Is>
  KOKKOS_FUNCTION std::uint64_t first_where(Member const& team, Sums& sums, std::uint64_t end,
                                            Is const& is) const {
    std::uint64_t begin = 0;
    while (begin < end) {
      std::uint64_t const step = (end - begin + Base::threads - 1) / Base::threads;
      std::uint64_t const own = begin + static_cast<std::uint64_t>(team.team_rank()) * step;
      std::uint64_t before = 0;
      std::uint64_t const failed =
          this->team_sum(team, sums, own < end && !is(own) ? 1 : 0, before);
      if (failed == 0) return begin;
      end = Kokkos::min(end, begin + failed * step);
      begin += (failed - 1) * step + 1;
    }
    return begin;
  }
};

/// Moves the numbers to the front, and writes the NaNs of the input behind them, if they are not in their places.
template <class In, class T>
struct PlaceNaNs : NaNKernel<In, T> {
  using Base = NaNKernel<In, T>;
  using Base::arrays;
  using typename Base::Sums;

  explicit PlaceNaNs(NaNArrays<In, T> const& arrays_) : Base{arrays_} {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    NaNEnds const ends = *arrays.ends;
    if (ends.is_settled) return;
    auto& sums = team_state<Sums>(team);
    if (ends.front > 0) {
      this->for_each_of_chunk(team, ends.numbers,
                              [&](std::uint64_t i) { arrays.sorted[i] = arrays.spare[i]; });
    }
    place(team, sums, ends.numbers + nans_before(team, sums));
  }

 private:
  /// The NaNs of the chunks before the team's.
  template <class Member>
  KOKKOS_FUNCTION std::uint64_t nans_before(Member const& team, Sums& sums) const {
    std::uint64_t own = 0;
    for (int c = team.team_rank(); c < team.league_rank(); c += Base::threads) {
      own += arrays.counts[c];
    }
    std::uint64_t before = 0;
    return this->team_sum(team, sums, own, before);
  }

  /// Writes the NaNs of the chunk from `to` on. Each thread has neighbours, so that they stay in order.
  template <class Member>
  KOKKOS_FUNCTION void place(Member const& team, Sums& sums, std::uint64_t to) const {
    std::uint64_t const share = (arrays.chunk + Base::threads - 1) / Base::threads;
    std::uint64_t const chunk = static_cast<std::uint64_t>(team.league_rank()) * arrays.chunk;
    std::uint64_t const chunk_end = Kokkos::min(arrays.n, chunk + arrays.chunk);
    std::uint64_t const begin =
        Kokkos::min(chunk_end, chunk + static_cast<std::uint64_t>(team.team_rank()) * share);
    std::uint64_t const end = Kokkos::min(chunk_end, begin + share);
    std::uint64_t own = 0;
    for (std::uint64_t i = begin; i < end; ++i) own += detail::is_nan(arrays.in(i)) ? 1 : 0;
    std::uint64_t before = 0;
    this->team_sum(team, sums, own, before);
    to += before;
    for (std::uint64_t i = begin; i < end; ++i) {
      if (detail::is_nan(arrays.in(i))) arrays.sorted[to++] = arrays.in(i);
    }
  }
};

/// The chunks that n numbers are cut into: few, so that a team sees at once that it has nothing to do.
inline std::uint64_t nan_chunks(std::uint64_t n) {
  constexpr std::uint64_t fewest = 2048;
  constexpr std::uint64_t most_chunks = 512;
  return std::min(most_chunks, (n + fewest - 1) / fewest);
}

/// What settle_nans takes of memory.
struct NaNMemory {
  std::uint64_t* counts;
  NaNEnds* ends;

  NaNMemory(std::uint64_t n, ArrayMemory& memory)
      : counts(memory.take<std::uint64_t>(nan_chunks(n))), ends(memory.take<NaNEnds>(1)) {}
};

/// Settles the NaNs of the n > 0 numbers of `in`, which `sorted` has sorted by their bits. `spare` has room for n.
template <class Exec, class In, class T>
void settle_nans(Context<Exec> const& context, In const& in, T* sorted, T* spare,
                 NaNMemory const& memory) {
  std::uint64_t const n = in.extent(0);
  std::uint64_t const chunks = nan_chunks(n);
  std::uint64_t const chunk = (n + chunks - 1) / chunks;
  NaNArrays<In, T> const arrays{in, sorted, n, chunk, spare, memory.counts, memory.ends};
  launch_teams(context.named("find_nans"), chunks, FindNaNs<In, T>(arrays));
  launch_teams(context.named("place_nans"), chunks, PlaceNaNs<In, T>(arrays));
}

}  // namespace riffle::detail::sort
