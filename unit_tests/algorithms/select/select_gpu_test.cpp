// The GPU's kernel of selections, on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/select.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_scan.hpp"

namespace riffle::test::select_gpu_test {
namespace {

namespace select = detail::select;

using Values = Elements<std::int32_t>;
using CountView = Kokkos::View<std::int64_t, Kokkos::HostSpace>;

/// Runs the kernel twice with one set of messages, as calls with a workspace do.
template <class IsKept, class Writer>
void run(EmulatedLaunch const& launch, std::uint64_t n, IsKept const& is_kept,
         Writer const& writer) {
  using Kernel = select::SelectTiles<std::uint32_t, IsKept, Writer>;
  using Op = typename Kernel::Op;
  std::uint64_t const tiles = (n + Kernel::tile_size - 1) / Kernel::tile_size;
  std::vector<std::uint64_t> messages(detail::LookBack<Op>::words(tiles));
  detail::LookBack<Op> const look_back(
      messages.data(), tiles, static_cast<std::uint64_t>(launch.teams), Op{}, Op::identity());
  for (std::uint64_t time = 0; time < 2; ++time) {
    EmulatedGpu gpu(launch.resident, launch.seed + time);
    gpu.run(launch.teams, Kernel::threads, Kernel::scratch_bytes,
            Kernel(n, is_kept, writer, look_back));
  }
}

std::vector<EmulatedLaunch> launches() { return {{1, 1, 1}, {3, 3, 2}, {5, 2, 3}}; }

/// Around the edges of warps and tiles.
std::vector<std::size_t> sizes() { return {1, 319, 2559, 2561, 3841, 9 * 3840 + 77}; }

struct IsBelow {
  std::int32_t limit;

  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return x < limit; }
};

/// A value that is not held in registers.
struct Pair {
  double first = 0;
  double second = 0;

  Pair() = default;
  explicit Pair(int x) : first(x), second(-x) {}
  bool operator==(Pair const&) const = default;
};

struct IsBelowFive {
  template <class T>
  KOKKOS_FUNCTION bool operator()(T const& x) const {
    if constexpr (std::is_same_v<T, Pair>) {
      return x.first < 5;
    } else {
      return x < T(5);
    }
  }
};

struct EveryThird {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 3 == 0; }
};

std::vector<std::int32_t> numbers(std::size_t n, int bound) {
  std::mt19937 generator(static_cast<unsigned>(n));
  std::vector<std::int32_t> values(n);
  for (auto& value : values)
    value = static_cast<std::int32_t>(generator() % static_cast<unsigned>(bound));
  return values;
}

TEST(SelectOnEmulatedGpu, CopyIf) {
  for (auto const& launch : launches()) {
    for (std::size_t const n : sizes()) {
      auto values = numbers(n, 10);
      for (std::int32_t const limit : {0, 1, 5, 10}) {
        std::vector<std::int32_t> expected;
        for (auto const value : values) {
          if (value < limit) expected.push_back(value);
        }
        auto const kept = static_cast<std::int64_t>(expected.size());
        expected.resize(n, -1);
        std::vector<std::int32_t> out(n, -1);
        CountView const count("count");
        run(launch, n, select::SatisfiesPredicate<Values, IsBelow>{elements(values), {limit}},
            select::CopyRows<Values, Values, CountView>{elements(values), elements(out), count});
        EXPECT_EQ(count(), kept) << n;
        EXPECT_TRUE(out == expected) << n << " " << limit;
      }
    }
  }
}

/// Copies the values that are below 5, whose type decides where a team holds them.
template <class T>
void expect_copies_of_type() {
  for (std::size_t const n : sizes()) {
    std::vector<T> values(n), expected, out(n, T(99));
    for (std::size_t i = 0; i < n; ++i) values[i] = T(static_cast<int>(i * i % 11));
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), IsBelowFive{});
    auto const kept = static_cast<std::int64_t>(expected.size());
    expected.resize(n, T(99));
    CountView const count("count");
    using View = Elements<T>;
    run({3, 3, 2}, n, select::SatisfiesPredicate<View, IsBelowFive>{elements(values), {}},
        select::CopyRows<View, View, CountView>{elements(values), elements(out), count});
    EXPECT_EQ(count(), kept) << n;
    EXPECT_TRUE(out == expected) << n << ", values of " << sizeof(T) << " bytes";
  }
}

TEST(SelectOnEmulatedGpu, ValuesOfAllSizes) {
  expect_copies_of_type<std::int8_t>();
  expect_copies_of_type<std::int16_t>();
  expect_copies_of_type<double>();
  expect_copies_of_type<Pair>();
}

/// The flags are evaluated by a function, or loaded from a View before they are tested.
template <class Flags>
void expect_flagged(Flags const& flags, std::size_t n) {
  auto values = numbers(n, 1000);
  std::vector<std::int32_t> expected, out(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (flags(i) != 0) expected.push_back(values[i]);
  }
  auto const kept = static_cast<std::int64_t>(expected.size());
  expected.resize(n, -1);
  CountView const count("count");
  run({3, 3, 2}, n, detail::IsFlagged<Flags>{flags},
      select::CopyRows<Values, Values, CountView>{elements(values), elements(out), count});
  EXPECT_EQ(count(), kept) << n;
  EXPECT_TRUE(out == expected) << n;
}

TEST(SelectOnEmulatedGpu, Flags) {
  for (std::size_t const n : sizes()) {
    std::vector<std::int32_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = EveryThird{}(i) ? 1 : 0;
    expect_flagged(elements(flags), n);
    expect_flagged(EveryThird{}, n);
  }
}

/// Tests a value, which is loaded before, and its index.
struct DividesSum {
  Values in;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return satisfies(value(i), i); }
  KOKKOS_FUNCTION std::int32_t value(std::uint64_t i) const { return in(i); }
  KOKKOS_FUNCTION bool satisfies(std::int32_t value, std::uint64_t i) const {
    return (static_cast<std::uint64_t>(value) + i) % 3 == 0;
  }
};

TEST(SelectOnEmulatedGpu, ValuesAndIndices) {
  for (std::size_t const n : sizes()) {
    auto values = numbers(n, 1000);
    DividesSum const is_kept{elements(values)};
    std::vector<std::int32_t> expected, out(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      if (is_kept(i)) expected.push_back(values[i]);
    }
    expected.resize(n, -1);
    CountView const count("count");
    run({3, 3, 2}, n, is_kept,
        select::CopyRows<Values, Values, CountView>{elements(values), elements(out), count});
    EXPECT_TRUE(out == expected) << n;
  }
}

TEST(SelectOnEmulatedGpu, Runs) {
  for (auto const& launch : launches()) {
    for (std::size_t const n : sizes()) {
      for (int const bound : {1, 2, 1000}) {
        auto values = numbers(n, bound);
        if (n == 4097) std::fill(values.begin() + 100, values.end() - 1, 7);
        std::vector<std::int32_t> firsts, lengths;
        for (std::size_t i = 0; i < n; ++i) {
          if (i == 0 || values[i] != values[i - 1])
            firsts.push_back(values[i]), lengths.push_back(0);
          ++lengths.back();
        }
        auto const runs = static_cast<std::int64_t>(firsts.size());
        firsts.resize(n, -1);
        lengths.resize(n, -1);
        std::vector<std::int32_t> out(n, -1), found(n, -1);
        CountView const count("count");
        run(launch, n, select::BeginsRun<Values, select::EqualValues>{elements(values), {}},
            select::WriteRuns<Values, Values, Values, CountView>{elements(values), elements(out),
                                                                 elements(found), count});
        EXPECT_EQ(count(), runs) << n;
        EXPECT_TRUE(out == firsts) << n << " " << bound;
        EXPECT_TRUE(found == lengths) << n << " " << bound;
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::select_gpu_test
