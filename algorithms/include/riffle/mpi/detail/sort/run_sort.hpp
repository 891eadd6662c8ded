#pragma once

// A sort over several ranks:
//
//     1. sort          each rank sorts its own elements as one device does
//     2. cut           the sorted runs are cut where the parts of the ranks begin (cuts.hpp)
//     3. redistribute  each part is sent to its rank
//     4. merge         each rank merges the parts that it received
//
// The algorithm is from
//   D. R. Cheng, V. B. Shah, J. R. Gilbert, A. Edelman, "A novel parallel sorting algorithm for contemporary
//   architectures" (2007).
// The sort is stable: elements that tie keep their order in each run, and runs are merged in the
// order of the ranks.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/merge_runs.hpp>
#include <riffle/sort/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Sorts the concatenation of all ranks' `in`, and writes it to the concatenation of all ranks'
/// `out`.
template <class Exec, class In, class Out, class Order>
void sort_values(RankCall<Exec> const& call, Partition const& input, Partition const& output,
                 In const& in, Out const& out, Order const& order) {
  using Value = typename Out::non_const_value_type;
  auto const& context = call.context;
  if (call.comm.size() == 1) {
    call.run_collectively([&] { sort_checked(context, in, out, order); });
    return;
  }
  std::uint64_t const own = input.count(call.comm.rank());
  std::uint64_t const count = output.count(call.comm.rank());
  Scope scope(context);
  Value* sorted = nullptr;
  Value* received = nullptr;
  std::optional<Cuts<Exec, Value>> cuts;
  std::optional<Redistribution<Exec>> redistribution;
  std::optional<sort::MergesOfRuns<Exec, Value>> merges;
  call.run_collectively([&] {
    sorted = scope.template take<Value>(std::max(own, count));
    riffle::sort_copy(context, in, ArrayInMemory<Value, Exec>(sorted, own), order);
    cuts.emplace(call, scope, input, output, sorted);
  });
  SharesOfRun const shares =
      find_shares(call.comm, *cuts, input, output, order, granule_for(call.comm, input.n()));
  auto const prepare = [&] {
    received = scope.template take<Value>(shares.received.end());
    redistribution.emplace(call.comm, sizeof(Value), shares.sent, shares.received);
    merges.emplace(context, scope, shares.runs);
  };
  call.run_collectively(prepare);
  redistribution->run(context, sorted, received);
  Value* const last = out.span_is_contiguous() ? out.data() : nullptr;
  Value* const merged = merges->run(context, received, sorted, order, last);
  if (merged == out.data()) return;
  using Merged = ArrayInMemory<Value, Exec>;
  context.named("write").for_each(count, CopyRows<Merged, Out>{Merged(merged, count), out});
}

// --- sort by key: the merge computes an order, and the rows of each View are gathered by it ---

template <class Exec>
ViewPack<> copies_of_rows(Context<Exec> const&, Scope<Exec>&, ViewPack<> const&) {
  return {};
}

/// Copies the Views of a pack to temporary memory, row by row.
template <class Exec, class First, class... Rest>
auto copies_of_rows(Context<Exec> const& context, Scope<Exec>& scope,
                    ViewPack<First, Rest...> const& rows) {
  using Buffer = RowBuffer<First>;
  using Copy = typename Buffer::Rows;
  std::uint64_t const count = rows.first.extent(0);
  auto* const memory = scope.template take<std::byte>(count * Buffer::row_bytes(rows.first));
  Copy const copy = Buffer::in(memory, count, rows.first);
  context.for_each(count, CopyRows<First, Copy>{rows.first, copy});
  return prepend(copy, copies_of_rows(context, scope, rows.rest));
}

/// Redistributes sorted rows, and merges them into `rows`. The keys are the first View of `sorted`.
template <class Index, class Exec, class Sorted, class Rows, class Order>
void redistribute_rows(RankCall<Exec> const& call, Scope<Exec>& scope, SharesOfRun const& shares,
                       Sorted const& sorted, Rows const& rows, Order const& order) {
  using Key = typename decltype(rows.first)::non_const_value_type;
  auto const& context = call.context;
  std::uint64_t const count = rows.first.extent(0);
  std::uint64_t const end = shares.received.end();
  Index* indices = nullptr;
  Index* spare = nullptr;
  std::byte* received = nullptr;
  RedistributionsOfViews<Exec> redistributions;
  std::optional<sort::MergesOfRuns<Exec, Index>> merges;
  auto const prepare = [&] {
    indices = scope.template take<Index>(end);
    spare = scope.template take<Index>(count);
    received = scope.template take<std::byte>(most_row_bytes(rows) * end);
    prepare_redistributions(redistributions, call.comm, rows, shares.sent, shares.received);
    merges.emplace(context, scope, shares.runs);
  };
  call.run_collectively(prepare);
  auto redistribution = redistributions.begin();
  for_each_pair(sorted, rows, [&]<class View>(auto const& from, View const& to) {
    redistribution->run(context, from.data(), received);
    if (redistribution++ == redistributions.begin()) {
      ArrayInMemory<Key, Exec> const keys(reinterpret_cast<Key*>(received), end);
      indices = merges->run_by_indices(context, keys, indices, spare, order);
    }
    using Indices = ArrayInMemory<Index, Exec>;
    gather_rows(context.named("gather"), count, StoredIndices<Indices>{Indices(indices, count)},
                RowBuffer<View>::in(received, end, to), to);
  });
}

/// Sorts the rows of a pack by the keys in the pack's first View. Each rank keeps its number of
/// rows.
template <class Exec, class Rows, class Order>
void sort_rows(RankCall<Exec> const& call, Partition const& partition, Rows const& rows,
               Order const& order) {
  using Key = typename decltype(rows.first)::non_const_value_type;
  auto const& context = call.context;
  if (call.comm.size() == 1) {
    call.run_collectively([&] { riffle::sort_by_key(context, rows.first, rows.rest, order); });
    return;
  }
  Scope scope(context);
  using Sorted = decltype(copies_of_rows(context, scope, rows));
  std::optional<Sorted> sorted;
  std::optional<Cuts<Exec, Key>> cuts;
  call.run_collectively([&] {
    sorted.emplace(copies_of_rows(context.named("copy"), scope, rows));
    riffle::sort_by_key(context, sorted->first, sorted->rest, order);
    cuts.emplace(call, scope, partition, partition, sorted->first.data());
  });
  SharesOfRun const shares = find_shares(call.comm, *cuts, partition, partition, order,
                                         granule_for(call.comm, partition.n()));
  with_index_type(shares.received.end(), [&]<class Index>(Index) {
    redistribute_rows<Index>(call, scope, shares, *sorted, rows, order);
  });
}

}  // namespace riffle::detail::mpi
