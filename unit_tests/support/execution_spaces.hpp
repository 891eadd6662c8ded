#pragma once

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace riffle::test {

template <class List>
struct ToTestingTypes;

template <class... Spaces>
struct ToTestingTypes<std::tuple<Spaces...>> {
  using type = ::testing::Types<Spaces...>;
};

// Every enabled execution space. Typed tests use this list and name no space themselves.
using ExecutionSpaceList = decltype(std::tuple_cat(
#ifdef KOKKOS_ENABLE_SERIAL
    std::tuple<Kokkos::Serial>(),
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::tuple<Kokkos::OpenMP>(),
#endif
#ifdef KOKKOS_ENABLE_THREADS
    std::tuple<Kokkos::Threads>(),
#endif
#ifdef KOKKOS_ENABLE_CUDA
    std::tuple<Kokkos::Cuda>(),
#endif
    std::tuple<>()));

using ExecutionSpaces = ToTestingTypes<ExecutionSpaceList>::type;

struct SpaceNames {
  template <class Space>
  static std::string GetName(int) {
    return Space::name();
  }
};

}  // namespace riffle::test
