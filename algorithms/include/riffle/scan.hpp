#pragma once

// Inclusive and exclusive scans (prefix sums) by any associative operation: in one pass over memory on GPUs, and over
// cache-sized blocks on CPUs. A team of a GPU finds what is before its tile by look-back
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016);
// where a View of values of up to 8 bytes has many tiles, one team finds the prefixes of all and sends them instead.
//
//   riffle/scan/dispatch.hpp                              which scan is for which data (by riffle/scan/tuning.hpp)
//   riffle/scan/detail/gpu/by_look_back.hpp          the scan by look-back (of 0 and 1: flags.hpp)
//   riffle/scan/detail/gpu/by_central_prefixes.hpp   the scan of many tiles
//   riffle/scan/detail/gpu/tiles.hpp                 what a team does with a tile
//   riffle/scan/detail/cpu/cpu_scans.hpp                the scan of a CPU
//   riffle/primitives/look_back.hpp                  look-back, and why it ends under every schedule
//   riffle/primitives/tile_tree.hpp                  the order in which elements are combined

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/scan/detail/operations.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle {

namespace detail {

/// The input of a scan: a rank-1 View, or a function of the index.
template <class In, class Exec>
concept ScanInput = (AccessibleFrom<In, Exec> && has_rank<In, 1>) ||
                    (!Kokkos::is_view_v<In> && std::is_invocable_v<In const&, std::uint64_t>);

/// The output of a scan: a rank-1 View, or a function of index and prefix (and element).
template <class Out, class Exec>
concept ScanOutput = (WritableFrom<Out, Exec> && has_rank<Out, 1>) ||
                     (!Kokkos::is_view_v<Out> && std::is_class_v<Out>);

template <class In>
struct ElementOf {};
template <class In>
requires(Kokkos::is_view_v<In>) struct ElementOf<In> {
  using type = typename In::non_const_value_type;
};
template <class In>
requires(!Kokkos::is_view_v<In> &&
         std::is_invocable_v<In const&, std::uint64_t>) struct ElementOf<In> {
  using type = typename FunctionSource<In>::Item;
};

/// The type of the values that are combined, where the operation does not say: the output's if it is known.
template <class In, class Out>
using ScanValue = typename ElementOf<std::conditional_t<Kokkos::is_view_v<Out>, Out, In>>::type;

template <class Item, class Value>
struct SumInto {
  static_assert(
      converts_without_loss<Item, Value>,
      "riffle: the sum is in the value type of out, which does not hold every value of in: name "
      "another, as in riffle::Sum<double>{}");
  using type = Sum<Value>;
};

/// The operation where the caller names none: the sum.
template <class In, class Out>
using DefaultMonoid = typename SumInto<typename ElementOf<In>::type, ScanValue<In, Out>>::type;

/// The operation of a scan.
template <class Op, class In, class Out>
concept ScanOperation = scan::OperationOn<Op, ScanValue<In, Out>>;

/// The initial value of a scan: a value that is not an operation.
template <class T, class In, class Out>
concept ScanInit = !ScanOperation<T, In, Out> && std::is_convertible_v<T, ScanValue<In, Out>>;

/// The monoid of an operation.
template <class In, class Out, class Op>
auto scan_monoid(Op const& op) {
  using M = decltype(scan::monoid_of<ScanValue<In, Out>>(op));
  static_assert(
      Monoid<Op> ||
          converts_without_loss<typename ElementOf<In>::type, typename scan::ValueOf<M>::type>,
      "riffle: the operation is on values that do not hold every value of in: name another type, "
      "as in riffle::Sum<double>{} or riffle::CustomMonoid{op, 0.0}");
  return scan::monoid_of<ScanValue<In, Out>>(op);
}

/// Whether a scan can combine values: their bytes move. Where it cannot, a compiler says so in a line.
template <class Value>
constexpr bool can_combine() {
  constexpr bool can = std::is_trivially_copyable_v<Value>;
  static_assert(
      can,
      "riffle: a View of trivially copyable values belongs here, since their bytes move: a "
      "scan combines no others");
  return can;
}

/// The type of the value that a scan by Op begins with.
template <class Op, class In, class Out>
using InitOf = typename scan::ValueOf<decltype(scan::monoid_of<ScanValue<In, Out>>(
    std::declval<Op const&>()))>::type;

/// A value that a scan by Op can begin with.
template <class T, class Op, class In, class Out>
concept InitFor = std::is_convertible_v<T const&, InitOf<Op, In, Out>>;

template <class>
inline constexpr bool always_false = false;

template <class In>
auto make_source(In const& in) {
  if constexpr (Kokkos::is_view_v<In>) {
    return ViewSource<In>(in);
  } else {
    return FunctionSource<In>{in};
  }
}

template <class Value, class Item, class Out>
auto make_sink(Out const& out) {
  if constexpr (Kokkos::is_view_v<Out>) {
    return ViewSink<Out>(out);
  } else {
    return FunctionSink<Out, is_sink_of_items<Out, Value, Item>>{out};
  }
}

/// Whether both Views have the same elements at the same places.
template <class In, class Out>
bool is_in_place(In const& in, Out const& out) {
  return static_cast<void const*>(in.data()) == static_cast<void const*>(out.data()) &&
         in.stride(0) == out.stride(0) &&
         sizeof(typename In::value_type) == sizeof(typename Out::value_type);
}

/// Throws where elements of `in` and `out` overlap in part.
template <class In, class Out>
void check_overlap(char const* function, In const& in, Out const& out) {
  if constexpr (Kokkos::is_view_v<In> && Kokkos::is_view_v<Out>) {
    check_same_or_disjoint(function, is_in_place(in, out), in, out);
  }
}

/// Throws unless `in` can be scanned to `out`; returns the number of elements.
template <class In, class Out>
std::uint64_t check_scan(char const* function, In const& in, Out const& out) {
  constexpr bool reads_view = Kokkos::is_view_v<In>;
  constexpr bool writes_view = Kokkos::is_view_v<Out>;
  static_assert(reads_view || writes_view, "riffle: two functions know no n: pass it before them");
  if constexpr (reads_view && writes_view) {
    check(in.extent(0) == out.extent(0), function, "in.extent(0) = ", in.extent(0),
          " and out.extent(0) = ", out.extent(0), ": must be equal");
  }
  check_overlap(function, in, out);
  if constexpr (writes_view) {
    return out.extent(0);
  } else {
    return in.extent(0);
  }
}

/// Throws unless n elements of `in` can be scanned to `out`.
template <class In, class Out>
void check_scan_of(char const* function, std::uint64_t n, In const& in, Out const& out) {
  auto const check_extent = [&](char const* name, auto const& argument) {
    if constexpr (Kokkos::is_view_v<std::decay_t<decltype(argument)>>) {
      check(argument.extent(0) >= n, function, name, ".extent(0) = ", argument.extent(0),
            ": must be at least n = ", n);
    }
  };
  check_extent("in", in);
  check_extent("out", out);
  check_overlap(function, in, out);
}

template <bool Inclusive, class Exec, class In, class Out, Monoid Op>
void scan_checked(char const* function, Context<Exec> const& context, std::uint64_t n, In const& in,
                  Out const& out, Op const& op, typename Op::value_type const& init) {
  check(n <= scan::max_size, function, "n = ", n, ": must be at most ", scan::max_size);
  auto const source = make_source(in);
  using Item = typename std::decay_t<decltype(source)>::Item;
  auto const sink = make_sink<typename Op::value_type, Item>(out);
  scan::run<Inclusive>(context, n, source, sink, op, init);
}

/// Scans from the identity of an operation.
template <bool Inclusive, class Exec, class In, class Out, class Op>
void scan_by(char const* function, Context<Exec> const& context, std::uint64_t n, In const& in,
             Out const& out, Op const& op) {
  if constexpr (can_combine<InitOf<Op, In, Out>>()) {
    auto const monoid = scan_monoid<In, Out>(op);
    static_assert(
        Inclusive || !scan::is_semigroup<std::decay_t<decltype(monoid)>>,
        "riffle: an operation without an identity does not say what an exclusive scan begins with: "
        "exclusive_scan(exec, in, out, op, init)");
    scan_checked<Inclusive>(function, context, n, in, out, monoid, monoid.identity());
  }
}

/// Scans from a value of the caller's.
template <bool Inclusive, class Exec, class In, class Out, class Op, class Init>
void scan_by(char const* function, Context<Exec> const& context, std::uint64_t n, In const& in,
             Out const& out, Op const& op, Init const& init) {
  using First = InitOf<Op, In, Out>;
  if constexpr (can_combine<First>() && can_begin_with<First, Init>()) {
    auto const monoid = scan_monoid<In, Out>(op);
    using Value = typename std::decay_t<decltype(monoid)>::value_type;
    scan_checked<Inclusive>(function, context, n, in, out, monoid,
                            static_cast<Value>(init_value<First>(function, init)));
  }
}

}  // namespace detail

/// out(i) = in(0) + in(1) + ... + in(i), where + is any associative operation.
///
/// - exec: an execution space instance, or a Context of one, with whose workspace the call allocates nothing once that
///   has grown; else it allocates through `exec` and frees, which fences.
/// - in: a rank-1 View, or a function f(i) of a std::uint64_t, called once or twice for each i < n in no particular
///   order; elements are converted to op's value type, by a cast where op is named.
/// - out: a rank-1 View of as many elements, which may be `in` itself; or a function, called once for each i as out(i,
///   prefix) or as out(i, prefix, f(i)). What it writes must not be what f reads.
/// - op: a Monoid, commutative or not, called as op(left, right) in the order of indices; by default the sum. Its value
///   type is trivially copyable, of any size on a CPU, of at most 940 bytes on a GPU (registers are best up to 16
///   bytes). Or std::plus<>, multiplies, bit_and, bit_or or bit_xor; a reducer of Kokkos, or any functor with init and
///   join; or a function of two values that kernels can call, which has no identity: a flag goes with each value, so
///   that CustomMonoid{op, identity} is faster. All these, and the sum by default, combine values of the value type of
///   out, or of in where out is a function; that type must hold every value of in (int64_t those of int32_t, double
///   those of float, int none of double). In minima and maxima of floating-point numbers, by Min, Max or Kokkos's
///   reducers, a NaN stays: it is what all later elements are.
/// - init: what stands before in(0), if anything: a number that op's value type holds, where that is a number. A floating-
///   point number is rounded to it, and does not compile where it is a type of integers.
///
/// Throws std::invalid_argument where extents differ, Views overlap without being the same elements, init does not fit,
/// or n > 4096 (2^31 - 1); nothing is written then. Enqueued on `exec`, does not fence. One read and one write of each
/// element; memory: 12 bytes a tile of 4096 for values of 4 bytes. Integers are exact; the order in which
/// floating-point numbers are added is fixed by n alone, so that any number of threads and every back end gives the
/// same bits, up to a compiler's contractions inside op.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::inclusive_scan");
  std::uint64_t const n = detail::check_scan("inclusive_scan", in, out);
  detail::scan_by<true>("inclusive_scan", context, n, in, out, op);
}

/// Overload with an initial value: out(i) = init + in(0) + ... + in(i).
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void inclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op,
                    Init const& init) {
  detail::Call const context(exec, "riffle::inclusive_scan");
  std::uint64_t const n = detail::check_scan("inclusive_scan", in, out);
  detail::scan_by<true>("inclusive_scan", context, n, in, out, op, init);
}

/// Overload for i < n: from a function to a function, or with Views of n elements or more, of which those from n on are
/// neither read nor written. Throws std::invalid_argument also where a View has fewer than n elements.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op>
void inclusive_scan(Exec const& exec, std::uint64_t n, In const& in, Out const& out, Op const& op) {
  detail::Call const context(exec, "riffle::inclusive_scan");
  detail::check_scan_of("inclusive_scan", n, in, out);
  detail::scan_by<true>("inclusive_scan", context, n, in, out, op);
}

/// out(i) = init + in(0) + ... + in(i - 1), so that out(0) = init; init is op's identity by default, and is needed
/// where it has none. All else is as for inclusive_scan.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  std::uint64_t const n = detail::check_scan("exclusive_scan", in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op);
}

/// Overload with init.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op,
                    Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  std::uint64_t const n = detail::check_scan("exclusive_scan", in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op, init);
}

/// Overload in the order of arguments of std::exclusive_scan and Kokkos::Experimental::exclusive_scan; op is the sum by
/// default.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanInit<In, Out> Init, detail::ScanOperation<In, Out> Op>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Init const& init,
                    Op const& op) {
  exclusive_scan(exec, in, out, op, init);
}

/// Prefix sums that begin with init.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanInit<In, Out> Init>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Init const& init) {
  exclusive_scan(exec, in, out, init, detail::DefaultMonoid<In, Out>{});
}

/// Overload for i < n, as for inclusive_scan of n elements.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void exclusive_scan(Exec const& exec, std::uint64_t n, In const& in, Out const& out, Op const& op,
                    Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  detail::check_scan_of("exclusive_scan", n, in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op, init);
}

// For an argument that is neither an operation nor a value, the compiler says what is wanted.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          class Other>
requires(!detail::ScanOperation<Other, In, Out>) void inclusive_scan(Exec const&, In const&,
                                                                     Out const&, Other const&) {
  static_assert(
      detail::always_false<Other>,
      "riffle: a scan combines by a riffle::Monoid, std::plus<>{} or a function of two values "
      "that kernels can call");
}

template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          class Other>
requires(!detail::ScanOperation<Other, In, Out> &&
         !detail::ScanInit<Other, In, Out>) void exclusive_scan(Exec const&, In const&, Out const&,
                                                                Other const&) {
  static_assert(detail::always_false<Other>,
                "riffle: an exclusive scan combines by a riffle::Monoid, std::plus<>{} or a "
                "function of two values "
                "that kernels can call, and begins with a value of out's type");
}

RIFFLE_CALL_DIAGNOSTICS(inclusive_scan,
                        OrNumber<in<OrObject<Array>>, n<WholeNumber>, in<OrObject<Array>>,
                                 out<OrObject<WrittenArray>>, op<NoView>>,
                        out<OrObject<WrittenArray>>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan,
                        OrNumber<in<OrObject<Array>>, n<WholeNumber>, in<OrObject<Array>>,
                                 out<OrObject<WrittenArray>>, op<NoView>, init<NoView>>,
                        out<OrObject<WrittenArray>>)

}  // namespace riffle
