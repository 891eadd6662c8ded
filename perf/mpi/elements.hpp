#pragma once

// The elements that rows work on, and checks of the elements afterwards.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

#include <riffle/workspace.hpp>

#include "baselines/split_mix.hpp"
#include "mpi/ranks.hpp"
#include "support/exec.hpp"

namespace perf {

template <class T>
using Elements = Kokkos::View<T*, Exec>;

/// Sets view(i) = value_of(first + i).
template <class T, class ValueOf>
struct WriteElements {
  Elements<T> view;
  std::uint64_t first;
  ValueOf value_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { view(i) = value_of(first + i); }
};

template <class T, class ValueOf>
Elements<T> elements_of(Exec const& exec, std::uint64_t first, std::uint64_t n,
                        ValueOf const& value_of) {
  auto const view = allocate<T>(exec, "perf::elements", n);
  Kokkos::parallel_for("perf::elements", range(exec, n),
                       WriteElements<T, ValueOf>{view, first, value_of});
  return view;
}

inline constexpr std::uint64_t seed = 1;

struct AsIndex {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

/// The numbers 0, 1, ..., which doubles represent exactly.
struct AsNumber {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return static_cast<double>(i); }
};

/// Uniform in [0, 1), almost all distinct.
struct AsUniform {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return static_cast<double>(mix(i + 1) >> 11) * 0x1p-53;
  }
};

template <class T>
struct SumElementHashes {
  Elements<T> view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += mix(Kokkos::bit_cast<std::uint64_t>(view(i)) + 0x9E3779B97F4A7C15u);
  }
};

/// The sum of hashes of the elements; other elements almost never have the same sum.
template <class T>
std::uint64_t hash_of(Exec const& exec, Elements<T> const& view) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("perf::hash", range(exec, view.extent(0)), SumElementHashes<T>{view},
                          sum);
  return sum;
}

template <class T>
struct CountDifferences {
  Elements<T> own;
  Elements<T> all;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    count += own(i) == all(first + i) ? 0 : 1;
  }
};

/// The number of a rank's elements that differ from the elements of `all` from `first` on.
template <class T>
std::uint64_t count_differences(Elements<T> const& own, Elements<T> const& all,
                                std::uint64_t first) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("perf::count_differences", range(Exec(), own.extent(0)),
                          CountDifferences<T>{own, all, first}, count);
  return count;
}

template <class T>
struct CountDescendingSteps {
  Elements<T> view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (i > 0 && view(i) < view(i - 1)) ++count;
  }
};

template <class T>
std::uint64_t count_descents(Exec const& exec, Elements<T> const& view) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("perf::count_descents", range(exec, view.extent(0)),
                          CountDescendingSteps<T>{view}, count);
  return count;
}

/// The part of a row that all ranks keep: an execution space instance, and memory for calls.
class ElementsRow {
 public:
  static constexpr char const* fraction = "of_limit";

  static double items_of(std::uint64_t n, std::uint64_t ranks) {
    return static_cast<double>(n) * static_cast<double>(ranks);
  }

  ElementsRow(Ranks const& ranks, std::uint64_t n)
      : ranks_(&ranks), n_(n), first_(n * static_cast<std::uint64_t>(ranks.rank())) {}

  void prepare() {}

 protected:
  /// The bytes that a rank sends if each of its elements goes to any rank with equal probability.
  static double bytes_to_others(std::uint64_t n, std::uint64_t ranks, double bytes) {
    return bytes * static_cast<double>(n) * (1 - 1 / static_cast<double>(ranks));
  }

  riffle::Context<Exec> context() { return {exec_, workspace_}; }

  Ranks const* ranks_;
  Exec exec_{};
  std::uint64_t n_;
  std::uint64_t first_;  // index among the elements of all ranks
  riffle::Workspace<Exec> workspace_{exec_};
};

/// Whether a row uses only each rank's own elements.
enum class Scope { one_rank, all_ranks };

}  // namespace perf
