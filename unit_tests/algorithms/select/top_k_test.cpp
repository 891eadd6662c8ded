// The smallest and the largest keys compared with a stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/top_k.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::top_k_test {
namespace {

template <class Exec>
class TopKTest : public ::testing::Test {
 protected:
  /// Compares the k smallest or largest keys, and their indices, with a stable sort.
  template <class Order, class T>
  void expect_sorted(std::vector<T> const& keys, std::size_t k, std::string const& what) {
    auto order = order_of_numbers<Order>(keys);
    order.resize(k);
    auto const values = to_view<Exec>(std::vector<T>(k));
    auto const indices = to_view<Exec>(std::vector<std::int32_t>(k, -1));
    Context const context(exec, workspace);
    if constexpr (std::is_same_v<Order, Ascending>) {
      riffle::bottom_k(context, to_view<Exec>(keys), values, indices);
    } else {
      riffle::top_k(context, to_view<Exec>(keys), values, indices);
    }
    exec.fence();
    auto const found = to_vector(indices);
    EXPECT_TRUE(std::equal(
        found.begin(), found.end(), order.begin(), order.end(),
        [](std::int32_t a, std::size_t b) { return a >= 0 && static_cast<std::size_t>(a) == b; }))
        << what << ", k = " << k << " of " << keys.size();
    EXPECT_TRUE(are_same_bits(to_vector(values), gathered(keys, order))) << what;
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(TopKTest, ExecutionSpaces, SpaceNames);

std::vector<std::size_t> counts(std::size_t n) {
  std::vector<std::size_t> result{0, 1, 1000, n / 7, n};
  std::erase_if(result, [&](std::size_t k) { return k > n; });
  return result;
}

TYPED_TEST(TopKTest, DoublesWithSpecialValues) {
  for (std::size_t const n : {1u, 8192u, 8193u, 30'001u}) {
    auto const keys = uniform_and_special_values<double>(n);
    for (std::size_t const k : counts(n)) {
      this->template expect_sorted<Ascending>(keys, k, "smallest");
      this->template expect_sorted<Descending>(keys, k, "largest");
    }
  }
}

// Keys are cut by index, also if all of them are equal.
TYPED_TEST(TopKTest, Ties) {
  for (std::uint64_t const distinct : {1u, 100u}) {
    auto const keys = few_signed_values<std::int32_t>(30'003, distinct);
    for (std::size_t const k : {1u, 9000u, 29'999u}) {
      this->template expect_sorted<Ascending>(keys, k, "ties");
      this->template expect_sorted<Descending>(keys, k, "ties");
    }
  }
}

TYPED_TEST(TopKTest, SortedKeys) {
  std::vector<std::int32_t> keys(100'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i);
  for (std::size_t const k : {1u, 5000u}) {
    this->template expect_sorted<Ascending>(keys, k, "sorted");
    this->template expect_sorted<Descending>(keys, k, "reversed");
  }
}

/// Records which elements a sample draws.
struct RecordIndices {
  std::uint64_t* indices;

  KOKKOS_FUNCTION void store(std::uint64_t place, int, std::uint64_t index) const {
    indices[place] = index;
  }
};

struct NoCodes {
  KOKKOS_FUNCTION int operator()(std::uint64_t) const { return 0; }
};

std::vector<std::uint64_t> drawn_indices(std::size_t n, std::size_t k) {
  detail::select::Sample const sample(n, k);
  std::vector<std::uint64_t> drawn(sample.size);
  detail::select::StoreSample<NoCodes, RecordIndices> const draw{
      {}, {drawn.data()}, n, sample.size};
  for (std::uint64_t part = 0; part < sample.size; ++part) draw(part);
  return drawn;
}

// With a sample of small keys only, the threshold is too small. With a sample of large keys only, there are too many candidates.
TYPED_TEST(TopKTest, MisleadingSamples) {
  std::size_t const n = 100'003, k = 1000;
  auto const drawn = drawn_indices(n, k);
  ASSERT_GT(drawn.size(), k);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()) && drawn.back() < n);
  EXPECT_GT(drawn.back(), n - 2 * n / drawn.size());
  for (std::int32_t const key : {-1, 1}) {
    std::vector<std::int32_t> keys(n);
    for (std::uint64_t const i : drawn) keys[i] = key;
    this->template expect_sorted<Ascending>(keys, k, "misleading");
  }
}

/// The first elements are candidates, whatever their codes are.
template <class Keys>
struct MoreCandidates {
  using Word = std::uint32_t;

  Keys keys;
  std::uint64_t first;

  KOKKOS_FUNCTION Word operator()(std::uint64_t i) const { return keys(i); }
  KOKKOS_FUNCTION Word value(std::uint64_t i) const { return keys(i); }
  KOKKOS_FUNCTION bool may_be_below(Kokkos::pair<Word, std::uint64_t> const& threshold, Word code,
                                    std::uint64_t i) const {
    return i < first || Kokkos::pair<Word, std::uint64_t>(code, i) < threshold;
  }
  MoreCandidates up_to(Word) const { return *this; }
};

// The threshold is too small, but there are enough candidates.
TYPED_TEST(TopKTest, CandidatesAboveTheThreshold) {
  std::size_t const n = 100'003, k = 1000;
  auto drawn = drawn_indices(n, k);
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  std::vector<std::uint32_t> keys(n, 7);
  for (std::uint64_t const i : drawn) keys[i] = 1;
  auto const view = to_view<TypeParam>(keys);
  std::vector<std::uint64_t> found;
  Context const context(this->exec, this->workspace);
  detail::select::with_smallest(
      context, n, k, MoreCandidates<std::decay_t<decltype(view)>>{view, k + 1},
      [&](auto const& pairs) {
        found = to_vector(Kokkos::subview(pairs.indices, std::pair(std::size_t{0}, k)));
      });
  EXPECT_EQ(found, std::vector<std::uint64_t>(drawn.begin(), drawn.begin() + k));
}

TYPED_TEST(TopKTest, StridedViewsOfOtherTypes) {
  std::size_t const n = 30'000, k = 500;
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i * 37 % 253);
  Kokkos::View<std::int32_t* [2], Kokkos::LayoutRight, typename TypeParam::memory_space> const
      stored("keys", n);
  auto const in = Kokkos::subview(stored, Kokkos::ALL, 1);
  Kokkos::deep_copy(in, to_view<TypeParam>(keys));
  Kokkos::View<double* [2], Kokkos::LayoutRight, typename TypeParam::memory_space> const values(
      "values", k);
  Kokkos::View<std::int64_t* [3], Kokkos::LayoutRight, typename TypeParam::memory_space> const
      indices("indices", k);
  auto const values_out = Kokkos::subview(values, Kokkos::ALL, 1);
  auto const indices_out = Kokkos::subview(indices, Kokkos::ALL, 2);
  auto const check = [&](std::vector<std::size_t> order) {
    order.resize(k);
    std::vector<double> expected;
    for (std::size_t const i : order) expected.push_back(keys[i]);
    EXPECT_EQ(to_vector(values_out), expected);
    EXPECT_EQ(to_vector(indices_out), std::vector<std::int64_t>(order.begin(), order.end()));
    EXPECT_EQ(to_vector(Kokkos::subview(values, Kokkos::ALL, 0)), std::vector<double>(k));
  };
  riffle::bottom_k(this->exec, in, values_out, indices_out);
  check(order_of_numbers<Ascending>(keys));
  riffle::top_k(this->exec, in, values_out, indices_out);
  check(order_of_numbers<Descending>(keys));
}

TYPED_TEST(TopKTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const keys = to_view<TypeParam>(random_values<std::int32_t>(40'000));
  auto const values = zeros<TypeParam, std::int32_t>(10);
  auto const indices = zeros<TypeParam, std::int32_t>(10);
  Kokkos::fence();
  expect_labels_and_instance(instance,
                             [&](auto const& on) { riffle::bottom_k(on, keys, values, indices); });
}

TYPED_TEST(TopKTest, RejectsInvalidArguments) {
  auto const keys = zeros<TypeParam, std::int32_t>(300);
  auto const four = zeros<TypeParam, std::int32_t>(4);
  auto const five = zeros<TypeParam, std::int32_t>(5);
  auto const many = zeros<TypeParam, std::int32_t>(301);
  auto const narrow = zeros<TypeParam, std::int8_t>(4);
  EXPECT_EQ(thrown_message([&] { riffle::bottom_k(this->exec, keys, four, five); }),
            "riffle::bottom_k: values.extent(0) = 4 and indices.extent(0) = 5: must be equal");
  EXPECT_EQ(thrown_message([&] { riffle::top_k(this->exec, keys, many, many); }),
            "riffle::top_k: indices.extent(0) = 301: must not exceed n = 300");
  EXPECT_EQ(thrown_message([&] { riffle::top_k(this->exec, keys, four, narrow); }),
            "riffle::top_k: n = 300: the value type of indices holds no index above 127");
  auto const part = Kokkos::subview(keys, std::pair(10, 14));
  for (auto const& message :
       {thrown_message([&] { riffle::top_k(this->exec, keys, part, four); }),
        thrown_message([&] { riffle::top_k(this->exec, keys, four, part); }),
        thrown_message([&] { riffle::top_k(this->exec, keys, four, four); })}) {
    EXPECT_NE(message.find("overlap"), std::string::npos);
  }
}

}  // namespace
}  // namespace riffle::test::top_k_test
