#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"

namespace example {

/// One bar of a histogram, for values in [left, right).
struct Bar {
  double left = 0;
  double right = 0;
  std::uint64_t count = 0;
  std::uint64_t extreme = 0;  // number of these values that are extreme
};

/// The null distribution as bars of equal width.
struct Histogram {
  std::vector<Bar> bars;
  double width = 0;
  double observed = 0;
  std::uint64_t size = 0;  // number of values in all bars

  double share(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(size);
  }
};

/// Sorts the finite values into about `bins` bars. Throws InputError if no value is finite.
///
/// Extreme values are the values that count for p: at least as far from the null hypothesis as the observed statistic, on the
/// side of the alternative; if two-sided, at least as far from `middle`, the mean under the null hypothesis. If p is twice the
/// smaller tail, the same number of values counts at the other end, where only a part of equal values may count.
///
/// Statistics of rounded measurements are often whole multiples of a step. Then the width of a bar is a multiple of this step
/// and edges lie midway between values, so that each bar covers the same number of steps. One edge separates the extreme
/// values on the observed side from the others.
Histogram make_histogram(std::vector<double> values, double observed, Alternative alternative,
                         unsigned bins, double middle = 0);

/// The texts of the picture.
struct Captions {
  std::string title;
  std::string subtitle;
  std::string axis;
  std::string replicates = "permutations";  // kind of the replicates
};

/// The picture as gnuplot commands; the caller sets the format.
std::string gnuplot_script(Histogram const& histogram, Captions const& captions);

}  // namespace example
