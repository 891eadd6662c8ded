// Linear models. If riffle::monte_carlo was compiled without Eigen, only --contrast and --term are unavailable.

#include <stdexcept>
#include <string>
#include <string_view>

#include "input_error.hpp"
#include "program_options.hpp"
#include "tests_on_device.hpp"
#include "text.hpp"

#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>

namespace example::permute {
namespace {

void add_term(riffle::DesignMatrix& design, Term const& term) {
  if (!term.first.empty()) {
    design.add_interaction(term.first, term.second);
  } else if (term.levels.empty()) {
    design.add_covariate(term.name, term.numbers);
  } else if (term.reference.empty()) {
    design.add_factor(term.name, term.levels);
  } else {
    design.add_factor(term.name, term.levels, term.reference);
  }
}

// Adds a hint for users who expect R's coding of factors.
std::string hint_on(std::string_view message) {
  auto const says = [message](char const* words) {
    return message.find(words) != std::string_view::npos;
  };
  if (says("no column is called")) {
    return " (the first level of a factor, or the level chosen by --reference, has no column: "
           "other levels are compared with it)";
  }
  if (says("degrees of freedom") || says("depend"))
    return " (--terms selects columns of the design)";
  return "";
}

riffle::LinearModel model_of(Task const& task, Settings const& settings) {
  try {
    riffle::DesignMatrix design(task.data.observations.size());
    design.add_intercept();
    for (auto const& term : task.terms) add_term(design, term);
    auto const contrast =
        settings.term.empty() ? design.contrasts(settings.contrasts) : design.term(settings.term);
    riffle::LinearModelOptions options;
    options.nuisance = settings.nuisance;
    options.is_f = settings.is_f || !settings.term.empty();
    return {design, contrast, options};
  } catch (std::invalid_argument const& error) {
    // The library's message names columns and rows, but not the file.
    throw InputError(settings.design + ": " + without_function(error.what()) +
                     hint_on(error.what()));
  }
}

}  // namespace

std::vector<int> types_of_linear_model(Task const& task, Settings const& settings) {
  return model_of(task, settings).row_types();
}

riffle::PermutationTestsResult test_linear_model(Exec const& exec, Task const& task,
                                                 Settings const& settings, DeviceMatrix const& data,
                                                 riffle::PermutationTestsOptions const& options) {
  return riffle::permutation_tests(exec, model_of(task, settings), data, options);
}

}  // namespace example::permute
