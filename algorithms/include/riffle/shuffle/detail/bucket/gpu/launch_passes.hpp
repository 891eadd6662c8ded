#pragma once

// BucketShuffle by Kokkos's teams.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle/detail/bucket/gpu/passes_gpu.hpp>
#include <riffle/shuffle/detail/bucket/gpu/plan.hpp>

namespace riffle::detail::bucket_shuffle {

template <class T, class Exec>
using Elements =
    Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// scan(counts, size), as passes have counts scanned. The context outlives it.
template <class Index, class Exec>
auto count_scans_of(Context<Exec> const& context) {
  return [&context](Index* counts, std::uint64_t size) {
    Elements<Index, Exec> const view(counts, size);
    exclusive_scan(context.named("scan"), view, view, Sum<Index>{}, Index{0});
  };
}

template <bool InPlace, class Index, class Exec, class Source, class Out>
void permute_by_teams(Context<Exec> const& context, std::uint64_t n, int depth,
                      Source const& source, Out const& out, std::uint64_t seed) {
  using T = typename Out::non_const_value_type;
  GpuPlan<T, Index> const plan(n, depth, backend::processors(context.exec()));
  Scope scope(context);
  void* const buffer = scope.template take<std::byte>(plan.bytes());
  auto const launch = launches_of(context);
  auto const scan = count_scans_of<Index>(context);
  GpuPasses<Elements<T, Exec>, Index, decltype(launch), decltype(scan)> const passes(
      plan, buffer, n, seed, launch, scan);
  passes.template run<InPlace>(source, out);
}

// Counts add up to n, which must fit too.
inline bool has_narrow_index(std::uint64_t n) { return n < std::uint64_t{1} << 32; }

template <class T, class Exec>
std::size_t bytes_on_gpu(Exec const& exec, std::uint64_t n, int depth) {
  return has_narrow_index(n)
             ? GpuPlan<T, std::uint32_t>(n, depth, backend::processors(exec)).bytes()
             : GpuPlan<T, std::uint64_t>(n, depth, backend::processors(exec)).bytes();
}

/// out(i) = source(sigma(i)) for i < n, by `depth` > 0 levels. InPlace: source reads out itself.
template <bool InPlace, class Exec, class Source, class Out>
void permute_on_gpu(Context<Exec> const& context, std::uint64_t n, int depth, Source const& source,
                    Out const& out, std::uint64_t seed) {
  if (has_narrow_index(n)) {
    permute_by_teams<InPlace, std::uint32_t>(context, n, depth, source, out, seed);
  } else {
    permute_by_teams<InPlace, std::uint64_t>(context, n, depth, source, out, seed);
  }
}

/// The depth of a tree whose rows are gathered without stored indices, where a leaf's elements are counted in 32 bits.
inline constexpr int depth_of_gather = 1;

template <class Exec>
GpuPlan<void, std::uint32_t> plan_of_gather(Exec const& exec, std::uint64_t n) {
  return {n, depth_of_gather, backend::processors(exec)};
}

/// Copies the rows i < n from those at sigma(i), below one level: copies is a pack of RowCopy whose rows are not in parts.
template <class Exec, class Copies>
void gather_on_gpu(Context<Exec> const& context, std::uint64_t n, Copies const& copies,
                   std::uint64_t seed) {
  auto const plan = plan_of_gather(context.exec(), n);
  Scope scope(context);
  void* const buffer = scope.template take<std::byte>(plan.bytes());
  gather_below_one_level(plan, buffer, seed, copies, launches_of(context),
                         count_scans_of<std::uint32_t>(context));
}

}  // namespace riffle::detail::bucket_shuffle
