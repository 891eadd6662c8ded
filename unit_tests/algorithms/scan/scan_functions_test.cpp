// Scans that read from a function, and that write to one.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_functions_test {
namespace {

template <class Exec, class T>
using Vector = Kokkos::View<T*, typename Exec::memory_space>;

/// A user's element, a function of index and seed.
KOKKOS_INLINE_FUNCTION std::uint32_t element(std::uint64_t i) {
  return static_cast<std::uint32_t>(i * 2654435761u) >> 20;
}

/// A source that counts the reads of each element.
template <class Exec>
struct AskedElement {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint64_t i) const {
    Kokkos::atomic_inc(&asked(i));
    return element(i);
  }

  Vector<Exec, int> asked;
};

struct Element {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint64_t i) const { return element(i); }
};

/// A sink that stores prefixes, doubled, and counts the writes of each.
template <class Exec, class T>
struct DoublePrefixes {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, T const& prefix) const {
    Kokkos::atomic_inc(&given(i));
    out(i) = 2 * prefix;
  }

  Vector<Exec, T> out;
  Vector<Exec, int> given;
};

/// A sink that stores prefixes and elements in two Views.
template <class Exec, class T>
struct KeepBoth {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, T const& prefix,
                                  std::uint32_t const& item) const {
    prefixes(i) = prefix;
    items(i) = item;
  }

  Vector<Exec, T> prefixes;
  Vector<Exec, std::uint32_t> items;
};

/// Whether element i is kept, as a bool and as a number greater than 1.
struct IsKept {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return element(i) % 3 == 0; }
};
struct KeepsAs4 {
  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return element(i) % 3 == 0 ? 4 : 0; }
};

/// Writes the indices of kept elements one after the other: a compaction in one pass.
template <class Exec, class Flag>
struct Compact {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t place, Flag flag) const {
    if (flag) indices(place) = i;
  }

  Vector<Exec, std::uint64_t> indices;
};

std::vector<std::uint32_t> elements(std::size_t n) {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(element(i));
  return values;
}

std::vector<std::uint32_t> doubled(std::vector<std::uint32_t> values) {
  for (auto& value : values) value *= 2;
  return values;
}

template <class Exec>
class ScanFunctionsTest : public ::testing::Test {
 protected:
  template <class Flags>
  void expect_compaction(Flags const& flags, std::size_t n) {
    using Flag = decltype(flags(0));
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (flags(i)) expected.push_back(i);
    }
    expected.resize(n, 77);
    Compact<Exec, Flag> const sink{to_view<Exec>(std::vector<std::uint64_t>(n, 77))};
    riffle::exclusive_scan(exec, n, flags, sink, riffle::Count<>{}, 0);
    exec.fence();
    EXPECT_TRUE(same(to_vector(sink.indices), expected));
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanFunctionsTest, ExecutionSpaces, SpaceNames);

/// Whether every element was read at least once and at most twice in each scan.
inline bool asked_for_all(std::vector<int> const& asked, int scans) {
  return std::all_of(asked.begin(), asked.end(),
                     [&](int times) { return scans <= times && times <= 2 * scans; });
}

TYPED_TEST(ScanFunctionsTest, ReadsEachElement) {
  for (std::size_t const n : scan_edge_sizes()) {
    AskedElement<TypeParam> const in{zeros<TypeParam, int>(n)};
    Vector<TypeParam, std::uint32_t> const out("out", n);
    riffle::inclusive_scan(this->exec, in, out);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(out), inclusive_oracle(elements(n), std::plus<>{})));
    EXPECT_TRUE(asked_for_all(to_vector(in.asked), 1)) << n;
    riffle::exclusive_scan(this->exec, in, out, riffle::Max<std::uint32_t>{}, 9);
    this->exec.fence();
    EXPECT_TRUE(asked_for_all(to_vector(in.asked), 2)) << n;
  }
}

TYPED_TEST(ScanFunctionsTest, WritesEachPrefixOnce) {
  for (std::size_t const n : scan_edge_sizes()) {
    auto const in = to_view<TypeParam>(elements(n));
    DoublePrefixes<TypeParam, std::uint32_t> const sink{zeros<TypeParam, std::uint32_t>(n),
                                                        zeros<TypeParam, int>(n)};
    riffle::inclusive_scan(this->exec, in, sink);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(sink.out), doubled(inclusive_oracle(elements(n), std::plus<>{}))));
    EXPECT_TRUE(same(to_vector(sink.given), std::vector<int>(n, 1)));
    riffle::exclusive_scan(this->exec, in, sink, riffle::Sum<std::uint32_t>{}, 11);
    this->exec.fence();
    EXPECT_TRUE(
        same(to_vector(sink.out), doubled(exclusive_oracle(elements(n), std::plus<>{}, 11u))));
    EXPECT_TRUE(same(to_vector(sink.given), std::vector<int>(n, 2)));
  }
}

TYPED_TEST(ScanFunctionsTest, FromAFunctionToAFunction) {
  for (std::size_t const n : scan_edge_sizes()) {
    DoublePrefixes<TypeParam, std::uint32_t> const sink{zeros<TypeParam, std::uint32_t>(n),
                                                        zeros<TypeParam, int>(n)};
    riffle::inclusive_scan(this->exec, n, Element{}, sink, riffle::Sum<std::uint32_t>{});
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(sink.out), doubled(inclusive_oracle(elements(n), std::plus<>{}))));
    EXPECT_TRUE(same(to_vector(sink.given), std::vector<int>(n, 1)));
  }
}

TYPED_TEST(ScanFunctionsTest, SinkOfItems) {
  for (std::size_t const n : scan_edge_sizes()) {
    KeepBoth<TypeParam, std::uint64_t> const sink{zeros<TypeParam, std::uint64_t>(n),
                                                  zeros<TypeParam, std::uint32_t>(n)};
    std::vector<std::uint64_t> const wide = [n] {
      auto const values = elements(n);
      return std::vector<std::uint64_t>(values.begin(), values.end());
    }();
    riffle::inclusive_scan(this->exec, n, Element{}, sink, riffle::Sum<std::uint64_t>{});
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(sink.prefixes), inclusive_oracle(wide, std::plus<>{})));
    EXPECT_TRUE(same(to_vector(sink.items), elements(n)));
    // From a View, the sink gets the unchanged element.
    auto const in = to_view<TypeParam>(elements(n));
    fill_with(sink.items, 0u);
    riffle::exclusive_scan(this->exec, in, sink, riffle::Sum<std::uint64_t>{}, 1);
    this->exec.fence();
    EXPECT_TRUE(
        same(to_vector(sink.prefixes), exclusive_oracle(wide, std::plus<>{}, std::uint64_t{1})));
    EXPECT_TRUE(same(to_vector(sink.items), elements(n)));
  }
}

TYPED_TEST(ScanFunctionsTest, CountGivesPlacesOfKeptElements) {
  for (std::size_t const n : scan_edge_sizes()) {
    this->expect_compaction(IsKept{}, n);
    this->expect_compaction(KeepsAs4{}, n);
  }
}

TYPED_TEST(ScanFunctionsTest, CountOfAView) {
  for (std::size_t const n : scan_edge_sizes()) {
    auto const values = random_numbers<std::uint8_t>(n, n);
    std::vector<std::int32_t> ones;
    for (std::size_t i = 0; i < n; ++i) ones.push_back(values[i] / 128);
    std::vector<std::uint8_t> large;  // zero, or more than 127
    for (std::size_t i = 0; i < n; ++i) large.push_back(ones[i] == 1 ? values[i] : 0);
    auto const in = to_view<TypeParam>(large);
    Vector<TypeParam, std::int32_t> const out("out", n);
    riffle::inclusive_scan(this->exec, in, out, riffle::Count<std::int32_t>{});
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(out), inclusive_oracle(ones, std::plus<>{})));
    riffle::exclusive_scan(this->exec, in, out, riffle::Count<std::int32_t>{}, -5);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(out), exclusive_oracle(ones, std::plus<>{}, -5)));
  }
}

// More tiles than a look-back reads, of a function and of flags.
TYPED_TEST(ScanFunctionsTest, MoreBundlesThanALookBackReads) {
  this->expect_compaction(IsKept{}, 33 * bundle_elements + 5);
}

}  // namespace
}  // namespace riffle::test::scan_functions_test
