#pragma once

// Sorts of data that several ranks own.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/sort/run_sort.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Agrees on what is sorted: a sort of ranks that disagree would not end.
template <class Key, class Order, class Exec, class Check>
void agree_on_sort(RankCall<Exec> const& call, Check const& check_own, std::uint64_t row_bytes) {
  agree(call.comm, call.function, check_own,
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
  agree_on_sort<Value, Order>(call, check_own, sizeof(Value));
  auto const [input, output] = gather_partitions(call.comm, in.extent(0), out.extent(0));
  // What all ranks know, they need not agree on.
  check(input.n() == output.n(), call.function, "in has ", input.n(), " values and out ",
        output.n(), ", on all ranks: must be equal");
  if (input.n() == 0) return;
  sort_values(call, input, output, in, out, order);
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Sorts the values of all ranks, which follow each other in the order of the ranks; each rank keeps as many as it has:
/// the same bits as by riffle::sort of them on one device, for any number of ranks. Stable.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - values: this rank's, as for riffle::sort, any number of them, none included.
/// - order: as for riffle::sort, with the same answers on all ranks. If these are not a strict weak ordering, the result
///   is an unspecified permutation of the values of all ranks. If they change, or differ between ranks, the values are
///   unspecified. In either case no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument on all ranks where value types or orders differ between ranks, std::runtime_error where
/// a rank has too little memory; nothing is written then. Waits for `exec`, since the host sends what kernels have
/// sorted; what it enqueues last may still run when it returns. Reproducible.
///
/// Cost on each of P ranks: riffle::sort of its values; a few rounds (4 for 2^30 values a rank, P = 2) that find where
/// runs are to be cut exactly [1, 2], in which each rank sends 64 KiB of samples, or 16 values to each other rank where
/// that is more; each value is sent once, at most, in P - 1 messages; then log2 P passes that
/// merge. It takes memory for twice this rank's values, or as much as riffle::sort does beside one copy of them.
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

/// out = the values of in, in order, those of all ranks behind each other. All else is as for sort(), but a rank may own
/// another number of values of `out` than of `in`; throws on all ranks also where Views overlap, or the sums of their
/// extents differ.
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

/// Sorts the keys of all ranks, and moves with each key its row of `values`; each rank keeps as many as it has: the same
/// bits as by riffle::sort_by_key on one device, for any number of ranks. Stable.
///
/// - keys, values, order: as for riffle::sort_by_key, this rank's. All else is as for sort(); throws on all ranks also
///   where extents differ or Views overlap, or the bytes of a row differ between ranks.
///
/// Cost on each rank: riffle::sort_by_key of a copy of its rows; samples as for sort(); each row is sent and received
/// once, at most, one View after the other; log2 P passes that merge indices, and a gather of each View. It takes memory
/// for the copy, the largest View, and two indices a key.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Keys,
          detail::WritableRowSet<Exec> Values, detail::NotAView Order = Ascending>
void sort_by_key(Exec const& exec, Communicator const& comm, Keys const& keys, Values const& values,
                 Order const& order = {}) {
  static_assert(detail::is_trivially_copyable_rows<Values>,
                "riffle: values are trivially copyable");
  using Key = typename Keys::non_const_value_type;
  detail::Call const context(exec, "riffle::mpi::sort_by_key");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::sort_by_key", context, comm};
  auto const check_own = [&] {
    call.check_device("keys", keys);
    call.check_device("values", values);
    detail::check_sort_by_key(call.function, keys, values);
  };
  detail::mpi::agree_on_sort<Key, Order>(call, check_own, detail::mpi::row_bytes_of(values));
  auto const [partition, same] =
      detail::mpi::gather_partitions(comm, keys.extent(0), keys.extent(0));
  if (partition.n() == 0) return;
  detail::mpi::sort_rows(call, partition, detail::prepend(keys, detail::as_pack(values)), order);
}

RIFFLE_EXPLAIN_MISTAKES(sort, Comm, values<MovedArray>, order<Optional<NoView>>)
RIFFLE_EXPLAIN_MISTAKES(sort_copy, Comm, in<Array>, out<MovedArray>, order<Optional<NoView>>)
RIFFLE_EXPLAIN_MISTAKES(sort_by_key, Comm, keys<MovedArray>, values<WrittenRows>,
                        order<Optional<NoView>>)

}  // namespace riffle::mpi
