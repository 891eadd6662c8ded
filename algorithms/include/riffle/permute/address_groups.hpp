#pragma once

// The distribution D_w(p) of a permutation p. It counts the address groups that a scatter along p accesses, and so
// determines the memory traffic of the scatter.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

// --- kernels ---
//
// The array of addresses is divided into address groups of w consecutive addresses, and the array of indices into
// groups of w consecutive indices. For each group of indices, the kernels count the distinct address groups that it
// accesses. There are two ways. For small w, each index is compared with the earlier indices in its group. For larger
// w, teams write stamps: a team has one stamp per address group. When it processes a group of indices, it sets the
// stamp of each address group that the group accesses to a value that identifies the group of indices.
//
//     indices (w = 4)    | 0 5 1 7 | 2 3 6 4 |      groups of indices 0, 1
//     address groups     | 0 1 0 1 | 0 0 1 1 |      D_4 = 2 + 2

/// n indices in groups of w. `divide` divides by w.
template <class View>
struct GroupedIndices {
  GroupedIndices(View const& p, std::uint64_t w) : indices(p), n(p.extent(0)), divide(w) {}

  std::uint64_t width() const { return divide.divisor(); }
  std::uint64_t groups() const { return (n - 1) / width() + 1; }

  View indices;
  std::uint64_t n;
  Divider<std::uint64_t> divide;
};

/// Counts index i, unless an earlier index in the same group of indices is in the same address group.
template <class View>
struct CountByComparison {
  GroupedIndices<View> p;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    auto const index = p.indices(i);
    if (!is_index_below(index, p.n)) return;
    std::uint64_t const base = p.divide.multiple(static_cast<std::uint64_t>(index));
    std::uint64_t const size = Kokkos::min(p.divide.divisor(), p.n - base);
    std::uint64_t const first = p.divide.multiple(i);
    for (std::uint64_t k = i; k > first; --k) {
      if (static_cast<std::uint64_t>(p.indices(k - 1)) - base < size) return;
    }
    ++count;
  }
};

/// Reduction functor for teams. Each team processes several groups of indices, with a team barrier after each. The
/// stamp of group g is g + 1; all stored stamps are initially 0. For each index in group g, the team stores stamp g + 1
/// for the address group that contains the index. If another stamp was stored there before, this is the first access of
/// group g to that address group, and it is counted.
template <class View, class Member>
struct CountByStamps {
  GroupedIndices<View> p;
  std::uint64_t groups;
  std::uint32_t* stamps;

  KOKKOS_FUNCTION void operator()(Member const& team, std::uint64_t& count) const {
    auto const rank = static_cast<std::uint64_t>(team.team_rank());
    auto const threads = static_cast<std::uint64_t>(team.team_size());
    auto const number = static_cast<std::uint64_t>(team.league_rank());
    std::uint64_t const width = p.divide.divisor();
    std::uint32_t* const own = stamps + number * groups;
    for (std::uint64_t group = number; group < groups;
         group += static_cast<std::uint64_t>(team.league_size())) {
      auto const stamp = static_cast<std::uint32_t>(group + 1);
      std::uint64_t const end = Kokkos::min(p.n, (group + 1) * width);
      for (std::uint64_t i = group * width + rank; i < end; i += threads) {
        auto const index = p.indices(i);
        if (!is_index_below(index, p.n)) continue;
        auto* const slot = own + p.divide.quotient(static_cast<std::uint64_t>(index));
        if (exchange(slot, stamp, threads) != stamp) ++count;
      }
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t exchange(std::uint32_t* slot, std::uint32_t stamp,
                                                std::uint64_t threads) {
    if (threads > 1) return Kokkos::atomic_exchange(slot, stamp);
    std::uint32_t const before = *slot;
    *slot = stamp;
    return before;
  }
};

template <class Exec, class View>
std::uint64_t count_by_stamps(Context<Exec> const& context, GroupedIndices<View> const& p) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Kernel = CountByStamps<View, typename Policy::member_type>;
  std::uint64_t const groups = p.groups();
  std::uint64_t const threads = backend::is_cpu<Exec> ? 1 : stamping_threads;
  std::uint64_t const at_once = static_cast<std::uint64_t>(context.exec().concurrency()) / threads;
  // At most w teams, so that there are at most about n stamps in total.
  std::uint64_t const teams = std::min({groups, p.width(), std::max<std::uint64_t>(at_once, 1)});
  Scope scope(context);
  auto* const stamps = take_filled_words<std::uint32_t>(context, teams * groups, 0, scope);
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(
      context.label(), Policy(context.exec(), static_cast<int>(teams), static_cast<int>(threads)),
      Kernel{p, groups, stamps}, count);
  return count;
}

/// Returns the sum, over all groups of indices, of the number of distinct address groups that a group accesses.
/// Requires n > 0. Fences.
template <class Exec, class View>
std::uint64_t count_pairs(Context<Exec> const& context, GroupedIndices<View> const& p) {
  constexpr std::uint64_t max_stamps = std::uint64_t{1} << 31;
  if (p.width() > max_compared<Exec> && p.groups() < max_stamps) return count_by_stamps(context, p);
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, p.n),
                          CountByComparison<View>{p}, count);
  return count;
}

}  // namespace riffle::detail

namespace riffle {

/// Returns D_w(p), the sum over 0 <= j < n/w of |{ p(j w) / w, p(j w + 1) / w, ..., p((j + 1) w - 1) / w }|, with
/// quotients rounded down. That is, for each group of w consecutive indices it counts the distinct groups of w
/// consecutive addresses that the group accesses. n need not be a multiple of w; the last groups may be smaller.
///
/// D_w(p) is at least n/w, as for the identity, and at most n. On the Hierarchical Memory Machine of width w and
/// latency L (riffle/published/offline_permutation/memory_machine.hpp) a scatter along p takes
/// D_w(p) + 2 n/w + 3 L - 3 time units, and a gather along q takes D_w(q) + 2 n/w + 3 L - 3. On a GPU and for values
/// of 4 bytes, cache lines of 128 bytes correspond to w = 32, and sectors to w = 8.
///
/// - exec: an execution space instance, or a Context of one.
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked; values out of range are not counted.
/// - w: at least 1 and less than 2^63.
///
/// Throws std::invalid_argument if w is out of range. Blocking: fences, because it returns a value. Complexity: for
/// w <= 8 on a CPU and w <= 64 on a GPU, each element of p is read up to w times, all but the first time from a cache.
/// For larger w, each element is read once and causes one random write to the stamps of a team, which take 4 n/w bytes.
/// Memory: none for these small w, otherwise at most about 4 n bytes, from the workspace of the Context or allocated by
/// the call. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
std::uint64_t count_address_groups(Exec const& exec, Permutation const& p, std::uint64_t w) {
  detail::Call const context(exec, "riffle::count_address_groups");
  // Printed as a signed number: a value of 2^63 or more was negative before its conversion.
  detail::check(w > 0 && w < std::uint64_t{1} << 63, "count_address_groups",
                "w = ", static_cast<std::int64_t>(w), ": must be at least 1 and less than 2^63");
  std::uint64_t const n = p.extent(0);
  if (n == 0) return 0;
  return detail::count_pairs(context, detail::GroupedIndices<Permutation>(p, std::min(w, n)));
}

RIFFLE_CALL_DIAGNOSTICS(count_address_groups, p<Indices>, w<WholeNumber>)

}  // namespace riffle
