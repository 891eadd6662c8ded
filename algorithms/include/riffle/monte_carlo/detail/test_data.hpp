#pragma once

// The data of permutation tests of many variables, of whatever View: what reads them is compiled with the caller, all else
// with the library.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>

#include <riffle/context.hpp>

namespace riffle::detail::variables {

template <class Memory>
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
template <class Memory>
using Array = Kokkos::View<double*, Memory>;

template <class Data, class Out>
struct CopyAsDoubles {
  Data data;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = data.extent(1);
    out(at / n, at % n) = static_cast<double>(data(at / n, at % n));
  }
};

/// out = data, as doubles.
template <class Exec, class Data>
void copy_as_doubles(Context<Exec> const& context, Data const& data,
                     Matrix<typename Exec::memory_space> const& out) {
  context.for_each(data.size(),
                   CopyAsDoubles<Data, Matrix<typename Exec::memory_space>>{data, out});
}

/// The values of G variables of n observations each.
template <class Exec>
struct TestData {
  std::uint64_t variables;
  std::uint64_t observations;
  /// Writes them to a matrix, on the context's instance.
  std::function<void(Context<Exec> const&, Matrix<typename Exec::memory_space> const&)> copy;

  std::uint64_t extent(int dimension) const { return dimension == 0 ? variables : observations; }
};

template <class Exec>
void copy_as_doubles(Context<Exec> const& context, TestData<Exec> const& data,
                     Matrix<typename Exec::memory_space> const& out) {
  data.copy(context, out);
}

template <class Exec, class Data>
TestData<Exec> test_data(Data const& data) {
  using Out = Matrix<typename Exec::memory_space>;
  return {data.extent(0), data.extent(1), [data](Context<Exec> const& context, Out const& out) {
            copy_as_doubles(context, data, out);
          }};
}

}  // namespace riffle::detail::variables
