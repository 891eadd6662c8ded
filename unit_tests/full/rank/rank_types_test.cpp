// Ranks of data of all types, with NaNs, as ranks of all types.

#include <Kokkos_Core.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_types_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using Pair = Kokkos::pair<std::size_t, std::size_t>;

// Numbers of the whole range, with its ends and many ties.
template <class T>
std::vector<T> sorted_numbers(std::size_t n) {
  std::vector<T> kinds{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(0), T(1)};
  std::mt19937_64 generator(n);
  while (kinds.size() < 60) kinds.push_back(static_cast<T>(static_cast<T>(generator()) / T(3)));
  std::vector<T> values(n);
  for (auto& value : values) value = kinds[generator() % kinds.size()];
  std::sort(values.begin(), values.end());
  return values;
}

// Records that are compared by key, descending. A comparison of all members would find no ties.
struct Record {
  double payload;
  std::int16_t key;
};

struct HighestKeyFirst {
  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const { return a.key > b.key; }
};

std::vector<Record> records(std::size_t n) {
  std::vector<Record> result;
  for (auto const run : random_runs(n, 0.9)) {
    result.push_back(
        {static_cast<double>(result.size()) / 3, static_cast<std::int16_t>(1000 - run)});
  }
  return result;
}

// A kernel depends on the size of the data's type, on whether it is a floating-point type, and on the size of the ranks' type,
// but almost never on a combination. So each type of data is tested with one type of ranks, and all sizes occur in both. To
// compile less, the tests use the same rule, and the same pairs of types where possible.

template <class Exec>
class RankTypesTest : public ::testing::Test {
 protected:
  template <class Rank, class T>
  void expect_modified_ranks(std::vector<T> const& data) {
    auto const ranks = zeros<Exec, Rank>(data.size());
    riffle::rank(exec, to_view<Exec>(data), ranks, ties::ModifiedCompetition{});
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), rank_oracle(data, ties::ModifiedCompetition{})));
  }

  template <class T, class Rank>
  void expect_ranks_of() {
    expect_modified_ranks<Rank>(sorted_numbers<T>(3000));
  }

  template <class Rank, class T>
  void expect_ranks_as(std::size_t n) {
    expect_modified_ranks<Rank>(random_runs<T>(n, 0.7));
  }

  template <class Rank, class T, class Rule, class Order>
  void expect_ranks_by(std::vector<T> const& data, Rule const& rule,
                       RankOptions<Order> const& options) {
    auto const ranks = zeros<Exec, Rank>(data.size());
    riffle::rank(exec, to_view<Exec>(data), ranks, rule, options);
    exec.fence();
    bool const excludes = options.missing == Missing::excluded;
    EXPECT_TRUE(same_ranks(
        to_vector(ranks),
        rank_oracle(data, rule, {excludes, options.first, options.relative}, options.order)))
        << data.size() << " elements";
  }

  /// Tests all rules, with ranks of type double.
  void expect_ranks(std::vector<double> const& data, RankOptions<> const& options) {
    expect_ranks_by<double>(data, ties::Competition{}, options);
    expect_ranks_by<double>(data, ties::ModifiedCompetition{}, options);
    expect_ranks_by<double>(data, ties::Dense{}, options);
    expect_ranks_by<double>(data, ties::Ordinal{}, options);
    expect_ranks_by<double>(data, ties::Fractional{}, options);
  }

  /// Tests two rules for descending numbers; the two use the order in different places.
  void expect_ranks(std::vector<float> const& data, RankOptions<Descending> const& options) {
    expect_ranks_by<double>(data, ties::Dense{}, options);
    expect_ranks_by<double>(data, ties::Fractional{}, options);
  }

  /// Tests all combinations of missing, first and relative.
  template <class T, class Order>
  void expect_ranks_by_all_options(std::vector<T> const& data, Order const& order) {
    for (auto const missing : {Missing::ranked, Missing::excluded}) {
      for (int const first : {0, 1}) {
        SCOPED_TRACE(first);
        expect_ranks(data, RankOptions<Order>{order, missing, first, false});
        expect_ranks(data, RankOptions<Order>{order, missing, first, true});
      }
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankTypesTest, ExecutionSpaces, SpaceNames);

// --- types of data ---

TYPED_TEST(RankTypesTest, NumbersOfAllTypes) {
  this->template expect_ranks_of<float, float>();
  this->template expect_ranks_of<double, double>();
  this->template expect_ranks_of<std::int8_t, double>();
  this->template expect_ranks_of<std::uint8_t, float>();
  this->template expect_ranks_of<std::int16_t, std::int16_t>();
  this->template expect_ranks_of<std::uint16_t, std::int64_t>();
  this->template expect_ranks_of<std::int32_t, double>();
  this->template expect_ranks_of<std::uint32_t, std::int32_t>();
  this->template expect_ranks_of<std::int64_t, std::int64_t>();
  this->template expect_ranks_of<std::uint64_t, double>();
}

TYPED_TEST(RankTypesTest, StructsByAnOrderOfTheirOwn) {
  auto const data = records(3000);
  auto const in = to_view<TypeParam>(data);
  RankOptions<HighestKeyFirst> const options;
  auto const check = [&](auto const& rule, auto const& method) {
    auto const ranks = zeros<TypeParam, double>(data.size());
    riffle::rank(this->exec, in, ranks, rule, options, method);
    this->exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), rank_oracle(data, rule, {}, HighestKeyFirst{})));
  };
  check(ties::Fractional{}, DefaultRanking{});
  check(ties::Dense{}, DefaultRanking{});
  check(ties::Competition{}, PackedScanRanking{});
}

// --- types of ranks ---

TYPED_TEST(RankTypesTest, RanksOfAllTypes) {
  this->template expect_ranks_as<std::int8_t, std::int16_t>(127);
  this->template expect_ranks_as<std::int16_t, std::int16_t>(3000);
  this->template expect_ranks_as<std::int32_t, std::uint32_t>(3000);
  this->template expect_ranks_as<std::int64_t, std::uint16_t>(3000);
  this->template expect_ranks_as<float, float>(3000);
  this->template expect_ranks_as<double, double>(3000);
}

// --- Views of all kinds ---

TYPED_TEST(RankTypesTest, StridedViews) {
  auto const data = random_runs(2500, 0.8);
  auto const in = make_strided<TypeParam, int>(data.size());
  auto const out = make_strided<TypeParam, double>(data.size());
  fill(in, data);
  riffle::rank(this->exec, in, out, ties::Fractional{});
  this->exec.fence();
  EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Fractional{})));
  EXPECT_EQ(to_vector(in), data);
}

// Elements next to the ranked part do not tie with it, and do not change.
TYPED_TEST(RankTypesTest, PartsOfViews) {
  std::size_t const n = 2500;
  auto const whole = random_runs(n + 3, 0.8);
  auto const in = to_view<TypeParam>(whole);
  auto const out = to_view<TypeParam>(std::vector<double>(n + 4, -7));
  for (std::size_t const offset : {1, 2, 3}) {
    std::vector<int> const data(whole.begin() + static_cast<std::ptrdiff_t>(offset),
                                whole.begin() + static_cast<std::ptrdiff_t>(offset + n));
    Kokkos::View<int const*, typename TypeParam::memory_space> const part =
        Kokkos::subview(in, Pair(offset, offset + n));
    auto const ranks = Kokkos::subview(out, Pair(offset, offset + n));
    fill_with(out, -7);
    riffle::rank(this->exec, part, ranks, ties::Fractional{});
    this->exec.fence();
    auto expected = rank_oracle(data, ties::Fractional{});
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected)) << offset;
    expected.insert(expected.begin(), offset, -7);
    expected.resize(n + 4, -7);
    EXPECT_TRUE(same_ranks(to_vector(out), expected)) << offset;
  }
}

// --- orders, NaNs and scales ---

TYPED_TEST(RankTypesTest, DescendingNumbers) {
  auto data = sorted_numbers<float>(3000);
  std::reverse(data.begin(), data.end());
  this->expect_ranks(data, RankOptions<Descending>{});
}

TYPED_TEST(RankTypesTest, ZerosTieAndInfinitiesToo) {
  std::vector<double> const data{-infinity, -infinity, -1,       -0.0,     0.0, -0.0,
                                 0.0,       1e-300,    infinity, infinity, nan};
  this->expect_ranks_by_all_options(data, Ascending{});
}

TYPED_TEST(RankTypesTest, NaNsAtEitherEnd) {
  std::vector<std::vector<double>> const all{{},
                                             {nan},
                                             {nan, nan},
                                             {1},
                                             {1, nan},
                                             {nan, 1},
                                             {1, 1, 2, nan, nan},
                                             {nan, nan, 1, 1, 2},
                                             {nan, nan, nan, 1, 2, 2}};
  for (auto const& data : all) this->expect_ranks_by_all_options(data, Ascending{});
}

TYPED_TEST(RankTypesTest, NaNsOfDescendingNumbers) {
  using Singles = std::vector<float>;
  this->expect_ranks_by_all_options(Singles{3, 3, 2, 1, 1, nan, nan}, Descending{});
  this->expect_ranks_by_all_options(Singles{nan, 3, 3, 2, 1, 1}, Descending{});
  this->expect_ranks_by_all_options(Singles{nan, nan, nan}, Descending{});
}

// NaNs that fill steps and chunks, so that the numbers begin or end near their edges.
TYPED_TEST(RankTypesTest, ManyNaNs) {
  for (std::size_t const before : {0, 31, 1024, 1025}) {
    for (std::size_t const after : {0, 33, 1023, 2048}) {
      if (before > 0 && after > 0) continue;
      std::vector<double> data(before, nan);
      for (int const run : random_runs(2048, 0.9)) data.push_back(run);
      data.insert(data.end(), after, nan);
      for (auto const missing : {Missing::ranked, Missing::excluded}) {
        this->expect_ranks(data, RankOptions<>{{}, missing, 1, false});
      }
    }
  }
}

// NaNs that are so numerous that a search for their end may step over the numbers.
TYPED_TEST(RankTypesTest, FewNumbersAmongManyNaNs) {
  for (std::size_t const numbers : {1, 5, 1000}) {
    for (bool const is_before : {false, true}) {
      std::vector<double> data;
      for (std::size_t i = 0; i < numbers; ++i) data.push_back(static_cast<double>(i / 2));
      data.insert(is_before ? data.begin() : data.end(), 30'000, nan);
      for (auto const missing : {Missing::ranked, Missing::excluded}) {
        SCOPED_TRACE(missing == Missing::ranked ? "ranked" : "excluded");
        this->expect_ranks(data, RankOptions<>{{}, missing, 1, false});
      }
    }
  }
}

// Named methods that use memory of their own in addition to the counts of NaNs.
TYPED_TEST(RankTypesTest, NaNsByMethodsWithMemory) {
  std::vector<double> data(70, nan);
  for (int const run : random_runs(3000, 0.9)) data.push_back(run);
  auto const expected = rank_oracle(data, ties::Competition{}, {true, 1, false});
  RankOptions<> const options{{}, Missing::excluded, 1, false};
  riffle::Workspace<TypeParam> workspace(this->exec);
  auto const check = [&](auto const& method) {
    auto const ranks = zeros<TypeParam, double>(data.size());
    riffle::rank(Context(this->exec, "ranks", workspace), to_view<TypeParam>(data), ranks,
                 ties::Competition{}, options, method);
    this->exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
  };
  check(NaivePrefixRanking{});
  check(PackedScanRanking{});
}

TYPED_TEST(RankTypesTest, IntegersForNaNs) {
  RankOptions<> options;
  for (auto const missing : {Missing::ranked, Missing::excluded}) {
    for (int const first : {0, 1}) {
      options.missing = missing;
      options.first = first;
      std::vector<double> const data{1, 1, 2, nan, nan};
      this->template expect_ranks_by<int>(data, ties::ModifiedCompetition{}, options);
      this->template expect_ranks_by<int>(data, ties::Dense{}, options);
    }
  }
}

TYPED_TEST(RankTypesTest, RelativeRanksOfSingle) {
  auto data = random_runs<float>(3000, 0.7);
  data.push_back(nan);
  RankOptions<> const options{{}, Missing::excluded, 1, true};
  this->template expect_ranks_by<float>(data, ties::ModifiedCompetition{}, options);
  this->template expect_ranks_by<float>(data, ties::Dense{}, options);
}

// A thread's stack cannot hold a thousand of these.
struct LargeRecord {
  std::int32_t key;
  std::byte payload[16'380];
};

struct LowestKeyFirst {
  KOKKOS_FUNCTION bool operator()(LargeRecord const& a, LargeRecord const& b) const {
    return a.key < b.key;
  }
};

TEST(RankTypes, LargeElements) {
  Kokkos::DefaultHostExecutionSpace const exec;
  for (std::size_t const stride : {1u, 2u}) {
    Kokkos::View<LargeRecord*, Kokkos::LayoutStride, Kokkos::HostSpace> const records(
        "records", Kokkos::LayoutStride(70, stride));
    Kokkos::View<std::int32_t*, Kokkos::HostSpace> const ranks("ranks", 70);
    for (int i = 0; i < 70; ++i) records(i).key = i / 3;
    rank(exec, records, ranks, ties::Competition{}, RankOptions<LowestKeyFirst>{});
    for (int i = 0; i < 70; ++i) EXPECT_EQ(ranks(i), i / 3 * 3 + 1) << i;
  }
}

}  // namespace
}  // namespace riffle::test::rank_types_test
