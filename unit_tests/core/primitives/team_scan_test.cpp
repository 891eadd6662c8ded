#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/team_scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/views.hpp"

namespace riffle::test::team_scan_test {
namespace {

/// The results of the threads of all teams, in the order of league and team rank.
template <class Exec, class T>
struct TeamResults {
  using View = Kokkos::View<T*, typename Exec::memory_space>;

  explicit TeamResults(std::size_t n)
      : inclusive("inclusive", n),
        exclusive("exclusive", n),
        inclusive_total("inclusive_total", n),
        exclusive_total("exclusive_total", n),
        twice("twice", n) {}

  View inclusive;
  View exclusive;
  View inclusive_total;
  View exclusive_total;
  View twice;  // the inclusive scan of the inclusive scan
};

/// Calls all four functions, without a barrier of the kernel between them.
template <class Exec, class Op>
struct ScanInTeams {
  using T = typename Op::value_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const i = static_cast<std::size_t>(member.league_rank()) *
                       static_cast<std::size_t>(member.team_size()) +
                   static_cast<std::size_t>(member.team_rank());
    T const value = in(i);
    T const inclusive = riffle::team_inclusive_scan(member, value, op);
    results.exclusive(i) = riffle::team_exclusive_scan(member, value, op);
    results.twice(i) = riffle::team_inclusive_scan(member, inclusive, op);
    T total;
    results.inclusive(i) = riffle::team_inclusive_scan(member, value, op, total);
    results.inclusive_total(i) = total;
    T const exclusive = riffle::team_exclusive_scan(member, value, op, total);
    results.exclusive_total(i) = total;
    if (!(exclusive == results.exclusive(i)) || !(inclusive == results.inclusive(i))) {
      Kokkos::abort("team scans with and without a total differ");
    }
  }

  Op op;
  Kokkos::View<T*, typename Exec::memory_space> in;
  TeamResults<Exec, T> results;
};

/// Takes a View in scratch memory before the scans and one after them, which the scans must not change.
template <class Exec>
struct KeepScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Scratch = Kokkos::View<int*, typename Exec::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static std::size_t bytes(int team_size) {
    return 2 * Scratch::shmem_size(static_cast<std::size_t>(team_size)) +
           riffle::team_scan_scratch_bytes<std::uint64_t>(team_size);
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    riffle::Sum<std::uint64_t> const sum;
    int const rank = member.team_rank();
    auto const size = static_cast<std::size_t>(member.team_size());
    Scratch const before(member.team_scratch(0), size);
    before(rank) = 3 * rank + 1;
    std::uint64_t const first = riffle::team_inclusive_scan(member, 1, sum);
    Scratch const after(member.team_scratch(0), size);
    after(rank) = 5 * rank + 2;
    std::uint64_t const second = riffle::team_exclusive_scan(member, 1, sum);
    member.team_barrier();
    int const other = member.team_size() - 1 - rank;
    bool const kept = before(other) == 3 * other + 1 && after(other) == 5 * other + 2;
    bool const right = first == second + 1 && first == static_cast<std::uint64_t>(rank) + 1;
    if (!kept || !right) Kokkos::atomic_add(&faults(), 1);
  }

  Kokkos::View<int, typename Exec::memory_space> faults;
};

/// The team sizes around the multiples of a warp that a kernel can have.
template <class Exec, class Kernel>
std::vector<int> team_sizes(Kernel const& kernel, std::size_t bytes_per_thread) {
  std::vector<int> sizes;
  for (int const size :
       {1, 2, 3, 4, 7, 31, 32, 33, 63, 64, 65, 96, 100, 128, 250, 256, 512, 1024}) {
    Kokkos::TeamPolicy<Exec> policy(1, Kokkos::AUTO);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(bytes_per_thread * static_cast<std::size_t>(size) + 64));
    if (size <= policy.team_size_max(kernel, Kokkos::ParallelForTag())) sizes.push_back(size);
  }
  return sizes;
}

constexpr int league = 37;

/// The results of the standard library's scans for each team.
template <class T, class Plus>
struct TeamOracle {
  TeamOracle(std::vector<T> const& values, int team_size, Plus const& plus, T const& identity)
      : inclusive(values.size()),
        exclusive(values.size()),
        total(values.size()),
        twice(values.size()) {
    for (auto begin = 0; begin < static_cast<int>(values.size()); begin += team_size) {
      auto const end = begin + team_size;
      auto const at = [begin](auto& vector) { return vector.begin() + begin; };
      std::inclusive_scan(at(values), values.begin() + end, at(inclusive), plus);
      std::exclusive_scan(at(values), values.begin() + end, at(exclusive), identity, plus);
      std::inclusive_scan(at(inclusive), inclusive.begin() + end, at(twice), plus);
      std::fill(at(total), total.begin() + end, inclusive[static_cast<std::size_t>(end) - 1]);
    }
  }

  std::vector<T> inclusive;
  std::vector<T> exclusive;
  std::vector<T> total;
  std::vector<T> twice;
};

template <class Exec>
class TeamScanTest : public ::testing::Test {
 protected:
  template <class Op, class Plus, class T>
  void expect_scans(Op const& op, Plus const& plus, std::vector<T> const& values, int team_size) {
    auto const n = values.size();
    ScanInTeams<Exec, Op> const kernel{op, to_view<Exec>(values), TeamResults<Exec, T>(n)};
    auto policy = Kokkos::TeamPolicy<Exec>(exec, league, team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(riffle::team_scan_scratch_bytes<T>(team_size)));
    Kokkos::parallel_for("team_scans", policy, kernel);
    exec.fence();
    TeamOracle<T, Plus> const oracle(values, team_size, plus, op.identity());
    auto const& results = kernel.results;
    EXPECT_EQ(to_vector(results.inclusive), oracle.inclusive) << "team size " << team_size;
    EXPECT_EQ(to_vector(results.exclusive), oracle.exclusive) << "team size " << team_size;
    EXPECT_EQ(to_vector(results.inclusive_total), oracle.total) << "team size " << team_size;
    EXPECT_EQ(to_vector(results.exclusive_total), oracle.total) << "team size " << team_size;
    EXPECT_EQ(to_vector(results.twice), oracle.twice) << "team size " << team_size;
  }

  template <class Op>
  std::vector<int> sizes() {
    using T = typename Op::value_type;
    ScanInTeams<Exec, Op> const kernel{Op{}, {}, TeamResults<Exec, T>(0)};
    return team_sizes<Exec>(kernel, sizeof(T));
  }

  /// Compares the scans for every team size.
  template <class Op>
  void expect_scans_by_users(Op const& op) {
    for (int const size : sizes<Op>()) {
      auto const n = static_cast<std::size_t>(league * size);
      expect_scans(op, op, random_values(op, n, n), size);
    }
  }

  template <class T>
  void expect_sums() {
    for (int const size : sizes<riffle::Sum<T>>()) {
      auto const n = static_cast<std::size_t>(league * size);
      expect_scans(riffle::Sum<T>{}, std::plus<T>{}, random_numbers<T>(n, n), size);
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(TeamScanTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamScanTest, Sums) {
  this->template expect_sums<std::uint8_t>();
  this->template expect_sums<std::uint32_t>();
  this->template expect_sums<std::uint64_t>();
  this->template expect_sums<float>();  // of small whole numbers
}

TYPED_TEST(TeamScanTest, OperationsThatDoNotCommute) {
  this->expect_scans_by_users(Compose{});
  this->expect_scans_by_users(ComposeAffine{});
  this->expect_scans_by_users(KeepTail{});
  this->expect_scans_by_users(Concatenate{});
}

TYPED_TEST(TeamScanTest, LeavesScratchMemoryToTheKernel) {
  KeepScratch<TypeParam> const kernel{
      Kokkos::View<int, typename TypeParam::memory_space>("faults")};
  for (int const size : team_sizes<TypeParam>(kernel, 2 * sizeof(int) + sizeof(std::uint64_t))) {
    auto policy = Kokkos::TeamPolicy<TypeParam>(this->exec, league, size);
    policy.set_scratch_size(0, Kokkos::PerTeam(KeepScratch<TypeParam>::bytes(size)));
    Kokkos::parallel_for("keep_scratch", policy, kernel);
    this->exec.fence();
    int faults = -1;
    Kokkos::deep_copy(faults, kernel.faults);
    EXPECT_EQ(faults, 0) << "team size " << size;
  }
}

// Teams of a CPU have one block, so the test writes the slots that several blocks would have set.
TEST(TeamScan, CombinesTheBlocksBeforeAThread) {
  constexpr int width = backend::width;
  Compose const op;
  std::mt19937_64 generator(1);
  std::vector<FivePoints> values(3 * width + 1);
  for (auto& value : values) value = Compose::random(generator);
  std::vector<FivePoints> slots = values;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i % width != 0) slots[i] = op(slots[i - 1], values[i]);
  }
  FivePoints expected = Compose::identity();
  for (int count = 0; count <= static_cast<int>(values.size()); ++count) {
    EXPECT_TRUE(detail::combine_blocks(op, slots.data(), count) == expected) << count;
    if (count < static_cast<int>(values.size())) {
      expected = op(expected, values[static_cast<std::size_t>(count)]);
    }
  }
}

// Beyond the values, only padding for alignment is requested.
TEST(TeamScan, ScratchHoldsAValueOfEachThread) {
  EXPECT_GE(riffle::team_scan_scratch_bytes<double>(100), 800u);
  EXPECT_LE(riffle::team_scan_scratch_bytes<double>(100), 816u);
  EXPECT_GE(riffle::team_scan_scratch_bytes<FivePoints>(3), 15u);
  static_assert(riffle::team_scan_scratch_bytes<int>(1) >= sizeof(int));
}

}  // namespace
}  // namespace riffle::test::team_scan_test
