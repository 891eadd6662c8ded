// Scans with wrong arguments throw, and write nothing.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_errors_test {
namespace {

using Range = Kokkos::pair<int, int>;

struct Zero {
  KOKKOS_FUNCTION int operator()(std::uint64_t) const { return 0; }
};

/// A sink that counts its calls.
template <class Exec>
struct CountCalls {
  KOKKOS_FUNCTION void operator()(std::uint64_t, int) const { Kokkos::atomic_inc(&calls()); }

  Kokkos::View<int, typename Exec::memory_space> calls;
};

template <class Exec>
class ScanErrorsTest : public ::testing::Test {
 protected:
  /// Expects that both scans from `in` to `out` throw `text` after "riffle::<function>: ".
  template <class In, class Out>
  void expect_refused(In const& in, Out const& out, std::string const& text) {
    riffle::Sum<int> const sum;
    riffle::Workspace<Exec> workspace(exec);
    auto const expect = [&](auto const& call, std::string const& function) {
      EXPECT_EQ(thrown_message(call), "riffle::" + function + ": " + text);
    };
    expect([&] { riffle::inclusive_scan(exec, in, out, sum); }, "inclusive_scan");
    expect([&] { riffle::inclusive_scan(Context(exec, "user", workspace), in, out, sum); },
           "inclusive_scan");
    expect([&] { riffle::exclusive_scan(exec, in, out, sum); }, "exclusive_scan");
    expect([&] { riffle::exclusive_scan(Context(exec, "user"), in, out, sum); }, "exclusive_scan");
    expect([&] { riffle::exclusive_scan(exec, in, out, sum, 1); }, "exclusive_scan");
    expect([&] { riffle::exclusive_scan(Context(exec, "user", workspace), in, out, sum, 1); },
           "exclusive_scan");
    EXPECT_EQ(workspace.bytes(), 0u);
  }

  /// Unmanaged Views have no label here.
  template <class In, class Out>
  void expect_overlap(In const& in, Out const& out) {
    auto const label = [](auto const& view) {
      return view.label().empty() ? std::string() : " (\"" + view.label() + "\")";
    };
    expect_refused(in, out,
                   "in" + label(in) + " and out" + label(out) +
                       " overlap: must be the same elements or share none");
  }

  /// Expects that both scans of n elements throw `text` after "riffle::<function>: ".
  template <class In, class Out>
  void expect_refused_of(std::uint64_t n, In const& in, Out const& out, std::string const& text) {
    riffle::Sum<int> const sum;
    EXPECT_EQ(thrown_message([&] { riffle::inclusive_scan(exec, n, in, out, sum); }),
              "riffle::inclusive_scan: " + text);
    EXPECT_EQ(thrown_message([&] { riffle::exclusive_scan(exec, n, in, out, sum, 1); }),
              "riffle::exclusive_scan: " + text);
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanErrorsTest, ExecutionSpaces, SpaceNames);

/// The result of thrown_message() if nothing is thrown.
constexpr char const* not_thrown = "nothing was thrown";

/// Returns the message that a scan of T with initial value `init` throws. Expects that it writes
/// nothing then.
template <class T, class Exec, class Init>
std::string refusal_of_init(Exec const& exec, Init init) {
  Kokkos::View<T*, typename Exec::memory_space> const values("values", 3);
  fill_with(values, T{1});
  std::string const text =
      thrown_message([&] { riffle::exclusive_scan(exec, values, values, init); });
  EXPECT_EQ(thrown_message([&] {
              riffle::inclusive_scan(exec, values, values, riffle::Sum<T>{}, init);
            }).size(),
            text.size());
  bool const is_written = to_vector(values) != std::vector<T>(3, T{1});
  EXPECT_EQ(is_written, text == not_thrown);
  return text;
}

TYPED_TEST(ScanErrorsTest, InitDoesNotFit) {
  std::string const head = "riffle::exclusive_scan: init = ";
  std::string const tail = ": must be a number that the type of the scan's values holds";
  auto const& exec = this->exec;
  EXPECT_EQ(refusal_of_init<std::uint8_t>(exec, 300), head + "300" + tail);
  EXPECT_EQ(refusal_of_init<std::uint8_t>(exec, 255), not_thrown);
  EXPECT_EQ(refusal_of_init<std::uint32_t>(exec, -1), head + "-1" + tail);
  EXPECT_EQ(refusal_of_init<int>(exec, std::int64_t{1} << 31), head + "2147483648" + tail);
  EXPECT_EQ(refusal_of_init<int>(exec, -(std::int64_t{1} << 31)), not_thrown);
  EXPECT_EQ(refusal_of_init<std::int64_t>(exec, ~std::uint64_t{0}),
            head + "18446744073709551615" + tail);
  EXPECT_EQ(refusal_of_init<float>(exec, (1 << 24) + 1), head + "16777217" + tail);
  EXPECT_EQ(refusal_of_init<float>(exec, -(1 << 25)), not_thrown);
  EXPECT_EQ(refusal_of_init<float>(exec, std::numeric_limits<std::int64_t>::min()), not_thrown);
  EXPECT_EQ(refusal_of_init<float>(exec, 1e39), head + "1e+39" + tail);
  EXPECT_EQ(refusal_of_init<float>(exec, 0.1), not_thrown);
  EXPECT_EQ(refusal_of_init<float>(exec, -std::numeric_limits<double>::infinity()), not_thrown);
}

TYPED_TEST(ScanErrorsTest, ExtentsDiffer) {
  auto const four = to_view<TypeParam>(std::vector<int>(4, 1));
  auto const five = to_view<TypeParam>(std::vector<int>(5, 2));
  auto const none = to_view<TypeParam>(std::vector<int>());
  this->expect_refused(four, five, "in.extent(0) = 4 and out.extent(0) = 5: must be equal");
  this->expect_refused(five, four, "in.extent(0) = 5 and out.extent(0) = 4: must be equal");
  this->expect_refused(none, four, "in.extent(0) = 0 and out.extent(0) = 4: must be equal");
  EXPECT_EQ(to_vector(four), std::vector<int>(4, 1));
  EXPECT_EQ(to_vector(five), std::vector<int>(5, 2));
}

TYPED_TEST(ScanErrorsTest, ViewsShareElementsInOtherPlaces) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  auto const part = [&](int begin, int end) { return Kokkos::subview(data, Range(begin, end)); };
  this->expect_overlap(part(0, 99), part(1, 100));  // all but one
  this->expect_overlap(part(1, 100), part(0, 99));
  this->expect_overlap(part(0, 51), part(49, 100));  // two
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

TYPED_TEST(ScanErrorsTest, ViewsShareOneElement) {
  auto const data = to_view<TypeParam>(iota<int>(101));
  auto const lower = Kokkos::subview(data, Range(0, 51));
  auto const upper = Kokkos::subview(data, Range(50, 101));
  this->expect_overlap(lower, upper);
  this->expect_overlap(upper, lower);
  EXPECT_EQ(to_vector(data), iota<int>(101));
}

// With one element less they share none, which is valid.
TYPED_TEST(ScanErrorsTest, AdjacentViewsAreAccepted) {
  auto const data = to_view<TypeParam>(std::vector<int>(100, 1));
  auto const lower = Kokkos::subview(data, Range(0, 50));
  auto const upper = Kokkos::subview(data, Range(50, 100));
  riffle::inclusive_scan(this->exec, lower, upper);
  this->exec.fence();
  EXPECT_EQ(to_vector(lower), std::vector<int>(50, 1));
  EXPECT_EQ(to_vector(upper)[49], 50);
  riffle::inclusive_scan(this->exec, upper, lower);
  this->exec.fence();
  EXPECT_EQ(to_vector(lower)[49], 50 * 51 / 2);
}

TYPED_TEST(ScanErrorsTest, SameBeginningAtAnotherStride) {
  using Strided = Kokkos::View<int*, Kokkos::LayoutStride, typename TypeParam::memory_space>;
  auto const data = to_view<TypeParam>(iota<int>(100));
  Strided const every_second(data.data(), Kokkos::LayoutStride(50, 2));
  auto const first_half = Kokkos::subview(data, Range(0, 50));
  this->expect_overlap(first_half, every_second);
  this->expect_overlap(every_second, first_half);
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

// Every second element from one beginning, and every fourth from the next one.
TYPED_TEST(ScanErrorsTest, InterleavedViewsAreAccepted) {
  using Strided = Kokkos::View<int*, Kokkos::LayoutStride, typename TypeParam::memory_space>;
  auto const data = to_view<TypeParam>(std::vector<int>(200, 1));
  Strided const in(data.data(), Kokkos::LayoutStride(50, 2));
  Strided const out(data.data() + 1, Kokkos::LayoutStride(50, 4));
  riffle::inclusive_scan(this->exec, in, out);
  this->exec.fence();
  std::vector<int> expected(200, 1);
  for (int i = 0; i < 50; ++i) expected[static_cast<std::size_t>(4 * i + 1)] = i + 1;
  EXPECT_EQ(to_vector(data), expected);
  this->expect_overlap(in, Strided(data.data() + 2, Kokkos::LayoutStride(50, 3)));
}

TYPED_TEST(ScanErrorsTest, SameBeginningOfOtherElements) {
  using Words = Kokkos::View<std::int16_t*, typename TypeParam::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const data = to_view<TypeParam>(iota<int>(100));
  Words const halves(reinterpret_cast<std::int16_t*>(data.data()), 100);
  this->expect_overlap(halves, data);
  this->expect_overlap(data, halves);
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

TYPED_TEST(ScanErrorsTest, MoreElementsThanTilesCanBeCounted) {
  CountCalls<TypeParam> const sink{Kokkos::View<int, typename TypeParam::memory_space>("calls")};
  riffle::Sum<int> const sum;
  std::uint64_t const limit = std::uint64_t{2147483647} * detail::tile_size;
  std::string const text = detail::concatenate(": n = ", limit + 1, ": must be at most ", limit);
  EXPECT_EQ(
      thrown_message([&] { riffle::inclusive_scan(this->exec, limit + 1, Zero{}, sink, sum); }),
      "riffle::inclusive_scan" + text);
  EXPECT_EQ(thrown_message([&] {
              riffle::exclusive_scan(Context(this->exec, "user"), limit + 1, Zero{}, sink, sum, 0);
            }),
            "riffle::exclusive_scan" + text);
  this->exec.fence();
  int calls = -1;
  Kokkos::deep_copy(calls, sink.calls);
  EXPECT_EQ(calls, 0);
}

TYPED_TEST(ScanErrorsTest, FewerElementsThanN) {
  auto const data = to_view<TypeParam>(iota<int>(10));
  auto const five = Kokkos::subview(data, Range(0, 5));
  auto const six = Kokkos::subview(data, Range(4, 10));
  CountCalls<TypeParam> const sink{Kokkos::View<int, typename TypeParam::memory_space>("calls")};
  std::string const text = ".extent(0) = 5: must be at least n = 6";
  this->expect_refused_of(6, Zero{}, five, "out" + text);
  this->expect_refused_of(6, five, sink, "in" + text);
  this->expect_refused_of(6, five, six, "in" + text);
  this->expect_refused_of(6, six, five, "out" + text);
  this->expect_refused_of(std::uint64_t{1} << 50, Zero{}, five,
                          "out.extent(0) = 5: must be at least n = 1125899906842624");
  this->expect_refused_of(
      2, five, six,
      "in (\"values\") and out (\"values\") overlap: must be the same elements or share none");
  this->exec.fence();
  EXPECT_EQ(to_vector(data), iota<int>(10));
  int calls = -1;
  Kokkos::deep_copy(calls, sink.calls);
  EXPECT_EQ(calls, 0);
}

// Elements from n on do not change.
TYPED_TEST(ScanErrorsTest, ElementsBeyondNAreUnchanged) {
  for (int const n : {0, 1, 5, 4097, 10'000}) {
    auto const in = to_view<TypeParam>(std::vector<int>(10'003, 2));
    auto const out = to_view<TypeParam>(std::vector<int>(10'001, 7));
    riffle::inclusive_scan(this->exec, static_cast<std::uint64_t>(n), in, out, riffle::Sum<int>{});
    this->exec.fence();
    std::vector<int> expected(10'001, 7);
    for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = 2 * (i + 1);
    EXPECT_EQ(to_vector(out), expected) << n;
    riffle::exclusive_scan(this->exec, static_cast<std::uint64_t>(n), Zero{}, out,
                           riffle::Sum<int>{}, 9);
    this->exec.fence();
    for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = 9;
    EXPECT_EQ(to_vector(out), expected) << n;
  }
}

// Empty Views never overlap, whatever their addresses.
TYPED_TEST(ScanErrorsTest, EmptyViewsAreAccepted) {
  auto const data = to_view<TypeParam>(iota<int>(10));
  auto const nothing = Kokkos::subview(data, Range(5, 5));
  riffle::inclusive_scan(this->exec, nothing, nothing);
  riffle::exclusive_scan(this->exec, Kokkos::View<int*, typename TypeParam::memory_space>(),
                         nothing, riffle::Sum<int>{}, 3);
  this->exec.fence();
  EXPECT_EQ(to_vector(data), iota<int>(10));
}

}  // namespace
}  // namespace riffle::test::scan_errors_test
