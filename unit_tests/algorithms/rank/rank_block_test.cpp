// Blocks of consecutive elements on a CPU: the starts, ends and numbers of their runs, as vectors find them; and ranks
// that are written past the caches.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/detail/cpu/run_block.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/type_names.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_block_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// The start and the end of each element's run.
struct Bounds {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint64_t> ends;

  bool operator==(Bounds const&) const = default;
};

template <class T>
Bounds expected_bounds(std::vector<T> const& data) {
  std::size_t const n = data.size();
  Bounds bounds{std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n)};
  auto const is_tied = [&](std::size_t i) {
    bool const are_nan = data[i] != data[i] && data[i - 1] != data[i - 1];
    return data[i] == data[i - 1] || are_nan;
  };
  for (std::size_t i = 0; i < n; ++i) {
    bounds.starts[i] = i > 0 && is_tied(i) ? bounds.starts[i - 1] : i;
  }
  for (std::size_t i = n; i-- > 0;) {
    bounds.ends[i] = i + 1 < n && is_tied(i + 1) ? bounds.ends[i + 1] : i + 1;
  }
  return bounds;
}

/// Finds the bounds in a block, with the Words that it is called with.
template <class Block, class Index>
struct FindBounds {
  Block& block;
  Index start;
  Index end;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    block.template find_starts<Words>(start);
    block.template find_ends<Words>(end);
  }
};

struct Narrow {
  static void call(auto const& body) { backend::call_with_narrow_words(body); }
};
struct Widest {
  static void call(auto const& body) { backend::call_with_words(body); }
};

/// The bounds of all elements, found by blocks of `size`.
template <class Index, class Caller, class T>
Bounds bounds_by_blocks(std::vector<T> const& data, std::size_t size) {
  auto const view = to_view<Host>(data);
  using Source = detail::ViewSource<std::decay_t<decltype(view)>>;
  using Block = detail::rank::RunBlock<Source, Ascending, Index>;
  Source const source(view);
  Ascending const order;
  Block block(source, order, data.size());
  auto const expected = expected_bounds(data);
  Bounds found;
  for (std::size_t first = 0; first < data.size(); first += size) {
    std::size_t const count = std::min(size, data.size() - first);
    block.read(first, count);
    Caller::call(FindBounds<Block, Index>{block, static_cast<Index>(expected.starts[first]),
                                          static_cast<Index>(expected.ends[first + count - 1])});
    for (std::size_t k = 0; k < count; ++k) {
      found.starts.push_back(static_cast<std::uint64_t>(block.start(k)));
      found.ends.push_back(static_cast<std::uint64_t>(block.end(k)));
    }
  }
  return found;
}

/// The number of runs of a block that begin at or before each element; and their total, by two functions.
struct Runs {
  std::vector<std::uint32_t> numbers;
  std::uint32_t counted = 0;
  std::uint32_t numbered = 0;

  bool operator==(Runs const&) const = default;
};

template <class Block>
struct NumberRuns {
  Block& block;
  Runs& runs;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    runs.counted = block.template count_runs<Words>();
    runs.numbered = block.template number_runs<Words>();
  }
};

template <class T>
std::vector<Runs> expected_runs(std::vector<T> const& data, std::size_t size) {
  auto const starts = expected_bounds(data).starts;
  std::vector<Runs> blocks;
  for (std::size_t first = 0; first < data.size(); first += size) {
    Runs runs;
    for (std::size_t i = first; i < std::min(first + size, data.size()); ++i) {
      runs.counted += i > 0 && starts[i] == i ? 1u : 0u;
      runs.numbers.push_back(runs.counted);
    }
    runs.numbered = runs.counted;
    blocks.push_back(runs);
  }
  return blocks;
}

template <class Caller, class T>
std::vector<Runs> runs_by_blocks(std::vector<T> const& data, std::size_t size) {
  auto const view = to_view<Host>(data);
  using Source = detail::ViewSource<std::decay_t<decltype(view)>>;
  using Block = detail::rank::RunBlock<Source, Ascending, std::int64_t>;
  Source const source(view);
  Ascending const order;
  Block block(source, order, data.size());
  std::vector<Runs> blocks;
  for (std::size_t first = 0; first < data.size(); first += size) {
    Runs runs;
    block.read(first, std::min(size, data.size() - first));
    Caller::call(NumberRuns<Block>{block, runs});
    for (std::size_t k = 0; k < block.count(); ++k) runs.numbers.push_back(block.runs(k));
    blocks.push_back(runs);
  }
  return blocks;
}

template <class T>
void expect_bounds(std::vector<T> const& data) {
  auto const expected = expected_bounds(data);
  for (std::size_t const size : {1, 2, 15, 16, 17, 100, 1023, 1024}) {
    SCOPED_TRACE(size);
    EXPECT_TRUE((bounds_by_blocks<std::int32_t, Narrow>(data, size)) == expected);
    EXPECT_TRUE((bounds_by_blocks<std::int32_t, Widest>(data, size)) == expected);
    EXPECT_TRUE((bounds_by_blocks<std::int64_t, Widest>(data, size)) == expected);
    EXPECT_TRUE(runs_by_blocks<Narrow>(data, size) == expected_runs(data, size));
    EXPECT_TRUE(runs_by_blocks<Widest>(data, size) == expected_runs(data, size));
  }
}

/// Sorted numbers from `least` on; each is equal to the one before with probability `recurring`.
template <class T>
std::vector<T> ascending(std::size_t n, double recurring, T least) {
  std::mt19937 generator(3);
  std::bernoulli_distribution recurs(recurring);
  std::vector<T> data(n, least);
  for (std::size_t i = 1; i < n; ++i) {
    data[i] = static_cast<T>(data[i - 1] + static_cast<T>(recurs(generator) ? 0 : 1));
  }
  return data;
}

template <class T>
class RankBlock : public ::testing::Test {};
using Values = ::testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, short>;
TYPED_TEST_SUITE(RankBlock, Values, TypeNames);

TYPED_TEST(RankBlock, FindsRuns) {
  for (std::size_t const n : {1, 2, 16, 17, 33, 1024, 2500}) {
    for (double const recurring : {0.0, 0.5, 0.95, 1.0}) {
      expect_bounds(ascending<TypeParam>(n, recurring, TypeParam(1)));
    }
  }
}

// Zeros of both signs tie, and all NaNs tie. There are few elements of each kind, so that many blocks have two kinds.
template <class T>
class RankBlockOfFloats : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RankBlockOfFloats, Floats, TypeNames);

TYPED_TEST(RankBlockOfFloats, ZerosAndNaNsTie) {
  using T = TypeParam;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t const zeros : {1, 2, 40}) {
    for (std::size_t const nans : {0, 1, 2, 40}) {
      auto data = ascending<T>(50, 0.5, T(-100));
      for (std::size_t k = 0; k < zeros; ++k) data.push_back(k % 2 == 0 ? -T(0) : T(0));
      for (int k = 1; k < 50; ++k) data.push_back(static_cast<T>(k / 2 + 1));
      for (std::size_t k = 0; k < nans; ++k) data.push_back(k % 3 == 0 ? -nan : nan);
      expect_bounds(data);
      data.insert(data.begin(), 3, nan);
      expect_bounds(data);
    }
  }
}

// More ranks than the caches hold: they are written past the caches.
TEST(RanksWrittenPastTheCaches, AreTheSame) {
  std::size_t const n = backend::last_level_cache() / 2 / sizeof(std::int32_t) + 1027;
  if (n > std::size_t{1} << 27) GTEST_SKIP() << "a cache of " << backend::last_level_cache();
  Kokkos::View<float*, Host> const sorted("sorted", n);
  Kokkos::View<std::int32_t*, Host> const ranks("ranks", n + 1);
  Kokkos::View<std::int32_t*, Host> const dense_ranks("dense ranks", n + 1);
  // By their addresses: a View's operator takes half a minute without optimization.
  float* const data = sorted.data();
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i / 7);
  for (std::size_t const shift : {0, 1}) {
    auto const out = Kokkos::subview(ranks, Kokkos::make_pair(shift, shift + n));
    auto const dense = Kokkos::subview(dense_ranks, Kokkos::make_pair(shift, shift + n));
    riffle::rank(Host(), sorted, out);
    riffle::rank(Host(), sorted, dense, ties::Dense{});
    Host().fence();
    std::int32_t const* const found = out.data();
    std::int32_t const* const found_dense = dense.data();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      auto const run = static_cast<std::int32_t>(i / 7);
      wrong += found[i] != 7 * run + 1 || found_dense[i] != run + 1 ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace riffle::test::rank_block_test
