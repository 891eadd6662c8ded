// The kernels that rank within groups on a GPU if NaNs are excluded, on an emulated GPU. rank_tiles_of_groups_test.cpp
// has all other cases.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/gpu/rank_by_warps.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/lines.hpp"
#include "support/rank_oracle.hpp"
#include "support/segments.hpp"
#include "support/type_names.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_groups_gpu_test {
namespace {

namespace rank = detail::rank;

using Host = Kokkos::DefaultHostExecutionSpace;
using Index = std::uint32_t;

template <class Source, class Order, class Ranker, class Sink>
void rank_by_emulated_gpu(std::size_t n, Source const& source, Order const& order,
                          Ranker const& ranker, Sink const& sink) {
  using Kernel = rank::RankByWarps<rank::TileGroupOfAll, Source, Order, Ranker, Sink,
                                   rank::SearchedBounds<Index>>;
  Kernel const kernel(n, {}, source, order, ranker, sink, {});
  EmulatedGpu(2, n).run(static_cast<int>(kernel.teams()), Kernel::threads, Kernel::scratch_bytes,
                        kernel);
}

template <class Rule>
class RankGroupsOnEmulatedGpu : public ::testing::Test {
 protected:
  /// Finds the first place of each group by one kernel, and the ranks by another.
  void expect_ranks_without_nans(Segments<float> const& segments) {
    std::size_t const n = segments.values.size();
    auto const keys = to_view<Host>(segments.keys());
    auto const sorted = to_view<Host>(segments.values);
    auto const firsts = zeros<Host, Index>(n);
    auto const ranks = zeros<Host, double>(n);
    using Keys = detail::ViewSource<std::decay_t<decltype(keys)>>;
    using Source = detail::ViewSource<std::decay_t<decltype(sorted)>>;
    using Firsts = std::decay_t<decltype(firsts)>;
    using Missing = rank::MissingFlags<Source>;
    Missing const missing{Source(sorted)};
    rank_by_emulated_gpu(n, rank::GroupedSource<Keys, Missing>{Keys(keys), missing},
                         rank::GroupOrValueDiffers<rank::Unequal>{},
                         rank::Ranker<ties::Competition, Index>({}, {0, false}, n, nullptr),
                         detail::ViewSink<Firsts>(firsts));
    using Groups = detail::ViewSource<Firsts>;
    rank_by_emulated_gpu(n, rank::GroupedSource<Groups, Source>{Groups(firsts), Source(sorted)},
                         rank::GroupOrValueDiffers<Ascending>{},
                         rank::RankerInGroups<Rule, double, rank::GroupBoundaries<Index>, Missing>(
                             Rule{}, {1, false}, {firsts.data(), nullptr}, missing),
                         detail::ViewSink<std::decay_t<decltype(ranks)>>(ranks));
    RankOracleOptions const oracle{.excludes_missing = true};
    EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([&](auto const& segment) {
      return rank_oracle(segment, Rule{}, oracle);
    })));
  }
};
using Rules = ::testing::Types<ties::Competition, ties::Fractional>;
TYPED_TEST_SUITE(RankGroupsOnEmulatedGpu, Rules, TypeNames);

TYPED_TEST(RankGroupsOnEmulatedGpu, NaNsExcluded) {
  Segments<float> segments;
  for (std::size_t const size : {1, 2, 3, 127, 129, 1, 1, 2048}) {
    for (std::size_t const missing : {std::size_t{0}, size / 3, size}) {
      auto segment = sorted_lines<float>(1, size, 7)[0];
      std::fill(segment.end() - static_cast<std::ptrdiff_t>(missing), segment.end(),
                std::numeric_limits<float>::quiet_NaN());
      segments.add(segment);
    }
  }
  this->expect_ranks_without_nans(segments);
}

}  // namespace
}  // namespace riffle::test::rank_groups_gpu_test
