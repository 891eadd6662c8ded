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

/// What errors are under the null hypothesis: exchangeable, symmetric (signs may change), or both.
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
/// Of values about 0, whose signs change: those of one sample, or differences of pairs.
inline bool is_about_zero(Statistic s) {
  return s == Statistic::one_sample_t || s == Statistic::paired_t;
}

/// A column of the design and the level that others are compared with.
using Reference = std::pair<std::string, std::string>;

/// What the command line asks for.
struct Settings {
  std::string data;  // "-": standard input
  std::optional<Delimiter> delimiter;
  bool observations_in_rows = false;
  bool skip_missing = false;
  MissingValues missing = MissingValues::leave_variable_out;

  std::string design;
  bool by_order = false;  // the design's rows are matched by order, not by name
  std::string by;
  std::string pair;                 // the column that names partners
  std::vector<std::string> groups;  // those to compare; empty: all
  std::vector<Reference> references;
  std::vector<std::string> terms;    // of the linear model; empty: every column
  std::vector<std::string> factors;  // columns of numbers that are levels
  std::vector<std::string> contrasts;
  std::string term;  // all of whose columns are tested
  bool is_f = false;
  Nuisance nuisance = Nuisance::freedman_lane;

  std::vector<std::string> blocks;     // columns, the outermost first
  std::vector<bool> exchanges_blocks;  // of each column: whether its blocks change places as wholes
  bool exchanges_observations = true;  // inside the innermost blocks
  bool blocks_are_pairs = false;
  Errors errors = Errors::exchangeable;

  Statistic statistic = Statistic::student_t;
  Alternative alternative = Alternative::two_sided;
  std::uint64_t replicates = 9999;
  std::uint64_t seed = 0;
  std::uint64_t batch = 0;
  bool enumerate = true;
  bool min_p = false;    // adjust by the minimum of p-values, too
  double intervals = 0;  // the level of the p-values' confidence intervals; 0: none

  std::string output;
  std::string json;
  std::string plot;
  std::string state;  // empty: saved where the run does not end as it should alone
  std::string resume;
  std::uint64_t stop_after = 0;  // 0: never
};

/// Whether signs change and nothing changes places.
inline bool flips_signs_alone(Settings const& settings) {
  return is_about_zero(settings.statistic) || settings.errors == Errors::symmetric;
}

/// Whether there are counts to go on from later.
inline bool keeps_counts(Settings const& settings) {
  return settings.alternative != Alternative::two_sided_doubled;
}

/// Gene expression by a documented seed.
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

/// The command line without the program's name. Options for Kokkos, such as threads, are added to `kokkos`. Throws InputError.
std::variant<Settings, Simulation, Help> parse_settings(std::vector<std::string> arguments,
                                                        std::vector<std::string>& kokkos);

}  // namespace example::permute
