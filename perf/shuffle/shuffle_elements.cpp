// The time of shuffles of elements that do not have eight bytes, and of shuffles in place.
//
// Elements have 1, 4, 8 or 16 bytes. In addition to Riffle's shuffles (`Riffle` is a call without an algorithm) there is, in the
// same process, the row
//   Gather   out(i) = in(index(i)) with a stored random permutation of 4-byte indices.
// The limit is a copy. Before it is timed, every row compares its answer with the permutation that Riffle writes for the same
// algorithm and seed.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include "support/check_shuffle.hpp"
#include "support/copy_limit.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

namespace perf {

constexpr std::uint64_t seed = 1;

struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

template <class T>
using Elements = Kokkos::View<T*, Exec>;
using Indices = Kokkos::View<std::uint32_t*, Exec>;

/// The element at place i before the shuffle.
template <class T>
KOKKOS_FUNCTION T element(std::uint64_t i) {
  if constexpr (sizeof(T) == sizeof(Pair)) {
    return {i, ~i};
  } else {
    return static_cast<T>(sizeof(T) == 1 ? i * 0x9E3779B97F4A7C15u >> 56 : i);
  }
}

template <class T>
KOKKOS_FUNCTION bool are_equal(T const& a, T const& b) {
  if constexpr (sizeof(T) == sizeof(Pair)) {
    return a.first == b.first && a.second == b.second;
  } else {
    return a == b;
  }
}

template <class T>
struct WriteElements {
  Elements<T> elements;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { elements(i) = element<T>(i); }
};

template <class T>
struct CountWrong {
  Elements<T> elements;
  Indices sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (!are_equal(elements(i), element<T>(sigma(i)))) ++wrong;
  }
};

struct Widen {
  Indices narrow;
  Keys wide;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { wide(i) = narrow(i); }
};

/// sigma as written by Riffle's algorithm; throws if it is not a permutation.
template <class Algorithm>
Indices permutation_by(Exec const& exec, std::uint64_t n) {
  auto const sigma = allocate<std::uint32_t>(exec, "perf::sigma", n);
  riffle::random_permutation(exec, sigma, seed, Algorithm{});
  auto const keys = allocate<std::uint64_t>(exec, "perf::keys", n);
  Kokkos::parallel_for("perf::widen", range(exec, n), Widen{sigma, keys});
  std::string const error = shuffle_error(exec, keys);
  if (!error.empty()) throw std::logic_error(error);
  return sigma;
}

// --- rows: constructed for n elements, and called with input and output; they permute by `Algorithm` ---

template <class T>
struct GatherElement {
  Elements<T> in;
  Elements<T> out;
  Indices index;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(index(i)); }
};

template <class T>
class Gather {
 public:
  using Element = T;
  using Algorithm = riffle::PermutationGather;
  static constexpr char const* name = "Gather";
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(std::uint32_t);

  Gather(Exec const& exec, std::uint64_t n)
      : exec_(exec), index_(allocate<std::uint32_t>(exec, "perf::index", n)) {
    riffle::random_permutation(exec, index_, seed, Algorithm{});
  }

  void operator()(Elements<T> const& in, Elements<T> const& out) const {
    Kokkos::parallel_for("perf::gather", range(exec_, out.extent(0)),
                         GatherElement<T>{in, out, index_});
  }

 private:
  Exec exec_;
  Indices index_;
};

template <class T, class By>
class ShuffleBy {
 public:
  using Element = T;
  using Algorithm = By;

  ShuffleBy(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(Elements<T> const& in, Elements<T> const& out) {
    riffle::shuffle_copy(riffle::Context(exec_, workspace_), in, out, seed, By{});
  }

 protected:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

template <class T>
struct PermutationGather : ShuffleBy<T, riffle::PermutationGather> {
  static constexpr char const* name = "PermutationGather";
  static constexpr std::uint64_t scratch_bytes_per_item = 0;
  using ShuffleBy<T, riffle::PermutationGather>::ShuffleBy;
};

template <class T>
struct BucketShuffle : ShuffleBy<T, riffle::BucketShuffle> {
  static constexpr char const* name = "BucketShuffle";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(T);
  using ShuffleBy<T, riffle::BucketShuffle>::ShuffleBy;
};

/// A call without an algorithm.
template <class T>
struct DefaultShuffle : ShuffleBy<T, riffle::DefaultShuffle> {
  static constexpr char const* name = "Riffle";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(T);
  using ShuffleBy<T, riffle::DefaultShuffle>::ShuffleBy;
};

/// Shuffles the output in place; the first call, which is checked, begins with a copy of the input.
template <class T, class By>
class InPlace : public ShuffleBy<T, By> {
 public:
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(T);
  using ShuffleBy<T, By>::ShuffleBy;

  void operator()(Elements<T> const& in, Elements<T> const& out) {
    if (is_first_) Kokkos::deep_copy(this->exec_, out, in);
    is_first_ = false;
    riffle::shuffle(riffle::Context(this->exec_, this->workspace_), out, seed, By{});
  }

 private:
  bool is_first_ = true;
};

template <class T>
struct BucketShuffleInPlace : InPlace<T, riffle::BucketShuffle> {
  static constexpr char const* name = "BucketShuffle (in place)";
  using InPlace<T, riffle::BucketShuffle>::InPlace;
};

template <class T>
struct DefaultShuffleInPlace : InPlace<T, riffle::DefaultShuffle> {
  static constexpr char const* name = "Riffle (in place)";
  using InPlace<T, riffle::DefaultShuffle>::InPlace;
};

template <class Row>
void check_row(Exec const& exec, Row& row, Elements<typename Row::Element> const& in,
               Elements<typename Row::Element> const& out) {
  using T = typename Row::Element;
  std::uint64_t const n = in.extent(0);
  Kokkos::parallel_for("perf::write", range(exec, n), WriteElements<T>{in});
  row(in, out);
  Indices const sigma = permutation_by<typename Row::Algorithm>(exec, n);
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_wrong", range(exec, n), CountWrong<T>{out, sigma}, wrong);
  if (wrong > 0)
    throw std::logic_error("elements that are not at the place given by sigma: " +
                           std::to_string(wrong));
}

template <class Row>
void time_row(benchmark::State& state) {
  using T = typename Row::Element;
  auto const n = static_cast<std::uint64_t>(state.range(0));
  // In addition to the row's memory, the memory of its check.
  run_row(state, n * (2 * sizeof(T) + Row::scratch_bytes_per_item + 16), [&] {
    Exec const exec;
    double const limit = copy_rate<T>(exec, n);
    auto const in = allocate<T>(exec, "perf::in", n);
    auto const out = allocate<T>(exec, "perf::out", n);
    Row row(exec, n);
    check_row(exec, row, in, out);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(in, out); });
    report(state, n, calls, 2 * sizeof(T), limit);
  });
}

template <class Row>
void register_row(std::string const& type) {
  auto* const row = benchmark::RegisterBenchmark(
      (std::string(Row::name) + "<" + type + ">").c_str(), time_row<Row>);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int const exponent : {20, 21, 22, 23, 24, 26, 29}) row->Arg(power_of_two(exponent) + 1);
}

template <class T>
void register_type(std::string const& type) {
  register_row<Gather<T>>(type);
  register_row<PermutationGather<T>>(type);
  register_row<BucketShuffle<T>>(type);
  register_row<BucketShuffleInPlace<T>>(type);
  register_row<DefaultShuffle<T>>(type);
  register_row<DefaultShuffleInPlace<T>>(type);
}

bool register_all() {
  register_type<std::uint8_t>("uint8");
  register_type<std::uint32_t>("uint32");
  register_type<std::uint64_t>("uint64");
  register_type<Pair>("struct128");
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
