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

/// Whether it compares any number of groups, where others compare two.
inline bool takes_many_groups(Statistic statistic) {
  return statistic == Statistic::f || statistic == Statistic::kruskal_wallis_h;
}

/// Whether it asks how two columns go together.
inline bool is_correlation(Statistic statistic) {
  return statistic == Statistic::correlation || statistic == Statistic::spearman;
}

/// The statistic in formulas, about its mean.
inline std::string symbol(Statistic statistic) {
  return statistic == Statistic::mann_whitney_u ? "U - mean" : "T";
}

/// Whether it takes two columns row by row.
inline bool takes_pairs(Statistic statistic) {
  return is_correlation(statistic) || statistic == Statistic::paired_difference;
}

/// What the command line asks for.
struct Options {
  std::string file;                    // "-": standard input
  std::optional<Delimiter> delimiter;  // nothing: recognised
  bool skip_missing = false;           // leave missing values out
  std::string value;                   // with `group`: one row per value
  std::string group;
  std::vector<std::string> groups;  // those to compare, in this order; empty: all
  std::string x;                    // with `y`: one column per sample
  std::string y;
  Statistic statistic = Statistic::difference_of_means;
  Alternative alternative = Alternative::two_sided;
  std::uint64_t replicates = 999'999;
  std::uint64_t seed = 0;
  double level = 0.95;
  std::uint64_t batch = 0;
  bool enumerate = true;
  bool json = false;
  std::string histogram;  // the file to write; empty: none
  unsigned bins = 60;
};

struct Help {
  std::string text;
};

/// The command line without the program's name and without Kokkos's own flags. Throws InputError.
std::variant<Options, Help> parse_options(std::vector<std::string> arguments);

}  // namespace example
