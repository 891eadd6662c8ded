#pragma once

// Inclusive and exclusive scans (prefix sums) with any associative operation. On a GPU, a scan passes over memory once.
// On a CPU, it processes blocks that fit in caches. A team of a GPU finds the prefix of its tile by look-back:
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016).
// If there are many tiles, values have up to 8 bytes, and each View is contiguous, there is no look-back: one team
// computes the prefixes of all tiles and sends them to the other teams (riffle/scan/tuning.hpp).
//
//   riffle/scan/dispatch.hpp                         chooses the scan for the data (by riffle/scan/tuning.hpp)
//   riffle/scan/detail/gpu/by_look_back.hpp          the scan by look-back (flags.hpp for elements 0 and 1)
//   riffle/scan/detail/gpu/by_central_prefixes.hpp   the scan of many tiles
//   riffle/scan/detail/gpu/tiles.hpp                 the work of a team on a tile
//   riffle/scan/detail/cpu/cpu_scans.hpp             the scans on a CPU
//   riffle/primitives/look_back.hpp                  look-back, and why it terminates under every schedule
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

/// The output of a scan: a rank-1 View, or a function of the index, the prefix and, optionally, the element.
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

/// The value type for an operation that does not determine it. This is the value type of the output, or of the input if
/// the output is a function.
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

/// The default operation: the sum.
template <class In, class Out>
using DefaultMonoid = typename SumInto<typename ElementOf<In>::type, ScanValue<In, Out>>::type;

/// The operation of a scan.
template <class Op, class In, class Out>
concept ScanOperation = scan::OperationOn<Op, ScanValue<In, Out>>;

/// The initial value of a scan: a value that is not an operation.
template <class T, class In, class Out>
concept ScanInit = !ScanOperation<T, In, Out> && std::is_convertible_v<T, ScanValue<In, Out>>;

/// Returns the monoid of an operation.
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

/// Whether a scan can combine values: they must be trivially copyable. If they are not, one static_assert says so.
template <class Value>
constexpr bool can_combine() {
  constexpr bool can = std::is_trivially_copyable_v<Value>;
  static_assert(
      can,
      "riffle: a View of trivially copyable values belongs here, since their bytes move: a "
      "scan combines no others");
  return can;
}

/// The type of the initial value of a scan with the operation Op.
template <class Op, class In, class Out>
using InitOf = typename scan::ValueOf<decltype(scan::monoid_of<ScanValue<In, Out>>(
    std::declval<Op const&>()))>::type;

/// An initial value of a scan with the operation Op.
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

/// Whether both Views have the same elements at the same indices.
template <class In, class Out>
bool is_in_place(In const& in, Out const& out) {
  return static_cast<void const*>(in.data()) == static_cast<void const*>(out.data()) &&
         in.stride(0) == out.stride(0) &&
         sizeof(typename In::value_type) == sizeof(typename Out::value_type);
}

/// Throws if Views `in` and `out` overlap, unless they have the same elements at the same indices.
template <class In, class Out>
void check_overlap(char const* function, In const& in, Out const& out) {
  if constexpr (Kokkos::is_view_v<In> && Kokkos::is_view_v<Out>) {
    check_same_or_disjoint(function, is_in_place(in, out), in, out);
  }
}

/// Throws unless `in` can be scanned into `out`. Returns the number of elements.
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

/// Throws unless n elements of `in` can be scanned into `out`.
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

/// Calls use(op, init) with the monoid of the caller's operation, and with its identity or the caller's initial value.
template <bool Inclusive, class In, class Out, class Op, class Use, class... Init>
void with_monoid(char const* function, Op const& op, Use const& use, Init const&... init) {
  using First = InitOf<Op, In, Out>;
  if constexpr (can_combine<First>() && (can_begin_with<First, Init>() && ...)) {
    auto const monoid = scan_monoid<In, Out>(op);
    using Monoid = std::decay_t<decltype(monoid)>;
    static_assert(
        Inclusive || sizeof...(Init) > 0 || !scan::is_semigroup<Monoid>,
        "riffle: an operation without an identity does not say what an exclusive scan begins with: "
        "exclusive_scan(exec, in, out, op, init)");
    if constexpr (sizeof...(Init) > 0) {
      use(monoid, static_cast<typename Monoid::value_type>(init_value<First>(function, init...)));
    } else {
      use(monoid, monoid.identity());
    }
  }
}

/// Scans with the caller's initial value, or with the identity of the operation as the initial value.
template <bool Inclusive, class Exec, class In, class Out, class Op, class... Init>
void scan_by(char const* function, Context<Exec> const& context, std::uint64_t n, In const& in,
             Out const& out, Op const& op, Init const&... init) {
  with_monoid<Inclusive, In, Out>(
      function, op,
      [&](auto const& monoid, auto const& first) {
        scan_checked<Inclusive>(function, context, n, in, out, monoid, first);
      },
      init...);
}

}  // namespace detail

/// Sets out(i) = in(0) + in(1) + ... + in(i), where + is any associative operation.
///
/// - exec: an execution space instance, or a Context.
/// - in: a rank-1 View, or a function f(i), where i is a std::uint64_t. f is called one to three times for each i < n,
///   in an unspecified order. Elements are converted to op's value type; if op is passed, by a cast.
/// - out: a rank-1 View with the same number of elements, which may be `in` itself; or a function that is called once
///   for each i, as out(i, prefix) or as out(i, prefix, f(i)).
/// - op: the operation, commutative or not, called as op(left, right) in the order of indices. The default is the sum.
///   The table lists the possible operations.
/// - init: an initial value that precedes in(0). If op's value type is a number type, init must be a number that this
///   type can represent. A floating-point init is rounded to a floating-point value type; it does not compile if the
///   value type is an integer type.
///
/// | op | value type |
/// | --- | --- |
/// | a Monoid | its own |
/// | a reducer of Kokkos, or a functor with init and join | its own |
/// | std::plus<T>, multiplies<T>, bit_and<T>, bit_or<T> or bit_xor<T> | T |
/// | std::plus<> and the like, and the default | the value type of out, or of in if out is a function |
/// | a function of two values that kernels can call | the value type of out, or of in if out is a function |
///
/// A function has no identity. A flag is therefore stored with each value, so CustomMonoid{op, identity} is faster.
/// Min, Max and Kokkos's reducers for minima and maxima propagate NaNs: each element of the output after a NaN is that
/// NaN.
///
/// Requires: op's value type is trivially copyable; on a GPU it has at most 940 bytes (values of up to 16 bytes fit in
/// registers). Unless op is a Monoid, op's value type can represent every value of `in`: int64_t can represent every
/// int32_t, and double every float, but int cannot represent every double. A function `out` does not write data that f
/// reads.
///
/// Throws: std::invalid_argument if extents differ, if Views overlap without being the same elements, if init does not
/// fit, or if n > 4096 (2^31 - 1). Nothing is written then.
///
/// Complexity: one read and one write of each element.
///
/// Memory: 12 bytes for each tile of 4096 values of 4 bytes, from the workspace of the Context if it has one.
///
/// Blocking: enqueued on `exec`; does not fence. Without a workspace, or if the workspace has to grow, the call
/// allocates and frees memory. Freeing memory waits for the device.
///
/// Reproducible: sums of integers are exact. The order in which floating-point numbers are added depends only on n. So
/// the result is bitwise identical for any number of threads and on every back end, unless a compiler contracts
/// operations inside op.
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

/// Overload for i < n: `in` and `out` are functions, or Views with at least n elements. Elements with index >= n are
/// neither read nor written. Throws std::invalid_argument also if a View has fewer than n elements.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op>
void inclusive_scan(Exec const& exec, std::uint64_t n, In const& in, Out const& out, Op const& op) {
  detail::Call const context(exec, "riffle::inclusive_scan");
  detail::check_scan_of("inclusive_scan", n, in, out);
  detail::scan_by<true>("inclusive_scan", context, n, in, out, op);
}

/// Sets out(i) = init + in(0) + ... + in(i - 1), so out(0) = init. The default of init is op's identity; if op has no
/// identity, init must be given. Everything else is as for inclusive_scan.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  std::uint64_t const n = detail::check_scan("exclusive_scan", in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Op const& op,
                    Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  std::uint64_t const n = detail::check_scan("exclusive_scan", in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op, init);
}

/// Overload with the arguments in the order of std::exclusive_scan and Kokkos::Experimental::exclusive_scan. The
/// default of op is the sum.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanInit<In, Out> Init, detail::ScanOperation<In, Out> Op>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Init const& init,
                    Op const& op) {
  exclusive_scan(exec, in, out, op, init);
}

/// Overload for sums with an initial value.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanInit<In, Out> Init>
void exclusive_scan(Exec const& exec, In const& in, Out const& out, Init const& init) {
  exclusive_scan(exec, in, out, init, detail::DefaultMonoid<In, Out>{});
}

/// Overload for i < n, with the same rules as inclusive_scan of n elements.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In, detail::ScanOutput<Exec> Out,
          detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void exclusive_scan(Exec const& exec, std::uint64_t n, In const& in, Out const& out, Op const& op,
                    Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan");
  detail::check_scan_of("exclusive_scan", n, in, out);
  detail::scan_by<false>("exclusive_scan", context, n, in, out, op, init);
}

// Diagnostics for an argument that is neither an operation nor an initial value.
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
