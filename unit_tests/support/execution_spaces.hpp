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

// The execution spaces that typed tests run on; they name no space themselves. If a device is enabled, this is the device:
// compilers for GPUs would take twice as long for the host's execution spaces, which the tests of a Kokkos without a device run on.
#if defined(KOKKOS_ENABLE_CUDA)
using ExecutionSpaceList = std::tuple<Kokkos::Cuda>;
#elif defined(KOKKOS_ENABLE_HIP)
using ExecutionSpaceList = std::tuple<Kokkos::HIP>;
#else
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
    std::tuple<>()));
#endif

using ExecutionSpaces = ToTestingTypes<ExecutionSpaceList>::type;

struct SpaceNames {
  template <class Space>
  static std::string GetName(int) {
    return Space::name();
  }
};

}  // namespace riffle::test
