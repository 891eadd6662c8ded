// The sort of segments of GPUs on an emulated GPU, compared with the standard library's stable sort of each segment; with comparisons
// that are not strict weak orderings, it keeps all items in their segments.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/sort/detail/gpu/segments_gpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/segment_lengths.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::segments_gpu_test {
namespace {

namespace sort = detail::sort;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Does the steps of sort_segments_on_device, with few teams for the merges.
template <class Segments, class Items, class Before>
void sort_on_emulated_gpu(Segments const& segments, Items const& items, Before const& before) {
  using Item = typename Items::Item;
  detail::ArrayMemory counted;
  sort::take_windows<Item>(counted, segments.n, items.own_memory());
  GuardedView<Host, std::uint64_t> const bytes(counted.used() / 8 + 1);
  detail::ArrayMemory memory(bytes.view().data());
  auto const windows = sort::take_windows<Item>(memory, segments.n, items.own_memory());
  *windows.counts = {};
  for (std::uint64_t w = 0; w <= windows.count(); ++w) {
    sort::FindWindows<Segments, Item>{segments, windows}(w);
  }
  run_on_emulated_gpu(windows.count(),
                      sort::SortWindows<Items, Segments, Before>(items, segments, windows, before));
  run_on_emulated_gpu(3, sort::MergePieces<Items, Before>(items, windows, before));
  (void)bytes.values();
}

template <class T, class Order, class Index>
std::vector<T> sorted_segments(std::vector<T> const& values, std::vector<std::int32_t> offsets,
                               Order const& order, std::vector<Index>* indices) {
  GuardedView<Host, T> const own(values);
  auto const view = own.view();
  using View = std::decay_t<decltype(view)>;
  using Offsets = Kokkos::View<std::int32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  sort::SegmentsByOffset<Offsets> const segments{Offsets(offsets.data(), offsets.size()),
                                                 values.size()};
  using Source = detail::ViewSource<View>;
  {
    GuardedView<Host, Index> const places(std::vector<Index>(values.size()));
    using Sink = detail::ViewSink<std::decay_t<decltype(places.view())>>;
    using Items = sort::SegmentItemsOnGpu<Source, Sink, decltype(segments), Order, Index>;
    sort_on_emulated_gpu(segments, Items{Source(view), Sink(places.view()), segments},
                         Items::before(order));
    *indices = places.values();
  }
  using Sink = detail::ViewSink<View>;
  using Items = sort::SegmentItemsOnGpu<Source, Sink, decltype(segments), Order, void>;
  sort_on_emulated_gpu(segments, Items{Source(view), Sink(view), segments}, Items::before(order));
  return own.values();
}

template <class T, class Order, class Before>
void expect_sorted(std::vector<T> const& values, std::vector<std::int32_t> const& offsets,
                   Order const& order, Before const& is_before) {
  auto const expected = order_of_segments(
      offsets, [&](std::size_t i, std::size_t j) { return is_before(values[i], values[j]); });
  std::vector<std::uint32_t> indices;
  auto const sorted = sorted_segments(values, offsets, order, &indices);
  EXPECT_TRUE(std::equal(indices.begin(), indices.end(), expected.begin(), expected.end()));
  EXPECT_TRUE(are_same_bits(sorted, gathered(values, expected)));
}

TEST(SegmentsOnEmulatedGpu, Integers) {
  auto const expect_all_sorted = [](std::size_t n, std::initializer_list<std::size_t> means) {
    for (std::size_t const mean : means) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", mean length " + std::to_string(mean));
      expect_sorted(random_values<std::int32_t>(n), offsets_of_segments(n, mean), Descending(),
                    std::greater<>());
    }
  };
  for (std::size_t const n : {1, 2, 17, 18, 4079, 4080, 4081, 4352, 8161}) {
    expect_all_sorted(n, {0, 270});
  }
  expect_all_sorted(17'000, {0, 1, 4, 40, 2000});  // up to three rounds of merges
}

/// 20 bytes.
struct Wide {
  std::uint32_t key;
  std::uint32_t rest[4];
};

struct ByWideKey {
  KOKKOS_FUNCTION bool operator()(Wide const& a, Wide const& b) const { return a.key < b.key; }
};

TEST(SegmentsOnEmulatedGpu, ByAnOrderOfTheCaller) {
  std::vector<Wide> values(6000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = {i * 40'503 % 97, {i}};
  for (std::size_t const mean : {0, 5, 500}) {
    expect_sorted(values, offsets_of_segments(values.size(), mean), ByWideKey(), ByWideKey());
  }
}

// Lines of a matrix, whose heads are computed.
TEST(SegmentsOnEmulatedGpu, SegmentsOfOneLength) {
  for (std::size_t const length : {1, 2, 17, 33, 4080, 6000}) {
    std::size_t const n = 12'000 / length * length;
    auto const values = random_values<double>(n);
    std::vector<std::int32_t> offsets;
    for (std::size_t i = 0; i <= n; i += length) offsets.push_back(static_cast<std::int32_t>(i));
    auto const expected = order_of_segments(
        offsets, [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    GuardedView<Host, double> const own(values);
    using View = std::decay_t<decltype(own.view())>;
    using Source = detail::ViewSource<View>;
    using Sink = detail::ViewSink<View>;
    sort::SegmentsOfLength const segments{detail::Divider<std::uint64_t>(length), n};
    using Items = sort::SegmentItemsOnGpu<Source, Sink, sort::SegmentsOfLength, Ascending, void>;
    sort_on_emulated_gpu(segments, Items{Source(own.view()), Sink(own.view()), segments},
                         Items::before(Ascending()));
    EXPECT_TRUE(are_same_bits(own.values(), gathered(values, expected))) << length;
  }
}

TEST(SegmentsOnEmulatedGpu, ComparisonsThatAreNoOrderings) {
  for (std::size_t const n : {300, 5000}) {
    auto const values = fuzzed_records(n);
    for (std::size_t const mean : {std::size_t{0}, n / 10}) {
      auto const offsets = offsets_of_segments(n, mean);
      for (auto const rule : fuzzed_rules) {
        FuzzedComparison const order{rule, 7};
        std::vector<std::uint32_t> indices;
        auto const sorted = sorted_segments(values, offsets, order, &indices);
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
          auto const first = static_cast<std::size_t>(offsets[s]);
          auto const end = static_cast<std::size_t>(offsets[s + 1]);
          std::vector<bool> is_there(end - first);
          std::vector<bool> is_index(end - first);
          for (std::size_t i = first; i < end; ++i) {
            auto const place = static_cast<std::size_t>(sorted[i].id) - first;
            ASSERT_LT(place, end - first);
            is_there[place] = true;
            ASSERT_LT(indices[i] - first, end - first);
            is_index[indices[i] - first] = true;
          }
          ASSERT_TRUE(std::find(is_there.begin(), is_there.end(), false) == is_there.end());
          ASSERT_TRUE(std::find(is_index.begin(), is_index.end(), false) == is_index.end());
        }
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::segments_gpu_test
