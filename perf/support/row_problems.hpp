#pragma once

// Input for rows: Views of several element types and layouts. The value of an element shows its original place.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

#include <riffle/shuffle.hpp>

#include "support/check_shuffle.hpp"
#include "support/exec.hpp"

namespace perf {

/// A user's struct of `size` bytes with the alignment of its doubles.
template <int size>
struct Record {
  double field[size / 8];
};

/// Rows of elements.
template <class T, class Layout>
struct RowProblem {
  using Element = T;
  using View = Kokkos::View<T**, Layout, Exec>;

  static std::string name() {
    std::string const type = std::is_floating_point_v<T> ? "float" : "uint";
    bool const is_left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
    return type + std::to_string(8 * sizeof(T)) + (is_left ? "/left" : "/right");
  }

  static View make(Exec const& exec, std::string const& label, std::uint64_t n, std::uint64_t m) {
    try {
      return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), n, m);
    } catch (std::exception const& failure) {
      throw OutOfMemory(failure.what());
    }
  }

  KOKKOS_FUNCTION static T& at(View const& view, std::uint64_t i, std::uint64_t k) {
    return view(i, k);
  }

  KOKKOS_FUNCTION static void write(T& element, std::uint64_t place) {
    element = static_cast<T>(sizeof(T) < 4 ? place * 0x9E3779B97F4A7C15u >> 56 : place);
  }

  KOKKOS_FUNCTION static bool tells(T element, std::uint64_t place) {
    T expected;
    write(expected, place);
    return element == expected;
  }
};

/// Single records in a View of rank 1.
template <int size>
struct RecordProblem {
  using Element = Record<size>;
  using View = Kokkos::View<Element*, Exec>;

  static std::string name() { return "struct" + std::to_string(8 * size); }

  static View make(Exec const& exec, std::string const& label, std::uint64_t n, std::uint64_t) {
    return allocate<Element>(exec, label, n);
  }

  KOKKOS_FUNCTION static Element& at(View const& view, std::uint64_t i, std::uint64_t) {
    return view(i);
  }

  KOKKOS_FUNCTION static void write(Element& element, std::uint64_t place) {
    for (int k = 0; k < size / 8; ++k) element.field[k] = static_cast<double>(place) + k * 0.125;
  }

  KOKKOS_FUNCTION static bool tells(Element const& element, std::uint64_t place) {
    bool result = true;
    for (int k = 0; k < size / 8; ++k) {
      result = result && element.field[k] == static_cast<double>(place) + k * 0.125;
    }
    return result;
  }
};

template <class Problem>
struct WriteRows {
  typename Problem::View view;
  std::uint64_t columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    for (std::uint64_t k = 0; k < columns; ++k) {
      Problem::write(Problem::at(view, i, k), i * columns + k);
    }
  }
};

/// sigma(0), sigma(1), ... as written by Riffle's algorithm.
template <class Algorithm, class Index>
Kokkos::View<Index*, Exec> images(Exec const& exec, std::uint64_t n, std::uint64_t seed) {
  auto const result = allocate<Index>(exec, "perf::images", n);
  riffle::random_permutation(exec, result, seed, Algorithm{});
  return result;
}

/// Counts the elements that differ from the elements of row sigma(i).
template <class Problem>
struct CountWrongElements {
  typename Problem::View view;
  std::uint64_t columns;
  Keys sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    for (std::uint64_t k = 0; k < columns; ++k) {
      if (!Problem::tells(Problem::at(view, i, k), sigma(i) * columns + k)) ++wrong;
    }
  }
};

/// Checks `out` as the shuffled rows of WriteRows. Returns the error, or an empty text.
template <class Problem, class Algorithm>
std::string rows_error(Exec const& exec, typename Problem::View const& out, std::uint64_t columns,
                       std::uint64_t seed) {
  std::uint64_t const n = out.extent(0);
  Keys const sigma = images<Algorithm, std::uint64_t>(exec, n, seed);
  std::string const error = shuffle_error(exec, sigma);
  if (!error.empty()) return error;
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_wrong", range(exec, n),
                          CountWrongElements<Problem>{out, columns, sigma}, wrong);
  return wrong == 0 ? "" : "wrong rows: wrong elements: " + std::to_string(wrong);
}

}  // namespace perf
