#pragma once

// Tests of an integer statistic, which is computed from each permutation or from each pair of permutations. If the
// exact distribution of the statistic is known, the distribution is tested, otherwise only the mean.
//
// A measure is a class with
//   static constexpr char const* name;
//   static constexpr std::uint64_t smallest_n, largest_n;
//   static Null null(std::uint64_t n);
//   template <class Worker> static std::int64_t of(Worker const&, Sample const&), or of(worker, a, b) if is_paired;
//     all threads of the worker call it in a kernel, but only the result of the first thread is used
// and the flags of ObserverBase.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/cells.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

struct Null {
  Moments moments;
  std::optional<DiscreteDistribution> exact = std::nullopt;
};

inline Null exact_null(DiscreteDistribution const& distribution) {
  return {{distribution.mean(), distribution.variance()}, distribution};
}

struct SampleMeasure {
  static constexpr bool is_paired = false;
  static constexpr bool needs_inversions = false;
  static constexpr bool needs_cycles = false;
  static constexpr std::uint64_t smallest_n = 2;
  static constexpr std::uint64_t largest_n = std::uint64_t{1} << 32;
};

struct PairMeasure : SampleMeasure {
  static constexpr bool is_paired = true;
};

/// The maximum number of cells. A fault that shifts or widens the distribution has a smaller effect on each cell if
/// there are more cells.
inline constexpr double max_cells = 32;

inline Cells cells_of(DiscreteDistribution const& distribution, std::uint64_t observations) {
  constexpr double cochran = 5;
  return make_cells(distribution, observations,
                    std::max(cochran, static_cast<double>(observations) / max_cells));
}

/// Deviations from a mean are summed in multiples of 2^-20 standard deviations. Each deviation is capped at 2^20
/// standard deviations, so that a sum of 2^23 deviations does not overflow.
inline constexpr double deviation_unit = 1 << 20;

/// Counts the values in each cell, or sums their deviations from the mean.
template <class Exec, class Measure>
class ScalarObserver : public ObserverBase<Exec> {
 public:
  static constexpr bool is_paired = Measure::is_paired;
  static constexpr bool needs_inversions = Measure::needs_inversions;
  static constexpr bool needs_cycles = Measure::needs_cycles;
  ScalarObserver(Exec const& exec, Cells const& cells)
      : ObserverBase<Exec>(exec, cells.last_values.size()),
        last_values_(Kokkos::view_alloc(exec, "riffle::uniformity::cells"),
                     cells.last_values.size()),
        by_cells_(true) {
    Kokkos::View<std::int64_t const*, Kokkos::HostSpace,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(cells.last_values.data(),
                                                                     cells.last_values.size());
    Kokkos::deep_copy(exec, last_values_, from);
    exec.fence("riffle::uniformity: cells");  // the copy reads host memory that is freed on return
  }

  ScalarObserver(Exec const& exec, Moments const& moments)
      : ObserverBase<Exec>(exec, 1),
        by_cells_(false),
        mean_(moments.mean),
        units_(deviation_unit / std::sqrt(moments.variance)) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    std::int64_t const value = Measure::of(worker, sample);
    if (worker.rank() == 0) count(value);
  }

  template <class Worker>
  KOKKOS_FUNCTION void observe_pair(Worker const& worker, Sample const& a, Sample const& b) const {
    std::int64_t const value = Measure::of(worker, a, b);
    if (worker.rank() == 0) count(value);
  }

 private:
  KOKKOS_FUNCTION void count(std::int64_t value) const {
    if (by_cells_) {
      this->add(cell(value), 1);
    } else {
      double const deviation = (static_cast<double>(value) - mean_) * units_;
      constexpr double most = deviation_unit * deviation_unit;
      double const bounded = Kokkos::min(Kokkos::max(deviation, -most), most);
      this->add(0, static_cast<std::uint64_t>(static_cast<std::int64_t>(Kokkos::round(bounded))));
    }
  }

  // Returns the cell of a value, as Cells::index does.
  KOKKOS_FUNCTION std::uint64_t cell(std::int64_t value) const {
    std::uint64_t low = 0;
    std::uint64_t high = last_values_.extent(0) - 1;
    while (low < high) {
      std::uint64_t const middle = (low + high) / 2;
      if (last_values_(middle) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Kokkos::View<std::int64_t*, typename Exec::memory_space> last_values_;
  bool by_cells_;
  double mean_ = 0;
  double units_ = 0;
};

template <class Measure>
class ScalarPlan {
 public:
  static constexpr char const* name = Measure::name;

  std::string refusal;

  ScalarPlan(std::uint64_t n, std::uint64_t samples)
      : n_(n), samples_(samples), observations_(Measure::is_paired ? samples / 2 : samples) {
    if (n < Measure::smallest_n) {
      refusal = concatenate("n must be at least ", Measure::smallest_n);
    } else if (n > Measure::largest_n) {
      refusal = concatenate("n must be at most ", Measure::largest_n);
    } else if (observations_ == 0) {
      refusal = concatenate("samples must be at least ", Measure::is_paired ? 2 : 1);
    } else {
      plan(Measure::null(n));
    }
  }

  template <class Exec>
  ScalarObserver<Exec, Measure> observer(Exec const& exec) const {
    if (by_cells_) return {exec, cells_};
    return {exec, moments_};
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    if (by_cells_) {
      return chi_square_result(Measure::name, n_, samples_,
                               chi_square_p(counts, cells_.probabilities));
    }
    double const sum = static_cast<double>(static_cast<std::int64_t>(counts[0])) / deviation_unit;
    double const z = sum / std::sqrt(static_cast<double>(observations_));
    return {Measure::name, n_, samples_, z, "normal", normal_p(z)};
  }

 private:
  void plan(Null const& null) {
    moments_ = null.moments;
    by_cells_ = null.exact.has_value();
    if (!(moments_.variance > 0)) {
      refusal = "what it measures is constant at this n";
      return;
    }
    if (!by_cells_) return;
    cells_ = cells_of(*null.exact, observations_);
    if (cells_.last_values.size() < 2) refusal = "samples must be more: too few for two cells";
  }

  std::uint64_t n_;
  std::uint64_t samples_;
  std::uint64_t observations_;
  Moments moments_{};
  bool by_cells_ = false;
  Cells cells_;
};

template <class Measure>
using ScalarTest = TestOf<ScalarPlan<Measure>>;

}  // namespace riffle::detail::uniformity
