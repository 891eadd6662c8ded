#include <Kokkos_Core.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_partition.hpp>
#include <riffle/sort/key_value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"
#include "support/labelled_items.hpp"
#include "support/views.hpp"

namespace riffle::test::team_partition_test {
namespace {

using Index = std::uint32_t;
using Status = TeamPartitionStatus;

/// Each warp of a GPU, or thread of a CPU, partitions 32 * columns values by their labels, both in row-major order.
template <class Exec>
struct PartitionInTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int threads = bank_processor_threads<Exec>;

  template <class T>
  KOKKOS_FUNCTION BankedMatrix<T> take_matrix(Member const& member) const {
    std::size_t const bytes = BankedMatrix<T>::bytes(columns);
    auto const matrices = static_cast<std::size_t>(member.team_size() / threads);
    auto* const scratch =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes * matrices, 8));
    return {scratch + bytes * static_cast<std::size_t>(member.team_rank() / threads), columns};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const own_labels = take_matrix<Index>(member);
    auto const own_values = take_matrix<Value>(member);
    int const number =
        member.league_rank() * (member.team_size() / threads) + member.team_rank() / threads;
    std::size_t const begin = std::size_t{32} * columns * static_cast<std::size_t>(number);
    auto const lane = static_cast<Index>(member.team_rank() % threads);
    for (Index k = lane; k < 32 * columns; k += threads) {
      own_labels.write(k / columns, k % columns, labels(begin + k));
      own_values.write(k / columns, k % columns, {values(begin + k), 0});
    }
    Status const status = team_partition(member, own_labels, own_values);
    for (Index k = lane; k < 32 * columns; k += threads) {
      labels(begin + k) = own_labels.read(k / columns, k % columns);
      values(begin + k) = own_values.read(k / columns, k % columns).key;
    }
    if (lane == 0) statuses(number) = status;
  }

  // A value of 8 bytes; labels have 4.
  using Value = KeyValue<Index, Index>;

  Kokkos::View<Index*, typename Exec::memory_space> labels;
  Kokkos::View<Index*, typename Exec::memory_space> values;
  Kokkos::View<Status*, typename Exec::memory_space> statuses;
  Index columns;
};

struct Partitioned {
  std::vector<Index> labels;
  std::vector<Index> values;
  std::vector<Status> statuses;
};

/// Partitions any number of matrices of labels; the values are the places of their labels among all.
template <class Exec>
Partitioned partition_in_teams(std::vector<Index> const& labels, Index columns) {
  // A team of a GPU has two warps.
  constexpr int threads = backend::is_cpu<Exec> ? 1 : 64;
  constexpr int matrices = threads / bank_processor_threads<Exec>;
  auto const count = labels.size() / (std::size_t{32} * columns);
  PartitionInTeams<Exec> const kernel{
      to_view<Exec>(labels), to_view<Exec>(iota<Index>(labels.size())),
      Kokkos::View<Status*, typename Exec::memory_space>("statuses", count), columns};
  std::size_t const bytes = matrices * std::size_t{12} * 32 * columns + 16 +
                            team_partition_scratch_bytes<Exec>(threads, columns);
  Kokkos::TeamPolicy<Exec> policy(static_cast<int>(count) / matrices, threads);
  if (bytes > static_cast<std::size_t>(policy.scratch_size_max(0))) return {};
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  Kokkos::parallel_for("riffle::test::partition", policy, kernel);
  return {to_vector(kernel.labels), to_vector(kernel.values), to_vector(kernel.statuses)};
}

template <class T>
std::vector<T> part(std::vector<T> const& all, std::size_t number, std::size_t size) {
  auto const begin = all.begin() + static_cast<std::ptrdiff_t>(number * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

/// A matrix of labels for each order.
std::vector<Index> labels_of_all_orders(Index columns) {
  std::vector<Index> labels;
  for (LabelOrder const order : all_label_orders) {
    auto const more = balanced_labels(order, 32, columns);
    labels.insert(labels.end(), more.begin(), more.end());
  }
  return labels;
}

template <class Exec>
class TeamPartition : public ::testing::Test {};
TYPED_TEST_SUITE(TeamPartition, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamPartition, SendsEachItemToTheRowOfItsLabel) {
  for (Index const columns : {1u, 2u, 5u, 16u, 31u, 32u, 33u, 50u, 64u, 187u, 1024u, 1030u}) {
    auto const labels = labels_of_all_orders(columns);
    auto const result = partition_in_teams<TypeParam>(labels, columns);
    if (result.statuses.empty()) continue;  // the GPU does not have this much scratch memory
    std::size_t const n = std::size_t{32} * columns;
    for (std::size_t number = 0; number < std::size(all_label_orders); ++number) {
      EXPECT_EQ(result.statuses[number], Status::partitioned);
      auto values = part(result.values, number, n);
      for (auto& value : values) value -= static_cast<Index>(number * n);
      EXPECT_TRUE(is_partition(part(labels, number, n), values, columns)) << columns;
      auto expected = part(labels, number, n);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(part(result.labels, number, n), expected) << columns;
    }
  }
}

TYPED_TEST(TeamPartition, KeepsItemsUnchangedIfLabelsAreInvalid) {
  for (Index const columns : {1u, 20u, 40u}) {
    Index const n = 32 * columns;
    auto labels = labels_of_all_orders(columns);
    labels[0] = 32;                            // out of range
    labels[2 * n] = (labels[2 * n] + 1) % 32;  // one label too many of its value
    auto const result = partition_in_teams<TypeParam>(labels, columns);
    for (std::size_t number = 0; number < std::size(all_label_orders); ++number) {
      bool const is_bad = number == 0 || number == 2;
      EXPECT_EQ(result.statuses[number], is_bad ? Status::bad_labels : Status::partitioned);
      if (!is_bad) continue;
      EXPECT_EQ(part(result.labels, number, n), part(labels, number, n));
      EXPECT_EQ(part(result.values, number, n), part(iota<Index>(labels.size()), number, n));
    }
  }
}

/// Partitions matrices in global memory, with enough scratch memory or without any.
template <class Exec>
struct PartitionGlobal {
  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<Exec>::member_type const& member) const {
    status() = team_partition(member, BankedMatrix<Index>(labels.data(), columns),
                              BankedMatrix<Index>(values.data(), columns_of_values));
  }
  Kokkos::View<Index*, typename Exec::memory_space> labels;
  Kokkos::View<Index*, typename Exec::memory_space> values;
  Kokkos::View<Status, typename Exec::memory_space> status;
  Index columns;
  Index columns_of_values;
};

template <class Exec>
void expect_untouched(Status status, Index columns, Index columns_of_values) {
  std::vector<Index> const labels(std::size_t{32} * columns, 5);
  auto const values = iota<Index>(std::size_t{32} * columns_of_values);
  PartitionGlobal<Exec> const kernel{to_view<Exec>(labels), to_view<Exec>(values),
                                     Kokkos::View<Status, typename Exec::memory_space>("status"),
                                     columns, columns_of_values};
  Kokkos::TeamPolicy<Exec> const policy(1, bank_processor_threads<Exec>);
  Kokkos::parallel_for("riffle::test::partition", policy, kernel);
  Status found{};
  Kokkos::deep_copy(found, kernel.status);
  EXPECT_EQ(found, status);
  EXPECT_EQ(to_vector(kernel.labels), labels);
  EXPECT_EQ(to_vector(kernel.values), values);
}

TYPED_TEST(TeamPartition, ReportsInvalidShapesAndMissingMemory) {
  expect_untouched<TypeParam>(Status::columns_differ, 4, 3);
  // More columns than the scratch memory that Kokkos's CPU back ends reserve in advance allows for.
  expect_untouched<TypeParam>(Status::too_little_scratch, 1 << 17, 1 << 17);
}

struct KeyModulo32 {
  KOKKOS_FUNCTION Index operator()(Index const& item) const { return item % 32; }
};

/// The cells of two matrices, with the numbers 0, ..., 32 * columns - 1; the label is the number modulo 32.
std::vector<Index> two_matrices_of_items(Index columns) {
  std::vector<Index> cells;
  for (LabelOrder const order : {LabelOrder::random, LabelOrder::rotated}) {
    for (Index const label : balanced_labels(order, 32, columns)) {
      cells.push_back(label + 32 * static_cast<Index>(cells.size()));
    }
  }
  return cells;
}

TEST(TeamPartitionOnEmulatedLanes, EachWarpPartitionsItsOwnItemsAsOneThreadDoes) {
  for (Index const columns : {1u, 6u, 32u, 50u}) {
    auto cells = two_matrices_of_items(columns);
    auto expected = cells;
    auto const scratch = team_partition_scratch_bytes<EmulatedSpace>(64, columns);
    auto const matrix = [&](std::vector<Index>& all, int warp) {
      return BankedMatrix<Index>(all.data() + static_cast<std::ptrdiff_t>(32 * columns) * warp,
                                 columns);
    };
    EmulatedGpu(1, columns).run(1, 64, scratch, [&](EmulatedMember const& member) {
      EXPECT_EQ(
          team_partition(GpuMember(member), matrix(cells, member.team_rank() / 32), KeyModulo32()),
          Status::partitioned);
    });
    std::vector<std::byte> memory(scratch);
    detail::matrix_partition::ScratchLayout const layout(columns);
    for (int warp = 0; warp < 2; ++warp) {
      ThreadProcessors<> processors;
      EXPECT_TRUE(detail::matrix_partition::partition(
          processors, matrix(expected, warp), layout.matrices(memory.data()), KeyModulo32()));
    }
    EXPECT_EQ(cells, expected) << columns;
    for (Index cell = 0; cell < cells.size(); ++cell) EXPECT_EQ(cells[cell] % 32, cell % 32);
    std::sort(cells.begin(), cells.end());
    auto given = two_matrices_of_items(columns);
    std::sort(given.begin(), given.end());
    EXPECT_EQ(cells, given) << columns;
  }
}

TEST(TeamPartitionOnEmulatedLanes, TeamOfPartialWarpsChangesNothing) {
  auto cells = two_matrices_of_items(5);
  auto const before = cells;
  EmulatedGpu(1, 1).run(1, 48, 1 << 14, [&](EmulatedMember const& member) {
    BankedMatrix<Index> const matrix(cells.data(), 5);
    EXPECT_EQ(team_partition(GpuMember(member), matrix, KeyModulo32()), Status::partial_warp);
  });
  EXPECT_EQ(cells, before);
}

}  // namespace
}  // namespace riffle::test::team_partition_test
