#pragma once

// A counting sort by all threads of a CPU: they count labels chunk by chunk, a scan of the counts gives each chunk its
// place in each part, and they write.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/chunks.hpp>
#include <riffle/kernel/index_type.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/cpu/by_digits.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::partition {

/// The most labels that are counted: the places where their parts are written to lie in a cache together.
inline constexpr std::uint64_t max_counted_labels = 4096;

/// counts[chunk * parts + k]: how many of a chunk's labels are k.
template <class Labels, class Count>
struct CountLabels {
  Labels labels;
  Chunks chunks;
  std::uint64_t parts;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    Count* const own = counts + chunk * parts;
    std::fill_n(own, parts, Count{0});
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i)
      ++own[static_cast<std::size_t>(labels(i))];
  }
};

/// Sets offsets(k) to where the first chunk begins part k.
template <class Offsets, class Count>
struct StoreOffsets {
  using Offset = typename Offsets::value_type;

  Offsets offsets;
  std::uint64_t n;
  Count const* places;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    offsets(k) = static_cast<Offset>(k + 1 == offsets.extent(0) ? n : places[k]);
  }
};

/// Moves each row to the next place of its chunk in its part.
template <class In, class Labels, class Out, class Count>
struct WriteParts {
  In in;
  Labels labels;
  Out out;
  Chunks chunks;
  std::uint64_t parts;
  Count* places;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((write(chunk);))
  }

 private:
  void write(std::uint64_t chunk) const {
    Count* const own = places + chunk * parts;
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i)
      copy_row(in, i, out, own[static_cast<std::size_t>(labels(i))]++);
  }
};

/// As few chunks as keep all threads busy: each has a count of every label.
inline Chunks chunks_for(std::uint64_t n, std::uint64_t parts, std::uint64_t threads) {
  constexpr std::uint64_t smallest = std::uint64_t{1} << 12;
  std::uint64_t const most = n / std::max(smallest, 4 * parts);
  return {n, std::clamp<std::uint64_t>(most, 1, threads == 1 ? 1 : 4 * threads)};
}

template <class Exec, class In, class Labels, class Out, class Offsets>
void by_counts(Context<Exec> const& context, In const& in, Labels const& labels, Out const& out,
               Offsets const& offsets) {
  std::uint64_t const n = labels.extent(0);
  std::uint64_t const parts = offsets.extent(0) - 1;
  auto const chunks =
      chunks_for(n, parts, static_cast<std::uint64_t>(context.exec().concurrency()));
  with_index_type(n + 1, [&]<class Count>(Count) {
    Scope scope(context);
    auto* const counts = scope.template take<Count>(chunks.count * parts);
    sort::CountsByBucket<Count> const by_part{counts, chunks.count, parts};
    for_each_dynamic(context.named("count"), chunks.count,
                     CountLabels<Labels, Count>{labels, chunks, parts, counts});
    exclusive_scan(context.named("scan"), chunks.count * parts, by_part,
                   sort::PlacesByBucket<Count>{by_part}, Sum<Count>{}, Count{0});
    context.named("offsets").for_each(parts + 1, StoreOffsets<Offsets, Count>{offsets, n, counts});
    for_each_dynamic(context.named("write"), chunks.count,
                     WriteParts<In, Labels, Out, Count>{in, labels, out, chunks, parts, counts});
  });
}

}  // namespace riffle::detail::partition
