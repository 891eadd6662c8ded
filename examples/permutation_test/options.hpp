#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "delimiter.hpp"
#include "program_options.hpp"

namespace example {

enum class Statistic {
  difference_of_means,
  paired_difference,
  welch_t,
  f,
  correlation,
  mann_whitney_u,
  kruskal_wallis_h,
  spearman
};
enum class Alternative { two_sided, two_sided_doubled, less, greater };

std::string name_of(Statistic);
std::string name_of(Alternative);

/// Whether the statistic compares any number of groups; the others compare two.
inline bool takes_many_groups(Statistic statistic) {
  return statistic == Statistic::f || statistic == Statistic::kruskal_wallis_h;
}

/// Whether the statistic measures the association of two columns.
inline bool is_correlation(Statistic statistic) {
  return statistic == Statistic::correlation || statistic == Statistic::spearman;
}

/// The statistic in formulas; U is taken about its mean.
inline std::string symbol(Statistic statistic) {
  return statistic == Statistic::mann_whitney_u ? "U - mean" : "T";
}

/// Whether the values of a row in two columns belong together.
inline bool takes_pairs(Statistic statistic) {
  return is_correlation(statistic) || statistic == Statistic::paired_difference;
}

/// The options of the command line.
struct Options {
  std::string file;                    // "-": standard input
  std::optional<Delimiter> delimiter;  // empty: detected from the header
  bool skip_missing = false;           // leave out missing values instead of failing
  std::string value;                   // with `group`: one value per row
  std::string group;
  std::vector<std::string> groups;  // groups to compare, in this order; empty: all
  std::string x;                    // with `y`: one sample per column
  std::string y;
  Statistic statistic = Statistic::difference_of_means;
  Alternative alternative = Alternative::two_sided;
  std::uint64_t replicates = 999'999;
  std::uint64_t seed = 0;
  double level = 0.95;
  std::uint64_t batch = 0;
  bool enumerate = true;
  bool json = false;
  std::string histogram;  // file of the picture; empty: no picture
  unsigned bins = 60;
};

struct Help {
  std::string text;
};

/// Parses the command line without the program's name and without Kokkos's own flags. Throws InputError.
std::variant<Options, Help> parse_options(std::vector<std::string> arguments);

}  // namespace example
