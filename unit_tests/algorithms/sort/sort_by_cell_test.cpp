// sort_by_cell compared with a stable sort on the host.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::sort_by_cell_test {
namespace {

struct Expected {
  std::vector<int> order;
  std::vector<std::int64_t> offsets;
};

/// Particles of all cells; those whose cell is not in 0, ..., k - 1 are last.
Expected expected_order(std::vector<int> const& cells, std::size_t k) {
  auto const end = static_cast<int>(k);
  auto const cell = [&](int i) {
    int const own = cells[static_cast<std::size_t>(i)];
    return own < 0 || own > end ? end : own;
  };
  Expected expected{std::vector<int>(cells.size()), std::vector<std::int64_t>(k + 1)};
  std::iota(expected.order.begin(), expected.order.end(), 0);
  std::stable_sort(expected.order.begin(), expected.order.end(),
                   [&](int i, int j) { return cell(i) < cell(j); });
  for (int const i : expected.order) {
    if (cell(i) < end) ++expected.offsets[static_cast<std::size_t>(cell(i)) + 1];
  }
  std::partial_sum(expected.offsets.begin(), expected.offsets.end(), expected.offsets.begin());
  return expected;
}

/// The cell of a particle whose position in the first dimension is the cell's number and a fraction.
template <class Position>
struct CellOfPosition {
  Position position;

  KOKKOS_FUNCTION std::int64_t operator()(std::uint64_t i) const {
    return static_cast<std::int64_t>(Kokkos::floor(position(i, 0)));
  }
};

template <class Exec>
class SortByCellTest : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;

  /// Particle i has id i, and what else it has depends on i or on its cell.
  struct Particles {
    Particles(std::vector<int> const& cells, std::size_t n)
        : id(to_view<Exec>(iota<int>(n))),
          cell(to_view<Exec>(cells)),
          position("position", n, 3),
          spin(make_strided<Exec, double>(n)) {
      std::vector<double> positions, spins;
      for (std::size_t i = 0; i < n; ++i) {
        positions.insert(positions.end(), {cells[i] + 0.5, static_cast<double>(i), 0});
        spins.push_back(static_cast<double>(i) + 0.25);
      }
      fill(position, positions);
      fill(spin, spins);
    }

    auto all() const { return riffle::pack(id, position, cell, spin); }

    Kokkos::View<int*, Space> id;
    Kokkos::View<int*, Space> cell;
    Kokkos::View<double**, Kokkos::LayoutLeft, Space> position;
    Kokkos::View<double*, Kokkos::LayoutStride, Space> spin;
  };

  /// The cells are one of the Views that are sorted, and then a function of another.
  void expect_sorted(std::vector<int> const& cells, std::size_t k) {
    SCOPED_TRACE(std::to_string(cells.size()) + " particles, cells: " + std::to_string(k));
    auto const expected = expected_order(cells, k);
    std::vector<int> cells_in_order;
    std::vector<double> positions, spins;
    for (int const i : expected.order) {
      int const cell = cells[static_cast<std::size_t>(i)];
      cells_in_order.push_back(cell);
      positions.insert(positions.end(), {cell + 0.5, static_cast<double>(i), 0});
      spins.push_back(i + 0.25);
    }
    for (bool const by_function : {false, true}) {
      Particles const particles(cells, cells.size());
      auto const offsets = to_view<Exec>(std::vector<std::int64_t>(k + 1, -7));
      if (by_function) {
        riffle::sort_by_cell(Context(exec, workspace), particles.all(),
                             CellOfPosition<decltype(particles.position)>{particles.position},
                             offsets);
      } else {
        riffle::sort_by_cell(Context(exec, workspace), particles.all(), particles.cell, offsets);
      }
      exec.fence();
      EXPECT_TRUE(to_vector(particles.id) == expected.order);
      EXPECT_TRUE(to_vector(particles.cell) == cells_in_order);
      EXPECT_TRUE(row_major(particles.position) == positions);
      EXPECT_TRUE(to_vector(particles.spin) == spins);
      EXPECT_TRUE(to_vector(offsets) == expected.offsets);
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SortByCellTest, ExecutionSpaces, SpaceNames);

// Fewer cells than particles, and more, most of which are empty.
TYPED_TEST(SortByCellTest, AnyNumberOfCells) {
  for (std::size_t const n : {0, 1, 2, 9000, 20'003}) {
    for (unsigned const k : {1u, 7u, 4096u, 50'003u}) this->expect_sorted(few_values<int>(n, k), k);
  }
}

TYPED_TEST(SortByCellTest, AllInOneCell) {
  for (int const cell : {0, 3, 8, -1, 9, std::numeric_limits<int>::max()})
    this->expect_sorted(std::vector<int>(9000, cell), 9);
}

// Particles outside of all cells follow those inside, in their order.
TYPED_TEST(SortByCellTest, ParticlesOutside) {
  for (unsigned const k : {1u, 8u, 5000u}) {
    auto cells = few_values<int>(20'003, k);
    for (std::size_t i = 0; i < cells.size(); i += 3)
      cells[i] = i % 2 == 0 ? -1 - static_cast<int>(i) : static_cast<int>(k + i % 5);
    this->expect_sorted(cells, k);
  }
}

// One View without a pack, and cells of a type with fewer numbers than there are cells, or with numbers of 64 bits.
TYPED_TEST(SortByCellTest, CellsOfOtherTypes) {
  std::vector<std::uint8_t> const narrow{200, 3, 255, 3, 0};
  std::vector<std::uint64_t> const wide{~std::uint64_t{0}, 1, std::uint64_t{1} << 32, 0, 1};
  auto const values = to_view<TypeParam>(iota<int>(5));
  auto const offsets = zeros<TypeParam, std::uint32_t>(1001);
  riffle::sort_by_cell(this->exec, values, to_view<TypeParam>(narrow), offsets);
  this->exec.fence();
  EXPECT_EQ(to_vector(values), (std::vector<int>{4, 1, 3, 0, 2}));
  EXPECT_EQ(to_vector(offsets)[1000], 5u);
  riffle::sort_by_cell(this->exec, values, to_view<TypeParam>(wide),
                       Kokkos::subview(offsets, Kokkos::pair<int, int>(0, 3)));
  this->exec.fence();
  EXPECT_EQ(to_vector(values), (std::vector<int>{0, 1, 2, 4, 3}));
  auto const found = to_vector(offsets);
  // The last one is not an offset of the second call.
  EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.begin() + 4),
            (std::vector<std::uint32_t>{0, 1, 3, 1}));
}

// With a workspace, later time steps allocate nothing and do not fence.
TYPED_TEST(SortByCellTest, NoAllocationNorFence) {
  std::size_t const n = 30'000;
  for (unsigned const k : {60u, 20'000u}) {
    typename TestFixture::Particles const particles(few_values<int>(n, k), n);
    auto const offsets = zeros<TypeParam, std::int64_t>(k + 1);
    auto const step = [&] {
      riffle::sort_by_cell(Context(this->exec, this->workspace), particles.all(), particles.cell,
                           offsets);
    };
    step();
    EXPECT_EQ(allocations_of(this->exec, step), std::vector<std::string>());
    // Launches on the Threads back end fence.
    auto const of_kernels = fences_of([&] {
      Kokkos::parallel_for("plain", Kokkos::RangePolicy<TypeParam>(this->exec, 0, n), DoNothing());
    });
    for (auto const& fence : fences_of(step)) {
      EXPECT_NE(std::find(of_kernels.begin(), of_kernels.end(), fence), of_kernels.end()) << fence;
    }
  }
}

TYPED_TEST(SortByCellTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  typename TestFixture::Particles const particles(few_values<int>(9000, 30), 9000);
  auto const offsets = zeros<TypeParam, std::int64_t>(31);
  Kokkos::fence();
  expect_labels_and_instance(instance, [&](auto const& on) {
    riffle::sort_by_cell(on, particles.all(), particles.cell, offsets);
  });
}

TYPED_TEST(SortByCellTest, RejectsInvalidArguments) {
  auto const x = to_view<TypeParam>(iota<int>(300));
  auto const y = zeros<TypeParam, int>(300);
  auto const cells = zeros<TypeParam, int>(300);
  auto const offsets = zeros<TypeParam, int>(4);
  auto const message = [&](auto const& particles, auto const& of_cells, auto const& to) {
    return thrown_message([&] { riffle::sort_by_cell(this->exec, particles, of_cells, to); });
  };
  EXPECT_EQ(message(x, zeros<TypeParam, int>(299), offsets),
            "riffle::sort_by_cell: particles.extent(0) = 300 and cells.extent(0) = 299: must be "
            "equal");
  EXPECT_EQ(message(riffle::pack(x, zeros<TypeParam, int>(299)), cells, offsets),
            "riffle::sort_by_cell: a View of the pack has extent(0) = 299, the first one 300: must "
            "be equal");
  EXPECT_EQ(message(x, cells, zeros<TypeParam, int>(1)),
            "riffle::sort_by_cell: offsets.extent(0) = 1: must be one more than the number of "
            "parts, which is at least 1");
  EXPECT_EQ(message(x, cells, zeros<TypeParam, std::int8_t>(4)),
            "riffle::sort_by_cell: n = 300: the value type of offsets holds no number above 127");
  auto const first = Kokkos::subview(x, Kokkos::pair<int, int>(0, 4));
  EXPECT_EQ(message(riffle::pack(y, x), cells, first),
            "riffle::sort_by_cell: particles (\"values\") and offsets (\"values\") overlap: must "
            "share no "
            "element");
  EXPECT_EQ(
      message(y, x, first),
      "riffle::sort_by_cell: cells (\"values\") and offsets (\"values\") overlap: must share no "
      "element");
  EXPECT_EQ(
      message(riffle::pack(y, x, y), cells, offsets),
      "riffle::sort_by_cell: a View of the pack (\"zeros\") and another (\"zeros\") overlap: must "
      "share no element");
  EXPECT_EQ(to_vector(x), iota<int>(300));
}

}  // namespace
}  // namespace riffle::test::sort_by_cell_test
