#pragma once

// BucketShuffle, on the back end of the caller's instance.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/rows_of_warp.hpp>
#include <riffle/shuffle/detail/bucket/cpu/passes_cpu.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/launch_passes.hpp>

namespace riffle::detail::bucket_shuffle {

/// The bytes of a workspace's buffer for n >= min_split elements of T.
template <class T, class Exec>
std::size_t bytes(Exec const& exec, std::uint64_t n) {
  if constexpr (backend::is_cpu<Exec>) {
    return bytes_on_cpu<T>(exec, n);
  } else {
    return bytes_on_gpu<T>(exec, n, levels(n));
  }
}

/// out(i) = source(sigma(i)) for i < n = out.extent(0), n >= min_split. InPlace: source reads out itself.
template <bool InPlace, class Exec, class Source, class Out>
void permute(Context<Exec> const& context, std::uint64_t n, Source const& source, Out const& out,
             std::uint64_t seed) {
  if constexpr (backend::is_cpu<Exec>) {
    permute_levels_on_cpu<InPlace>(context, n, levels(n), source, out, seed);
  } else {
    permute_on_gpu<InPlace>(context, n, levels(n), source, out, seed);
  }
}

/// Whether gather_at_once() gathers these rows.
template <class Exec, class Copies>
bool can_gather_at_once(std::uint64_t n, Copies const& copies) {
  if constexpr (backend::is_cpu<Exec>) {
    return false;
  } else {
    return levels(n) == depth_of_gather && are_by_rows(copies);
  }
}

/// The bytes of a workspace's buffer for that.
template <class Exec>
std::size_t bytes_to_gather_at_once(Exec const& exec, std::uint64_t n) {
  if constexpr (backend::is_cpu<Exec>) {
    return 0;
  } else {
    return plan_of_gather(exec, n).bytes();
  }
}

/// Copies the rows i < n, n >= min_split, from those at sigma(i), whose numbers are not stored. copies is a pack of
/// RowCopy, for which can_gather_at_once().
template <class Exec, class Copies>
void gather_at_once(Context<Exec> const& context, std::uint64_t n, Copies const& copies,
                    std::uint64_t seed) {
  if constexpr (!backend::is_cpu<Exec>) gather_on_gpu(context, n, copies, seed);
}

}  // namespace riffle::detail::bucket_shuffle
