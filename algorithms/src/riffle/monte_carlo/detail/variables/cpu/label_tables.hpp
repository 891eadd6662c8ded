#pragma once

// Sums over the observations of label 1, by tables of partial sums.
//
// Six observations have 64 sets of labels. A table has the sum of a variable's values for each of them, made by one
// addition an entry, so that a sum takes an entry for six observations in place of six products ("the four Russians'
// method": V. L. Arlazarov, E. A. Dinic, M. A. Kronrod, I. A. Faradzhev, Soviet Math. Dokl. 11, 1970). Values are whole
// numbers whose sums are exact (column_model.hpp), so these are the sums that products give, bit by bit.
//
// An entry has V variables side by side: they share the replicate's labels, and are added by vectors. One core (Zen 5,
// 48 KiB of first-level cache, g++ 14 -O3 for any x86-64) counts so many million statistics of 38 observations a second
// with 64, 256 and 1024 replicates for each filling of tables, of 4 variables but where it is said:
//   8 bits  329  715  988      6 bits, V = 8  578  835  956      8 bits, V = 1         -    400  504
//   7 bits  479  856  996      5 bits, V = 8  634  815  842      8 bits, V = 2         314  682  973
//   6 bits  577  886  999      4 bits         645  785  816      6 bits, 64-bit integers 457  -  785
// and some 200 by products. Of 500 observations 6 bits give 57, 97 and 116, 7 bits 46, 95 and 128. So 6 bits are
// nearly the best for all n and all numbers of replicates, and eight such tables take 16 KiB, half of the first-level
// cache of small processors. Without vectors no integer becomes a double as fast as it is added.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::variables {

inline constexpr int observations_of_table = 6;
inline constexpr int entries_of_table = 1 << observations_of_table;

/// The labels of a batch of replicates, a byte for six observations: byte t of replicate r is at
/// (r / unit * tables + t) * unit + r % unit, where the unit, those replicates that a thread counts at a time, is a power
/// of two. Bit b is the label of observation 6 t + b.
template <class Memory>
struct LabelBytes {
  Kokkos::View<std::uint8_t*, Memory> bytes;
  std::uint64_t tables = 0;
  int unit_bits = 0;

  KOKKOS_FUNCTION std::uint64_t unit() const { return std::uint64_t{1} << unit_bits; }
  KOKKOS_FUNCTION std::uint8_t* row(std::uint64_t unit_number, std::uint64_t table) const {
    return bytes.data() + ((unit_number * tables + table) << unit_bits);
  }
  KOKKOS_FUNCTION std::uint8_t& of(std::uint64_t r, std::uint64_t table) const {
    return row(r >> unit_bits, table)[r & (unit() - 1)];
  }
};

/// Takes the columns of a replicate that is drawn: one column, of the labels 0 and 1.
template <class Memory>
struct ToLabelBytes {
  LabelBytes<Memory> to;

  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (std::uint64_t table = 0; table < to.tables; ++table) to.of(r, table) = 0;
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int, std::uint64_t i, double x) const {
    constexpr std::uint64_t each = observations_of_table;
    if (x != 0) to.of(r, i / each) |= static_cast<std::uint8_t>(1u << i % each);
  }
};

/// The sums of V variables for all labels of up to six observations.
template <int V>
struct alignas(64) SumTable {
  double sums[entries_of_table][V];

  /// y has V values a row. Labels of observations that are not there are 0: their entries are not looked at.
  void fill(double const* y, int observations) {
    for (int v = 0; v < V; ++v) sums[0][v] = 0;
    for (int i = 0; i < observations; ++i, y += V) {
      int const half = 1 << i;
      for (int labels = 0; labels < half; ++labels) {
        for (int v = 0; v < V; ++v) sums[half + labels][v] = sums[labels][v] + y[v];
      }
    }
  }
};

/// sums[r] becomes, or grows by, what `Tables` tables give for replicate r < count, whose labels for table t are at
/// labels[t * stride + r].
template <int Tables, bool IsFirst, int V>
void add_sums(SumTable<V> const* tables, std::uint8_t const* labels, std::uint64_t stride,
              std::uint64_t count, double (*sums)[V]) {
  for (std::uint64_t r = 0; r < count; ++r) {
    double own[V];
    double const* const begin = IsFirst ? tables[0].sums[labels[r]] : sums[r];
    for (int v = 0; v < V; ++v) own[v] = begin[v];
    RIFFLE_UNROLL
    for (int t = IsFirst ? 1 : 0; t < Tables; ++t) {
      double const* const entry =
          tables[t].sums[labels[static_cast<std::uint64_t>(t) * stride + r]];
      for (int v = 0; v < V; ++v) own[v] += entry[v];
    }
    for (int v = 0; v < V; ++v) sums[r][v] = own[v];
  }
}

}  // namespace riffle::detail::variables
