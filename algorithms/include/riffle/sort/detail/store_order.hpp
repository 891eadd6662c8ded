#pragma once

// The order of data as indices, in memory of the caller's.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/sort/sorter.hpp>

namespace riffle::detail::sort {

template <class Sorted, class Out>
struct StoreIndices {
  Sorted sorted;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(i) = static_cast<typename Out::value_type>(sorted.index(i));
  }
};

/// The same by buckets of entries.
template <class Out>
struct StoreIndicesOfBucket {
  Out out;

  template <class Item>
  void bucket(std::uint64_t first, Item const* entries, std::uint64_t count, Item*) const {
    using Index = typename Out::value_type;
    for (std::uint64_t k = 0; k < count; ++k)
      out(first + k) = static_cast<Index>(entries[k].index());
  }

  template <class Item>
  void tied(std::uint64_t first, Item const* entries, std::uint64_t count, std::uint64_t,
            std::uint64_t) const {
    bucket(first, entries, count, static_cast<Item*>(nullptr));
  }
};

/// Sets indices(k) to the index of the element that is k-th of n > 0.
template <class Exec, class Sorter, class Out>
void store_order(Context<Exec> const& context, Sorter const& sorter, Out const& indices) {
  if constexpr (Sorter::has_buckets) {
    sorter.run_by_buckets([&](auto& sort, auto const& source) {
      sort.run(source, StoreIndicesOfBucket<Out>{indices});
    });
  } else {
    if (sorter.has_stored_few(indices)) return;
    sorter.template run<true>([&]<class Sorted>(Sorted const& sorted) {
      context.named("indices").for_each(indices.extent(0),
                                        StoreIndices<Sorted, Out>{sorted, indices});
    });
  }
}

}  // namespace riffle::detail::sort
