#pragma once

// Tests whether all n! permutations occur equally often: the chi-square test of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), section 5.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

/// Returns the number of permutations that precede the sample in lexicographic order.
KOKKOS_INLINE_FUNCTION std::uint64_t lexicographic_rank(Sample const& sample) {
  std::uint64_t rank = 0;
  for (std::uint64_t i = 0; i < sample.n; ++i) {
    std::uint64_t smaller = 0;
    for (std::uint64_t j = i + 1; j < sample.n; ++j) smaller += sample.sigma[j] < sample.sigma[i];
    rank = rank * (sample.n - i) + smaller;
  }
  return rank;
}

template <class Exec>
struct ArrangementObserver : ObserverBase<Exec> {
  using ObserverBase<Exec>::ObserverBase;

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    if (worker.rank() == 0) this->add(lexicographic_rank(sample), 1);
  }
};

class ArrangementPlan {
 public:
  static constexpr char const* name = "arrangements";
  static constexpr std::uint64_t largest_n = 8;

  std::string refusal;

  ArrangementPlan(std::uint64_t n, std::uint64_t samples) : n_(n), samples_(samples) {
    if (n < 2) {
      refusal = "n must be at least 2";
    } else if (n > largest_n) {
      refusal = concatenate("n must be at most ", largest_n, ", for n! cells");
    } else if (samples < 5 * cells()) {
      refusal = concatenate("samples must be at least 5 n! = ", 5 * cells());
    }
  }

  template <class Exec>
  ArrangementObserver<Exec> observer(Exec const& exec) const {
    return {exec, static_cast<std::size_t>(cells())};
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    std::vector<double> const equal(counts.size(), 1 / static_cast<double>(counts.size()));
    return chi_square_result(name, n_, samples_, chi_square_p(counts, equal));
  }

 private:
  std::uint64_t cells() const { return factorial(static_cast<int>(n_)); }

  std::uint64_t n_;
  std::uint64_t samples_;
};

using ArrangementTest = TestOf<ArrangementPlan>;

}  // namespace riffle::detail::uniformity
