#pragma once

// Sorts by the threads of one team, in its scratch memory.
//
// On a GPU: the bitonic network of [1], whose accesses to scratch memory are a function of n alone, and among which
// there is no bank conflict: so every input takes the same time. A thread holds 32 numbers of 4 bytes, or 16 of 8
// bytes, in registers and does up to five stages of the network at once.
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
#include <riffle/sort/block/sort_block.hpp>

namespace riffle {

/// The bytes of scratch memory per team that a policy reserves for any number of team_sort calls, one after the other,
/// of up to n keys of type T; 0 where n is 0. They are of level 0, or, on a CPU alone, of level 1 where level 0, whose
/// size TeamPolicy::scratch_size_max(0) tells, is too small. Scratch memory that the kernel takes itself comes on top.
/// About 33/32 of the keys' own bytes for numbers of up to 4 bytes (counted as 4), 17/16 for those of 8, where n is a
/// multiple of 1024 or of 512; where the caller gives a comparison, each key takes 4 bytes more, rounded up to 8.
template <class T, class Comparison = Ascending>
KOKKOS_FUNCTION constexpr std::size_t team_sort_scratch_bytes(std::size_t n) {
  return detail::team_sort::scratch_bytes<
      typename detail::team_sort::KeyEntries<T, Comparison>::Entry>(n);
}

/// The bytes of scratch memory for team_sort_by_key: 8.5 bytes an element for keys that are numbers of up to 4 bytes
/// and values of up to 8. Larger values come on top.
template <class Key, class Value, class Comparison = Ascending>
KOKKOS_FUNCTION constexpr std::size_t team_sort_by_key_scratch_bytes(std::size_t n) {
  using Entry = typename detail::team_sort::PairEntries<Key, Comparison>::Entry;
  return detail::team_sort::scratch_bytes<Entry>(n) +
         detail::team_sort::StagedValues<Entry, Value>::bytes(n);
}

/// The size of a team for n keys of type T: on a GPU a thread for each 32 keys of up to 4 bytes, or 16 larger ones, in
/// full warps, 1024 at most; on a CPU one thread. Other sizes work, too.
template <class Exec, class T>
KOKKOS_FUNCTION constexpr int team_sort_size(std::size_t n) {
  if (backend::is_cpu<Exec>) return 1;
  std::size_t const keys_of_warp =
      static_cast<std::size_t>(backend::width) * (sizeof(T) <= 4 ? 32 : 16);
  std::size_t const warps = n == 0 ? 1 : (n - 1) / keys_of_warp + 1;
  return backend::width * static_cast<int>(warps < 32 ? warps : 32);
}

/// Sorts the n = keys.extent(0) keys of a team: keys(0) <= keys(1) <= ... by `comparison`.
///
/// - team: member of a TeamPolicy with vector length 1 (the default). On a GPU the team has at least 32 threads, and
///   threads beyond the last multiple of 32 take no part; 32 keys of 4 bytes a thread, or 16 larger ones, are enough
///   work for it, and more are taken one after the other. On a CPU the first thread does all the work.
/// - keys: rank-1 View of any layout, in scratch memory, or in global memory that this team alone uses; trivially
///   copyable. A tile of global memory is best sorted where it is: it is read once and written once, coalesced.
/// - comparison: Ascending (the default) or Descending for numbers, with -0 before or behind 0 and NaNs last; or a
///   strict weak order comparison(a, b). Keys that tie stay in order, and so do -0 and 0 of types that are not the
///   language's own (half precision). If the comparison gives the same answer whenever it is asked about the same
///   keys, but is not such an order, such as a < b on keys with NaNs, the result is an unspecified permutation of the
///   keys. If its answers change, the keys are unspecified. In either case no memory but the keys' and the team's
///   scratch memory is accessed.
///
/// Returns whether the keys are sorted, the same for all threads. They are as they were where the policy has less than
/// team_sort_scratch_bytes<T, Comparison>(n) bytes of scratch memory left, and on a GPU where the team has less than 32
/// threads or n > 65536. But a GPU can sort up to 2^30 numbers in a numerical order, and with less scratch memory: in
/// blocks of a power of two, at least 1024, or 512 of 8 bytes, for which there is memory; the first stages of merges of
/// blocks then work on the keys where they are.
///
/// Every thread of the team makes the call, none of them inside a nested parallel loop. The call begins and ends with a
/// team barrier. On a GPU: O(n log^2 n) work; 11 passes through scratch memory for 1024 numbers of 4 bytes, without a
/// team barrier, and then 3 passes (2 barriers) for each doubling up to 32768. No bank conflicts for numbers, and for
/// other keys of up to 12 bytes; larger keys conflict, but by n alone. Reproducible: the same bits on every back end
/// and for all sizes of teams.
template <class Member, class Keys, class Comparison = Ascending>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool team_sort(Member const& team, Keys const& keys,
                                                    Comparison const& comparison = {}) {
  using Key = typename Keys::non_const_value_type;
  using Entries = detail::team_sort::KeyEntries<Key, Comparison>;
  return detail::team_sort::sort_keys(team, detail::team_sort::make_entries<Entries>(comparison),
                                      keys, keys);
}

/// Does as team_sort() from one View into another: out(0) <= out(1) <= ... are the keys of `in`.
///
/// - out: View of the type of the keys, as long as `in`, without memory in common; or `in` itself.
///
/// Also returns false, with `out` unharmed, where the Views differ in length.
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

/// Sorts keys as team_sort does and moves values(i) with keys(i). Stable.
///
/// - values: a rank-1 View of any trivially copyable type, as long as keys, and subject to the same conditions.
///
/// Returns false, with both unharmed, for the same reasons, with team_sort_by_key_scratch_bytes, and where the Views
/// differ in length. The keys are sorted with their indices, 16 of them a thread; then each value is gathered once,
/// from where it lies: only these reads depend on the data. One more barrier. All else is as for team_sort.
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
