#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/team/team_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::team_sort_test {
namespace {

/// Each team sorts a column of a matrix in place; the keys have a stride.
template <class Exec, class T, class Comparison>
struct SortColumns {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const column = Kokkos::subview(matrix, Kokkos::ALL, team.league_rank());
    if (!riffle::team_sort(team, column, comparison)) Kokkos::atomic_add(&failures(), 1);
  }

  Kokkos::View<T**, Kokkos::LayoutRight, Exec> matrix;
  Kokkos::View<int, Exec> failures;
  Comparison comparison;
};

/// Each team sorts in scratch memory, by Views that the kernel makes there, with an index for each key.
template <class Exec, class T, class Comparison>
struct SortInScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  template <class U>
  using Scratch = Kokkos::View<U*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const n = static_cast<int>(matrix.extent(0));
    int const c = team.league_rank();
    Scratch<T> const keys(team.team_scratch(0), n);
    Scratch<std::uint16_t> const places(team.team_scratch(0), n);
    for (int i = team.team_rank(); i < n; i += team.team_size()) {
      keys(i) = matrix(i, c);
      places(i) = static_cast<std::uint16_t>(i);
    }
    // No barrier is needed before or after the call, which has its own.
    bool const is_sorted = riffle::team_sort_by_key(team, keys, places, comparison);
    if (!is_sorted) Kokkos::atomic_add(&failures(), 1);
    for (int i = n - 1 - team.team_rank(); i >= 0; i -= team.team_size()) {
      matrix(i, c) = keys(i);
      order(i, c) = places(i);
    }
  }

  Kokkos::View<T**, Kokkos::LayoutRight, Exec> matrix;
  Kokkos::View<int**, Kokkos::LayoutRight, Exec> order;
  Kokkos::View<int, Exec> failures;
  Comparison comparison;
};

template <class Exec>
struct SortByKey {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (!riffle::team_sort_by_key(team, keys, values)) Kokkos::atomic_add(&failures(), 1);
  }

  Kokkos::View<int*, Exec> keys;
  Kokkos::View<int*, Exec> values;
  Kokkos::View<int, Exec> failures;
};

constexpr int columns = 3;

template <class T>
using Columns = std::vector<std::vector<T>>;

template <class Exec, class T>
auto to_matrix(Columns<T> const& data) {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const matrix("matrix", data[0].size(), data.size());
  auto const host = HostElements(matrix);
  for (std::size_t c = 0; c < data.size(); ++c) {
    for (std::size_t i = 0; i < data[c].size(); ++i) host(i, c) = data[c][i];
  }
  host.store();
  return matrix;
}

template <class Matrix>
auto to_columns(Matrix const& matrix) {
  auto const host = HostElements(matrix);
  Columns<typename Matrix::non_const_value_type> data(matrix.extent(1));
  for (std::size_t c = 0; c < data.size(); ++c) {
    for (std::size_t i = 0; i < matrix.extent(0); ++i) data[c].push_back(host(i, c));
  }
  return data;
}

/// Runs the kernel with this scratch memory; returns the number of threads that failed.
template <class Exec, class Kernel>
int run_teams(Kernel const& kernel, std::size_t bytes, std::size_t own_bytes = 0) {
  Exec const exec;
  int const threads = backend::is_cpu<Exec> ? 1 : 96;
  auto policy = Kokkos::TeamPolicy<Exec>(exec, columns, threads);
  // A caller who sorts more than level 0 of a CPU can hold uses level 1.
  auto const most = static_cast<std::size_t>(policy.scratch_size_max(0));
  if (own_bytes + bytes <= most) {
    policy.set_scratch_size(0, Kokkos::PerTeam(own_bytes + bytes));
  } else {
    policy.set_scratch_size(0, Kokkos::PerTeam(own_bytes))
        .set_scratch_size(1, Kokkos::PerTeam(bytes));
  }
  Kokkos::parallel_for("sort_in_teams", policy, kernel);
  exec.fence();
  int failures = -1;
  Kokkos::deep_copy(failures, kernel.failures);
  return failures;
}

/// Whether a team has this much scratch memory of level 0; some versions of Kokkos limit it to 48 KiB on a GPU.
template <class Exec>
bool can_hold(std::size_t bytes) {
  return backend::is_cpu<Exec> ||
         bytes <= static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
}

template <class Exec>
class TeamSortTest : public ::testing::Test {
 protected:
  /// `oracle` is a strict total order, except that keys with equal bits tie.
  template <class T, class Comparison, class Oracle>
  void expect_columns(Columns<T> const& data, Comparison const& comparison, Oracle const& oracle) {
    SortColumns<Exec, T, Comparison> const kernel{to_matrix<Exec>(data),
                                                  Kokkos::View<int, Exec>("failures"), comparison};
    auto const bytes = riffle::team_sort_scratch_bytes<T, Comparison>(data[0].size());
    if (!can_hold<Exec>(bytes)) return;
    ASSERT_EQ(run_teams<Exec>(kernel, bytes), 0);
    auto const sorted = to_columns(kernel.matrix);
    for (std::size_t c = 0; c < data.size(); ++c) {
      auto expected = data[c];
      std::stable_sort(expected.begin(), expected.end(), oracle);
      EXPECT_TRUE(are_same_bits(sorted[c], expected)) << expected.size() << " keys, column " << c;
    }
  }

  /// Sorts in scratch memory by key, and compares with a stable sort by `oracle`.
  template <class T, class Comparison, class Oracle>
  void expect_by_key(Columns<T> const& data, Comparison const& comparison, Oracle const& oracle) {
    std::size_t const n = data[0].size();
    SortInScratch<Exec, T, Comparison> const kernel{
        to_matrix<Exec>(data), to_matrix<Exec>(Columns<int>(columns, std::vector<int>(n))),
        Kokkos::View<int, Exec>("failures"), comparison};
    auto const bytes = riffle::team_sort_by_key_scratch_bytes<T, std::uint16_t, Comparison>(n);
    auto const own_bytes = decltype(kernel)::template Scratch<T>::shmem_size(n) +
                           decltype(kernel)::template Scratch<std::uint16_t>::shmem_size(n);
    if (!can_hold<Exec>(own_bytes + bytes)) return;
    ASSERT_EQ(run_teams<Exec>(kernel, bytes, own_bytes), 0);
    auto const sorted = to_columns(kernel.matrix);
    auto const orders = to_columns(kernel.order);
    for (std::size_t c = 0; c < data.size(); ++c) {
      auto expected = iota<int>(n);
      std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
        return oracle(data[c][static_cast<std::size_t>(a)], data[c][static_cast<std::size_t>(b)]);
      });
      EXPECT_EQ(orders[c], expected) << n << " keys, column " << c;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_TRUE(
            are_same_bits<T>({sorted[c][i]}, {data[c][static_cast<std::size_t>(expected[i])]}));
      }
    }
  }
};
TYPED_TEST_SUITE(TeamSortTest, ExecutionSpaces, SpaceNames);

template <class T>
Columns<T> random_columns(std::size_t n, std::uint64_t most) {
  std::mt19937_64 random(n + most);
  Columns<T> data(columns, std::vector<T>(n));
  for (auto& column : data) {
    for (auto& key : column) key = static_cast<T>(random() % most);
  }
  return data;
}

constexpr std::size_t sizes[] = {0, 1, 2, 31, 33, 512, 1000, 1024, 1025, 3100};

/// The example of riffle/team/team_sort.hpp.
template <class Exec>
void sort_rows(Exec const& exec, Kokkos::View<float**, Kokkos::LayoutRight, Exec> const& matrix) {
  auto const rows = static_cast<int>(matrix.extent(0));
  std::size_t const n = matrix.extent(1);
  using Policy = Kokkos::TeamPolicy<Exec>;
  Policy policy(exec, rows, riffle::team_sort_size<Exec, float>(n));
  policy.set_scratch_size(0, Kokkos::PerTeam(riffle::team_sort_scratch_bytes<float>(n)));
  Kokkos::parallel_for(
      "sort_rows", policy, KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        auto const row = Kokkos::subview(matrix, team.league_rank(), Kokkos::ALL);
        if (!riffle::team_sort(team, row)) Kokkos::abort("too little scratch memory");
      });
}

TYPED_TEST(TeamSortTest, TheExample) {
  Columns<float> const data = random_columns<float>(5, 1000);
  auto const matrix = to_matrix<TypeParam>(data);
  sort_rows(TypeParam(), matrix);
  TypeParam().fence();
  auto const sorted = to_columns(matrix);
  for (std::size_t row = 0; row < 5; ++row) {
    std::vector<float> expected, found;
    for (std::size_t c = 0; c < data.size(); ++c) {
      expected.push_back(data[c][row]);
      found.push_back(sorted[c][row]);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
}

TYPED_TEST(TeamSortTest, IntegersOfAllBits) {
  for (std::size_t const n : sizes) {
    auto const most = std::numeric_limits<std::uint64_t>::max();
    this->expect_columns(random_columns<std::int32_t>(n, most), Ascending{}, std::less<>{});
    this->expect_columns(random_columns<std::int64_t>(n, most), Descending{}, std::greater<>{});
  }
}

/// Every third number is the lowest or the largest of the type.
template <class T>
Columns<T> extreme_columns(std::size_t n) {
  auto data = random_columns<T>(n, std::numeric_limits<std::uint64_t>::max());
  for (auto& column : data) {
    for (std::size_t i = 0; i < n; i += 3) {
      column[i] = i % 2 == 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
  }
  return data;
}

TYPED_TEST(TeamSortTest, TheLowestAndTheLargestInteger) {
  for (std::size_t const n : sizes) {
    this->expect_columns(extreme_columns<std::int32_t>(n), Ascending{}, std::less<>{});
    this->expect_columns(extreme_columns<std::int64_t>(n), Descending{}, std::greater<>{});
  }
}

TYPED_TEST(TeamSortTest, NarrowIntegersWithTheirIndices) {
  for (std::size_t const n : sizes) {
    this->expect_by_key(random_columns<std::int8_t>(n, 256), Descending{}, std::greater<>{});
  }
}

/// Whether a precedes b: NaNs are last, by their bits; -0 precedes 0, or follows it if descending.
template <class T, bool is_descending>
bool is_before(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  if (a == 0 && b == 0)
    return is_descending ? std::signbit(b) && !std::signbit(a)
                         : std::signbit(a) && !std::signbit(b);
  return is_descending ? a > b : a < b;
}

/// All kinds of floating-point values; the NaNs of a column are equal, and of either sign.
template <class T>
Columns<T> floating_columns(std::size_t n) {
  auto data = random_columns<T>(n, 1u << 20);
  using Limits = std::numeric_limits<T>;
  for (std::size_t c = 0; c < data.size(); ++c) {
    T const nan = std::copysign(Limits::quiet_NaN(), c == 0 ? T(-1) : T(1));
    T const specials[] = {
        T(-0.0),        T(0), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
        -Limits::max(), nan};
    for (std::size_t i = 0; i < n; ++i) {
      data[c][i] = i % 3 == 0 ? specials[i / 3 % 7] : data[c][i] - T(1 << 19);
    }
  }
  return data;
}

TYPED_TEST(TeamSortTest, FloatingPointWithNansZerosAndInfinities) {
  for (std::size_t const n : sizes) {
    this->expect_columns(floating_columns<float>(n), Ascending{}, is_before<float, false>);
    this->expect_columns(floating_columns<double>(n), Descending{}, is_before<double, true>);
  }
}

TYPED_TEST(TeamSortTest, FloatingPointWithIndices) {
  for (std::size_t const n : sizes) {
    this->expect_by_key(floating_columns<float>(n), Descending{}, is_before<float, true>);
    this->expect_by_key(floating_columns<double>(n), Ascending{}, is_before<double, false>);
  }
}

/// A user-defined key.
struct Point {
  Point() = default;
  explicit Point(std::uint64_t number)
      : x(static_cast<float>(number % 17)), y(static_cast<float>(number / 17)) {}

  float x;
  float y;
};

struct ByX {
  KOKKOS_FUNCTION bool operator()(Point const& a, Point const& b) const {
    return (a.x < b.x) != is_reversed && a.x != b.x;
  }

  bool is_reversed;
};

TYPED_TEST(TeamSortTest, ComparisonsWithStateKeepTiesInOrder) {
  for (std::size_t const n : sizes) {
    auto const data = random_columns<Point>(n, 10000);
    this->expect_columns(data, ByX{true}, ByX{true});
    this->expect_by_key(data, ByX{false}, ByX{false});
  }
}

// More keys than level 0 of a CPU's team can hold.
TYPED_TEST(TeamSortTest, TooLittleScratchMemoryKeepsKeysUnchanged) {
  auto const data = random_columns<std::int32_t>(60000, 1000);
  SortColumns<TypeParam, std::int32_t, Ascending> const kernel{
      to_matrix<TypeParam>(data), Kokkos::View<int, TypeParam>("failures"), {}};
  int const failures = run_teams<TypeParam>(kernel, 100);
  EXPECT_EQ(failures % columns, 0);
  EXPECT_GT(failures, 0);
  EXPECT_EQ(to_columns(kernel.matrix), data);
}

TYPED_TEST(TeamSortTest, ViewsOfDifferentLengthAreRejected) {
  using Keys = Kokkos::View<int*, TypeParam>;
  Keys const keys("keys", 5);
  Keys const values("values", 4);
  SortByKey<TypeParam> const kernel{keys, values, Kokkos::View<int, TypeParam>("failures")};
  EXPECT_GT(run_teams<TypeParam>(kernel, 10000), 0);
}

struct IsGreater {
  KOKKOS_FUNCTION bool operator()(unsigned a, unsigned b) const { return a > b; }
};

// Quicksort that may split no more ends in heapsort, which keeps its bound for any input.
TEST(TeamSort, HeapsortAfterTooManySplits) {
  std::mt19937 random(3);
  for (int const splits : {0, 1, 3}) {
    for (std::size_t const n : {0, 1, 16, 17, 18, 100, 1001}) {
      for (unsigned const values : {1u, 5u, 1u << 31}) {
        std::vector<unsigned> entries(n);
        for (unsigned& entry : entries) entry = static_cast<unsigned>(random()) % values;
        auto expected = entries;
        std::sort(expected.begin(), expected.end(), IsGreater());
        detail::team_sort::quicksort(entries.data(), n, splits, IsGreater());
        EXPECT_EQ(entries, expected) << n << " entries, " << splits << " splits";
      }
    }
  }
}

TEST(TeamSort, ScratchIsLittleMoreThanTheEntries) {
  EXPECT_EQ(riffle::team_sort_scratch_bytes<float>(0), 0u);
  EXPECT_EQ(riffle::team_sort_scratch_bytes<float>(1024), 33u * 128 + 16);
  EXPECT_EQ(riffle::team_sort_scratch_bytes<double>(1024), 17u * 512 + 16);
  EXPECT_EQ((riffle::team_sort_by_key_scratch_bytes<float, int>(1024)), 17u * 512 + 16);
}

}  // namespace
}  // namespace riffle::test::team_sort_test
