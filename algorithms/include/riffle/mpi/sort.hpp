#pragma once

// Sorts of distributed data.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/sort/run_sort.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Checks that all ranks sort the same type by the same order. Otherwise the sort would not
/// terminate.
template <class Key, class Order, class Exec, class Check>
void check_sort_on_all_ranks(RankCall<Exec> const& call, Check const& check_own,
                             std::uint64_t row_bytes) {
  run_collectively(
      call.comm, call.function, check_own,
      {{"the bytes of a key", sizeof(Key)},
       {"the kind of keys (1 signed, 2 unsigned, 3 floating-point, 0 other)", kind_of_key<Key>()},
       {"the order (0 ascending, 1 descending, 2 a comparison)", kind_of_order<Order>()},
       {"the bytes of a row", row_bytes}});
}

template <class Exec, class Check, class In, class Out, class Order>
void sort_by_ranks(RankCall<Exec> const& call, Check const& check_own, In const& in, Out const& out,
                   Order const& order) {
  using Value = typename Out::non_const_value_type;
  static_assert(std::is_same_v<typename In::non_const_value_type, Value>,
                "riffle: in and out have one value type");
  check_sort_on_all_ranks<Value, Order>(call, check_own, sizeof(Value));
  auto const [input, output] = gather_partitions(call.comm, in.extent(0), out.extent(0));
  // These numbers are equal on all ranks, so all ranks throw without further communication.
  check(input.n() == output.n(), call.function, "in has ", input.n(), " values and out ",
        output.n(), ", on all ranks: must be equal");
  if (input.n() == 0) return;
  sort_values(call, input, output, in, out, order);
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Sorts the concatenation of all ranks' values, in the order of the ranks. Each rank keeps its
/// number of values. For any number of ranks, the result is bitwise identical to the result of
/// riffle::sort on one device. Stable.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - values: this rank's values, as for riffle::sort. A rank may own any number, including 0.
/// - order: as for riffle::sort, with the same results on all ranks. If it is not a strict weak
///   ordering, the result is an unspecified permutation of the values of all ranks. If its results
///   change or differ between ranks, the values are unspecified. In either case no memory outside
///   of the Views is accessed.
///
/// Throws on all ranks: std::invalid_argument if value types or orders differ between ranks;
/// std::runtime_error if a rank has too little memory. Nothing is written then. Blocking: waits for
/// `exec`, because the host sends the values that kernels have sorted; the last kernels may still
/// run when the call returns. Reproducible.
///
/// Complexity on each of P ranks, in this order:
/// - a local sort of its values by riffle::sort;
/// - a few sampling rounds that find exactly where the sorted runs must be cut [1, 2] (4 rounds for
///   2^30 values per rank and P = 2); in each round a rank sends max(64 KiB, 16 (P - 1) values);
/// - each value is sent at most once, in P - 1 messages;
/// - log2 P merge passes.
///
/// Memory: two copies of this rank's values, or, if that is more, the memory of riffle::sort and
/// one copy.
///
/// [1] D. R. Cheng, V. B. Shah, J. R. Gilbert, A. Edelman, "A novel parallel sorting algorithm for contemporary
///     architectures" (2007).
/// [2] P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on hierarchical-memory
///     multiprocessors", J. Parallel Distrib. Comput. 12 (1991).
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::NotAView Order = Ascending>
void sort(Exec const& exec, Communicator const& comm, Values const& values,
          Order const& order = {}) {
  detail::Call const context(exec, "riffle::mpi::sort");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::sort", context, comm};
  auto const check_own = [&] { call.check_device("values", values); };
  detail::mpi::sort_by_ranks(call, check_own, values, values, order);
}

/// Writes the sorted values of `in`, over all ranks, to `out`. The contract is the same as for
/// sort(), with two exceptions. A rank may own different numbers of values of `in` and of `out`.
/// The call also throws std::invalid_argument on all ranks if Views overlap, or if the sum of the
/// extents over the ranks differs between `in` and `out`.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::MovedArrayFrom<Exec> Out, detail::NotAView Order = Ascending>
void sort_copy(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
               Order const& order = {}) {
  char const* const function = "mpi::sort_copy";
  detail::Call const context(exec, "riffle::mpi::sort_copy");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("in", in);
    call.check_device("out", out);
    detail::check_disjoint(function, "in", in, "out", out);
  };
  detail::mpi::sort_by_ranks(call, check_own, in, out, order);
}

/// Sorts the keys of all ranks, and moves each row of `values` with its key. Each rank keeps its
/// number of rows. For any number of ranks, the result is bitwise identical to the result of
/// riffle::sort_by_key on one device. Stable.
///
/// - keys, values, order: this rank's arguments, as for riffle::sort_by_key.
///
/// The contract is otherwise the same as for sort(), except that the call also throws
/// std::invalid_argument on all ranks if extents differ, if Views overlap, or if the number of
/// bytes in a row differs between ranks.
///
/// Complexity on each of P ranks: riffle::sort_by_key of a copy of its rows; sampling rounds as for
/// sort(); each row is sent and received at most once, one View after the other; log2 P passes that
/// merge indices, and a gather of each View. Memory: the copy, the largest View, and two indices
/// for each key.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Keys,
          detail::WritableRowSet<Exec> Values, detail::NotAView Order = Ascending>
void sort_by_key(Exec const& exec, Communicator const& comm, Keys const& keys, Values const& values,
                 Order const& order = {}) {
  static_assert(detail::are_trivially_copyable<Values>, "riffle: values are trivially copyable");
  using Key = typename Keys::non_const_value_type;
  detail::Call const context(exec, "riffle::mpi::sort_by_key");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::sort_by_key", context, comm};
  auto const check_own = [&] {
    call.check_device("keys", keys);
    call.check_device("values", values);
    detail::check_sort_by_key(call.function, keys, values);
  };
  detail::mpi::check_sort_on_all_ranks<Key, Order>(call, check_own,
                                                   detail::mpi::row_bytes_of(values));
  auto const [partition, same] =
      detail::mpi::gather_partitions(comm, keys.extent(0), keys.extent(0));
  if (partition.n() == 0) return;
  detail::mpi::sort_rows(call, partition, detail::prepend(keys, detail::as_pack(values)), order);
}

RIFFLE_CALL_DIAGNOSTICS(sort, Comm, values<MovedArray>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(sort_copy, Comm, in<Array>, out<MovedArray>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(sort_by_key, Comm, keys<MovedArray>, values<WrittenRows>,
                        order<Optional<NoView>>)

}  // namespace riffle::mpi
