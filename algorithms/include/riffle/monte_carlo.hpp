#pragma once

// Permutation tests.
//
//   monte_carlo/permutation_test.hpp      one statistic of one data set
//   monte_carlo/permutation_tests.hpp     many variables, with p-values adjusted for their number
//   monte_carlo/design_matrix.hpp         columns of linear models from factors and contrasts
//   monte_carlo/permutation_scheme.hpp    which observations may change places and signs; also in Views and in files
//   monte_carlo/p_value_intervals.hpp     confidence intervals of p-values
//   monte_carlo/benjamini_hochberg.hpp    p-values that control the false discovery rate
//   monte_carlo/nuisance.hpp              methods for variables that are not tested
//
// Linear models need Eigen: include monte_carlo/linear_model.hpp and monte_carlo/linear_model_tests.hpp by themselves.

#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/nuisance.hpp>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/p_value_intervals.hpp>
#include <riffle/monte_carlo/permutation_files.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>
