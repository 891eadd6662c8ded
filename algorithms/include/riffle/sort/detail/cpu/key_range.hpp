#pragma once

// The lowest and the highest key, and whether keys are sorted already (part of
// riffle/sort/detail/cpu/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The lowest key and the highest.
template <class Item>
struct FindRange {
  using Word = typename Item::Word;
  using Reducer = Kokkos::MinMax<Word>;

  Item const* items;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, typename Reducer::value_type& range) const {
    KOKKOS_IF_ON_HOST((include(items[i].key(), range);))
    KOKKOS_IF_ON_DEVICE(((void)i; (void)range;))
  }

 private:
  static void include(Word word, typename Reducer::value_type& range) {
    range.min_val = std::min(range.min_val, word);
    range.max_val = std::max(range.max_val, word);
  }
};

/// The number of chunks that do not ascend, or begin with less than what is before them. Most such chunks are read only
/// in small part.
template <class Source>
struct CountDescents {
  Source source;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk,
                                  [[maybe_unused]] std::uint64_t& count) const {
    KOKKOS_IF_ON_HOST(
        (count += source.descends(chunks.begin(chunk), chunks.begin(chunk + 1)) ? 1 : 0;))
  }
};

/// Whether n > 0 elements are known to be sorted. Few elements are not looked at. Waits.
template <class Exec, class Source>
bool are_known_as_sorted(Context<Exec> const& context, std::uint64_t n, Source const& source) {
  if (n < looked_at_from) return false;
  using Elements = ItemSource<typename Source::Item, std::uint64_t>;
  Chunks const chunks{n, n / split_chunk_size};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::descents", range(context.exec(), 0, chunks.count),
                          CountDescents<Elements>{Elements(source), chunks}, count);
  return count == 0;
}

}  // namespace riffle::detail::sort
