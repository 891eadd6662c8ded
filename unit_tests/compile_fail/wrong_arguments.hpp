#pragma once

// Arguments for calls of which one argument is wrong.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace riffle::test {

using Exec = Kokkos::DefaultExecutionSpace;

/// Memory that the kernels of Exec cannot access, as a GPU cannot access the host's.
struct Elsewhere {
  using memory_space = Elsewhere;
  using execution_space = Exec;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
};

/// Each number is another type.
template <int number>
struct Value {
  std::uint32_t value;
};
struct Text {
  std::string text;
};

template <class T>
using Array = Kokkos::View<T*>;
template <class T>
using Matrix = Kokkos::View<T**>;
template <class T>
using Cube = Kokkos::View<T***>;
template <class T>
using ArrayElsewhere = Kokkos::View<T*, Elsewhere>;

template <class T>
T const& made();

using Indices = Array<std::uint32_t>;

auto const& exec = made<Exec>();
auto const& x = made<Array<double>>();
auto const& y = made<Array<double>>();
auto const& p = made<Indices>();
auto const& a = made<Matrix<double>>();

}  // namespace riffle::test
