// The errors of gather and scatter, after which nothing is written.

#include <Kokkos_Core.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::gather_scatter_errors_test {
namespace {

using Range = Kokkos::pair<std::size_t, std::size_t>;

/// The message for two arguments made by to_view, whose label is "values".
std::string overlap_text(std::string const& a, std::string const& b) {
  return a + " (\"values\") and " + b + " (\"values\") overlap: must share no element";
}

template <class Exec>
class GatherScatterErrorsTest : public ::testing::Test {
 protected:
  /// Expects this message from the unchecked and the checked call, without "riffle::<function>: ".
  template <class In, class Indices, class Out>
  void expect_gather_throws(In const& in, Indices const& q, Out const& out,
                            std::string const& text) {
    EXPECT_EQ(thrown_message([&] { riffle::gather(exec, in, q, out); }), "riffle::gather: " + text);
    EXPECT_EQ(thrown_message([&] { riffle::gather_if_valid(exec, in, q, out); }),
              "riffle::gather_if_valid: " + text);
  }
  template <class In, class Indices, class Out>
  void expect_scatter_throws(In const& in, Indices const& p, Out const& out,
                             std::string const& text) {
    EXPECT_EQ(thrown_message([&] { riffle::scatter(exec, in, p, out); }),
              "riffle::scatter: " + text);
    EXPECT_EQ(thrown_message([&] { riffle::scatter_if_permutation(exec, in, p, out); }),
              "riffle::scatter_if_permutation: " + text);
  }

  template <class Index>
  std::string checked_scatter(std::vector<Index> const& indices) {
    auto const out = to_view<Exec>(std::vector<int>(indices.size(), 77));
    auto const message = thrown_message([&] {
      riffle::scatter_if_permutation(exec, to_view<Exec>(iota<int>(indices.size())),
                                     to_view<Exec>(indices), out);
    });
    EXPECT_EQ(to_vector(out), std::vector<int>(indices.size(), 77));
    return message;
  }

  template <class Index>
  std::string checked_gather(std::size_t rows, std::vector<Index> const& indices) {
    auto const out = to_view<Exec>(std::vector<int>(indices.size(), 77));
    auto const message = thrown_message([&] {
      riffle::gather_if_valid(exec, to_view<Exec>(iota<int>(rows)), to_view<Exec>(indices), out);
    });
    EXPECT_EQ(to_vector(out), std::vector<int>(indices.size(), 77));
    return message;
  }

  Exec exec;
};
TYPED_TEST_SUITE(GatherScatterErrorsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(GatherScatterErrorsTest, Extents) {
  auto const three = to_view<TypeParam>(iota<int>(3));
  auto const four = to_view<TypeParam>(iota<int>(4));
  auto const out = to_view<TypeParam>(std::vector<int>(4, 77));
  auto const none = zeros<TypeParam, int>(0);
  this->expect_gather_throws(four, three, out,
                             "q.extent(0) = 3 and out.extent(0) = 4: must be equal");
  this->expect_gather_throws(
      none, four, out,
      "in.extent(0) = 0 and q.extent(0) = 4: there is nothing that an index can be of");
  this->expect_scatter_throws(three, four, out,
                              "p.extent(0) = 4 and in.extent(0) = 3: must be equal");
  this->expect_scatter_throws(
      four, to_view<TypeParam>(iota<int>(4)), Kokkos::subview(out, Range(0, 3)),
      "out.extent(0) = 3 and p.extent(0) = 4: indices that differ need as many places");
  // Three indices are not a permutation of the four places of out; the unchecked scatter() accepts them.
  EXPECT_EQ(thrown_message([&] { riffle::scatter_if_permutation(this->exec, three, three, out); }),
            "riffle::scatter_if_permutation: p.extent(0) = 3 and out.extent(0) = 4: must be equal");
  EXPECT_EQ(to_vector(out), std::vector<int>(4, 77));
}

TYPED_TEST(GatherScatterErrorsTest, RowsOfDifferentLengths) {
  using Matrix = Kokkos::View<int**, typename TypeParam::memory_space>;
  Matrix const two("two", 3, 2);
  Matrix const five("five", 3, 5);
  auto const indices = to_view<TypeParam>(iota<int>(3));
  this->expect_gather_throws(two, indices, five,
                             "in.extent(1) = 2 and out.extent(1) = 5: must be equal");
  this->expect_scatter_throws(riffle::pack(two), indices, riffle::pack(five),
                              "in.extent(1) = 2 and out.extent(1) = 5: must be equal");
}

TYPED_TEST(GatherScatterErrorsTest, Overlap) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  auto const indices = to_view<TypeParam>(iota<int>(50));
  auto const part = [&](std::size_t begin) {
    return Kokkos::subview(data, Range(begin, begin + 50));
  };
  // out shares one element with in, all elements with the indices, or one element with the indices.
  auto const in_and_out = overlap_text("in", "out");
  this->expect_gather_throws(part(0), indices, part(49), in_and_out);
  this->expect_scatter_throws(part(0), indices, part(49), in_and_out);
  auto const other = to_view<TypeParam>(iota<int>(50));
  this->expect_gather_throws(other, indices, indices, overlap_text("q", "out"));
  this->expect_scatter_throws(other, part(0), part(49), overlap_text("p", "out"));
  EXPECT_EQ(to_vector(data), iota<int>(100));
  EXPECT_EQ(to_vector(indices), iota<int>(50));
  // Views that begin 50 elements apart share nothing.
  riffle::gather_if_valid(this->exec, part(0), indices, part(50));
  this->exec.fence();
  EXPECT_EQ(to_vector(part(50)), iota<int>(50));
}

TYPED_TEST(GatherScatterErrorsTest, IndexOutOfRange) {
  EXPECT_EQ((this->template checked_gather<int>(3, {0, 1, 2, 3, -1})),
            "riffle::gather_if_valid: q(3) = 3: must be at least 0 and less than in.extent(0) = 3");
  EXPECT_EQ(
      (this->template checked_gather<std::int8_t>(3, {2, -1, 3})),
      "riffle::gather_if_valid: q(1) = -1: must be at least 0 and less than in.extent(0) = 3");
  EXPECT_EQ(
      (this->template checked_gather<std::uint64_t>(3, {~std::uint64_t{0}})),
      "riffle::gather_if_valid: q(0) = 18446744073709551615: must be at least 0 and less than "
      "in.extent(0) = 3");
  EXPECT_EQ((this->template checked_scatter<int>({2, 0, 3})),
            "riffle::scatter_if_permutation: p(2) = 3: must be at least 0 and less than n = 3");
  EXPECT_EQ((this->template checked_scatter<std::int64_t>({-5, 0, 3})),
            "riffle::scatter_if_permutation: p(0) = -5: must be at least 0 and less than n = 3");
  EXPECT_EQ((this->template checked_scatter<std::uint8_t>({255})),
            "riffle::scatter_if_permutation: p(0) = 255: must be at least 0 and less than n = 1");
}

TYPED_TEST(GatherScatterErrorsTest, IndexRepeated) {
  std::string const text = " is there before: must be a permutation, each value once";
  EXPECT_EQ((this->template checked_scatter<int>({2, 0, 2})),
            "riffle::scatter_if_permutation: p(2) = 2" + text);
  // The message names the first of two violations, also if the second is out of range.
  EXPECT_EQ((this->template checked_scatter<std::int16_t>({1, 1, 0, 0, -1})),
            "riffle::scatter_if_permutation: p(1) = 1" + text);
  auto indices = random_cycle<std::uint32_t>(50'000);
  indices[40'000] = indices[100];
  EXPECT_EQ(this->checked_scatter(indices),
            "riffle::scatter_if_permutation: p(40000) = " + std::to_string(indices[100]) + text);
}

// --- inverse and compose ---

TYPED_TEST(GatherScatterErrorsTest, InverseAndCompose) {
  auto const& exec = this->exec;
  auto const p = to_view<TypeParam>(std::vector<int>{1, 2, 0});
  auto const q = to_view<TypeParam>(std::vector<int>{1, 0});
  auto const out = to_view<TypeParam>(std::vector<int>(3, 77));
  auto const few = to_view<TypeParam>(std::vector<std::int8_t>(200, 77));
  auto const many = to_view<TypeParam>(iota<int>(200));
  auto const expect = [](std::string const& message, std::string const& text) {
    EXPECT_EQ(message, "riffle::" + text);
  };
  std::string const extents = ".extent(0) = 2 and out.extent(0) = 3: must be equal";
  expect(thrown_message([&] { riffle::inverse(exec, q, out); }), "inverse: p" + extents);
  expect(thrown_message([&] { riffle::compose(exec, p, q, out); }), "compose: q" + extents);
  expect(thrown_message([&] { riffle::compose(exec, q, p, out); }), "compose: p" + extents);
  expect(thrown_message([&] { riffle::inverse(exec, p, p); }),
         "inverse: " + overlap_text("p", "out"));
  expect(thrown_message([&] { riffle::compose(exec, out, p, p); }),
         "compose: " + overlap_text("q", "out"));
  expect(thrown_message([&] { riffle::compose(exec, p, out, p); }),
         "compose: " + overlap_text("p", "out"));
  std::string const narrow = "n = 200: the value type of out holds no index above 127";
  expect(thrown_message([&] { riffle::inverse(exec, many, few); }), "inverse: " + narrow);
  expect(thrown_message([&] { riffle::compose(exec, many, many, few); }), "compose: " + narrow);
  expect(
      thrown_message([&] {
        riffle::inverse_if_permutation(exec, to_view<TypeParam>(std::vector<int>{1, 1, 5}), out);
      }),
      "inverse_if_permutation: p(1) = 1 is there before: must be a permutation, each value once");
  EXPECT_EQ(to_vector(p), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(to_vector(out), std::vector<int>(3, 77));
  EXPECT_EQ(to_vector(few), std::vector<std::int8_t>(200, 77));
}

}  // namespace
}  // namespace riffle::test::gather_scatter_errors_test
