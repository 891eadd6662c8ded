#pragma once

// The address groups that the scatter of a permutation meets, or its distribution D_w(P), which says how much work it
// is.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/permute/detail/find_address_groups.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/mistakes.hpp>

namespace riffle {

/// D_w(p) = the sum over j < n/w of |{ p(j w) / w, p(j w + 1) / w, ..., p((j + 1) w - 1) / w }|, quotients rounded
/// down: how many groups of w neighbouring addresses each group of w neighbouring indices is in. n is any number; the
/// last groups may be smaller.
///
/// D_w(p) is at least n/w, which the identity has, and at most n. A scatter along p takes D_w(p) + 2 n/w + 3 L - 3 time
/// units on the Hierarchical Memory Machine, a gather along q the same with D_w(q) (riffle/published/offline_permutation/memory_machine.hpp).
/// On a GPU, the distribution of 4-byte values has w = 32 for cache lines of 128 bytes, and w = 8 for sectors.
///
/// - exec: an execution space instance, or a Context of one, of whose workspace the call takes at most about 4 n bytes,
///   and none where w <= 8; else it allocates and frees through `exec`.
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked; values out of range do not count.
/// - w: at least 1 and less than 2^63, else std::invalid_argument.
///
/// Fences: it returns a value. One read of p, and for each element a write at random to 4 n/w bytes a thread; or, where
/// w <= 8 (on a GPU w <= 64), up to w - 1 reads from cache. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation>
std::uint64_t count_address_groups(Exec const& exec, Permutation const& p, std::uint64_t w) {
  detail::Call const context(exec, "riffle::count_address_groups");
  // Printed as a signed number: a w of 2^63 or more is one that was negative before it was converted.
  detail::check(w > 0 && w < std::uint64_t{1} << 63, "count_address_groups",
                "w = ", static_cast<std::int64_t>(w), ": must be at least 1 and less than 2^63");
  std::uint64_t const n = p.extent(0);
  if (n == 0) return 0;
  std::uint64_t count = 0;
  detail::GroupedIndices<Permutation> const groups(p, std::min(w, n));
  count = detail::count_pairs(context, groups);
  return count;
}

RIFFLE_EXPLAIN_MISTAKES(count_address_groups, p<Indices>, w<WholeNumber>)

}  // namespace riffle
