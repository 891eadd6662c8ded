#pragma once

// The comparands of the data as they are, by the same formulas as those of replicates.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// Writes the terms of a variable, but for its threshold, and its comparand before sides are taken.
template <class Memory>
struct ObserveVariable {
  WholeData<Memory> whole;
  Array<Memory> design;
  Comparison comparison;  // Alternative::greater, so that signs stay
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    VariableFacts& facts = whole.facts(g);
    VariableTerms found;
    double value = 0;
    if (facts.is_tested) {
      double const common = comparison.common_squares;
      found.factor = comparison.scales[0] / Kokkos::sqrt(common > 0 ? common : facts.squares);
      found.squares = facts.squares;
      found.base = facts.base;
      found.shift = 0;
      value = comparand(g, found, facts.is_tested);
    }
    terms(g) = facts.is_tested ? found : VariableTerms{};
    values(g) = facts.is_tested ? value : 0;
  }

 private:
  /// A variable of which adjustments leave nothing is not tested.
  KOKKOS_FUNCTION double comparand(std::uint64_t g, VariableTerms const& found,
                                   bool& is_tested) const {
    if (comparison.is_simple()) return comparison.simple(sum(g, 0), found);
    if (comparison.form == Form::welch) {
      return comparison.welch(sum(g, 0), sum_of_squares(g), found.base, found.squares, found);
    }
    Explained explained;
    for (int k = 0; k < comparison.effects + comparison.adjustments; ++k) {
      comparison.add(k, sum(g, k), explained);
    }
    is_tested = comparison.leaves_rest(explained, found);
    return comparison(explained, found);
  }

  KOKKOS_FUNCTION double sum(std::uint64_t g, int k) const {
    std::uint64_t const n = whole.values.extent(1);
    double sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      sum += whole.values(g, i) * design(static_cast<std::uint64_t>(k) * n + i);
    }
    return sum;
  }

  KOKKOS_FUNCTION double sum_of_squares(std::uint64_t g) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < whole.values.extent(1); ++i) {
      sum += whole.values(g, i) * whole.values(g, i) * design(i);
    }
    return sum;
  }
};

/// From which comparand on a replicate is as extreme as the data.
template <class Memory>
struct SetThreshold {
  Kokkos::View<VariableFacts*, Memory> facts;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;      // with their signs
  Array<Memory> comparands;  // written: by side, minus infinity where the variable is not tested
  Comparison comparison;
  /// 1 where comparands that may tie count, -1 where they do not.
  double side = 1;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    auto& own = terms(g);
    double const comparand = comparison.sided(values(g)) + own.shift;
    comparands(g) = comparand;
    if (!facts(g).is_tested) return;
    double const size =
        comparison.form == Form::welch ? Kokkos::max(1.0, Kokkos::abs(comparand)) : 1;
    // Two constant samples that differ have an infinite t.
    own.threshold =
        is_infinite(comparand) ? comparand : Kokkos::fma(-side * facts(g).tie, size, comparand);
  }
};

template <class Memory, class Function>
struct MapValues {
  Array<Memory> values;
  Function function;
  double* out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out[i] = function(values(i)); }
};

/// Adds to counts(g) how many of the maxima, which are in ascending order, reach the threshold of variable g.
template <class Memory>
struct CountFrom {
  Array<Memory> maxima;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<std::uint64_t*, Memory> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    double const threshold = terms(g).threshold;
    std::uint64_t low = 0;
    for (std::uint64_t high = maxima.extent(0); low < high;) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (maxima(middle) >= threshold) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    counts(g) += maxima.extent(0) - low;
  }
};

template <class Memory>
struct SetStepDownThreshold {
  Array<Memory> thresholds;
  Kokkos::View<VariableTerms*, Memory> terms;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    terms(g).step_down_threshold = thresholds(g);
  }
};

}  // namespace riffle::detail::variables
