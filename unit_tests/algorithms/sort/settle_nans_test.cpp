// NaNs that a sort by bits has left at either end are put behind the numbers, as a stable sort leaves them: the kernels of a
// GPU, on an emulated one.

#include <Kokkos_Core.hpp>
#include <riffle/sort/detail/gpu/settle_nans.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/fuzzed_comparisons.hpp"

namespace riffle::test::settle_nans_test {
namespace {

namespace sort = detail::sort;
using Host = Kokkos::DefaultHostExecutionSpace;
using Floats = std::vector<float>;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// A NaN with such a payload.
float nan_of(std::uint32_t payload, bool is_negative) {
  return std::bit_cast<float>(0x7FC0'0000u | payload | (is_negative ? 0x8000'0000u : 0u));
}

/// What a radix sort makes of numbers: NaNs by their bits, and -0 ties with 0.
Floats sorted_by_bits(Floats values, bool is_descending) {
  auto const key = [](float x) -> std::uint32_t {
    if (x == 0) return 0x8000'0000u;
    return std::signbit(x) ? ~bits(x) : bits(x) | 0x8000'0000u;
  };
  std::stable_sort(values.begin(), values.end(), [&](float a, float b) {
    return is_descending ? key(b) < key(a) : key(a) < key(b);
  });
  return values;
}

/// The order of sort().
Floats sorted_stably(Floats values, bool is_descending) {
  std::stable_sort(values.begin(), values.end(), [&](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return is_descending ? b < a : a < b;
  });
  return values;
}

template <class Kernel>
void run_teams(std::uint64_t teams, Kernel const& kernel) {
  EmulatedGpu(2, teams).run(static_cast<int>(teams), Kernel::threads, Kernel::scratch_bytes + 256,
                            kernel);
}

/// What settle_nans does. Nothing is written to spare memory where `is_settled` is expected.
Floats settled(Floats const& in, Floats const& by_bits, std::uint64_t chunks, bool& is_settled) {
  using View = GuardedView<Host, float>::Array;
  std::uint64_t const n = in.size();
  GuardedView<Host, float> const input(in);
  GuardedView<Host, float> const sorted(by_bits);
  GuardedView<Host, float> const spare(Floats(n, -7));
  GuardedView<Host, std::uint64_t> const counts(std::vector<std::uint64_t>(chunks, 999));
  sort::NaNEnds ends{};
  sort::NaNArrays<View, float> const arrays{
      input.view(),        sorted.view().data(), n,    (n + chunks - 1) / chunks,
      spare.view().data(), counts.view().data(), &ends};
  run_teams(chunks, sort::FindNaNs<View, float>(arrays));
  run_teams(chunks, sort::PlaceNaNs<View, float>(arrays));
  is_settled = ends.is_settled;
  if (is_settled) {
    EXPECT_EQ(spare.values(), Floats(n, -7));
  }
  (void)counts.values();
  EXPECT_EQ(ends.numbers, static_cast<std::uint64_t>(std::count_if(
                              in.begin(), in.end(), [](float x) { return !std::isnan(x); })));
  return sorted.values();
}

/// Settles them in both orders, for some chunks. `is_settled[0]` says whether nothing is left to do in ascending order,
/// `is_settled[1]` in descending.
void expect_settled(Floats const& values, bool const (&is_settled)[2]) {
  for (bool const is_descending : {false, true}) {
    auto const by_bits = sorted_by_bits(values, is_descending);
    auto const expected = sorted_stably(values, is_descending);
    for (std::uint64_t const chunks : {1, 5}) {
      if (chunks > values.size()) continue;
      SCOPED_TRACE("n = " + std::to_string(values.size()) + ", chunks " + std::to_string(chunks) +
                   (is_descending ? ", descending" : ", ascending"));
      bool was_settled = false;
      auto const result = settled(values, by_bits, chunks, was_settled);
      EXPECT_EQ(was_settled, is_settled[is_descending ? 1 : 0]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(bits(result[i]), bits(expected[i])) << i;
      }
    }
  }
}

Floats numbers(std::size_t n) {
  Floats values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i * 40'503 % 1009) - 500.0f;
    if (values[i] == 0 && i % 2 == 0) values[i] = -0.0f;
  }
  return values;
}

/// Every `step`-th from `first` on is made nan(i).
template <class MakeNaN>
Floats with_nans(Floats values, std::size_t first, std::size_t step, MakeNaN const& nan) {
  for (std::size_t i = first; i < values.size(); i += step) values[i] = nan(i);
  return values;
}

auto always(float value) {
  return [value](std::size_t) { return value; };
}

std::vector<std::size_t> sizes() { return {1, 2, 255, 256, 257, 2049}; }

TEST(SettleNaNs, LeavesNumbers) {
  for (std::size_t const n : sizes()) expect_settled(numbers(n), {true, true});
  auto values = numbers(300);
  values[7] = std::numeric_limits<float>::infinity();
  values[9] = -std::numeric_limits<float>::infinity();
  expect_settled(values, {true, true});
}

TEST(SettleNaNs, LeavesNaNsThatAreAlikeAndBehind) {
  for (std::size_t const n : {9, 257, 1500}) {
    expect_settled(with_nans(numbers(n), 3, 5, always(nan_of(0, false))), {true, false});
    expect_settled(with_nans(numbers(n), 3, 5, always(nan_of(7, true))), {false, true});
    expect_settled(with_nans(numbers(n), n - 1, 1, always(nan_of(0, false))), {true, false});
  }
}

TEST(SettleNaNs, LeavesNothingButNaNsThatAreAlike) {
  for (std::size_t const n : sizes()) {
    expect_settled(Floats(n, nan_of(1, true)), {true, true});
    expect_settled(Floats(n, nan_of(1, false)), {true, true});
  }
}

TEST(SettleNaNs, KeepsTheOrderOfTheInput) {
  for (std::size_t const n : {9, 257, 1500}) {
    // Payloads that fall, so that none of a sign are in order by their bits; of one sign, of both.
    auto const payload = [&](std::size_t i) { return static_cast<std::uint32_t>(n - i); };
    for (std::size_t const step : {1, 3, 100}) {
      if (n < 2 * step + 1) continue;
      expect_settled(
          with_nans(numbers(n), 0, step, [&](std::size_t i) { return nan_of(payload(i), false); }),
          {false, false});
      expect_settled(
          with_nans(numbers(n), 1, step, [&](std::size_t i) { return nan_of(payload(i), true); }),
          {false, false});
      expect_settled(
          with_nans(numbers(n), 0, step,
                    [&](std::size_t i) { return nan_of(payload(i), i / step % 2 == 0); }),
          {false, false});
    }
  }
}

}  // namespace
}  // namespace riffle::test::settle_nans_test
