#pragma once

// Compares scans of Views with scans of the standard library.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "support/scan_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// Scans `values` by `op`, to another View and in place, and compares with the standard library's scan by `plus`.
template <class Exec, class Op, class Plus, class T>
void expect_inclusive_scan(Exec const& exec, Op const& op, Plus const& plus,
                           std::vector<T> const& values) {
  auto const expected = inclusive_oracle(values, plus);
  auto const in = to_view<Exec>(values);
  Kokkos::View<T*, typename Exec::memory_space> const out("out", values.size());
  riffle::inclusive_scan(exec, in, out, op);
  exec.fence();
  EXPECT_TRUE(same(to_vector(out), expected));
  EXPECT_TRUE(same(to_vector(in), values)) << "the input";
  riffle::inclusive_scan(exec, in, in, op);
  exec.fence();
  EXPECT_TRUE(same(to_vector(in), expected)) << "in place";
}

template <class Exec, class Op, class Plus, class T>
void expect_exclusive_scan(Exec const& exec, Op const& op, Plus const& plus,
                           std::vector<T> const& values, T const& init) {
  auto const expected = exclusive_oracle(values, plus, init);
  auto const in = to_view<Exec>(values);
  Kokkos::View<T*, typename Exec::memory_space> const out("out", values.size());
  riffle::exclusive_scan(exec, in, out, op, init);
  exec.fence();
  EXPECT_TRUE(same(to_vector(out), expected));
  EXPECT_TRUE(same(to_vector(in), values)) << "the input";
  riffle::exclusive_scan(exec, in, in, op, init);
  exec.fence();
  EXPECT_TRUE(same(to_vector(in), expected)) << "in place";
}

}  // namespace riffle::test
