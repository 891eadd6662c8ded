#pragma once

// Sorts by the threads of one team, in its scratch memory.
//
// On a GPU, this is the bitonic network of [1]. Its accesses to scratch memory depend only on n and have no bank
// conflicts, so every input of n numbers takes the same time. A thread holds 32 numbers of 4 bytes, or 16 numbers of 8
// bytes, in registers, and does up to five stages of the network at once.
//
//   using Policy = Kokkos::TeamPolicy<Exec>;
//   Policy policy(exec, rows, riffle::team_sort_size<Exec, float>(n));
//   policy.set_scratch_size(0, Kokkos::PerTeam(riffle::team_sort_scratch_bytes<float>(n)));
//   Kokkos::parallel_for("sort_rows", policy, KOKKOS_LAMBDA(typename Policy::member_type const& team) {
//     auto const row = Kokkos::subview(matrix, team.league_rank(), Kokkos::ALL);
//     if (!riffle::team_sort(team, row)) Kokkos::abort("too little scratch memory");
//   });
//
// [1] K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer Conference (1968).

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/team/sort_by_team.hpp>

namespace riffle {

/// Returns the number of bytes of scratch memory that a team needs to call team_sort with up to n keys of type T. Calls
/// that follow each other use the same bytes. The number is 0 if n is 0, and otherwise
///
/// | keys | bytes, if n is a multiple of 1024 (of 512 for numbers of 8 bytes) |
/// | --- | --- |
/// | numbers of up to 4 bytes | 33/32 * 4 n + 16 |
/// | numbers of 8 bytes | 17/16 * 8 n + 16 |
/// | keys with the caller's comparison | 17/16 * e n + 16 for e <= 16, 9/8 * e n + 16 for e <= 32, otherwise 5/4 * e n + 16 |
///
/// Here e is sizeof(T) + 4, rounded up to a multiple of 8 and of alignof(T).
///
/// The memory has level 0. On a CPU it may have level 1 if level 0 is too small (TeamPolicy::scratch_size_max(0)). Add
/// the scratch memory that the kernel itself takes.
template <class T, class Comparison = Ascending>
KOKKOS_FUNCTION constexpr std::size_t team_sort_scratch_bytes(std::size_t n) {
  return detail::team_sort::scratch_bytes<
      typename detail::team_sort::KeyEntries<T, Comparison>::Entry>(n);
}

/// Returns the number of bytes of scratch memory that a team needs to call team_sort_by_key. If keys are numbers of up
/// to 4 bytes, and values have up to 8 bytes, this is 8.5 bytes per element. Larger values need more.
template <class Key, class Value, class Comparison = Ascending>
KOKKOS_FUNCTION constexpr std::size_t team_sort_by_key_scratch_bytes(std::size_t n) {
  using Entry = typename detail::team_sort::PairEntries<Key, Comparison>::Entry;
  return detail::team_sort::scratch_bytes<Entry>(n) +
         detail::team_sort::StagedValues<Entry, Value>::bytes(n);
}

/// Returns the best team size for n keys of type T. On a GPU it is one thread for each 32 keys of up to 4 bytes, or for
/// each 16 larger keys, rounded up to full warps, but at most 1024. On a CPU it is one thread. Other sizes are valid,
/// too.
template <class Exec, class T>
KOKKOS_FUNCTION constexpr int team_sort_size(std::size_t n) {
  if (backend::is_cpu<Exec>) return 1;
  std::size_t const keys_of_warp =
      static_cast<std::size_t>(backend::width) * (sizeof(T) <= 4 ? 32 : 16);
  std::size_t const warps = n == 0 ? 1 : (n - 1) / keys_of_warp + 1;
  return backend::width * static_cast<int>(warps < 32 ? warps : 32);
}

/// Sorts the n = keys.extent(0) keys of a team, such that keys(0) <= keys(1) <= ... in the order of `comparison`.
/// Returns whether the keys have been sorted; the result is the same in all threads.
///
/// - team: a member of a TeamPolicy with vector length 1 (the default). On a GPU, threads after the last multiple of 32
///   do nothing. The best size is one thread for each 32 keys of up to 4 bytes, or for each 16 larger keys; with fewer
///   threads, a thread processes more keys one after the other. On a CPU the first thread does all the work.
/// - keys: a rank-1 View of trivially copyable keys, with any layout, in scratch memory, or in global memory that only
///   this team accesses. A tile of global memory is best sorted in place: it is read once and written once, with
///   coalesced accesses.
/// - comparison: Ascending (the default) or Descending for numbers, where NaNs are last and -0 is before or after 0; or
///   a strict weak ordering comparison(a, b). Tied keys keep their order. So do -0 and 0 of types that are not built
///   into the language, such as half precision.
///
/// Requires: every thread of the team calls the function, outside of nested parallel loops. `comparison` is a strict
/// weak ordering. If it is not (for example a < b on keys with NaNs), but returns the same result each time for the
/// same keys, the result is an unspecified permutation of the keys. If its results change, the keys are unspecified. In
/// either case, only the keys and the team's scratch memory are accessed.
///
/// Returns false, and does not change the keys, if the policy has less than team_sort_scratch_bytes<T, Comparison>(n)
/// bytes of scratch memory left; on a GPU also if the team has fewer than 32 threads, or if n > 65536. There is one
/// exception: in a numerical order, a GPU sorts up to 2^30 numbers even with less scratch memory. It then sorts blocks
/// that fit in the scratch memory. The number of elements in a block is a power of two, at least 1024 (512 for numbers
/// of 8 bytes). The first stages of block merges then access the keys in place.
///
/// Complexity: O(n log^2 n) work on a GPU. 1024 numbers of 4 bytes take 11 passes through scratch memory; each
/// doubling, up to 32768 numbers, takes 3 more. There are no bank conflicts for numbers, or for other keys of up to 12
/// bytes. Larger keys have conflicts whose number depends only on n.
///
/// Blocking: begins and ends with a team barrier. On a GPU, the passes for 1024 numbers contain no team barrier, and
/// each doubling adds 2.
///
/// Reproducible: the result is bitwise identical on every back end and for all team sizes.
///
/// Source: Batcher (1968).
template <class Member, class Keys, class Comparison = Ascending>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool team_sort(Member const& team, Keys const& keys,
                                                    Comparison const& comparison = {}) {
  using Key = typename Keys::non_const_value_type;
  using Entries = detail::team_sort::KeyEntries<Key, Comparison>;
  return detail::team_sort::sort_keys(team, detail::team_sort::make_entries<Entries>(comparison),
                                      keys, keys);
}

/// Sorts the keys of one View into another: out(0) <= out(1) <= ... are the keys of `in`. Everything else is as for
/// team_sort.
///
/// - out: a View with the value type of the keys and the extent of `in`. It shares no memory with `in`, or it is `in`
///   itself.
///
/// Returns false, and does not change `out`, for the same reasons as team_sort, and also if the extents differ.
template <class Member, class In, class Out, class Comparison = Ascending>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool team_sort_copy(Member const& team, In const& in,
                                                         Out const& out,
                                                         Comparison const& comparison = {}) {
  using Key = typename Out::non_const_value_type;
  using Entries = detail::team_sort::KeyEntries<Key, Comparison>;
  if (in.extent(0) != out.extent(0)) return false;
  return detail::team_sort::sort_keys(team, detail::team_sort::make_entries<Entries>(comparison),
                                      in, out);
}

/// Sorts keys as team_sort does, and moves values(i) with keys(i). Stable.
///
/// - values: a rank-1 View of any trivially copyable type, with the extent of `keys`. The same conditions apply as for
///   `keys`.
///
/// Returns false, and changes neither View, for the same reasons as team_sort, with team_sort_by_key_scratch_bytes
/// instead of team_sort_scratch_bytes, and also if the extents differ.
///
/// Complexity: the keys are sorted together with their indices, 16 keys per thread. Then each value is read once, at
/// its original index. Only these reads depend on the data.
///
/// Blocking: one team barrier more than team_sort. Everything else is as for team_sort.
template <class Member, class Keys, class Values, class Comparison = Ascending>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool team_sort_by_key(Member const& team, Keys const& keys,
                                                           Values const& values,
                                                           Comparison const& comparison = {}) {
  using Key = typename Keys::non_const_value_type;
  using Entries = detail::team_sort::PairEntries<Key, Comparison>;
  if (keys.extent(0) != values.extent(0)) return false;
  return detail::team_sort::sort_pairs(team, detail::team_sort::make_entries<Entries>(comparison),
                                       keys, values);
}

}  // namespace riffle
