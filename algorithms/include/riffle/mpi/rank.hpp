#pragma once

// Ranks of data that several ranks of a communicator own.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank/run_rank.hpp>
#include <riffle/mpi/detail/rank/unsorted.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/rank.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::mpi {

template <class Rule>
std::uint64_t seed_of_rule(Rule const& rule) {
  if constexpr (requires { std::uint64_t{rule.seed}; }) {
    return rule.seed;
  } else {
    return 0;
  }
}

/// Agrees on what is ranked, and by which rule. Returns how many elements each rank has.
template <class Exec, class Data, class Ranks, class Rule, class Order>
Partition agree_on_ranking(RankCall<Exec> const& call, char const* name, Data const& data,
                           Ranks const& ranks, Rule const& rule,
                           RankOptions<Order> const& options) {
  using T = typename Data::non_const_value_type;
  using Rank = typename Ranks::non_const_value_type;
  static_assert(std::is_trivially_copyable_v<T>,
                "riffle: values that go from rank to rank are trivially copyable");
  static_assert(rank::can_hold_ranks_of<Ranks, Rule>, "riffle: fractional ranks are no integers");
  auto const check_own = [&] {
    call.check_device(name, data);
    call.check_device("ranks", ranks);
    rank::check_rank(call.function, name, data, ranks, options);
  };
  agree(call.comm, call.function, check_own,
        {{"the bytes of a value", sizeof(T)},
         {"the kind of values (1 signed, 2 unsigned, 3 floating-point, 0 other)", kind_of_key<T>()},
         {"the order (0 ascending, 1 descending, 2 a comparison)", kind_of_order<Order>()},
         {"the bytes of a rank", sizeof(Rank)},
         {"the kind of ranks (1 signed, 2 unsigned, 3 floating-point)", kind_of_key<Rank>()},
         {"the number of the rule", number_of_type<Rule>()},
         {"rule.seed", seed_of_rule(rule)},
         {"options.first", static_cast<std::uint64_t>(options.first)},
         {"options.missing", static_cast<std::uint64_t>(options.missing)},
         {"options.relative", options.relative}});
  return gather_partitions(call.comm, data.extent(0), data.extent(0)).first;
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// ranks(i) = the rank of sorted(i) among the elements of all ranks of the communicator, which follow each other in the
/// order of those ranks: the same bits as by riffle::rank of them on one device, for any number of ranks.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - sorted, ranks: this rank's elements, trivially copyable ones, and their ranks, as for riffle::rank; any number of
///   them, none included. The elements of all ranks, behind each other, are sorted, which is not checked. Runs of ties may
///   go over any number of ranks.
/// - rule, options: as for riffle::rank, the same on all ranks. A comparison is called for elements of other ranks, too.
/// - method: as for riffle::rank.
///
/// Throws std::invalid_argument on all ranks, with the text of the first that finds it, where extents differ, Views
/// overlap, the ranks' type cannot hold the number of all elements, options contradict the type, or types, rules or
/// options differ between ranks; std::runtime_error where a rank has too little memory. Nothing is written then. Waits
/// for `exec`; what it enqueues last may still run when it returns. Reproducible.
///
/// Cost on each of P ranks: riffle::rank of its elements, and a search for where its first run ends and its last one
/// begins; dense ranks read them once more. No element is sent to another rank but the first and the last one, which all
/// get with 40 bytes, in one collective call beside those that agree. Memory: that of riffle::rank, and 2 P elements.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>, class Method = DefaultRanking>
void rank(Exec const& exec, Communicator const& comm, Sorted const& sorted, Ranks const& ranks,
          Rule const& rule = {}, Options const& options = {}, Method const& method = {}) {
  detail::Call const context(exec, "riffle::mpi::rank");
  auto const how = detail::rank_options(options);
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::rank", context, comm};
  std::uint64_t const n =
      detail::mpi::agree_on_ranking(call, "sorted", sorted, ranks, rule, how).n();
  if (n == 0) return;
  if (comm.size() == 1) {
    call.agree([&] { detail::rank_checked(call.context, sorted, ranks, rule, how, method); });
    return;
  }
  detail::mpi::rank_sorted(call, n, sorted, ranks, rule, how, method);
}

/// ranks(i) = the rank of data(i) among the elements of all ranks of the communicator, in any order: the same bits as by
/// riffle::rank_unsorted of them on one device, for any number of ranks.
///
/// - data, ranks: this rank's elements, trivially copyable ones, and their ranks, as for riffle::rank_unsorted; any number
///   of them, none included.
/// - rule, options: as for riffle::rank_unsorted, the same on all ranks. If the answers of the
///   caller's comparison change, differ between ranks or are not a strict weak ordering, ranks are unspecified, and no
///   memory outside of the Views is accessed.
///
/// All else is as for rank(). Waits for `exec`.
///
/// Cost on each of P ranks: riffle::sort_by_key of its elements with their indices; the rounds of samples of mpi::sort;
/// each element is sent once at most, and its rank once, with nothing else, in P - 1 messages each way: for n elements a rank n (1 - 1 / P) (sizeof(element) + sizeof(rank)) bytes where they are in random order; log2 P
/// passes that merge indices, a gather, rank() with a write of each rank at random, and another where they come back. It takes memory for
/// twice as many elements, or ranks where these are larger, and three indices for each, or as much as sort_by_key does
/// beside one copy.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted(Exec const& exec, Communicator const& comm, Data const& data, Ranks const& ranks,
                   Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::mpi::rank_unsorted");
  auto const how = detail::rank_options(options);
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::rank_unsorted", context, comm};
  auto const partition = detail::mpi::agree_on_ranking(call, "data", data, ranks, rule, how);
  if (partition.n() == 0) return;
  if (comm.size() == 1) {
    call.agree([&] { detail::rank_unsorted_checked(call.context, data, ranks, rule, how); });
    return;
  }
  detail::mpi::rank_in_any_order(call, partition, data, ranks, rule, how);
}

RIFFLE_EXPLAIN_MISTAKES(rank, Comm, sorted<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)
RIFFLE_EXPLAIN_MISTAKES(rank_unsorted, Comm, data<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)

}  // namespace riffle::mpi
