#pragma once

// Tests whether the digits of the Lehmer code are uniform. A correct Fisher-Yates shuffle draws
// uniform digits:
//   D. H. Lehmer, "Teaching combinatorial tricks to a computer", Proc. Symp. Appl. Math. 10 (1960).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/lehmer_digit.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/parts.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

/// The digits of n points that the test counts, and the bins of each digit.
struct LehmerBins {
  static constexpr std::uint64_t max_positions = 64;
  static constexpr std::uint64_t max_bins = 16;

  std::uint64_t n;

  /// The number of digits that are tested. The last digit is left out, because it is always 0.
  KOKKOS_FUNCTION std::uint64_t positions() const {
    return n - 1 < max_positions ? n - 1 : max_positions;
  }

  /// Returns the bins of digit i, whose values are less than n - i.
  KOKKOS_FUNCTION Parts of(std::uint64_t i) const {
    return {n - i, n - i < max_bins ? n - i : max_bins};
  }
};

template <class Exec>
class LehmerDigitObserver : public ObserverBase<Exec> {
 public:
  LehmerDigitObserver(Exec const& exec, LehmerBins const& bins)
      : ObserverBase<Exec>(exec, static_cast<std::size_t>(bins.positions() * LehmerBins::max_bins)),
        bins_(bins) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    for (std::uint64_t i = worker.rank(); i < bins_.positions(); i += worker.size()) {
      std::uint64_t const bin = bins_.of(i).of(lehmer_digit(sample, i));
      this->add(i * LehmerBins::max_bins + bin, 1);
    }
  }

 private:
  LehmerBins bins_;
};

class LehmerDigitPlan {
 public:
  static constexpr char const* name = "Lehmer digits";

  std::string refusal;

  LehmerDigitPlan(std::uint64_t n, std::uint64_t samples) : bins_{n}, samples_(samples) {
    if (n < 2) {
      refusal = "n must be at least 2";
    } else if (samples < min_samples()) {
      refusal = concatenate("samples must be at least ", min_samples(),
                            ", for an expected count of 5 in every bin");
    }
  }

  template <class Exec>
  LehmerDigitObserver<Exec> observer(Exec const& exec) const {
    return {exec, bins_};
  }

  /// The digits are independent. So the sum of their chi-square statistics also has a chi-square
  /// distribution, and the degrees of freedom add up.
  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    double statistic = 0;
    double degrees = 0;
    for (std::uint64_t i = 0; i < bins_.positions(); ++i) {
      auto const found = chi_square_p(counts_of_digit(counts, i), bins_.of(i).probabilities());
      statistic += found.statistic;
      degrees += found.degrees;
    }
    return chi_square_result(name, bins_.n, samples_, chi_square_of(statistic, degrees));
  }

 private:
  std::vector<std::uint64_t> counts_of_digit(std::vector<std::uint64_t> const& counts,
                                             std::uint64_t i) const {
    auto const first = counts.begin() + static_cast<std::ptrdiff_t>(i * LehmerBins::max_bins);
    return {first, first + static_cast<std::ptrdiff_t>(bins_.of(i).count)};
  }

  std::uint64_t min_samples() const {
    std::uint64_t fewest = 0;
    for (std::uint64_t i = 0; i < bins_.positions(); ++i) {
      Parts const bins = bins_.of(i);
      std::uint64_t const needed = (5 * bins.size + bins.shortest() - 1) / bins.shortest();
      if (needed > fewest) fewest = needed;
    }
    return fewest;
  }

  LehmerBins bins_;
  std::uint64_t samples_;
};

using LehmerDigitTest = TestOf<LehmerDigitPlan>;

}  // namespace riffle::detail::uniformity
