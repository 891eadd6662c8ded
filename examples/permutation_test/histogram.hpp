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
  bool extreme = false;  // whether these values count for p
};

/// The null distribution in bars, of which none is on both sides of the border of a tail.
struct Histogram {
  std::vector<Bar> bars;
  double width = 0;  // of most bars; a few are somewhat wider or narrower
  double observed = 0;
  std::uint64_t size = 0;  // the values in all bars together

  /// The share of the values that a bar of the usual width would hold at the density of this one.
  double share(Bar const& bar) const;
};

/// Sorts the finite ones of `values` into about `bins` bars. Throws InputError where there are
/// none.
///
/// What counts for p: the values at the observed statistic or beyond it, on the side of the
/// alternative. A two-sided p is twice the smaller side, so that there the other end counts too,
/// with as many of its outermost values (as nearly as ties let it).
///
/// Statistics of rounded measurements take few distinct values. No bar ends at or near one: the
/// edges stand midway between neighbours, and heights are densities. Bars of one width would hold
/// now k, now k+1 distinct values, and show teeth that the distribution does not have.
Histogram make_histogram(std::vector<double> values, double observed, Alternative alternative,
                         unsigned bins);

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
