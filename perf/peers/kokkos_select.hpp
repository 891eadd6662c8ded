#pragma once

// Compaction of Kokkos, and of the standard library on one thread of a CPU.

#include <Kokkos_Core.hpp>
#include <Kokkos_StdAlgorithms.hpp>

#include <algorithm>

#include "support/select_problem.hpp"

namespace perf {

/// A row: see select.cpp.
struct KokkosCopyIf {
  static constexpr char const* name = "KokkosCopyIf";

  explicit KokkosCopyIf(SelectProblem const& data_) : data(data_) {}

  void operator()() {
    namespace KE = Kokkos::Experimental;
    auto const end =
        KE::copy_if("perf::kokkos_copy_if", data.exec, data.in, data.out, data.is_kept);
    Kokkos::deep_copy(data.exec, data.count, end - KE::begin(data.out));
  }

  SelectProblem data;
};

/// A row: see select.cpp.
struct KokkosUniqueCopy {
  static constexpr char const* name = "KokkosUniqueCopy";

  explicit KokkosUniqueCopy(SelectProblem const& data_) : data(data_) {}

  void operator()() {
    namespace KE = Kokkos::Experimental;
    auto const end = KE::unique_copy("perf::kokkos_unique_copy", data.exec, data.in, data.out);
    Kokkos::deep_copy(data.exec, data.count, end - KE::begin(data.out));
  }

  SelectProblem data;
};

/// A row: see select.cpp.
struct StdCopyIf {
  static constexpr char const* name = "StdCopyIf";

  explicit StdCopyIf(SelectProblem const& data_) : data(data_) {}

  void operator()() {
    auto* const in = data.in.data();
    data.count() =
        std::copy_if(in, in + data.in.extent(0), data.out.data(), data.is_kept) - data.out.data();
  }

  SelectProblem data;
};

/// A row: see select.cpp.
struct StdUniqueCopy {
  static constexpr char const* name = "StdUniqueCopy";

  explicit StdUniqueCopy(SelectProblem const& data_) : data(data_) {}

  void operator()() {
    auto* const in = data.in.data();
    data.count() = std::unique_copy(in, in + data.in.extent(0), data.out.data()) - data.out.data();
  }

  SelectProblem data;
};

}  // namespace perf
