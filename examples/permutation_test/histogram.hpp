#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"

namespace example {

/// One bar of a histogram: the values in [left, right).
struct Bar {
  double left = 0;
  double right = 0;
  std::uint64_t count = 0;
  std::uint64_t extreme = 0;  // how many of these values count for p
};

/// The null distribution in bars of one width.
struct Histogram {
  std::vector<Bar> bars;
  double width = 0;
  double observed = 0;
  std::uint64_t size = 0;  // the values in all bars together

  double share(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(size);
  }
};

/// Sorts the finite ones of `values` into about `bins` bars. Throws InputError where there are
/// none.
///
/// What counts for p: the values at the observed statistic or beyond it, on the side of the
/// alternative; two-sided, those at least as far from `middle`, where a statistic without an effect
/// is expected. Where p is twice the smaller side, the same number of values counts at the other
/// end; of equal values at that end, a part may count.
///
/// Statistics of rounded measurements are often whole multiples of a step. Then a bar's width is a
/// multiple of that step, and edges stand midway between values, so that each bar holds the same
/// number of steps. An edge stands where, on the observed side, the values that count begin.
Histogram make_histogram(std::vector<double> values, double observed, Alternative alternative,
                         unsigned bins, double middle = 0);

/// The words around the picture.
struct Captions {
  std::string title;
  std::string subtitle;
  std::string axis;
  std::string replicates = "permutations";  // what the values are of
};

/// The picture as gnuplot commands, for whichever format.
std::string gnuplot_script(Histogram const& histogram, Captions const& captions);

}  // namespace example
