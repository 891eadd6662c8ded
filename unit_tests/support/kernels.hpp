#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/views.hpp"

namespace riffle::test {

// A functor, since nvcc does not accept an extended lambda in the body of a test.
template <class Inputs, class Results, class Function>
struct MapKernel {
  Inputs inputs;
  Results results;
  Function function;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { results(i) = function(inputs(i)); }
};

/// Calls a device function for each input, one thread of Exec each, and returns the results.
template <class Exec, class Function, class Input>
auto map_in_kernel(Function const& function, std::vector<Input> const& inputs) {
  using Result = std::invoke_result_t<Function const&, Input const&>;
  using Results = Kokkos::View<Result*, typename Exec::memory_space>;
  auto const view = to_view<Exec>(inputs, "inputs");
  MapKernel<decltype(view), Results, Function> const kernel{view, Results("results", inputs.size()),
                                                            function};
  Exec const exec;
  Kokkos::parallel_for("map", Kokkos::RangePolicy<Exec>(exec, 0, inputs.size()), kernel);
  exec.fence();
  return to_vector(kernel.results);
}

/// Calls the function for each input on the host, without Kokkos.
template <class Function, class Input>
auto map_on_host(Function const& function, std::vector<Input> const& inputs) {
  std::vector<std::invoke_result_t<Function const&, Input const&>> results;
  for (auto const& input : inputs) results.push_back(function(input));
  return results;
}

}  // namespace riffle::test
