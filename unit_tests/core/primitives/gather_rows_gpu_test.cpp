// The kernel that gathers rows on a GPU, on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/detail/gpu/gather_rows_gpu.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/gathers.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/sigma_table.hpp"
#include "support/views.hpp"

namespace riffle::test::gather_rows_gpu_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

constexpr std::uint64_t seed = 6;

/// As riffle::detail::gather_rows, by at most `max_teams` teams.
template <class Sigma, class In, class Out>
void gather_by_emulated_gpu(std::size_t n, Sigma const& sigma, In const& in, Out const& out,
                            std::uint64_t max_teams = 1000) {
  auto const copies = detail::row_copies(in, out);
  if (n == 0 || detail::part_count(copies) == 0) return;
  using Kernel = detail::GatherByWarps<Sigma, std::decay_t<decltype(copies)>>;
  Kernel const kernel(n, sigma, copies);
  EmulatedGpu(2, n).run(static_cast<int>(std::min(kernel.teams(), max_teams)), Kernel::threads, 0,
                        kernel);
}

template <class T, class InLayout, class OutLayout>
void expect_rows(RowShape const& shape, std::uint64_t max_teams = 1000) {
  auto const gather = [&](auto const& in, auto const& out) {
    gather_by_emulated_gpu(shape.n, RandomPermutation(shape.n, seed), in, out, max_teams);
  };
  expect_gathers_rows<T, InLayout, OutLayout, Host>(gather, shape, table(shape.n, seed));
}

template <class T>
void expect_rows_of_all_sizes() {
  for (std::size_t const n : {1, 3, 31, 33, 129}) {
    for (std::size_t const m : {0, 1, 2, 3, 17, 33, 1000}) {
      if (n * m > 5'000) continue;
      expect_rows<T, LayoutRight, LayoutRight>({n, m});
      expect_rows<T, LayoutLeft, LayoutLeft>({n, m});
    }
  }
}

TEST(GatherRowsOnEmulatedGpu, BytesOfAllSizes) { expect_rows_of_all_sizes<std::uint8_t>(); }
TEST(GatherRowsOnEmulatedGpu, DoublesOfAllSizes) { expect_rows_of_all_sizes<double>(); }
TEST(GatherRowsOnEmulatedGpu, StructsOf24BytesOfAllSizes) {
  expect_rows_of_all_sizes<Struct<double, 3>>();
}
TEST(GatherRowsOnEmulatedGpu, StructsOf64BytesOfAllSizes) {
  expect_rows_of_all_sizes<Struct<double, 8>>();
}

// If both layouts are the same, rows of words and rows of elements of each size. If the layout changes, the type of the
// elements does not matter, and each case has another type.
TEST(GatherRowsOnEmulatedGpu, FromEveryLayoutToEveryLayout) {
  for (std::size_t const margin : {1, 2}) {
    expect_rows<double, LayoutRight, LayoutRight>({133, 16, margin});
    expect_rows<float, LayoutRight, LayoutRight>({65, 3, margin});
    expect_rows<std::uint8_t, LayoutRight, LayoutRight>({33, 18, margin});
    expect_rows<double, LayoutLeft, LayoutLeft>({133, 16, margin});
    expect_rows<float, LayoutLeft, LayoutLeft>({65, 3, margin});
    expect_rows<std::uint8_t, LayoutLeft, LayoutLeft>({33, 18, margin});
    expect_rows<double, LayoutRight, LayoutLeft>({133, 16, margin});
    expect_rows<float, LayoutLeft, LayoutRight>({65, 3, margin});
    expect_rows<std::uint8_t, LayoutStride, LayoutStride>({33, 18, margin});
  }
}

// The specialized forms of a permutation evaluate four images at a time.
TEST(GatherRowsOnEmulatedGpu, FormsOfPermutations) {
  for (std::size_t const n : {2, 20, 21, 300}) {
    auto const gather = [n](auto const& in, auto const& out) {
      RandomPermutation(n, seed).specialize(
          [&](auto const& form) { gather_by_emulated_gpu(n, form, in, out); });
    };
    expect_gathers_rows<double, LayoutRight, LayoutRight, Host>(gather, {n, 3}, table(n, seed));
  }
}

TEST(GatherRowsOnEmulatedGpu, FewLongRows) {
  expect_rows<double, LayoutRight, LayoutRight>({1, 5001});
  expect_rows<float, LayoutRight, LayoutRight>({10, 1500});
  expect_rows<double, LayoutLeft, LayoutLeft>({10, 301});
}

// Fewer teams than work items, as with 2^31 teams.
TEST(GatherRowsOnEmulatedGpu, TeamsTakeSeveralItems) {
  expect_rows<double, LayoutRight, LayoutRight>({1300, 2}, 1);
  expect_rows<double, LayoutRight, LayoutRight>({150, 70}, 1);
  expect_rows<float, LayoutLeft, LayoutLeft>({200, 20}, 1);
}

TEST(GatherRowsOnEmulatedGpu, ValuesOneByOne) {
  for (std::size_t const n : {1, 200}) {
    for (std::size_t const distance : {1, 2, 3}) {
      auto const gather = [&](auto const& in, auto const& out) {
        gather_by_emulated_gpu(n, RandomPermutation(n, seed), in, out);
      };
      auto const sigma = table(n, seed);
      expect_gathers_values<double, LayoutRight, Host>(gather, {n, distance}, sigma);
      expect_gathers_values<Struct<std::uint8_t, 3>, LayoutRight, Host>(gather, {n, distance},
                                                                        sigma);
      expect_gathers_values<Struct<double, 3>, LayoutRight, Host>(gather, {n, distance}, sigma);
      expect_gathers_values<Struct<double, 8>, LayoutRight, Host>(gather, {n, distance}, sigma);
    }
  }
}

TEST(GatherRowsOnEmulatedGpu, PacksOfViewsOfManyKinds) {
  std::size_t const n = 200;
  auto const make = [](std::size_t first) {
    auto const pack = riffle::pack(Kokkos::View<double*, Kokkos::HostSpace>("keys", n),
                                   make_matrix<Host, float, LayoutRight>(n, 33),
                                   make_matrix<Host, std::uint8_t, LayoutLeft>(n, 5),
                                   make_matrix<Host, Struct<double, 3>, LayoutStride>(n, 20));
    fill(pack.first, make_elements<double>(n, first));
    fill(pack.rest.first, make_elements<float>(33 * n, first));
    fill(pack.rest.rest.first, make_elements<std::uint8_t>(5 * n, first));
    fill(pack.rest.rest.rest.first, make_elements<Struct<double, 3>>(20 * n, first));
    return pack;
  };
  auto const in = make(0);
  auto const out = make(77);
  gather_by_emulated_gpu(n, RandomPermutation(n, seed), in, out);
  auto const sigma = table(n, seed);
  EXPECT_TRUE(is_gather(to_vector(in.first), to_vector(out.first), sigma));
  EXPECT_TRUE(is_gather(to_rows(in.rest.first), to_rows(out.rest.first), sigma));
  EXPECT_TRUE(is_gather(to_rows(in.rest.rest.first), to_rows(out.rest.rest.first), sigma));
  EXPECT_TRUE(
      is_gather(to_rows(in.rest.rest.rest.first), to_rows(out.rest.rest.rest.first), sigma));
}

TEST(GatherRowsOnEmulatedGpu, WidestWords) {
  EXPECT_EQ(detail::widest_word(32, 48, 160), 16);
  EXPECT_EQ(detail::widest_word(32, 40, 160), 8);
  EXPECT_EQ(detail::widest_word(4, 40, 0), 4);
  EXPECT_EQ(detail::widest_word(6, 40), 2);
  EXPECT_EQ(detail::widest_word(16, 3), 1);
}

}  // namespace
}  // namespace riffle::test::gather_rows_gpu_test
