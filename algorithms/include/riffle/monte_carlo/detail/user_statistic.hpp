#pragma once

// A statistic defined by the caller: a functor that takes a permutation.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/random/random_permutation.hpp>

namespace riffle::detail {

/// Replicate source that evaluates the caller's statistic for the permutation of each replicate.
template <class Statistic, bool PerTeam>
struct UserSource {
  static constexpr bool is_per_team = PerTeam;
  static constexpr int max_width = 1;

  Statistic statistic;
  std::uint64_t n;
  Numbering numbering;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&test_statistics)[Width]) const {
    test_statistics[0] = statistic(numbering.permutation(n, first));
  }

  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const& member, std::uint64_t r) const {
    return statistic(member, numbering.permutation(n, r));
  }

  KOKKOS_FUNCTION double value(double c) const { return c; }
};

/// A statistic that ignores its argument and returns the caller's statistic of the identity.
template <class Statistic>
struct IdentityStatistic {
  Statistic statistic;
  std::uint64_t n;

  KOKKOS_FUNCTION double operator()(RandomPermutation const&) const {
    return statistic(RandomPermutation::identity(n));
  }

  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const& member, RandomPermutation const&) const {
    return statistic(member, RandomPermutation::identity(n));
  }
};

/// The problem for a statistic defined by the caller on permutations of n elements.
template <class Exec, class Statistic>
class UserProblem {
 public:
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr bool has_one_tail = false;
  static constexpr bool is_per_lane =
      std::is_invocable_r_v<double, Statistic const&, RandomPermutation const&>;
  static constexpr bool is_per_team =
      std::is_invocable_r_v<double, Statistic const&, Member const&, RandomPermutation const&>;
  static_assert(
      is_per_lane != is_per_team,
      "riffle: a statistic is callable with (RandomPermutation const&) or with (TeamMember const&, "
      "RandomPermutation const&), and returns a double");

  UserProblem(char const* function, Context<Exec> const& context, std::uint64_t n,
              Statistic const& statistic)
      : n_(n), statistic_(statistic) {
    check(n >= 1, function, "n = 0: must be at least 1");
    check_sizes(function, n);
    observed_ = evaluate_identity(context);
  }

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_permutations(n_, limit);
  }
  double observed_test_statistic() const { return observed_; }
  double tolerance(double observed) const {
    return is_finite(observed) ? tie_epsilon * std::abs(observed) : 0;
  }
  Mirror mirror() const { return Mirror::about_zero(observed_); }
  double value(double test_statistic) const { return test_statistic; }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    return visitor(UserSource<Statistic, is_per_team>{statistic_, n_, numbering});
  }

 private:
  // Evaluates the statistic on the device, because the Views that it reads may be there.
  double evaluate_identity(Context<Exec> const& context) const {
    Kokkos::View<double, typename Exec::memory_space> const result(Kokkos::view_alloc(
        context.exec(), Kokkos::WithoutInitializing, context.label() + "::observed"));
    UserSource<IdentityStatistic<Statistic>, is_per_team> const source{{statistic_, n_}, n_, {}};
    using Memory = typename Exec::memory_space;
    CountSides<Memory> const storing{Thresholds(0, 0, Mirror{}),
                                     Kokkos::View<double*, Memory>(result.data(), 1)};
    run_batch(context, source, storing, 0, 1);
    double value = 0;
    Kokkos::deep_copy(context.exec(), value, result);
    context.exec().fence("riffle::permutation_test: observed statistic");
    return value;
  }

  std::uint64_t n_;
  Statistic statistic_;
  double observed_ = 0;
};

}  // namespace riffle::detail
