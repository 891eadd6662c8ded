// Calls whose result's type cannot hold what they move or combine must not compile; each gives the message above it
// (check_diagnostics.cmake). Each call has types of its own, since a compiler reports each instantiation once.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include <riffle/partition.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/sort.hpp>
#include <riffle/view_pack.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T*>;

struct Text {
  std::string text;
};
struct OtherText {
  std::string text;
};

#if RIFFLE_WRONG_CALLS & 1

void moves(Exec const& exec, View<int> const& p, View<double> const& doubles,
           View<float> const& floats, View<int> const& ints, View<std::int16_t> const& shorts,
           View<std::uint32_t> const& naturals, View<std::int64_t> const& longs,
           View<std::uint64_t> const& large, Kokkos::View<double**> const& rows,
           Kokkos::View<float**> const& float_rows) {
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::shuffle_copy(exec, doubles, ints, 1);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::shuffle_copy(exec, riffle::pack(ints, longs), riffle::pack(ints, naturals), 1);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::gather(exec, doubles, p, floats);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::gather(exec, rows, p, float_rows);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::gather_if_valid(exec, longs, p, ints);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::scatter(exec, longs, p, doubles);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::scatter_if_permutation(exec, ints, p, naturals);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::permute(exec, naturals, p, ints);
  // expected-error: the value type of out must hold every value of in: convert them in a kernel
  riffle::partition_by_label(exec, large, p, longs, p);
  // expected-error: in and out have one value type
  riffle::ScheduledPermutation<Exec>(exec, p)(exec, floats, ints);
  // expected-error: in and out have one value type
  riffle::PlannedPermutation<Exec>(exec, p)(exec, floats, shorts);
  // expected-error: in and out have one value type
  riffle::sort_copy(exec, floats, longs);
  // expected-error: a View of trivially copyable values belongs here, since their bytes move through
  riffle::shuffle(exec, View<std::string>(), 1);
  // expected-error: a View of trivially copyable values belongs here, since their bytes move through
  riffle::shuffle(exec, Kokkos::View<Text**>(), 1, riffle::FisherYates{});
  // expected-error: a View of trivially copyable values belongs here, since their bytes move through
  riffle::shuffle(exec, riffle::pack(ints, View<OtherText>()), 1, riffle::BucketShuffle{});
  // expected-error: in and out hold one type, trivially copyable
  riffle::transpose(exec, floats, large, 1, 1);
}

#endif

struct Smaller {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& left, T const& right) const {
    return right < left ? right : left;
  }
};

struct OfStrings {
  using value_type = std::string;
  static std::string identity() { return {}; }
  std::string operator()(std::string const& left, std::string const& right) const {
    return left + right;
  }
};

#if RIFFLE_WRONG_CALLS & 2

void sums(Exec const& exec, View<double> const& doubles, View<float> const& floats,
          View<int> const& ints, View<std::int64_t> const& longs) {
  // expected-error: the sum is in the value type of out, which does not hold every value of in
  riffle::inclusive_scan(exec, doubles, ints);
  // expected-error: the sum is in the value type of out, which does not hold every value of in
  riffle::exclusive_scan(exec, longs, ints);
  // expected-error: the sum is in the value type of out, which does not hold every value of in
  riffle::inclusive_scan(
      exec, KOKKOS_LAMBDA(std::uint64_t i) { return 0.5 * static_cast<double>(i); }, floats);
}

#endif

#if RIFFLE_WRONG_CALLS & 4

void named_sums(Exec const& exec, View<double> const& doubles, View<float> const& floats,
                View<int> const& ints, View<std::int64_t> const& longs) {
  // expected-error: the operation is on values that do not hold every value of in
  riffle::inclusive_scan(exec, doubles, ints, std::plus<>{});
  // expected-error: the operation is on values that do not hold every value of in
  riffle::exclusive_scan(exec, longs, floats, Smaller{}, 0);
}

#endif

#if RIFFLE_WRONG_CALLS & 8

void operations(Exec const& exec, View<int> const& ints, View<std::int16_t> const& shorts) {
  // expected-error: an operation without an identity does not say what an exclusive scan begins with
  riffle::exclusive_scan(exec, ints, ints, Smaller{});
  // expected-error: a scan combines by a riffle::Monoid, std::plus<>{} or a function of two values that kernels can call
  riffle::inclusive_scan(exec, ints, ints, OfStrings{});
  // expected-error: an exclusive scan combines by a riffle::Monoid, std::plus<>{} or a function of two values that kernels
  riffle::exclusive_scan(exec, ints, ints, OfStrings{});
  // expected-error: a scan combines by a riffle::Monoid, std::plus<>{} or a function of two values that kernels can call
  riffle::inclusive_scan(exec, shorts, shorts, "sum");
}

#endif
