#pragma once

// Tests by the maximum mean discrepancy, with the Mallows kernel.
//   [1] R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//       arXiv:2106.06161, version 1 (2021), section 5: the kernel of each sample with the identity.
//   [2] Version 2 of [1] (2022; ACM Trans. Parallel Computing 9), section 5: the kernel of samples
//       0 and 1, of 2 and 3, and so on.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/facts.hpp>
#include <riffle/uniformity/detail/nulls/mallows_kernel.hpp>
#include <riffle/uniformity/detail/nulls/mmd.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

/// Each kernel value, at most 1, is rounded to a multiple of 2^-40 and added as an integer, so that
/// the sum does not depend on the order of the threads. The sum of 2^23 values fits in 64 bits.
inline constexpr double kernel_units = static_cast<double>(std::uint64_t{1} << 40);
inline constexpr std::uint64_t max_kernels = std::uint64_t{1} << 23;
/// The smallest standard deviation of a kernel for which rounding to 2^-40 is negligible. With
/// lambda = 5 the standard deviation is larger for every n.
inline constexpr double min_kernel_deviation = 1.0 / (1 << 20);
/// The smallest effective number of kernels for which the normal approximation is used. The
/// approximation is good for 100 kernels with lambda = 5 (see [1]); the effective number of these
/// kernels is at least 30.
inline constexpr double min_normal_kernels = 30;

struct KernelWithIdentity {
  static constexpr char const* name = "Mallows kernel with the identity";
  static constexpr bool is_paired = false;
  static constexpr auto null = one_sample_mmd;
};

struct KernelOfPairs {
  static constexpr char const* name = "Mallows kernel of pairs";
  static constexpr bool is_paired = true;
  static constexpr auto null = paired_mmd;
};

/// Returns how many pairs of positions a and b order differently. This is the number of inversions
/// of the composition "b after the inverse of a". Overwrites the work rows of both.
template <class Worker>
KOKKOS_FUNCTION std::int64_t discordant_pairs(Worker const& worker, Sample const& a,
                                              Sample const& b) {
  Row const& composed = a.work[0];
  worker.barrier();  // no thread may still use `work` for the previous test
  for (std::uint64_t i = worker.rank(); i < a.n; i += worker.size())
    composed[i] = b.sigma[a.inverse[i]];
  worker.barrier();
  return count_inversions(worker, a.n, composed, b.work);
}

template <class Exec, class Kernel>
class MallowsObserver : public ObserverBase<Exec> {
 public:
  static constexpr bool is_paired = Kernel::is_paired;
  static constexpr bool needs_inversions = !Kernel::is_paired;

  MallowsObserver(Exec const& exec, std::uint64_t n, double lambda)
      : ObserverBase<Exec>(exec, 1), lambda_(lambda), pairs_(pairs_of(n)) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    if (worker.rank() == 0) count(sample.inversions);
  }

  template <class Worker>
  KOKKOS_FUNCTION void observe_pair(Worker const& worker, Sample const& a, Sample const& b) const {
    std::int64_t const discordant = discordant_pairs(worker, a, b);
    if (worker.rank() == 0) count(discordant);
  }

 private:
  KOKKOS_FUNCTION void count(std::int64_t discordant) const {
    double const kernel = Kokkos::exp(-lambda_ * (static_cast<double>(discordant) / pairs_));
    this->add(0, static_cast<std::uint64_t>(Kokkos::round(kernel * kernel_units)));
  }

  double lambda_;
  double pairs_;
};

template <class Kernel>
class MallowsPlan {
 public:
  std::string refusal;

  MallowsPlan(std::uint64_t n, std::uint64_t samples, double lambda)
      : refusal(wrong_argument(n, samples, lambda)), n_(n), samples_(samples), lambda_(lambda) {
    if (!refusal.empty()) return;
    null_ = Kernel::null(n, lambda, samples);
    if (!(std::sqrt(kernel_variance()) >= min_kernel_deviation))
      refusal = concatenate("lambda = ", lambda, ": the kernel hardly varies");
  }

  template <class Exec>
  MallowsObserver<Exec, Kernel> observer(Exec const& exec) const {
    return {exec, n_, lambda_};
  }

  /// The statistic is the paper's estimate of the squared discrepancy. The p-value is computed from
  /// the normal distribution, or from Hoeffding's bound if there are too few kernels.
  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    double const sum = static_cast<double>(counts[0]) / kernel_units;
    double const statistic = null_.statistic(sum / static_cast<double>(null_.terms));
    if (is_normal()) {
      auto const law = concatenate("normal, standard deviation ", null_.deviation);
      return {Kernel::name, n_, samples_, statistic, law, mmd_normal_p(null_, statistic)};
    }
    return {
        Kernel::name, n_, samples_, statistic, "Hoeffding's bound", hoeffding_p(null_, statistic)};
  }

  /// The test passes at level alpha if the absolute value of the statistic is at most the threshold
  /// (the lines in the papers' figures). Both threshold functions throw std::invalid_argument
  /// unless 0 < alpha < 1.
  double hoeffding_threshold(double alpha) const {
    return uniformity::hoeffding_threshold(null_, alpha);
  }
  double normal_threshold(double alpha) const { return uniformity::normal_threshold(null_, alpha); }

 private:
  static std::string wrong_argument(std::uint64_t n, std::uint64_t samples, double lambda) {
    std::uint64_t const samples_of_kernel = Kernel::is_paired ? 2 : 1;
    if (n < 2) return "n must be at least 2";
    if (!(lambda >= 0 && is_finite(lambda)))
      return concatenate("lambda = ", lambda, ": must be finite and not negative");
    if (samples == 0) return concatenate("samples must be at least ", samples_of_kernel);
    if (samples % samples_of_kernel != 0) return "samples must be even";
    if (samples / samples_of_kernel > max_kernels)
      return concatenate("samples must be at most ", max_kernels * samples_of_kernel);
    return "";
  }

  double kernel_variance() const {
    return null_.deviation * null_.deviation * static_cast<double>(null_.terms);
  }

  // If lambda is large, the kernel is rarely 1 and otherwise about 0. The normal approximation is
  // then good if many kernels are expected to be 1.
  bool is_normal() const {
    double const squared_mean = null_.kernel_mean * null_.kernel_mean;
    double const share = squared_mean / (squared_mean + kernel_variance());
    return static_cast<double>(null_.terms) * share >= min_normal_kernels;
  }

  std::uint64_t n_;
  std::uint64_t samples_;
  double lambda_;
  MmdNull null_{};
};

/// Version 1 of the paper's test. It detects faults by which the samples are closer to the identity
/// than uniform permutations, or farther from it.
struct MallowsOneSampleTest {
  static constexpr char const* name = KernelWithIdentity::name;

  double lambda = 5;

  MallowsPlan<KernelWithIdentity> plan(std::uint64_t n, std::uint64_t samples) const {
    return {n, samples, lambda};
  }
};

/// Version 2 of the paper's test. It detects any non-uniform distribution of the samples, and any
/// dependence within pairs. The number of samples must be even.
struct MallowsPairedTest {
  static constexpr char const* name = KernelOfPairs::name;

  double lambda = 5;

  MallowsPlan<KernelOfPairs> plan(std::uint64_t n, std::uint64_t samples) const {
    return {n, samples, lambda};
  }
};

}  // namespace riffle::detail::uniformity
