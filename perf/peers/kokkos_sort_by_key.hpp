#pragma once

// Kokkos's sort of values with their indices; on a CPU this is std::sort on one thread. It sorts in place, so both arrays are
// written again before each sort.

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstdint>

#include "support/check_order.hpp"

namespace perf {

struct WriteValueAndIndex {
  UnsortedValues in;
  UnsortedValues values;
  OrderIndices indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    values(i) = in(i);
    indices(i) = static_cast<std::uint32_t>(i);
  }
};

/// A row: see rank_unsorted.cpp.
class KokkosSortByKey {
 public:
  using Answer = OrderAnswer<false>;
  static constexpr char const* name = "KokkosSortByKey";
  // The values, and the memory that the sort allocates: a permutation and a copy of the values.
  static constexpr std::uint64_t scratch_bytes_per_item =
      2 * sizeof(double) + sizeof(std::uint32_t);

  KokkosSortByKey(Exec const& exec, std::uint64_t n)
      : exec_(exec), sorted_(allocate<double>(exec, "perf::sorted", n)) {}

  void operator()(UnsortedValues const& values, OrderIndices const& indices) const {
    Kokkos::parallel_for("perf::write_value_and_index", range(exec_, values.extent(0)),
                         WriteValueAndIndex{values, sorted_, indices});
    Kokkos::Experimental::sort_by_key(exec_, sorted_, indices);
  }

 private:
  Exec exec_;
  UnsortedValues sorted_;
};

}  // namespace perf
