// Compares regular permutations, which need no index array, with a copy.
//
// Floats and doubles, n = 2^24, 2^26 and 2^28, as in Table 2 of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014).
// Rows, in one process:
//   Copy                                                the limit,
//   Transpose, PerfectShuffle, BitReversal              the paper's permutations, of a matrix that is as square as possible,
//   Rectangle                                           a transposition of a matrix that is 16 times as wide as high,
//   RandomBits, RandomAffine                            a random permutation of index bits, a random affine map of them,
//   BitReversalInPlace, TransposeInPlace, RectangleInPlace    in place,
//   BitReversal/ByElements                              each element by itself, without an index array,
//   BitReversal/Gather, BitReversal/Scatter             the conventional algorithms, with an index array.
// `of_limit` compares with a copy that moves the same number of bytes, without the index array. Every row checks its answer
// before it is timed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/workspace.hpp>

#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace perf {

template <class T>
using Array = Kokkos::View<T*, Exec>;

/// The value of element u before the permutation. Floats represent 24 bits.
template <class T>
KOKKOS_FUNCTION T value_of(std::uint64_t u) {
  return static_cast<T>(u * 0x9E3779B97F4A7C15u >> 40);
}

template <class T>
struct WriteValues {
  Array<T> array;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const { array(u) = value_of<T>(u); }
};

/// Counts the elements that are not at the place given by sigma.
template <class T, class Sigma>
struct CountWrongValues {
  Array<T> array;
  Sigma sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t u, std::uint64_t& wrong) const {
    if (array(sigma(u)) != value_of<T>(u)) ++wrong;
  }
};

// --- rows: constructed for 2^m elements, and called with two arrays, or in place ---

struct MatrixImage {
  std::uint64_t rows;
  std::uint64_t columns;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t u) const {
    return u % columns * rows + u / columns;
  }
};

/// The matrix has 2^floor(m / 2) rows.
template <int fewer = 0>
struct MatrixRow {
  MatrixRow(Exec const& exec_, int m)
      : exec(exec_),
        sigma{std::uint64_t{1} << (m / 2 - fewer), std::uint64_t{1} << (m - m / 2 + fewer)},
        workspace(exec_) {}

  Exec exec;
  MatrixImage sigma;
  riffle::Workspace<Exec> workspace;
};

struct Transpose : MatrixRow<> {
  static constexpr char const* name = "Transpose";
  using MatrixRow<>::MatrixRow;

  template <class T>
  void operator()(Array<T> const& in, Array<T> const& out) {
    riffle::transpose(exec, in, out, sigma.rows, sigma.columns);
  }
};

struct Rectangle : MatrixRow<2> {
  static constexpr char const* name = "Rectangle";
  using MatrixRow<2>::MatrixRow;

  template <class T>
  void operator()(Array<T> const& in, Array<T> const& out) {
    riffle::transpose(exec, in, out, sigma.rows, sigma.columns);
  }
};

struct TransposeInPlace : MatrixRow<> {
  static constexpr char const* name = "TransposeInPlace";
  using MatrixRow<>::MatrixRow;

  template <class T>
  void operator()(Array<T> const& data) {
    riffle::transpose_in_place(riffle::Context(exec, workspace), data, sigma.rows, sigma.columns);
  }
};

struct RectangleInPlace : MatrixRow<2> {
  static constexpr char const* name = "RectangleInPlace";
  using MatrixRow<2>::MatrixRow;

  template <class T>
  void operator()(Array<T> const& data) {
    riffle::transpose_in_place(riffle::Context(exec, workspace), data, sigma.rows, sigma.columns);
  }
};

template <class Sigma_>
struct BitsRow {
  using Sigma = Sigma_;

  BitsRow(Exec const& exec_, Sigma const& sigma_) : exec(exec_), sigma(sigma_) {}

  template <class T>
  void operator()(Array<T> const& in, Array<T> const& out) {
    riffle::permute_bits(exec, in, out, sigma);
  }

  Exec exec;
  Sigma sigma;
};

struct PerfectShuffle : BitsRow<riffle::BitPermutation> {
  static constexpr char const* name = "PerfectShuffle";
  PerfectShuffle(Exec const& exec_, int m)
      : BitsRow(exec_, riffle::BitPermutation::perfect_shuffle(m)) {}
};

struct BitReversal : BitsRow<riffle::BitPermutation> {
  static constexpr char const* name = "BitReversal";
  BitReversal(Exec const& exec_, int m) : BitsRow(exec_, riffle::BitPermutation::bit_reversal(m)) {}
};

struct BitReversalByElements : BitReversal {
  static constexpr char const* name = "BitReversal/ByElements";
  using BitReversal::BitReversal;

  template <class T>
  void operator()(Array<T> const& in, Array<T> const& out) {
    using Move = riffle::detail::tiles::MoveElement<T, riffle::BitPermutation>;
    riffle::detail::Call const context(exec, "by_elements");
    context.for_each(in.extent(0), Move{{in.data(), 1}, {out.data(), 1}, sigma});
  }
};

struct BitReversalInPlace {
  static constexpr char const* name = "BitReversalInPlace";
  BitReversalInPlace(Exec const& exec_, int m)
      : exec(exec_), sigma(riffle::BitPermutation::bit_reversal(m)) {}

  template <class T>
  void operator()(Array<T> const& data) {
    riffle::permute_bits_in_place(exec, data, sigma);
  }

  Exec exec;
  riffle::BitPermutation sigma;
};

inline std::vector<int> random_order(int m) {
  std::vector<int> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  return order;
}

struct RandomBits : BitsRow<riffle::BitPermutation> {
  static constexpr char const* name = "RandomBits";
  RandomBits(Exec const& exec_, int m) : BitsRow(exec_, riffle::BitPermutation(random_order(m))) {}
};

/// The columns of a random invertible bit matrix: a permutation matrix, after random additions of columns to others.
inline std::vector<std::uint64_t> random_columns(int m) {
  std::vector<std::uint64_t> columns;
  for (int const k : random_order(m)) columns.push_back(std::uint64_t{1} << k);
  std::mt19937_64 random(1);
  for (int step = 0; step < 8 * m; ++step) {
    std::size_t const a = random() % columns.size();
    std::size_t const b = random() % columns.size();
    if (a != b) columns[a] ^= columns[b];
  }
  return columns;
}

struct RandomAffine : BitsRow<riffle::AffineBitPermutation> {
  static constexpr char const* name = "RandomAffine";
  RandomAffine(Exec const& exec_, int m)
      : BitsRow(exec_, riffle::AffineBitPermutation(random_columns(m), 4711)) {}
};

template <class T, bool gathers>
struct MoveByIndex {
  Array<T> in;
  Array<T> out;
  Array<std::uint32_t> index;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const {
    if constexpr (gathers) {
      out(u) = in(index(u));
    } else {
      out(index(u)) = in(u);
    }
  }
};

struct WriteImages {
  Array<std::uint32_t> index;
  riffle::BitPermutation sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const {
    index(u) = static_cast<std::uint32_t>(sigma(u));
  }
};

/// Bit reversal is its own inverse, so one index array serves for gather and scatter.
template <bool gathers>
struct BitReversalByIndex {
  static constexpr char const* name = gathers ? "BitReversal/Gather" : "BitReversal/Scatter";

  BitReversalByIndex(Exec const& exec_, int m)
      : exec(exec_),
        sigma(riffle::BitPermutation::bit_reversal(m)),
        index(allocate<std::uint32_t>(exec_, "perf::index", sigma.size())) {
    Kokkos::parallel_for("perf::images", range(exec, sigma.size()), WriteImages{index, sigma});
  }

  template <class T>
  void operator()(Array<T> const& in, Array<T> const& out) {
    Kokkos::parallel_for("perf::by_index", range(exec, sigma.size()),
                         MoveByIndex<T, gathers>{in, out, index});
  }

  Exec exec;
  riffle::BitPermutation sigma;
  Array<std::uint32_t> index;
};

// --- timing ---

/// Runs a row once on new values, in place if the row has no other form, and throws if its answer is wrong.
template <class T, class Row>
void check_once(Exec const& exec, Row& row, Array<T> const& in, Array<T> const& out) {
  std::uint64_t const n = in.extent(0);
  constexpr bool in_place = std::is_invocable_v<Row&, Array<T> const&>;
  Kokkos::parallel_for("perf::write_values", range(exec, n), WriteValues<T>{in});
  if constexpr (in_place) {
    row(in);
  } else {
    Kokkos::deep_copy(exec, out, T(-1));
    row(in, out);
  }
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_wrong", range(exec, n),
                          CountWrongValues<T, decltype(row.sigma)>{in_place ? in : out, row.sigma},
                          wrong);
  if (wrong > 0) throw std::logic_error("wrong elements: " + std::to_string(wrong));
}

template <class T, class Row>
void time_row(benchmark::State& state) {
  int const m = static_cast<int>(state.range(0));
  std::uint64_t const n = std::uint64_t{1} << m;
  run_row(state, n * (2 * sizeof(T) + sizeof(std::uint32_t)), [&] {
    Exec const exec;
    double const limit = copy_rate<T>(exec, n);
    auto const in = allocate<T>(exec, "perf::in", n);
    auto const out = allocate<T>(exec, "perf::out", n);
    Row row(exec, m);
    check_once(exec, row, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] {
      if constexpr (std::is_invocable_v<Row&, Array<T> const&>) {
        row(in);
      } else {
        row(in, out);
      }
    });
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

template <class T>
void time_copy(benchmark::State& state) {
  std::uint64_t const n = std::uint64_t{1} << state.range(0);
  run_row(state, 2 * n * sizeof(T), [&] {
    Exec const exec;
    double const limit = copy_rate<T>(exec, n);
    auto const in = allocate<T>(exec, "perf::in", n);
    auto const out = allocate<T>(exec, "perf::out", n);
    Kokkos::parallel_for("perf::write_values", range(exec, n), WriteValues<T>{in});
    FastestCopy<T> const copy(exec, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, copy);
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

template <class TimeRow>
void register_sizes(std::string const& name, TimeRow time_row) {
  auto* const row = benchmark::RegisterBenchmark(name.c_str(), time_row);
  row->ArgName("log_n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const m : {24, 26, 28}) row->Arg(m);
}

template <class T, class... Rows>
void register_rows(std::string const& type) {
  register_sizes("Copy/" + type, time_copy<T>);
  (register_sizes(std::string(Rows::name) + "/" + type, time_row<T, Rows>), ...);
}

template <class T>
void register_type(std::string const& type) {
  register_rows<T, Transpose, Rectangle, PerfectShuffle, BitReversal, RandomBits, RandomAffine,
                TransposeInPlace, BitReversalInPlace, RectangleInPlace, BitReversalByElements,
                BitReversalByIndex<true>, BitReversalByIndex<false>>(type);
}

bool register_all() {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
