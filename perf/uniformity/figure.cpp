#include "uniformity/figure.hpp"

#include <boost/math/distributions/chi_squared.hpp>

#include <riffle/errors.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/uniformity.hpp>

namespace perf::quality {
namespace {

using riffle::uniformity::Arrangements;
using riffle::uniformity::MallowsPaired;

void check_plan(std::string const& refusal, std::uint64_t n, std::uint64_t samples) {
  riffle::detail::check(refusal.empty(), "rounds", "n = ", n, ", samples = ", samples, ": ",
                        refusal);
}

Figure chi_square_figure(std::uint64_t n, std::uint64_t samples, double alpha) {
  auto const cells = static_cast<double>(riffle::factorial(static_cast<int>(n)));
  boost::math::chi_squared_distribution<double> const null(cells - 1);
  return {
      Arrangements::name,
      n,
      samples,
      {{"chi-square", quantile(complement(null, alpha))}},
      [](Candidate const& candidate, Draw const& draw) { return candidate.arrangements(draw); }};
}

Figure mallows_figure(std::uint64_t n, std::uint64_t samples, double alpha) {
  auto const plan = MallowsPaired{}.plan(n, samples);
  check_plan(plan.refusal, n, samples);
  return {
      MallowsPaired::name,
      n,
      samples,
      {{"normal", plan.normal_threshold(alpha)}, {"Hoeffding", plan.hoeffding_threshold(alpha)}},
      [](Candidate const& candidate, Draw const& draw) { return candidate.mallows(draw); }};
}

}  // namespace

std::vector<Figure> make_figures(std::vector<std::uint64_t> const& ns, std::uint64_t samples,
                                 double alpha) {
  std::vector<Figure> figures;
  for (auto const n : ns) {
    bool const has_cells = Arrangements{}.plan(n, samples).refusal.empty();
    if (has_cells) figures.push_back(chi_square_figure(n, samples, alpha));
    figures.push_back(mallows_figure(n, samples, alpha));
  }
  return figures;
}

}  // namespace perf::quality
