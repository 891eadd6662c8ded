// Scans of Views and functions, with Riffle's operations and user-defined ones.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::scans_cases {
namespace {

/// x -> slope x + offset, modulo 2^32: a user-defined type.
struct Affine {
  std::uint32_t slope;
  std::uint32_t offset;
};

/// A user-defined Monoid that is not commutative: the left map is applied first.
struct ThenAffine {
  using value_type = Affine;
  KOKKOS_FUNCTION static Affine identity() { return {1, 0}; }
  KOKKOS_FUNCTION Affine operator()(Affine const& left, Affine const& right) const {
    return {right.slope * left.slope, right.slope * left.offset + right.offset};
  }
};

/// A user-defined operation, of which CustomMonoid makes a Monoid.
struct KeepLargerKey {
  KOKKOS_FUNCTION Card operator()(Card const& left, Card const& right) const {
    return right.suit >= left.suit ? right : left;
  }
};

struct SquareOf {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i * i; }
};

template <class Out>
struct StorePrefix {
  Out out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t prefix) const { out(i) = prefix; }
};

template <class Out>
struct StoreWhereFlagged {
  Out out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint32_t place, bool flag) const {
    if (flag) out(place) = static_cast<std::uint32_t>(i);
  }
};

struct IsFlagged {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 7 == 3 || i % 64 < 20; }
};

struct SumsOfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(plain_numbers<double>(n));
    auto const out = make_output<Exec, double>(n);
    inclusive_scan(Context(exec, "sums"), in, out);
    results.add("inclusive", out);
    exclusive_scan(Context(exec, "sums"), in, out);
    results.add("exclusive", out);
  }
};

struct LargestSoFar {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(plain_numbers<std::int32_t>(n));
    inclusive_scan(Context(exec, workspace), data, data, Max<std::int32_t>{});
    results.add("in place", data);
    exclusive_scan(Context(exec, workspace), data, data, Max<std::int32_t>{}, -5);
    results.add("exclusive from -5", data);
  }
};

struct OfUsersMonoid {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<Affine> values(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      values[i] = {static_cast<std::uint32_t>(word(i)) | 1, static_cast<std::uint32_t>(word(i, 2))};
    }
    auto const in = to_array<Exec>(values);
    auto const out = make_output<Exec, Affine>(n);
    inclusive_scan(exec, in, out, ThenAffine{});
    results.add("inclusive", out);
    exclusive_scan(Context(exec, "affine"), in, out, ThenAffine{}, Affine{3, 4});
    results.add("exclusive", out);
  }
};

struct OfUsersOperation {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    inclusive_scan(exec, in, out, CustomMonoid(KeepLargerKey{}, Card{-1000, 0}));
    results.add("cards", out);
  }
};

struct OfOtherOperations {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    inclusive_scan(exec, data, out, KeepLargerKey{});
    results.add("inclusive", out);
    exclusive_scan(exec, data, out, Card{5, 6}, KeepLargerKey{});
    results.add("exclusive", out);
    auto const numbers = to_array<Exec>(plain_numbers<std::int32_t>(n));
    exclusive_scan(exec, numbers, numbers, 7);
    results.add("sums from 7", numbers);
    std::int32_t none = 0;
    inclusive_scan(exec, numbers, numbers, Kokkos::Min<std::int32_t>(none));
    results.add("by a reducer", numbers);
    inclusive_scan(exec, numbers, numbers, std::bit_xor<>{});
    results.add("by a function object", numbers);
  }
};

struct OfFunctions {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const out = make_output<Exec, std::uint64_t>(n);
    StorePrefix<Array<Exec, std::uint64_t>> const store{out};
    inclusive_scan(exec, n, SquareOf{}, store, Sum<std::uint64_t>{});
    results.add("inclusive", out);
    exclusive_scan(exec, n, SquareOf{}, store, Sum<std::uint64_t>{}, 7);
    results.add("exclusive", out);
    inclusive_scan(exec, SquareOf{}, out);
    results.add("of a function to a View", out);
  }
};

struct Compaction {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const out = make_output<Exec, std::uint32_t>(n);
    exclusive_scan(Context(exec, "flags"), n, IsFlagged{},
                   StoreWhereFlagged<Array<Exec, std::uint32_t>>{out}, Count<std::uint32_t>{}, 0);
    results.add("flagged", out);
  }
};

Cases const cases{
    make_case<SumsOfDoubles>("scan_sums_of_doubles", large_sizes()),
    make_case<LargestSoFar>("scan_largest_int", sizes()),
    make_case<OfUsersMonoid>("scan_by_users_monoid", sizes()),
    make_case<OfUsersOperation>("scan_by_users_operation", sizes()),
    make_case<OfOtherOperations>("scan_by_other_operations", sizes()),
    make_case<OfFunctions>("scan_of_functions", sizes()),
    make_case<Compaction>("scan_of_flags", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::scans_cases
