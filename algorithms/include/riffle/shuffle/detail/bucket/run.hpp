#pragma once

// BucketShuffle, on the back end of the caller's instance.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/shuffle/detail/bucket/cpu/passes.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/launch_passes.hpp>

namespace riffle::detail::bucket_shuffle {

/// The bytes of a workspace's buffer for n >= min_split elements of T.
template <class T, class Exec>
std::size_t bytes(Exec const& exec, std::uint64_t n) {
  if constexpr (lanes::is_cpu<Exec>) {
    return bytes_on_cpu<T>(exec, n);
  } else {
    return bytes_on_gpu<T>(exec, n, levels(n));
  }
}

/// out(i) = source(sigma(i)) for i < n = out.extent(0), n >= min_split. `in_place`: source reads out
/// itself.
template <class Exec, class Source, class Out>
void permute(Context<Exec> const& context, std::uint64_t n, Source const& source, Out const& out,
             std::uint64_t seed, bool in_place) {
  if constexpr (lanes::is_cpu<Exec>) {
    permute_on_cpu(context, n, source, out, seed, in_place);
  } else {
    permute_on_gpu(context, n, levels(n), source, out, seed, in_place);
  }
}

}  // namespace riffle::detail::bucket_shuffle
