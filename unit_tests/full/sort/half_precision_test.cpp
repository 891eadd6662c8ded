// Half-precision numbers with the default orders: NaNs follow all numbers, as for float.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/team/team_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/number_order.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::half_precision_test {
namespace {

template <class Exec_, class T_, bool TakesAll>
struct Case {
  using Exec = Exec_;
  using T = T_;
  static constexpr bool takes_all = TakesAll;
};

// Kokkos's half types are float for back ends without better ones; the compiler's types are for CPUs. Calls that require no more
// of a type than other calls are tested with one type per processor: argsort, like sort_by_key, and groups, like rankings of all
// data. argsort_test.cpp and rank_unsorted_groups_types_test.cpp test them with floats.
using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::DefaultExecutionSpace;
using Half = Kokkos::Experimental::half_t;
using Cases = ToTestingTypes<decltype(std::tuple_cat(
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__)
    std::tuple<Case<Host, detail::CompilersHalf, true>>(),
#endif
#if defined(__BFLT16_MANT_DIG__) && !defined(__CUDACC__)
    std::tuple<Case<Host, detail::CompilersBfloat16, false>>(),
#endif
    std::tuple<Case<Device, Half, !std::is_same_v<Half, float>>>()))>::type;

template <class Exec, class T>
struct SortByTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    bool const is_sorted = riffle::team_sort(team, keys);
    if (team.team_rank() == 0) done() = is_sorted ? 1 : 0;
  }

  Kokkos::View<T*, typename Exec::memory_space> keys;
  Kokkos::View<int, typename Exec::memory_space> done;
};

template <class Case>
class HalfPrecision : public ::testing::Test {
 public:
  using Exec = typename Case::Exec;
  using T = typename Case::T;

  /// Values with NaNs and infinities; exact in all of the types.
  void use(std::size_t n) {
    numbers.clear();
    values.clear();
    for (double const x : special_values<double>(n)) {
      bool const is_exact = !(x == x) || x == 0 || x == 1 || x - x != 0;
      numbers.push_back(is_exact ? x : static_cast<double>(numbers.size() % 64) / 8);
      values.push_back(static_cast<T>(static_cast<float>(numbers.back())));
    }
  }

  /// The order of a sort of the values; ties of float and double are ordered by their bits.
  template <class Order, class Compare>
  std::vector<std::size_t> order_of(Compare const& compare) const {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      auto order = iota<std::size_t>(values.size());
      std::stable_sort(order.begin(), order.end(), [this](std::size_t i, std::size_t k) {
        return is_sorted_before<Order>(values[i], values[k]);
      });
      return order;
    } else {
      return order_oracle(numbers, compare);
    }
  }

  std::vector<T> in_order(std::vector<std::size_t> const& order) const {
    std::vector<T> sorted;
    for (std::size_t const i : order) sorted.push_back(values[i]);
    return sorted;
  }

  void expect_sorted_by_team() {
    SortByTeam<Exec, T> const kernel{to_view<Exec>(values),
                                     decltype(SortByTeam<Exec, T>::done)("done")};
    Kokkos::TeamPolicy<Exec> policy(1, backend::is_cpu<Exec> ? 1 : 64);
    policy.set_scratch_size(backend::is_cpu<Exec> ? 1 : 0,
                            Kokkos::PerTeam(team_sort_scratch_bytes<T>(values.size())));
    Kokkos::parallel_for("sort", policy, kernel);
    int done = 0;
    Kokkos::deep_copy(done, kernel.done);
    EXPECT_EQ(done, 1);
    auto const sorted = to_vector(kernel.keys);
    auto const expected = in_order(order_oracle(numbers, std::less<double>{}));
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      bool const are_nans = sorted[i] != sorted[i] && expected[i] != expected[i];
      ASSERT_TRUE(are_nans || sorted[i] == expected[i]) << i;
    }
  }

  Exec exec;
  std::vector<double> numbers;
  std::vector<T> values;
};

struct CaseNames {
  template <class Case>
  static std::string GetName(int i) {
    return std::string(Case::Exec::name()) + std::to_string(i);
  }
};
TYPED_TEST_SUITE(HalfPrecision, Cases, CaseNames);

TYPED_TEST(HalfPrecision, IsFloatingPoint) {
  EXPECT_TRUE(detail::is_floating_point<typename TypeParam::T>);
  EXPECT_FALSE(detail::is_floating_point<int>);
  EXPECT_FALSE(detail::is_floating_point<std::vector<typename TypeParam::T>>);
}

TYPED_TEST(HalfPrecision, Sorts) {
  using Space = typename TypeParam::Exec;
  for (std::size_t const n : {1, 100, 20'000}) {
    this->use(n);
    auto const ascending = this->template order_of<Ascending>(std::less<double>{});
    auto const descending = this->template order_of<Descending>(std::greater<double>{});
    // Sorts of float keep the bits of NaNs.
    auto const view = to_view<Space>(this->values);
    riffle::sort(this->exec, view);
    this->exec.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), this->in_order(ascending))) << n;
    auto const keys = to_view<Space>(this->values);
    auto const payloads = to_view<Space>(iota<std::uint64_t>(n));
    riffle::sort_by_key(this->exec, keys, payloads, Descending{});
    this->exec.fence();
    EXPECT_TRUE(are_same_bits(to_vector(keys), this->in_order(descending))) << n;
    EXPECT_EQ(to_vector(payloads),
              std::vector<std::uint64_t>(descending.begin(), descending.end()));
    if constexpr (TypeParam::takes_all) {
      auto const indices = zeros<Space, std::uint64_t>(n);
      riffle::argsort(this->exec, to_view<Space>(this->values), indices);
      this->exec.fence();
      EXPECT_EQ(to_vector(indices), std::vector<std::uint64_t>(ascending.begin(), ascending.end()));
    }
  }
}

TYPED_TEST(HalfPrecision, TeamSort) {
  this->use(1000);
  this->expect_sorted_by_team();
}

TYPED_TEST(HalfPrecision, Ranks) {
  using Space = typename TypeParam::Exec;
  for (std::size_t const n : {1, 100, 20'000}) {
    this->use(n);
    auto const data = to_view<Space>(this->values);
    auto const ranks = zeros<Space, double>(n);
    for (Missing const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      riffle::rank_unsorted(this->exec, data, ranks, ties::Fractional{}, {.missing = missing});
      this->exec.fence();
      RankOracleOptions const options{.excludes_missing = missing == Missing::excluded};
      auto const expected = unsorted_rank_oracle(this->numbers, ties::Fractional{}, options,
                                                 std::less<double>{}, missing == Missing::first);
      EXPECT_TRUE(same_ranks(to_vector(ranks), expected)) << n;
      if constexpr (TypeParam::takes_all) {
        // All elements in one group.
        riffle::rank_unsorted_groups(this->exec, zeros<Space, int>(n), data, ranks,
                                     ties::Fractional{}, {.missing = missing});
        this->exec.fence();
        EXPECT_TRUE(same_ranks(to_vector(ranks), expected)) << n;
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::half_precision_test
