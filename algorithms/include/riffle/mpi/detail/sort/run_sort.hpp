#pragma once

// A sort over several ranks: each sorts its own elements as one device does; the sorted runs are cut so that each rank
// gets the elements that are to be its own (cuts.hpp); one exchange; and each merges what it gets from the others. So in
//   D. R. Cheng, V. B. Shah, J. R. Gilbert, A. Edelman, "A novel parallel sorting algorithm for contemporary
//   architectures" (2007).
// Ties are told apart by where they lie among all ranks' elements: runs keep that order, and so do merges of the runs in
// the order of the ranks.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/granules.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/row_buffer.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>
#include <riffle/mpi/detail/sort/sorted_shares.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/merge_runs.hpp>
#include <riffle/sort/sort.hpp>

namespace riffle::detail::mpi {

/// out = the values of all ranks' in, in order.
template <class Exec, class In, class Out, class Order>
void sort_values(RankCall<Exec> const& call, Partition const& input, Partition const& output,
                 In const& in, Out const& out, Order const& order) {
  using Value = typename Out::non_const_value_type;
  auto const& context = call.context;
  if (call.comm.size() == 1) {
    call.agree([&] { sort_checked(context, in, out, order); });
    return;
  }
  std::uint64_t const own = input.count(call.comm.rank());
  std::uint64_t const count = output.count(call.comm.rank());
  Scope scope(context);
  Value* sorted = nullptr;
  Value* received = nullptr;
  std::optional<Cuts<Exec, Value>> cuts;
  std::optional<Exchange<Exec>> exchange;
  std::optional<sort::MergesOfRuns<Exec, Value>> merges;
  call.agree([&] {
    sorted = scope.template take<Value>(std::max(own, count));
    riffle::sort_copy(context, in, ArrayInMemory<Value, Exec>(sorted, own), order);
    cuts.emplace(call, scope, input, output, sorted);
  });
  SharesOfRun const shares =
      find_shares(call.comm, *cuts, input, output, order, granule_for(call.comm, input.n()));
  auto const prepare = [&] {
    received = scope.template take<Value>(shares.received.end());
    exchange.emplace(call.comm, sizeof(Value), shares.sent, shares.received);
    merges.emplace(context, scope, shares.runs);
  };
  call.agree(prepare);
  exchange->run(context, sorted, received);
  Value* const last = out.span_is_contiguous() ? out.data() : nullptr;
  Value* const merged = merges->run(context, received, sorted, order, last);
  if (merged == out.data()) return;
  using Merged = ArrayInMemory<Value, Exec>;
  context.named("write").for_each(count, CopyRows<Merged, Out>{Merged(merged, count), out});
}

}  // namespace riffle::detail::mpi
