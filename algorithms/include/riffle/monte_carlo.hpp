#pragma once

// Permutation tests.
//
//   monte_carlo/permutation_test.hpp      one statistic of one data set
//   monte_carlo/permutation_tests.hpp     many variables, with p-values adjusted for multiple testing
//   monte_carlo/linear_model.hpp          linear models with nuisance variables; linear_model_tests.hpp tests them
//   monte_carlo/design_matrix.hpp         design matrices from factors and covariates, and contrasts
//   monte_carlo/permutation_scheme.hpp    which observations may change places and signs
//   monte_carlo/permutation_scheme_views.hpp   writes random or all permutations and signs of a scheme to Views
//   monte_carlo/permutation_files.hpp     text files of permutations and signs
//   monte_carlo/p_value_intervals.hpp     confidence intervals of p-values
//   monte_carlo/benjamini_hochberg.hpp    p-values that control the false discovery rate
//   monte_carlo/nuisance.hpp              methods for linear models with nuisance variables

#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>
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
