#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/nuisance.hpp>
#include <riffle/monte_carlo/variable_status.hpp>

#include "delimiter.hpp"

namespace example::permute {

enum class Statistic {
  student_t,
  welch_t,
  f,
  pearson,
  spearman,
  mann_whitney_u,
  kruskal_wallis_h,
  one_sample_t,
  paired_t,
  linear_model
};
using riffle::Alternative;
using riffle::MissingValues;
using riffle::Nuisance;
using riffle::VariableStatus;

/// The assumption on errors under the null hypothesis: exchangeable, symmetric (signs may change), or both.
enum class Errors { exchangeable, symmetric, both };

std::string name_of(Statistic);
std::string name_of(Alternative);
std::string name_of(Nuisance);
std::string name_of(MissingValues);
std::string name_of(Errors);

inline bool compares_two_groups(Statistic s) {
  return s == Statistic::student_t || s == Statistic::welch_t || s == Statistic::mann_whitney_u ||
         s == Statistic::paired_t;
}
inline bool compares_many_groups(Statistic s) {
  return s == Statistic::f || s == Statistic::kruskal_wallis_h;
}
inline bool is_correlation(Statistic s) {
  return s == Statistic::pearson || s == Statistic::spearman;
}
/// Whether the statistic tests a mean of 0 by changing signs: of one sample, or of the differences of pairs.
inline bool is_about_zero(Statistic s) {
  return s == Statistic::one_sample_t || s == Statistic::paired_t;
}

/// A column of the design and its reference level.
using Reference = std::pair<std::string, std::string>;

/// The options of the command line.
struct Settings {
  std::string data;  // "-": standard input
  std::optional<Delimiter> delimiter;
  bool observations_in_rows = false;
  bool skip_missing = false;
  MissingValues missing = MissingValues::leave_variable_out;

  std::string design;
  bool by_order = false;  // rows of the design are matched by order, not by name
  std::string by;
  std::string pair;                 // column that names the pairs
  std::vector<std::string> groups;  // groups to compare; empty: all
  std::vector<Reference> references;
  std::vector<std::string> terms;    // terms of the linear model; empty: every column
  std::vector<std::string> factors;  // numeric columns that are factors
  std::vector<std::string> contrasts;
  std::string term;  // the test is an F test of all columns of this term
  bool is_f = false;
  Nuisance nuisance = Nuisance::freedman_lane;

  std::vector<std::string> blocks;    // columns, the outermost first
  std::vector<bool> permutes_blocks;  // for each column: whether its blocks are permuted as wholes
  // whether observations are permuted within the innermost blocks
  bool permutes_observations = true;
  bool blocks_are_pairs = false;
  Errors errors = Errors::exchangeable;

  Statistic statistic = Statistic::student_t;
  Alternative alternative = Alternative::two_sided;
  std::uint64_t replicates = 9999;
  std::uint64_t seed = 0;
  std::uint64_t batch = 0;
  bool enumerate = true;
  bool min_p = false;    // adjust also by the minimum of p-values
  double intervals = 0;  // confidence level of the intervals; 0: no intervals

  std::string output;
  std::string json;
  std::string plot;
  // empty: counts are saved only if the run is interrupted or a result cannot be written
  std::string state;
  std::string resume;
  std::uint64_t stop_after = 0;  // 0: no limit
};

/// Whether only signs change and no observation is permuted.
inline bool flips_signs_alone(Settings const& settings) {
  return is_about_zero(settings.statistic) || settings.errors == Errors::symmetric;
}

/// Whether the counts of a run can be saved and resumed.
inline bool can_save_counts(Settings const& settings) {
  return settings.alternative != Alternative::two_sided_doubled;
}

/// Simulated gene expression (simulate.hpp).
struct Simulation {
  std::uint64_t variables = 0;
  std::uint64_t observations = 0;
  std::uint64_t seed = 0;
  std::uint64_t affected = 0;
  std::string output;
  std::string design;
};

struct Help {
  std::string text;
};

/// Parses the command line without the program's name. Options for Kokkos, such as the number of threads, are added to
/// `kokkos`. Throws InputError.
std::variant<Settings, Simulation, Help> parse_settings(std::vector<std::string> arguments,
                                                        std::vector<std::string>& kokkos);

}  // namespace example::permute
