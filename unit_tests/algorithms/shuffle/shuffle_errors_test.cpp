// Errors of shuffles, before which nothing is written.

#include <Kokkos_Core.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"

namespace riffle::test::shuffle_errors_test {
namespace {

using Range = Kokkos::pair<int, int>;

template <class Exec>
class ShuffleErrorsTest : public ::testing::Test {
 protected:
  template <class T>
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  /// n equal values.
  template <class T = int>
  Vector<T> full_of(std::size_t n, T value) {
    return to_view<Exec>(std::vector<T>(n, value));
  }

  /// Whether `text` is the error of `function` for two Views that overlap.
  ::testing::AssertionResult tells_overlap(std::string const& text, std::string const& function) {
    std::string const begin = "riffle::" + function + ": ";
    bool const names_them = text.rfind(begin + "in (\"", 0) == 0 ||
                            text.rfind(begin + "a View of the pack (\"", 0) == 0;
    bool const told =
        names_them && text.find("\") overlap: must share no element") != std::string::npos;
    return told ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  }

  Exec exec;
};
TYPED_TEST_SUITE(ShuffleErrorsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ShuffleErrorsTest, ExtentsDiffer) {
  auto const in = this->full_of(4, 1);
  auto const out = this->full_of(5, 2);
  EXPECT_EQ(thrown_message([&] { riffle::shuffle_copy(this->exec, in, out, 0); }),
            "riffle::shuffle_copy: in.extent(0) = 4 and out.extent(0) = 5: must be equal");
  EXPECT_EQ(thrown_message([&] { riffle::shuffle_copy(Context(this->exec, "user"), out, in, 0); }),
            "riffle::shuffle_copy: in.extent(0) = 5 and out.extent(0) = 4: must be equal");
  EXPECT_EQ(
      thrown_message([&] { riffle::shuffle_copy(this->exec, in, out, 0, riffle::Bijective0<>{}); }),
      "riffle::shuffle_copy: in.extent(0) = 4 and out.extent(0) = 5: must be equal");
  EXPECT_EQ(to_vector(in), std::vector<int>(4, 1));
  EXPECT_EQ(to_vector(out), std::vector<int>(5, 2));
}

TYPED_TEST(ShuffleErrorsTest, WidthsDiffer) {
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutRight>(6, 2);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(6, 3);
  EXPECT_EQ(thrown_message([&] { riffle::shuffle_copy(this->exec, in, out, 0); }),
            "riffle::shuffle_copy: in.extent(1) = 2 and out.extent(1) = 3: must be equal");
}

TYPED_TEST(ShuffleErrorsTest, LengthsInAPackDiffer) {
  auto const four = this->full_of(4, 1);
  auto const five = this->full_of(5, 2);
  auto const out_four = this->full_of(4, 3);
  auto const out_five = this->full_of(5, 4);
  std::string const expected =
      ": a View of the pack has extent(0) = 5, the first one 4: must be equal";
  EXPECT_EQ(thrown_message([&] {
              riffle::shuffle_copy(this->exec, riffle::pack(four, five),
                                   riffle::pack(out_four, out_five), 0);
            }),
            "riffle::shuffle_copy" + expected);
  EXPECT_EQ(thrown_message([&] { riffle::shuffle(this->exec, riffle::pack(four, five), 0); }),
            "riffle::shuffle" + expected);
  EXPECT_EQ(thrown_message([&] {
              riffle::shuffle_copy(this->exec, riffle::pack(four, four),
                                   riffle::pack(out_four, out_five), 0);
            }),
            "riffle::shuffle_copy: in.extent(0) = 4 and out.extent(0) = 5: must be equal");
  EXPECT_EQ(to_vector(four), std::vector<int>(4, 1));
  EXPECT_EQ(to_vector(five), std::vector<int>(5, 2));
  EXPECT_EQ(to_vector(out_four), std::vector<int>(4, 3));
  EXPECT_EQ(to_vector(out_five), std::vector<int>(5, 4));
}

TYPED_TEST(ShuffleErrorsTest, InputIsOutput) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  Kokkos::View<int const*, typename TypeParam::memory_space> const in = data;
  EXPECT_TRUE(this->tells_overlap(
      thrown_message([&] { riffle::shuffle_copy(this->exec, data, data, 1); }), "shuffle_copy"));
  EXPECT_TRUE(this->tells_overlap(
      thrown_message([&] { riffle::shuffle_copy(this->exec, in, data, 1); }), "shuffle_copy"));
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

TYPED_TEST(ShuffleErrorsTest, InputReachesIntoOutput) {
  auto const data = to_view<TypeParam>(iota<int>(100));
  for (int const shift : {1, 50, 99}) {
    auto const in = Kokkos::subview(data, Range(0, 100 - shift));
    auto const out = Kokkos::subview(data, Range(shift, 100));
    bool const apart = 100 - shift <= shift;
    if (apart) continue;
    EXPECT_TRUE(this->tells_overlap(
        thrown_message([&] { riffle::shuffle_copy(this->exec, in, out, 1); }), "shuffle_copy"));
    EXPECT_TRUE(this->tells_overlap(
        thrown_message([&] { riffle::shuffle_copy(this->exec, out, in, 1); }), "shuffle_copy"));
  }
  EXPECT_EQ(to_vector(data), iota<int>(100));
}

TYPED_TEST(ShuffleErrorsTest, BlocksOfColumnsOverlap) {
  auto const matrix = make_matrix<TypeParam, int, Kokkos::LayoutRight>(20, 5);
  auto const columns = [&](int begin, int end) {
    return Kokkos::subview(matrix, Kokkos::ALL, Range(begin, end));
  };
  EXPECT_TRUE(this->tells_overlap(
      thrown_message([&] { riffle::shuffle_copy(this->exec, columns(0, 3), columns(2, 5), 1); }),
      "shuffle_copy"));
}

TYPED_TEST(ShuffleErrorsTest, PacksOverlap) {
  auto const a = this->full_of(10, 1);
  auto const b = this->full_of(10, 2);
  auto const c = this->full_of(10, 3);
  // Two Views that are written.
  EXPECT_TRUE(this->tells_overlap(thrown_message([&] {
                                    riffle::shuffle_copy(this->exec, riffle::pack(a, b),
                                                         riffle::pack(c, c), 1);
                                  }),
                                  "shuffle_copy"));
  EXPECT_TRUE(this->tells_overlap(
      thrown_message([&] { riffle::shuffle(this->exec, riffle::pack(a, b, a), 1); }), "shuffle"));
  // A View that is read and one that is written, at different positions in their packs.
  EXPECT_TRUE(this->tells_overlap(thrown_message([&] {
                                    riffle::shuffle_copy(this->exec, riffle::pack(a, b),
                                                         riffle::pack(b, c), 1);
                                  }),
                                  "shuffle_copy"));
  EXPECT_EQ(to_vector(a), std::vector<int>(10, 1));
  EXPECT_EQ(to_vector(b), std::vector<int>(10, 2));
  EXPECT_EQ(to_vector(c), std::vector<int>(10, 3));
}

TYPED_TEST(ShuffleErrorsTest, IntegersTooSmallForThePermutation) {
  auto const unsigned_out = this->template full_of<std::uint8_t>(257, 77);
  EXPECT_EQ(thrown_message([&] { riffle::random_permutation(this->exec, unsigned_out, 1); }),
            "riffle::random_permutation: n = 257: the value type of out holds no index above 255");
  EXPECT_EQ(to_vector(unsigned_out), std::vector<std::uint8_t>(257, 77));
  auto const signed_out = this->template full_of<std::int8_t>(300, 77);
  EXPECT_EQ(thrown_message(
                [&] { riffle::random_permutation(Context(this->exec, "user"), signed_out, 1); }),
            "riffle::random_permutation: n = 300: the value type of out holds no index above 127");
  EXPECT_EQ(to_vector(signed_out), std::vector<std::int8_t>(300, 77));

  auto const largest_unsigned = Kokkos::subview(unsigned_out, Range(0, 256));
  riffle::random_permutation(this->exec, largest_unsigned, 1);
  EXPECT_TRUE(is_permutation_of_iota(to_vector(largest_unsigned)));
  auto const largest_signed = Kokkos::subview(signed_out, Range(0, 128));
  riffle::random_permutation(this->exec, largest_signed, 1);
  EXPECT_TRUE(is_permutation_of_iota(to_vector(largest_signed)));
}

TYPED_TEST(ShuffleErrorsTest, IntegersTooSmallForTheSample) {
  auto const bytes = this->template full_of<std::uint8_t>(10, 77);
  EXPECT_EQ(thrown_message([&] { riffle::sample(this->exec, 257, bytes, 1); }),
            "riffle::sample: n = 257: the value type of out holds no index above 255");
  auto const small = this->template full_of<std::int8_t>(10, 77);
  EXPECT_EQ(thrown_message([&] { riffle::sample(this->exec, 300, small, 1); }),
            "riffle::sample: n = 300: the value type of out holds no index above 127");
  auto const words = this->template full_of<std::int32_t>(10, 77);
  EXPECT_EQ(
      thrown_message(
          [&] { riffle::sample(Context(this->exec, "user"), (1u << 31) + 1, words, 1); }),
      "riffle::sample: n = 2147483649: the value type of out holds no index above 2147483647");
  EXPECT_EQ(to_vector(bytes), std::vector<std::uint8_t>(10, 77));
  EXPECT_EQ(to_vector(small), std::vector<std::int8_t>(10, 77));
  EXPECT_EQ(to_vector(words), std::vector<std::int32_t>(10, 77));
  riffle::sample(this->exec, 256, bytes, 1);
  riffle::sample(this->exec, 128, small, 1);
  riffle::sample(this->exec, 1u << 31, words, 1);
  for (auto const drawn : to_vector(small)) EXPECT_GE(drawn, 0);
  for (auto const drawn : to_vector(words)) EXPECT_GE(drawn, 0);
}

TYPED_TEST(ShuffleErrorsTest, SampleLargerThanItsPopulation) {
  auto const out = this->full_of(11, 77);
  EXPECT_EQ(thrown_message([&] { riffle::sample(this->exec, 10, out, 1); }),
            "riffle::sample: out.extent(0) = 11: must not exceed n = 10");
  EXPECT_EQ(thrown_message([&] { riffle::sample(this->exec, 0, out, 1); }),
            "riffle::sample: out.extent(0) = 11: must not exceed n = 0");
  EXPECT_EQ(to_vector(out), std::vector<int>(11, 77));
}

TYPED_TEST(ShuffleErrorsTest, SampleOfTooLargeAPopulation) {
  auto const out = this->template full_of<std::uint64_t>(3, 77);
  EXPECT_EQ(
      thrown_message([&] { riffle::sample(this->exec, (std::uint64_t{1} << 63) + 1, out, 1); }),
      "riffle::sample: n = 9223372036854775809: must be at most 2^63");
  EXPECT_EQ(to_vector(out), std::vector<std::uint64_t>(3, 77));
}

}  // namespace
}  // namespace riffle::test::shuffle_errors_test
