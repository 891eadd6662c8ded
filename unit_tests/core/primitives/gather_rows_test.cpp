// Gathers of rows: sizes at the edges of blocks, layouts, element types.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/gathers.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/sigma_table.hpp"
#include "support/views.hpp"

namespace riffle::test::gather_rows_test {
namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

constexpr std::uint64_t seed = 6;

/// A user's sigma, which is not necessarily a permutation.
template <class View>
struct Stored {
  View images;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return images(i); }
};

template <class Exec>
class GatherRowsTest : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;

  /// gather(in, out) by the stored images of RandomPermutation. It has only one form, so fewer kernels are compiled.
  static auto gather_of(std::size_t n) {
    auto const stored = to_view<Exec>(table(n, seed));
    return [n, stored](auto const& in, auto const& out) {
      detail::gather_rows(Context(Exec(), "gather"), n, Stored<decltype(stored)>{stored}, in, out);
    };
  }

  template <class T, class InLayout, class OutLayout>
  static void expect_rows(RowShape const& shape) {
    expect_gathers_rows<T, InLayout, OutLayout, Exec>(gather_of(shape.n), shape,
                                                      table(shape.n, seed));
  }

  template <class T>
  static void expect_rows_of_all_sizes() {
    for (std::size_t const n : {0, 1, 2, 31, 33, 128, 129, 513, 1100}) {
      for (std::size_t const m : {0, 1, 2, 3, 4, 5, 31, 32, 33, 1000}) {
        if (n * m > 20'000) continue;
        expect_rows<T, LayoutRight, LayoutRight>({n, m});
        expect_rows<T, LayoutLeft, LayoutLeft>({n, m});
      }
    }
  }

  template <class InLayout, class OutLayout>
  static void expect_rows_within_others() {
    for (std::size_t const margin : {0, 1, 2, 4}) {
      for (std::size_t const m : {1, 2, 3, 16, 33}) {
        expect_rows<float, InLayout, OutLayout>({133, m, margin});
      }
    }
  }

  template <class T>
  static void expect_values() {
    for (std::size_t const n : {1, 33, 257, 1100}) {
      for (std::size_t const distance : {1, 2, 3}) {
        for (std::size_t const margin : {0, 1}) {
          RowShape const shape{n, distance, margin};
          expect_gathers_values<T, LayoutRight, Exec>(gather_of(n), shape, table(n, seed));
        }
      }
    }
  }
};
TYPED_TEST_SUITE(GatherRowsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(GatherRowsTest, BytesOfAllSizes) {
  this->template expect_rows_of_all_sizes<std::uint8_t>();
}
TYPED_TEST(GatherRowsTest, FloatsOfAllSizes) { this->template expect_rows_of_all_sizes<float>(); }
TYPED_TEST(GatherRowsTest, DoublesOfAllSizes) { this->template expect_rows_of_all_sizes<double>(); }
TYPED_TEST(GatherRowsTest, StructsOf24BytesOfAllSizes) {
  this->template expect_rows_of_all_sizes<Struct<double, 3>>();
}
TYPED_TEST(GatherRowsTest, StructsOf64BytesOfAllSizes) {
  this->template expect_rows_of_all_sizes<Struct<double, 8>>();
}

// For floats, whose rows have words of 4 to 16 bytes. BytesOfAllSizes and other tests have bytes and doubles.
TYPED_TEST(GatherRowsTest, FromEveryLayoutToEveryLayout) {
  this->template expect_rows_within_others<LayoutRight, LayoutRight>();
  this->template expect_rows_within_others<LayoutRight, LayoutLeft>();
  this->template expect_rows_within_others<LayoutRight, LayoutStride>();
  this->template expect_rows_within_others<LayoutLeft, LayoutRight>();
  this->template expect_rows_within_others<LayoutLeft, LayoutLeft>();
  this->template expect_rows_within_others<LayoutLeft, LayoutStride>();
  this->template expect_rows_within_others<LayoutStride, LayoutRight>();
  this->template expect_rows_within_others<LayoutStride, LayoutLeft>();
  this->template expect_rows_within_others<LayoutStride, LayoutStride>();
}

// Several threads share a row.
TYPED_TEST(GatherRowsTest, FewLongRows) {
  for (std::size_t const n : {1, 2, 10}) {
    for (std::size_t const m : {10'000, 54'321}) {
      this->template expect_rows<float, LayoutRight, LayoutRight>({n, m});
      this->template expect_rows<double, LayoutLeft, LayoutLeft>({n, m});
    }
  }
}

// For every form of the permutation. With the largest number of rows every thread has several blocks.
TYPED_TEST(GatherRowsTest, RandomPermutations) {
  for (std::size_t const n : {2, 20, 21, 1000, 20'000}) {
    auto const gather = [n](auto const& in, auto const& out) {
      detail::gather_rows(Context(TypeParam(), "gather"), n, RandomPermutation(n, seed), in, out);
    };
    auto const sigma = table(n, seed);
    expect_gathers_rows<double, LayoutRight, LayoutRight, TypeParam>(gather, {n, 5}, sigma);
    expect_gathers_rows<double, LayoutLeft, LayoutLeft, TypeParam>(gather, {n, 5}, sigma);
  }
}

TYPED_TEST(GatherRowsTest, ValuesOneByOne) {
  this->template expect_values<std::uint8_t>();
  this->template expect_values<double>();
  this->template expect_values<Struct<std::uint8_t, 3>>();
  this->template expect_values<Struct<double, 3>>();
  this->template expect_values<Struct<double, 8>>();
  this->template expect_values<Struct<float, 25>>();
}

template <class Exec, class In, class Out, class Layout>
void expect_converts(std::size_t n, std::size_t m) {
  auto const in = make_matrix<Exec, In, Layout>(n, m);
  auto const out = make_matrix<Exec, Out, LayoutRight>(n, m);
  fill(in, make_elements<In>(n * m, 0));
  auto const stored = to_view<Exec>(table(n, seed));
  detail::gather_rows(Context(Exec(), "gather"), n, Stored<decltype(stored)>{stored}, in, out);
  Kokkos::fence();
  std::vector<std::vector<Out>> source;
  for (auto const& row : to_rows(in)) source.emplace_back(row.begin(), row.end());
  EXPECT_TRUE(is_gather(source, to_rows(out), table(n, seed)));
}

TYPED_TEST(GatherRowsTest, ElementsThatAreConverted) {
  for (std::size_t const n : {1, 33, 700}) {
    for (std::size_t const m : {1, 3, 40}) {
      expect_converts<TypeParam, float, double, LayoutRight>(n, m);
      expect_converts<TypeParam, std::uint8_t, float, LayoutLeft>(n, m);
      expect_converts<TypeParam, int, long, LayoutStride>(n, m);
    }
  }
}

TYPED_TEST(GatherRowsTest, StoredImages) {
  std::size_t const n = 777;
  std::vector<std::uint64_t> images;
  for (std::uint64_t i = 0; i < n; ++i) images.push_back(i * i % 100);
  auto const stored = to_view<TypeParam>(images);
  auto const gather = [&](auto const& in, auto const& out) {
    detail::gather_rows(Context(TypeParam(), "gather"), n, Stored<decltype(stored)>{stored}, in,
                        out);
  };
  for (std::size_t const m : {1, 3, 50}) {
    expect_gathers_rows<float, LayoutRight, LayoutRight, TypeParam>(gather, {n, m}, images);
    expect_gathers_rows<float, LayoutLeft, LayoutLeft, TypeParam>(gather, {n, m}, images);
  }
}

TYPED_TEST(GatherRowsTest, PacksOfViewsOfManyKinds) {
  using detail::gather_rows;
  for (std::size_t const n : {1, 20, 129, 2000}) {
    using Keys = Kokkos::View<double*, typename TypeParam::memory_space>;
    auto const make = [n](std::size_t first) {
      auto const pack =
          riffle::pack(Keys("keys", n), make_matrix<TypeParam, float, LayoutRight>(n, 33),
                       make_matrix<TypeParam, std::uint8_t, LayoutLeft>(n, 5),
                       make_matrix<TypeParam, double, LayoutRight>(n, 0),
                       make_matrix<TypeParam, Struct<double, 3>, LayoutStride>(n, 100));
      fill(pack.first, make_elements<double>(n, first));
      fill(pack.rest.first, make_elements<float>(33 * n, first));
      fill(pack.rest.rest.first, make_elements<std::uint8_t>(5 * n, first));
      fill(pack.rest.rest.rest.rest.first, make_elements<Struct<double, 3>>(100 * n, first));
      return pack;
    };
    auto const in = make(0);
    auto const out = make(77);
    gather_rows(Context(TypeParam(), "gather"), n, RandomPermutation(n, seed), in, out);
    Kokkos::fence();
    auto const sigma = table(n, seed);
    EXPECT_TRUE(is_gather(to_vector(in.first), to_vector(out.first), sigma));
    EXPECT_TRUE(is_gather(to_rows(in.rest.first), to_rows(out.rest.first), sigma));
    EXPECT_TRUE(is_gather(to_rows(in.rest.rest.first), to_rows(out.rest.rest.first), sigma));
    EXPECT_TRUE(is_gather(to_rows(in.rest.rest.rest.rest.first),
                          to_rows(out.rest.rest.rest.rest.first), sigma));
  }
}

}  // namespace
}  // namespace riffle::test::gather_rows_test
