#pragma once

// The fences of a call.

#include <Kokkos_Core.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/kernel_log.hpp"
#include "support/tool_checks.hpp"

namespace riffle::test {

template <class Exec>
class FencesBase : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;
  // Matrices of integers; rank_groups tests NaNs, which rankings of rows find in the same way.
  using Matrix = Kokkos::View<int**, Kokkos::LayoutRight, Space>;
  using Call = std::function<void()>;  // so that the functions are compiled once for all calls
  static constexpr std::size_t n = 16384;

  template <class T>
  static Kokkos::View<T*, Space> array(std::size_t size = n) {
    return Kokkos::View<T*, Space>("array", size);
  }

  FencesBase() {
    riffle::random_permutation(exec, p, 1, riffle::PermutationGather{});
    exec.fence();
  }

  /// The fences of a second call(), after the workspace has grown, except fences of a plain kernel: the Threads back end fences
  /// after each kernel.
  std::vector<std::string> fences(Call const& call) {
    call();
    auto const of_kernel = fences_of(
        [&] { Kokkos::parallel_for("plain", Kokkos::RangePolicy<Exec>(exec, 0, n), DoNothing()); });
    auto names = fences_of(call);
    std::erase_if(names, [&](std::string const& name) {
      return std::find(of_kernel.begin(), of_kernel.end(), name) != of_kernel.end();
    });
    exec.fence();
    return names;
  }

  void expect_none(char const* name, Call const& call) {
    auto const names = fences(call);
    EXPECT_TRUE(names.empty()) << name << " has " << names.size() << ", the first of them \""
                               << (names.empty() ? "" : names.front()) << '"';
  }

  void expect_some(char const* name, Call const& call) {
    EXPECT_FALSE(fences(call).empty()) << name;
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
  Kokkos::View<double*, Space> x = array<double>();
  Kokkos::View<double*, Space> y = array<double>();
  Kokkos::View<int*, Space> p = array<int>();
  Kokkos::View<int*, Space> q = array<int>();
  Kokkos::View<int*, Space> zeros = array<int>();
  Matrix a{"a", 128, 128};
  Matrix b{"b", 128, 128};
};

}  // namespace riffle::test
