#pragma once

// Declarations shared by engine.cpp and linear_model.cpp.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <vector>

#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

using Exec = Kokkos::DefaultExecutionSpace;
/// Row g holds the observations of variable g, contiguous as in the data file.
using DeviceMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

/// The type of each observation: observations have the same type if exchanging them changes no statistic. Throws InputError.
std::vector<int> types_of_linear_model(Task const& task, Settings const& settings);

/// Tests a linear model. Throws InputError if the program was built without Eigen.
riffle::PermutationTestsResult test_linear_model(Exec const& exec, Task const& task,
                                                 Settings const& settings, DeviceMatrix const& data,
                                                 riffle::PermutationTestsOptions const& options);

}  // namespace example::permute
