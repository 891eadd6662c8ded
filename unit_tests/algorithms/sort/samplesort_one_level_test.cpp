// Samplesort of one level for numbers, alone and with values, on an emulated GPU, compared bit by
// bit with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/samplesort_one_level.hpp"
#include "support/samplesort_two_levels.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::samplesort_one_level_test {
namespace {

template <class Order = Ascending, class T>
void expect_sorts_numbers(std::vector<T> const& values) {
  auto sorted = values;
  HostView<T> const view(sorted.data(), sorted.size());
  auto const words = ss::words_of<Order>(view);
  samplesort_one_level_emulated(ss::NumbersIn{words}, ss::NumbersOut{words}, values.size());
  EXPECT_TRUE(are_same_bits(sorted, gathered(values, stable_order<Order>(values))))
      << values.size() << " numbers";
}

/// Values are indices.
template <class Order = Ascending, class Value = std::uint32_t, class T>
void expect_sorts_pairs(std::vector<T> const& unsorted) {
  std::size_t const n = unsorted.size();
  auto keys = unsorted;
  std::vector<Value> values(n);
  std::iota(values.begin(), values.end(), Value{0});
  auto indices = used_memory<std::uint32_t>(n);
  using Word = detail::RadixWord<T>;
  using Staged = ss::PayloadOf<HostView<Value>>;
  auto staged = used_memory<Staged>(n);
  auto const words = ss::words_of<Order>(HostView<T>(keys.data(), n));
  auto const payloads = ss::payloads_of(HostView<Value>(values.data(), n), staged.data());
  samplesort_one_level_emulated(ss::PairsIn<Word, Staged>{words, payloads},
                                ss::PairsOut<Word, Staged>{words, payloads, indices.data()}, n);
  auto const order = stable_order<Order>(unsorted);
  EXPECT_TRUE(are_same_bits(keys, gathered(unsorted, order))) << n << " pairs";
  EXPECT_EQ(values, std::vector<Value>(order.begin(), order.end())) << n << " pairs";
}

/// The values of the sample precede all others, so that these are in the last part, which scratch
/// memory cannot hold.
std::vector<double> unlucky_values(std::uint32_t n) {
  auto values = uniform_values<double>(n);
  for (auto& value : values) value = std::abs(value);
  one_level::PartDivision<std::uint64_t> const division(n);
  ss::Sample const sample(n, division.parts * one_level::sample_per_part);
  for (ss::Index j = 0; j < sample.size(); ++j) values[sample.index(j)] = -1.0 - j;
  return values;
}

// Emulation is slow, so sizes are few.

TEST(SamplesortOneLevelOnEmulatedGpu, Numbers) {
  for (std::size_t const n : {16, 33, 700, 4096, 4097, 9000}) {
    expect_sorts_numbers(uniform_and_special_values<double>(n));
  }
}

TEST(SamplesortOneLevelOnEmulatedGpu, Pairs) {
  for (std::size_t const n : {16, 2048, 2049, 6000})
    expect_sorts_pairs(uniform_and_special_values<double>(n));
}

TEST(SamplesortOneLevelOnEmulatedGpu, WideValues) {
  for (std::size_t const n : {400, 4000}) {
    expect_sorts_pairs<Ascending, double>(uniform_and_special_values<double>(n));
  }
}

TEST(SamplesortOneLevelOnEmulatedGpu, DescendingAndSmall) {
  expect_sorts_numbers<Descending>(uniform_and_special_values<double>(5000));
  expect_sorts_numbers<Descending>(uniform_and_special_values<float>(5000));
  expect_sorts_numbers(uniform_and_special_values<float>(4500));
  expect_sorts_pairs<Descending>(uniform_and_special_values<float>(3000));
}

TEST(SamplesortOneLevelOnEmulatedGpu, Ties) {
  expect_sorts_numbers(few_signed_values<std::int64_t>(6000, 3));
  expect_sorts_pairs(few_signed_values<std::int64_t>(6000, 3));
  expect_sorts_pairs(few_signed_values<std::int32_t>(4000, 1));
  expect_sorts_numbers(std::vector<std::uint64_t>(5000, ~std::uint64_t{0}));
}

TEST(SamplesortOneLevelOnEmulatedGpu, InOrderAndReversed) {
  auto values = uniform_and_special_values<double>(7000);
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return a < b || (a == a && b != b); });
  expect_sorts_numbers(values);
  expect_sorts_pairs(values);
  std::reverse(values.begin(), values.end());
  expect_sorts_numbers(values);
  expect_sorts_pairs(values);
}

TEST(SamplesortOneLevelOnEmulatedGpu, OverfullAndLargeParts) {
  expect_sorts_numbers(clustered_values<std::int64_t>(6000, 3));
  expect_sorts_pairs(clustered_values<std::int64_t>(6000, 3));
  expect_sorts_numbers(zipf_values<double>(6000));
  expect_sorts_pairs(zipf_values<double>(6000));
  expect_sorts_numbers(unlucky_values(20000));
  expect_sorts_pairs(unlucky_values(20000));
}

// The indices of the sample ascend, and are less than n.
TEST(SamplesortOneLevelOnEmulatedGpu, SampleHasNoElementTwice) {
  for (std::uint32_t const n : {4097u, 100'000u, (1u << 20) - 1, 1u << 20}) {
    one_level::PartDivision<std::uint64_t> const division(n);
    ss::Sample const sample(n, division.parts * one_level::sample_per_part);
    for (ss::Index j = 0; j < sample.size(); ++j) {
      ASSERT_LT(sample.index(j), n);
      ASSERT_TRUE(j == 0 || sample.index(j - 1) < sample.index(j));
    }
  }
}

}  // namespace
}  // namespace riffle::test::samplesort_one_level_test
