#pragma once

// Inclusive and exclusive scans of distributed data.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/scan/run_scan.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::mpi {

/// Returns a number that identifies an initial value. The number is 0 for a type whose bytes do not
/// determine the value, that is, for a struct with padding or with floating-point members.
template <class T>
std::uint64_t number_of_value(T const& value) {
  std::uint64_t number = 0;
  if constexpr (std::is_arithmetic_v<T>) {
    number = number_of_element(value);
  } else if constexpr (std::has_unique_object_representations_v<T>) {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(&value);
    for (std::size_t i = 0; i < sizeof(T); ++i) number = mixed(number + bytes[i]);
  }
  return number;
}

/// Overload for an operation without an identity, whose initial value may be absent.
template <class T>
std::uint64_t number_of_value(scan::Maybe<T> const& init) {
  return init.exists ? number_of_value(init.value) : 0;
}

template <bool Inclusive, class Exec, class In, class Out, class Op>
void scan_by_ranks(char const* function, Context<Exec> const& context,
                   riffle::mpi::Communicator const& comm, In const& in, Out const& out,
                   Op const& op, typename Op::value_type const& init) {
  using Value = typename Op::value_type;
  RankCall<Exec> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("in", in);
    call.check_device("out", out);
    std::uint64_t const n = check_scan(function, in, out);
    check(n <= scan::max_size - bundle_size, function, "in.extent(0) = ", n, ": must be at most ",
          scan::max_size - bundle_size);
  };
  run_collectively(
      comm, function, check_own,
      {{"the bytes of a value", sizeof(Value)}, {"the bits of init", number_of_value(init)}});
  auto const [elements, same] = gather_partitions(comm, in.extent(0), in.extent(0));
  if (elements.n() == 0) return;
  if (comm.size() == 1) {
    call.run_collectively([&] {
      scan::run<Inclusive>(context, in.extent(0), ViewSource<In>(in), ViewSink<Out>(out), op, init);
    });
    return;
  }
  Scope scope(context);
  ScanOfRank<Inclusive, Exec, In, Out, Op>(call, scope, elements, in, out, op, init).run();
}

/// Scans with the operation's identity as initial value.
template <bool Inclusive, class Exec, class In, class Out, class Op>
void scan_by_ranks_of(char const* function, Context<Exec> const& context,
                      riffle::mpi::Communicator const& comm, In const& in, Out const& out,
                      Op const& op) {
  if constexpr (can_combine<InitOf<Op, In, Out>>()) {
    auto const monoid = scan_monoid<In, Out>(op);
    static_assert(
        Inclusive || !scan::is_semigroup<std::decay_t<decltype(monoid)>>,
        "riffle: an operation without an identity does not say what an exclusive scan begins with: "
        "exclusive_scan(exec, comm, in, out, op, init)");
    scan_by_ranks<Inclusive>(function, context, comm, in, out, monoid, monoid.identity());
  }
}

/// Scans with the caller's initial value.
template <bool Inclusive, class Exec, class In, class Out, class Op, class Init>
void scan_by_ranks_of(char const* function, Context<Exec> const& context,
                      riffle::mpi::Communicator const& comm, In const& in, Out const& out,
                      Op const& op, Init const& init) {
  using First = InitOf<Op, In, Out>;
  if constexpr (can_combine<First>() && can_begin_with<First, Init>()) {
    auto const monoid = scan_monoid<In, Out>(op);
    using Value = typename std::decay_t<decltype(monoid)>::value_type;
    if constexpr (!converts_without_loss<Init, First>) {
      run_collectively(comm, function,
                       [&] { static_cast<void>(init_value<First>(function, init)); });
    }
    scan_by_ranks<Inclusive>(function, context, comm, in, out, monoid,
                             static_cast<Value>(static_cast<First>(init)));
  }
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Sets out(i) = in(0) + in(1) + ... + in(i), where + is any associative operation, and in and out
/// are the concatenations of all ranks' elements in the order of the ranks. For any number of
/// ranks, the result is bitwise identical to the result of riffle::inclusive_scan on one device,
/// also for floating-point sums.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - in, out: this rank's elements, as rank-1 Views of equal extents, which may be 0. out may be
///   the same View as in.
/// - op: as for riffle::inclusive_scan, the same on all ranks.
///
/// Throws on all ranks, with the text of the lowest rank that found the error:
/// std::invalid_argument if extents differ, if Views overlap without being the same elements, if
/// init cannot be represented, or if the sizes of values or init differ between ranks (init of a
/// struct with padding or with floating-point members is not compared); std::runtime_error if a
/// rank has too little memory. Nothing is written then. Blocking: waits for `exec`; the last
/// kernels may still run when the call returns. Reproducible.
///
/// Complexity on each rank: reads its elements twice and writes them once. A rank sends at most
/// 2^17 elements to a lower rank, which returns their prefixes. All ranks receive one total per
/// 2^17 elements, over all ranks. With one rank the call is the scan of one device.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                    Op const& op = {}) {
  detail::Call const context(exec, "riffle::mpi::inclusive_scan");
  detail::mpi::scan_by_ranks_of<true>("mpi::inclusive_scan", context, comm, in, out, op);
}

/// Overload with an initial value: out(i) = init + in(0) + ... + in(i).
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void inclusive_scan(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                    Op const& op, Init const& init) {
  detail::Call const context(exec, "riffle::mpi::inclusive_scan");
  detail::mpi::scan_by_ranks_of<true>("mpi::inclusive_scan", context, comm, in, out, op, init);
}

/// Sets out(i) = init + in(0) + ... + in(i - 1), so out(0) of the first rank is init. By default
/// init is the identity of op; an operation without an identity needs the overload with init. The
/// contract is otherwise the same as for inclusive_scan.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                    Op const& op = {}) {
  detail::Call const context(exec, "riffle::mpi::exclusive_scan");
  detail::mpi::scan_by_ranks_of<false>("mpi::exclusive_scan", context, comm, in, out, op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init = detail::InitOf<Op, In, Out>>
void exclusive_scan(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                    Op const& op, Init const& init) {
  detail::Call const context(exec, "riffle::mpi::exclusive_scan");
  detail::mpi::scan_by_ranks_of<false>("mpi::exclusive_scan", context, comm, in, out, op, init);
}

RIFFLE_CALL_DIAGNOSTICS(inclusive_scan, Comm, in<Array>, out<WrittenArray>, op<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan, Comm, in<Array>, out<WrittenArray>, op<Optional<NoView>>)

}  // namespace riffle::mpi
