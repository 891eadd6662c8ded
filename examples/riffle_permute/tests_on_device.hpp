#pragma once

// What engine.cpp and linear_model.cpp have in common.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <vector>

#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

using Exec = Kokkos::DefaultExecutionSpace;
/// A variable's observations beside one another, as the data file has them.
using DeviceMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

/// Observations that are alike to the linear model: equal rows of what is exchanged. Throws InputError.
std::vector<int> types_of_linear_model(Task const& task, Settings const& settings);

/// The tests of a linear model. Throws InputError where this program was built without them.
riffle::PermutationTestsResult test_linear_model(Exec const& exec, Task const& task,
                                                 Settings const& settings, DeviceMatrix const& data,
                                                 riffle::PermutationTestsOptions const& options);

}  // namespace example::permute
