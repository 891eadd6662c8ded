#pragma once

// Computes the ranks of elements that are distributed over the processes (MPI ranks) of a communicator.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank/run_rank.hpp>
#include <riffle/mpi/detail/rank/unsorted.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
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

/// Checks that all processes of the communicator pass elements of the same types and the same tie rule and options.
/// Returns the number of elements that each process owns.
template <class Exec, class Data, class Ranks, class Rule, class Order>
Partition check_ranking_on_all_ranks(RankCall<Exec> const& call, char const* name, Data const& data,
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
  run_collectively(
      call.comm, call.function, check_own,
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

/// Sets ranks(i) to the rank of sorted(i) among the elements of all ranks of the communicator,
/// concatenated in the order of these ranks. For any number of ranks, the result is bitwise
/// identical to the result of riffle::rank on one device.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - sorted, ranks: this rank's elements and their ranks, as for riffle::rank. Elements are
///   trivially copyable. A rank may own any number of elements, including 0. Runs of ties may
///   extend over any number of ranks.
/// - rule, options: as for riffle::rank, the same on all ranks. A comparison is also called for
///   elements of other ranks.
/// - method: as for riffle::rank.
///
/// Requires: the concatenation of all ranks' elements is sorted. This is not checked.
///
/// Throws on all ranks, with the text of the lowest rank that found the error:
/// std::invalid_argument if extents differ, if Views overlap, if the value type of `ranks` cannot
/// represent the number of all elements, if options contradict the value type, or if types, rules
/// or options differ between ranks; std::runtime_error if a rank has too little memory. Nothing is
/// written then. Blocking: waits for `exec`; the last kernels may still run when the call returns.
/// Reproducible.
///
/// Complexity on each of P ranks: riffle::rank of its elements, a search for the end of its first
/// run, and a search for the start of its last run; dense ranks read the elements once more. In one
/// collective call, each rank sends its first element, its last element and 40 more bytes to all
/// ranks. A second collective call checks for errors. Memory: as for riffle::rank, and 2 P
/// elements.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>, class Method = DefaultRanking>
void rank(Exec const& exec, Communicator const& comm, Sorted const& sorted, Ranks const& ranks,
          Rule const& rule = {}, Options const& options = {}, Method const& method = {}) {
  detail::Call const context(exec, "riffle::mpi::rank");
  auto const how = detail::rank_options(options);
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::rank", context, comm};
  std::uint64_t const n =
      detail::mpi::check_ranking_on_all_ranks(call, "sorted", sorted, ranks, rule, how).n();
  if (n == 0) return;
  if (comm.size() == 1) {
    call.run_collectively(
        [&] { detail::rank_checked(call.context, sorted, ranks, rule, how, method); });
    return;
  }
  detail::mpi::rank_sorted(call, n, sorted, ranks, rule, how, method);
}

/// Sets ranks(i) to the rank of data(i) among the elements of all ranks of the communicator. The
/// elements need not be sorted. For any number of ranks, the result is bitwise identical to the
/// result of riffle::rank_unsorted on one device.
///
/// - data, ranks: this rank's elements and their ranks, as for riffle::rank_unsorted. Elements are
///   trivially copyable. A rank may own any number of elements, including 0.
/// - rule, options: as for riffle::rank_unsorted, the same on all ranks. If the results of your own
///   comparison change, differ between ranks or are not a strict weak ordering, the ranks are
///   unspecified; no memory outside of the Views is accessed.
///
/// The contract is otherwise the same as for rank(). Blocking: waits for `exec`.
///
/// Complexity on each of P ranks, in this order:
///
///     riffle::sort_by_key of its elements with their indices, and the sampling rounds of mpi::sort
///     each element is sent at most once, in P - 1 messages
///     log2 P passes that merge indices, a gather, and rank() with one random write for each element
///     the rank of each element is sent back, in P - 1 messages, and written by a random write
///
/// For n elements on each rank in random order, each rank sends n (1 - 1 / P)
/// (sizeof(element) + sizeof(rank)) bytes. Memory: 2 max(sizeof(element), sizeof(rank)) bytes and
/// three indices for each element, or the memory of sort_by_key and one copy of the elements if
/// that is more.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::WritableArrayFrom<Exec> Ranks, detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted(Exec const& exec, Communicator const& comm, Data const& data, Ranks const& ranks,
                   Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::mpi::rank_unsorted");
  auto const how = detail::rank_options(options);
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{"mpi::rank_unsorted", context, comm};
  auto const partition =
      detail::mpi::check_ranking_on_all_ranks(call, "data", data, ranks, rule, how);
  if (partition.n() == 0) return;
  if (comm.size() == 1) {
    call.run_collectively(
        [&] { detail::rank_unsorted_checked(call.context, data, ranks, rule, how); });
    return;
  }
  detail::mpi::rank_in_any_order(call, partition, data, ranks, rule, how);
}

RIFFLE_CALL_DIAGNOSTICS(rank, Comm, sorted<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)
RIFFLE_CALL_DIAGNOSTICS(rank_unsorted, Comm, data<Array>, ranks<WrittenArray>, rule<Optional<Rule>>)

}  // namespace riffle::mpi
