// Sorts by ranks on an emulated GPU, compared bit by bit with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/samplesort_two_levels.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_by_ranks_test {
namespace {

namespace by_ranks = detail::sort::by_ranks;

auto const launch = [](char const*, auto const& kernel) {
  EmulatedGpu(3, 5).run(kernel.teams(), kernel.threads, kernel.needed_bytes(), kernel);
};

template <class T>
using Array = by_ranks::ArrayOf<T>;

template <class T, class Value>
struct Pairs {
  explicit Pairs(std::vector<T> const& keys_) : keys(keys_), values(keys_.size()) {
    std::iota(values.begin(), values.end(), Value{0});
  }

  by_ranks::Rows<Array<T>, Array<Value>> rows() { return {{keys.data()}, {values.data()}}; }

  template <class Order>
  void expect_sorted(std::vector<T> const& unsorted) const {
    auto const order = stable_order<Order>(unsorted);
    EXPECT_TRUE(are_same_bits(keys, gathered(unsorted, order))) << keys.size() << " keys";
    EXPECT_EQ(values, std::vector<Value>(order.begin(), order.end())) << keys.size() << " values";
  }

  std::vector<T> keys;
  std::vector<Value> values;
};

/// Arbitrary bytes before anything is sorted.
template <class T, class Value>
Pairs<T, Value> garbage(std::size_t n) {
  return Pairs<T, Value>(std::vector<T>(n, T{42}));
}

template <class Order = Ascending, class Value = std::uint32_t, class T>
void expect_sorts_in_place(std::vector<T> const& unsorted) {
  Pairs<T, Value> pairs(unsorted);
  auto second = garbage<T, Value>(unsorted.size());
  using Rows = decltype(pairs.rows());
  using Kernel = by_ranks::SortInPlace<detail::sort::NumberCode<T, Order>, Rows, Rows>;
  std::vector<std::uint64_t> words(detail::LastTeam::words);
  Kernel const kernel{{detail::sort::NumberCode<T, Order>(), pairs.rows(), second.rows(),
                       static_cast<by_ranks::Index>(unsorted.size()), by_ranks::max_chunk},
                      detail::LastTeam(words.data())};
  launch("", kernel);
  pairs.template expect_sorted<Order>(unsorted);
  EXPECT_EQ(words, std::vector<std::uint64_t>(words.size())) << "for the next launch";
}

template <class Order = Ascending, class T>
void expect_sorts_in_chunks(std::vector<T> const& unsorted, by_ranks::Index chunk) {
  using Value = std::uint32_t;
  Pairs<T, Value> pairs(unsorted);
  auto second = garbage<T, Value>(unsorted.size());
  using Rows = decltype(pairs.rows());
  using Key = detail::sort::NumberCode<T, Order>;
  auto const n = static_cast<by_ranks::Index>(unsorted.size());
  launch("", by_ranks::SortChunks<Key, Rows, Rows>{Key(), pairs.rows(), second.rows(), n, chunk});
  launch("",
         by_ranks::MergeChunks<Key, Rows, Rows>{Key(), second.rows(), pairs.rows(), {n, chunk}});
  pairs.template expect_sorted<Order>(unsorted);
}

TEST(SortByRanksOnEmulatedGpu, InPlace) {
  for (std::size_t const n : {1, 31, 32, 33, 500, 1025}) {
    expect_sorts_in_place(uniform_and_special_values<double>(n));
  }
}

TEST(SortByRanksOnEmulatedGpu, InChunks) {
  for (std::size_t const n : {63, 64, 65, 700})
    expect_sorts_in_chunks(uniform_and_special_values<double>(n), 64);
  expect_sorts_in_chunks(uniform_and_special_values<double>(3000),
                         by_ranks::merged_chunk<std::uint64_t>);
}

TEST(SortByRanksOnEmulatedGpu, DescendingAndSmall) {
  expect_sorts_in_place<Descending>(uniform_and_special_values<double>(300));
  expect_sorts_in_place<Descending, double>(uniform_and_special_values<float>(300));
  expect_sorts_in_chunks<Descending>(uniform_and_special_values<float>(500), 128);
}

TEST(SortByRanksOnEmulatedGpu, Ties) {
  expect_sorts_in_place(few_signed_values<std::int64_t>(700, 3));
  expect_sorts_in_place(few_signed_values<std::int32_t>(400, 1));
  expect_sorts_in_chunks(few_signed_values<std::int64_t>(700, 3), 64);
  expect_sorts_in_place(std::vector<std::uint64_t>(100, ~std::uint64_t{0}));
  expect_sorts_in_chunks(std::vector<std::uint64_t>(100, ~std::uint64_t{0}), 32);
}

TEST(SortByRanksOnEmulatedGpu, KeysAlone) {
  auto const unsorted = uniform_and_special_values<double>(321);
  std::vector<double> sorted(unsorted.size());
  auto copy = unsorted;
  using Rows = by_ranks::Rows<Array<double>>;
  using Key = detail::sort::NumberCode<double, Ascending>;
  launch("", by_ranks::SortChunks<Key, Rows, Rows>{
                 Key(), Rows{{copy.data()}, {}}, Rows{{sorted.data()}, {}},
                 static_cast<by_ranks::Index>(copy.size()), by_ranks::max_chunk});
  EXPECT_TRUE(are_same_bits(sorted, gathered(unsorted, stable_order<Ascending>(unsorted))));
}

TEST(SortByRanksOnEmulatedGpu, IndicesAlone) {
  using Key = detail::sort::NumberCode<float, Ascending>;
  auto const unsorted = uniform_and_special_values<float>(321);
  auto const order = stable_order<Ascending>(unsorted);
  std::vector<std::int64_t> indices(unsorted.size());
  using Codes = by_ranks::CodesOfView<HostView<float const>, Key>;
  using From = by_ranks::Rows<Codes, by_ranks::OwnIndices<std::uint32_t>>;
  using To = by_ranks::ValuesOfRows<Array<std::int64_t>>;
  HostView<float const> const view(unsorted.data(), unsorted.size());
  launch("", by_ranks::SortChunks<by_ranks::CodeItself, From, To>{
                 {}, From{{view, Key()}, {}}, To{{indices.data()}}, 321, by_ranks::max_chunk});
  EXPECT_EQ(indices, std::vector<std::int64_t>(order.begin(), order.end()));
}

}  // namespace
}  // namespace riffle::test::sort_by_ranks_test
