#pragma once

// Comparisons that are not strict weak orderings, data for them, and Views between guard elements.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/views.hpp"

namespace riffle::test {

/// A key that may be NaN, and an id that distinguishes all elements.
struct Record {
  double key;
  std::int32_t id;
  std::uint32_t hash;
};

enum class FuzzedRule { less, less_or_equal, cyclic, hashed, always, never, coin };

/// The rules that are functions of their arguments.

inline constexpr FuzzedRule fuzzed_rules[] = {FuzzedRule::less,   FuzzedRule::less_or_equal,
                                              FuzzedRule::cyclic, FuzzedRule::hashed,
                                              FuzzedRule::always, FuzzedRule::never};

/// A comparison with its rule at run time, so that its callers are compiled once. `coin` counts its calls and depends on
/// their number; all other rules are functions of their arguments.
struct FuzzedComparison {
  FuzzedRule rule;
  std::uint32_t salt;
  std::uint32_t* calls = nullptr;

  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const {
    switch (rule) {
      case FuzzedRule::less: return a.key < b.key;
      case FuzzedRule::less_or_equal: return a.key <= b.key;
      case FuzzedRule::cyclic: return (a.hash % 3 + 1) % 3 == b.hash % 3;
      case FuzzedRule::hashed: return (mixed(a.hash ^ mixed(b.hash + salt)) & 1u) != 0;
      case FuzzedRule::always: return true;
      case FuzzedRule::coin: return (mixed(Kokkos::atomic_fetch_add(calls, 1u)) & 1u) != 0;
      case FuzzedRule::never: break;
    }
    return false;
  }

  /// The rule as a predicate.
  KOKKOS_FUNCTION bool operator()(Record const& a) const { return (*this)(a, {0.5, 0, salt}); }

 private:
  KOKKOS_FUNCTION static std::uint32_t mixed(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x85EB'CA6Bu;
    x = (x ^ x >> 13) * 0xC2B2'AE35u;
    return x ^ x >> 16;
  }
};

/// Every fifth key is NaN; others are tied.
inline std::vector<Record> fuzzed_records(std::size_t n) {
  std::mt19937 generator(static_cast<unsigned>(n));
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i) {
    auto const random = static_cast<std::uint32_t>(generator());
    double const key = i % 5 == 4 ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(random % (n / 3 + 1)) / 8;
    records.push_back({key, static_cast<std::int32_t>(i), random});
  }
  return records;
}

/// Whether these are the elements of fuzzed_records, in any order.
inline bool are_fuzzed_records(std::vector<Record> records) {
  auto const expected = fuzzed_records(records.size());
  std::sort(records.begin(), records.end(),
            [](Record const& a, Record const& b) { return a.id < b.id; });
  return std::equal(records.begin(), records.end(), expected.begin(), expected.end(),
                    [](Record const& a, Record const& b) {
                      bool const has_nans = a.key != a.key && b.key != b.key;
                      return a.id == b.id && a.hash == b.hash && (a.key == b.key || has_nans);
                    });
}

/// A rank-1 View of the middle of an array; the elements before and after it must not change.
template <class Exec, class T>
class GuardedView {
 public:
  using Array = Kokkos::View<T*, typename Exec::memory_space>;

  explicit GuardedView(std::vector<T> const& values)
      : n_(values.size()), array_(to_view<Exec>(guarded(values), "guarded")) {}
  explicit GuardedView(std::size_t n) : GuardedView(std::vector<T>(n)) {}

  Array view() const { return Kokkos::subview(array_, Kokkos::make_pair(guards, guards + n_)); }

  /// The values; the test fails if a guard element has changed.
  std::vector<T> values() const {
    auto const all = to_vector(array_);
    for (std::size_t i = 0; i < guards; ++i) {
      EXPECT_TRUE(is_guard(all[i])) << "written before the View";
      EXPECT_TRUE(is_guard(all[guards + n_ + i])) << "written after the View";
    }
    return std::vector<T>(all.data() + guards, all.data() + guards + n_);
  }

 private:
  static constexpr std::size_t guards = 64;

  static T guard() {
    T value;
    std::memset(static_cast<void*>(&value), 0x5A, sizeof(T));
    return value;
  }
  static std::vector<T> guarded(std::vector<T> const& values) {
    std::vector<T> all(values.size() + 2 * guards, guard());
    std::copy(values.begin(), values.end(), all.data() + guards);
    return all;
  }
  static bool is_guard(T const& x) {
    T const expected = guard();
    return std::memcmp(&x, &expected, sizeof(T)) == 0;
  }

  std::size_t n_;
  Array array_;
};

/// Calls check(n, comparison) for all sizes and all rules that are functions.
template <class Check>
void for_each_fuzzed(std::vector<std::size_t> const& sizes, Check const& check) {
  for (std::size_t const n : sizes) {
    for (FuzzedRule const rule : fuzzed_rules) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", rule " + std::to_string(static_cast<int>(rule)));
      check(n, FuzzedComparison{rule, static_cast<std::uint32_t>(n), nullptr});
    }
  }
}

/// Calls check(n, comparison) for all sizes with the rule `coin`.
template <class Exec, class Check>
void for_each_coin(std::vector<std::size_t> const& sizes, Check const& check) {
  Kokkos::View<std::uint32_t, typename Exec::memory_space> const calls("calls");
  for (std::size_t const n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    check(n, FuzzedComparison{FuzzedRule::coin, 0, calls.data()});
  }
}

}  // namespace riffle::test
