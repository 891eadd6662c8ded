#pragma once

// Computes the ranks of unsorted data that are distributed over the processes (MPI ranks) of a communicator:
//
//     1. sort     each process sorts its values and keeps their indices
//     2. cut      the sorted runs are cut, redistributed and merged as in a sort (sort/run_sort.hpp)
//     3. rank     each process computes the ranks of its part of the sorted values
//     4. return   the inverse redistribution sends the rank of each value to the value's position in the sorted run
//     5. scatter  the rank of each value is written to the index of the value
//
// So values are sent in one direction and their ranks in the other direction. Because both directions use the same
// layout, no indices are sent.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank/run_rank.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/rank_part.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/sort/merge_runs.hpp>
#include <riffle/sort/sort_by_key.hpp>

namespace riffle::detail::mpi {

/// Copies values, and gives the same bits to values that tie in rankings but not in sorts. These
/// are +0 and -0, and NaNs with different bits.
template <class From, class To, class Order>
struct CopyAsTied {
  using T = typename From::non_const_value_type;

  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { to(i) = tied(from(i)); }

 private:
  KOKKOS_FUNCTION static T tied(T const& x) {
    if constexpr (has_radix_key<T, Order> && std::is_floating_point_v<T>) {
      // Compares bits, because the compiler might simplify floating-point operations without regard
      // to the sign of zero.
      using Word = RadixWord<T>;
      constexpr Word sign = Word{1} << (8 * sizeof(T) - 1);
      if (Kokkos::bit_cast<Word>(x) == sign) return T{0};
      if (detail::is_nan(x)) return static_cast<T>(hidden_nan());
    }
    return x;
  }
};

/// Computes the ranks of this process's values. Each process owns the same number of values before and after the sort.
/// The type Index can represent the indices of this process's values.
template <class Index, class Exec, class Data, class Ranks, class Rule, class Order>
class UnsortedRanking {
  using T = typename Data::non_const_value_type;
  using Rank = typename Ranks::non_const_value_type;
  template <class Item>
  using Items = ArrayInMemory<Item, Exec>;
  static constexpr std::size_t item_bytes = std::max(sizeof(T), sizeof(Rank));

 public:
  UnsortedRanking(RankCall<Exec> const& call, Partition const& partition, Data const& data,
                  Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options)
      : call_(call),
        scope_(call.context),
        partition_(partition),
        data_(data),
        ranks_(ranks),
        options_(options),
        ranking_(call, rule, options, DefaultRanking{}),
        count_(data.extent(0)) {}

  void run() {
    call_.run_collectively([&] { sort_own(); });
    // With a granule above 1, a rank would also receive values that belong to other ranks
    // (cuts.hpp), and the ranks of its values could not be sent back in the same layout.
    constexpr std::uint64_t granule = 1;
    SharesOfRun const shares =
        find_shares(call_.comm, *cuts_, partition_, partition_, options_.order, granule);
    call_.run_collectively([&] { prepare(shares); });
    redistribute_values();
    rank_values();
    ranks_back_->run(call_.context, other_, own_);
    // The rank of value k of the sorted run is written to the index of that value.
    scatter_rows(call_.context.named("places"), ranks_at(own_), Items<Index>(places_, count_),
                 ranks_);
  }

 private:
  Items<T> values(std::byte* memory) const {
    return Items<T>(reinterpret_cast<T*>(memory), count_);
  }
  Items<Rank> ranks_at(std::byte* memory) const {
    return Items<Rank>(reinterpret_cast<Rank*>(memory), count_);
  }

  void sort_own() {
    auto const& context = call_.context;
    rank::check_can_rank<Data>(call_.function, ranks_, partition_.n(), options_);
    own_ = scope_.template take<std::byte>(item_bytes * count_);
    places_ = scope_.template take<Index>(count_);
    auto const sorted = values(own_);
    context.named("copy").for_each(count_, CopyAsTied<Data, Items<T>, Order>{data_, sorted});
    context.named("indices").for_each(count_, MakeIndices<Index>{places_});
    riffle::sort_by_key(context, sorted, Items<Index>(places_, count_), options_.order);
    cuts_.emplace(call_, scope_, partition_, partition_, sorted.data());
  }

  void prepare(SharesOfRun const& shares) {
    other_ = scope_.template take<std::byte>(item_bytes * count_);
    order_ = scope_.template take<Index>(count_);
    spare_ = scope_.template take<Index>(count_);
    values_there_.emplace(call_.comm, sizeof(T), shares.sent, shares.received);
    ranks_back_.emplace(call_.comm, sizeof(Rank), shares.received, shares.sent);
    merges_.emplace(call_.context, scope_, shares.runs);
    ranking_.prepare(scope_, count_);
  }

  /// Redistributes the values. Afterwards own_ contains the values, in sorted order, whose ranks this process computes.
  /// own_[k] arrived as value order_[k].
  void redistribute_values() {
    auto const& context = call_.context;
    values_there_->run(context, own_, other_);
    order_ = merges_->run_by_indices(context, values(other_), order_, spare_, options_.order);
    gather_rows(context.named("gather"), count_,
                StoredIndices<Items<Index>>{Items<Index>(order_, count_)}, values(other_),
                values(own_));
  }

  /// Writes the rank of each value to the position in other_ at which the value arrived.
  void rank_values() {
    auto const as_they_came = ranks_at(other_);
    using Sink = rank::ScatterSink<ViewSink<Items<Rank>>, Index>;
    ranking_.run(values(own_), [&](std::uint64_t first) {
      return Sink{ViewSink<Items<Rank>>(as_they_came), order_ + first};
    });
  }

  RankCall<Exec> const& call_;
  Scope<Exec> scope_;
  Partition const& partition_;
  Data data_;
  Ranks ranks_;
  RankOptions<Order> options_;
  RankingOfPart<Exec, T, Rule, Order, DefaultRanking> ranking_;
  std::uint64_t count_;
  std::byte* own_ = nullptr;
  std::byte* other_ = nullptr;
  Index* places_ = nullptr;
  Index* order_ = nullptr;
  Index* spare_ = nullptr;
  std::optional<Cuts<Exec, T>> cuts_;
  std::optional<Redistribution<Exec>> values_there_;
  std::optional<Redistribution<Exec>> ranks_back_;
  std::optional<sort::MergesOfRuns<Exec, Index>> merges_;
};

/// Computes the ranks of unsorted data that are distributed over all processes of the communicator. Requires n > 0,
/// where n is the total number of elements.
template <class Exec, class Data, class Ranks, class Rule, class Order>
void rank_in_any_order(RankCall<Exec> const& call, Partition const& partition, Data const& data,
                       Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options) {
  with_index_type(data.extent(0), [&]<class Index>(Index) {
    UnsortedRanking<Index, Exec, Data, Ranks, Rule, Order>(call, partition, data, ranks, rule,
                                                           options)
        .run();
  });
}

}  // namespace riffle::detail::mpi
