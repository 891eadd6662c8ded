#pragma once

// The limit of a shuffle in one pass: out(i) = in(index(i)) with a stored random permutation. A shuffle that computes its
// permutation does not read an index, so bytes are counted without the index for both.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>

#include <riffle/shuffle.hpp>

#include "support/check_shuffle.hpp"
#include "support/timing.hpp"

namespace perf {

template <class Index>
struct GatherKey {
  Keys in;
  Keys out;
  Kokkos::View<Index const*, Exec> index;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(index(i)); }
};

struct WriteOwnIndex {
  Keys keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { keys(i) = i; }
};

/// The keys 0, ..., n - 1.
inline Keys ascending_keys(Exec const& exec, std::uint64_t n) {
  Keys const keys = allocate<std::uint64_t>(exec, "perf::in", n);
  Kokkos::parallel_for("perf::ascending", range(exec, n), WriteOwnIndex{keys});
  return keys;
}

/// A row: see shuffle.cpp.
template <class Index>
class GatherBy {
 public:
  static constexpr char const* name = "Gather";
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(Index);

  GatherBy(Exec const& exec, std::uint64_t n)
      : exec_(exec), index_(allocate<Index>(exec, "perf::index", n)) {
    riffle::random_permutation(exec, index_, 1);
  }

  void operator()(Keys const& in, Keys const& out) const {
    Kokkos::parallel_for("perf::gather", range(exec_, out.extent(0)),
                         GatherKey<Index>{in, out, index_});
  }

 private:
  Exec exec_;
  Kokkos::View<Index*, Exec> index_;
};

// All sizes here are below 2^32.
using Gather = GatherBy<std::uint32_t>;

/// Items per second of the gather of n keys, measured once per n.
inline double gather_rate(Exec const& exec, std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  auto const entry = known.find(n);
  if (entry != known.end()) return entry->second;
  Keys const in = ascending_keys(exec, n);
  Keys const out = allocate<std::uint64_t>(exec, "perf::out", n);
  Gather const gather(exec, n);
  double const seconds = median_seconds(exec, calls_per_fence(n), [&] { gather(in, out); });
  return known[n] = static_cast<double>(n) / seconds;
}

}  // namespace perf
