#pragma once

// The lowest and the highest key, and whether keys are sorted already (part of
// riffle/sort/detail/cpu/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/chunks.hpp>
#include <riffle/primitives/range.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>

namespace riffle::detail::sort {

/// The lowest key and the highest.
template <class Source>
struct FindRange {
  using Word = typename Source::Word;
  using Reducer = Kokkos::MinMax<Word>;

  Source source;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, typename Reducer::value_type& range) const {
    KOKKOS_IF_ON_HOST((include(source.word(i), range);))
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
    KOKKOS_IF_ON_HOST((count += descends(chunk) ? 1 : 0;))
  }

 private:
  bool descends(std::uint64_t chunk) const {
    std::uint64_t const begin = chunks.begin(chunk);
    std::uint64_t const end = chunks.begin(chunk + 1);
    auto before = source.word(begin == 0 ? 0 : begin - 1);
    for (std::uint64_t i = begin; i < end; ++i) {
      auto const word = source.word(i);
      if (word < before) return true;
      before = word;
    }
    return false;
  }
};

/// Whether n > 0 elements are known to be sorted. Few elements are not looked at. Waits.
template <class Exec, class Source>
bool are_known_as_sorted(Context<Exec> const& context, std::uint64_t n, Source const& source) {
  constexpr std::uint64_t fewest = std::uint64_t{1} << 15;
  constexpr std::uint64_t chunk_size = std::uint64_t{1} << 14;
  if (n < fewest) return false;
  Chunks const chunks{n, n / chunk_size};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::descents", range(context.exec(), 0, chunks.count),
                          CountDescents<Source>{source, chunks}, count);
  return count == 0;
}

}  // namespace riffle::detail::sort
