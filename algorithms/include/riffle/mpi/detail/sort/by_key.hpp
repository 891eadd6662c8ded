#pragma once

// A sort by key over several ranks: run.hpp's, where the merge finds an order, by which each View's rows are gathered.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/granules.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/row_buffer.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>
#include <riffle/mpi/detail/sort/sorted_shares.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/merge_runs.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

template <class Exec>
ViewPack<> copies_of_rows(Context<Exec> const&, Scope<Exec>&, ViewPack<> const&) {
  return {};
}

/// Copies of a pack's Views, row by row in memory.
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

/// Calls visit(a, b) for the Views of two packs in pairs.
template <class Visit>
void for_each_two(ViewPack<> const&, ViewPack<> const&, Visit const&) {}

template <class A, class... As, class B, class... Bs, class Visit>
void for_each_two(ViewPack<A, As...> const& a, ViewPack<B, Bs...> const& b, Visit const& visit) {
  visit(a.first, b.first);
  for_each_two(a.rest, b.rest, visit);
}

/// The exchanges of a pack's Views, and memory for what any one of them receives.
template <class Exec>
struct RowExchanges {
  ExchangesOfViews<Exec> of_views;
  std::byte* received = nullptr;

  template <class Rows>
  void prepare(RankCall<Exec> const& call, Scope<Exec>& scope, Rows const& rows,
               SharesOfRun const& shares) {
    std::size_t most = 0;
    for_each_view(rows, [&]<class View>(View const& view) {
      std::size_t const bytes = RowBuffer<View>::row_bytes(view);
      most = std::max(most, bytes);
      of_views.emplace_back(call.comm, bytes, shares.sent, shares.received);
    });
    received = scope.template take<std::byte>(most * shares.received.end());
  }
};

/// Exchanges sorted rows, the first of which are the keys, and merges them to where `rows` lie.
template <class Index, class Exec, class Sorted, class Rows, class Order>
void exchange_rows(RankCall<Exec> const& call, Scope<Exec>& scope, SharesOfRun const& shares,
                   Sorted const& sorted, Rows const& rows, Order const& order) {
  using Key = typename decltype(rows.first)::non_const_value_type;
  auto const& context = call.context;
  std::uint64_t const count = rows.first.extent(0);
  std::uint64_t const end = shares.received.end();
  Index* indices = nullptr;
  Index* spare = nullptr;
  RowExchanges<Exec> exchanges;
  std::optional<sort::MergesOfRuns<Exec, Index>> merges;
  auto const prepare = [&] {
    indices = scope.template take<Index>(end);
    spare = scope.template take<Index>(count);
    exchanges.prepare(call, scope, rows, shares);
    merges.emplace(context, scope, shares.runs);
  };
  call.agree(prepare);
  std::byte* const received = exchanges.received;
  auto exchange = exchanges.of_views.begin();
  for_each_two(sorted, rows, [&]<class View>(auto const& from, View const& to) {
    exchange->run(context, from.data(), received);
    if (exchange++ == exchanges.of_views.begin()) {
      ArrayInMemory<Key, Exec> const keys(reinterpret_cast<Key*>(received), end);
      indices = merges->run_by_indices(context, keys, indices, spare, order);
    }
    using Indices = ArrayInMemory<Index, Exec>;
    gather_rows(context.named("gather"), count, StoredIndices<Indices>{Indices(indices, count)},
                RowBuffer<View>::in(received, end, to), to);
  });
}

/// Sorts the rows of a pack by the first of its Views. Each rank keeps as many as it has.
template <class Exec, class Rows, class Order>
void sort_rows(RankCall<Exec> const& call, Partition const& partition, Rows const& rows,
               Order const& order) {
  using Key = typename decltype(rows.first)::non_const_value_type;
  auto const& context = call.context;
  if (call.comm.size() == 1) {
    call.agree([&] { riffle::sort_by_key(context, rows.first, rows.rest, order); });
    return;
  }
  Scope scope(context);
  using Sorted = decltype(copies_of_rows(context, scope, rows));
  std::optional<Sorted> sorted;
  std::optional<Cuts<Exec, Key>> cuts;
  call.agree([&] {
    sorted.emplace(copies_of_rows(context.named("copy"), scope, rows));
    riffle::sort_by_key(context, sorted->first, sorted->rest, order);
    cuts.emplace(call, scope, partition, partition, sorted->first.data());
  });
  SharesOfRun const shares = find_shares(call.comm, *cuts, partition, partition, order,
                                         granule_for(call.comm, partition.n()));
  with_index_type(shares.received.end(), [&]<class Index>(Index) {
    exchange_rows<Index>(call, scope, shares, *sorted, rows, order);
  });
}

}  // namespace riffle::detail::mpi
