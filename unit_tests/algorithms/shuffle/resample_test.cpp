// Draws with replacement, and samples of segments.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/resample.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::resample_test {
namespace {

template <class Exec>
class ResampleTest : public ::testing::Test {
 protected:
  template <class T>
  std::vector<T> draw(std::uint64_t n, std::size_t draws, std::uint64_t seed,
                      std::uint64_t stream) {
    auto const out = zeros<Exec, T>(draws);
    riffle::bootstrap_indices(exec, n, out, seed, stream);
    exec.fence();
    return to_vector(out);
  }

  std::vector<std::int64_t> sample(std::vector<std::int32_t> const& offsets,
                                   std::vector<std::int16_t> const& counts, std::size_t size,
                                   std::uint64_t seed, std::uint64_t stream = 0) {
    auto const out = zeros<Exec, std::int64_t>(size);
    riffle::sample_segments(Context(exec, workspace), to_view<Exec>(offsets), to_view<Exec>(counts),
                            out, seed, stream);
    exec.fence();
    return to_vector(out);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ResampleTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ResampleTest, BootstrapIndicesAreUniform) {
  auto const indices = this->template draw<std::int32_t>(10, 20'001, 1, 0);
  std::vector<std::uint64_t> counts(10), pairs(100);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    ASSERT_TRUE(0 <= indices[i] && indices[i] < 10);
    ++counts[static_cast<std::size_t>(indices[i])];
    if (i % 2 == 1) ++pairs[static_cast<std::size_t>(indices[i - 1] * 10 + indices[i])];
  }
  EXPECT_LT(chi_square(counts), 30);  // 9 degrees of freedom
  EXPECT_LT(chi_square(pairs), 160);  // 99 degrees of freedom
  // Other seeds and streams are other draws; fewer draws are the first of more.
  auto const same = this->template draw<std::int32_t>(10, 7, 1, 0);
  EXPECT_TRUE(std::equal(same.begin(), same.end(), indices.begin()));
  EXPECT_NE(this->template draw<std::int32_t>(10, 20'001, 1, 1), indices);
  EXPECT_NE(this->template draw<std::int32_t>(10, 20'001, 2, 0), indices);
}

// If n is 3/4 of 2^64, one quarter of the numbers must be drawn again. Otherwise every third index would be twice as likely.
TYPED_TEST(ResampleTest, LargeNIsUnbiased) {
  std::uint64_t const n = std::uint64_t{3} << 62;
  std::vector<std::uint64_t> residues(3), halves(2);
  for (std::uint64_t const index : this->template draw<std::uint64_t>(n, 10'000, 3, 4)) {
    ASSERT_LT(index, n);
    ++residues[index % 3];
    ++halves[index < n / 2 ? 0 : 1];
  }
  EXPECT_LT(chi_square(residues), 20);  // 2 degrees of freedom
  EXPECT_LT(chi_square(halves), 20);    // 1 degree of freedom
}

TYPED_TEST(ResampleTest, BootstrapOfFewElements) {
  EXPECT_EQ(this->template draw<std::int8_t>(1, 5, 1, 0), std::vector<std::int8_t>(5));
  EXPECT_TRUE(this->template draw<std::int8_t>(0, 0, 1, 0).empty());
  EXPECT_EQ(this->template draw<std::int32_t>(1000, 4, 2026, 1),
            (std::vector<std::int32_t>{0, 862, 745, 157}));
}

// Segments of 0, 1, few and many elements, of which none, some or all are drawn.
TYPED_TEST(ResampleTest, SampleSegments) {
  std::vector<std::int32_t> offsets{3};
  std::vector<std::int16_t> counts;
  std::vector<std::int64_t> expected;
  for (std::int32_t s = 0; s < 200; ++s) {
    std::int32_t const length = s % 50 == 7 ? 2000 : s % 5;
    std::int32_t const count = s % 3 == 0 ? length : length / 2;
    RandomPermutation const sigma(static_cast<std::uint64_t>(length), 11,
                                  static_cast<std::uint64_t>(s));
    for (std::int32_t j = 0; j < count; ++j)
      expected.push_back(offsets.back() +
                         static_cast<std::int64_t>(sigma(static_cast<std::uint64_t>(j))));
    offsets.push_back(offsets.back() + length);
    counts.push_back(static_cast<std::int16_t>(count));
  }
  EXPECT_EQ(this->sample(offsets, counts, expected.size(), 11), expected);
  EXPECT_EQ(this->sample(offsets, counts, expected.size(), 3, 5),
            this->sample(offsets, counts, expected.size(), seed_of_stream(3, 5)));
  EXPECT_TRUE(this->sample({5}, {}, 0, 1).empty());
  EXPECT_TRUE(this->sample({5, 5, 9}, {0, 0}, 0, 1).empty());
  // No element is drawn twice.
  auto all = this->sample({0, 100, 1000}, {100, 900}, 1000, 2);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
}

TYPED_TEST(ResampleTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const offsets = to_view<TypeParam>(std::vector<std::int32_t>{0, 1000, 3000});
  auto const counts = to_view<TypeParam>(std::vector<std::int32_t>{500, 2000});
  auto const out = zeros<TypeParam, std::int32_t>(2500);
  Kokkos::fence();
  expect_labels_and_instance(instance,
                             [&](auto const& on) { riffle::bootstrap_indices(on, 99, out, 1); });
  expect_labels_and_instance(
      instance, [&](auto const& on) { riffle::sample_segments(on, offsets, counts, out, 1); });
}

TYPED_TEST(ResampleTest, RejectsInvalidArguments) {
  auto const out = to_view<TypeParam>(std::vector<std::int8_t>(5, -7));
  EXPECT_EQ(thrown_message([&] { riffle::bootstrap_indices(this->exec, 0, out, 1); }),
            "riffle::bootstrap_indices: n = 0 and out.extent(0) = 5: there is nothing to draw");
  EXPECT_EQ(thrown_message([&] { riffle::bootstrap_indices(this->exec, 129, out, 1); }),
            "riffle::bootstrap_indices: n = 129: the value type of out holds no index above 127");
  auto const message_of = [&](std::vector<std::int32_t> const& offsets,
                              std::vector<std::int32_t> const& counts) {
    return thrown_message([&] {
      riffle::sample_segments(this->exec, to_view<TypeParam>(offsets), to_view<TypeParam>(counts),
                              out, 1);
    });
  };
  std::string const rule =
      ": must be at least 0, and at most the length of the segment; offsets must ascend from 0 or "
      "more";
  std::string const start = "riffle::sample_segments: ";
  EXPECT_EQ(message_of({0, 5}, {2, 3}), start +
                                            "offsets.extent(0) = 2 and counts.extent(0) = 2: there "
                                            "must be one offset more than there are counts");
  EXPECT_EQ(message_of({0, 4, 3, 9}, {4, 0, 1}), start + "counts(1) = 0" + rule);
  EXPECT_EQ(message_of({-1, 4}, {5}), start + "counts(0) = 5" + rule);
  EXPECT_EQ(message_of({0, 4, 9}, {5, 0}), start + "counts(0) = 5" + rule);
  EXPECT_EQ(message_of({0, 4, 9}, {4, -1}), start + "counts(1) = -1" + rule);
  EXPECT_EQ(message_of({0, 9}, {4}), start + "out.extent(0) = 5: must be the sum of the counts, 4");
  EXPECT_EQ(message_of({0, 129}, {5}),
            start + "n = 129: the value type of out holds no index above 127");
  EXPECT_EQ(to_vector(out), std::vector<std::int8_t>(5, -7));
  auto const offsets = to_view<TypeParam>(std::vector<std::int32_t>{0, 5});
  auto const part = Kokkos::subview(offsets, std::pair(1, 2));
  EXPECT_NE(thrown_message([&] {
              riffle::sample_segments(this->exec, offsets,
                                      to_view<TypeParam>(std::vector<std::int32_t>{1}), part, 1);
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::resample_test
