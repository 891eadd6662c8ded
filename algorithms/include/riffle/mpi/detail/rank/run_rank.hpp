#pragma once

// Computes the ranks of sorted data that are distributed over the processes (MPI ranks) of a
// communicator. Each process first determines where its part lies among all elements, and where the
// runs that cross the boundaries of its part begin and end. Then it computes the ranks of its part
// in one pass, as one device does for all elements.

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/rank.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_part.hpp>

namespace riffle::detail::mpi {

// --- runs that extend over several ranks ---
//
//     elements   a a a b | b b b b | b c c d     ranks 0 | 1 | 2 of the communicator
//                        ^joins    ^joins
//
// All ranks exchange the following in one all-gather of O(P) bytes: the number of elements, the
// first and the last value, the end of the first run, the start of the last run, and the number of
// runs. From these data every rank computes at which indices, among all elements, the first and the
// last run of its part begin and end.

/// The numbers that a rank sends about its part.
struct PartSummary {
  std::uint64_t count;    // number of elements that are ranked
  std::uint64_t missing;  // number of missing values that are set apart
  rank::EndRuns ends;
  std::uint64_t runs;  // number of runs that begin after the first run
};

/// A summary and, if the part is not empty, the bytes of the part's first and last value.
template <class T>
struct PartWithValues {
  PartSummary summary;
  std::byte values[2 * sizeof(T)];
};

/// Gathers the summaries of all ranks. Collective.
template <class T>
std::vector<PartWithValues<T>> gather_parts(riffle::mpi::Communicator const& comm,
                                            PartWithValues<T> const& own) {
  std::vector<PartWithValues<T>> all(static_cast<std::size_t>(comm.size()));
  auto const bytes = static_cast<int>(sizeof own);
  check_mpi(MPI_Allgather(&own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm.get()),
            "MPI_Allgather");
  return all;
}

/// before[r] is the nearest lower rank that owns elements, or r if no lower rank owns any.
inline std::vector<std::uint64_t> ranks_before(std::vector<PartSummary> const& parts) {
  std::vector<std::uint64_t> before;
  std::uint64_t last = 0;
  bool is_any = false;
  for (std::uint64_t r = 0; r < parts.size(); ++r) {
    before.push_back(is_any ? last : r);
    if (parts[r].count == 0) continue;
    last = r;
    is_any = true;
  }
  return before;
}

/// Stores, for each rank, the index of its first element among all elements, and the bounds of its
/// first and last run. joins[r] says whether the first element of rank r ties with the element
/// before it.
class PlacesOfParts {
 public:
  PlacesOfParts(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins)
      : places_(parts.size()) {
    find_starts(parts, joins);
    find_ends(parts, joins);
  }

  rank::PlaceOfPart const& operator[](int rank) const {
    return places_[static_cast<std::size_t>(rank)];
  }

 private:
  void find_starts(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins) {
    std::uint64_t first = 0;
    std::uint64_t start = 0;  // beginning of the last run so far
    std::uint64_t runs = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      auto const& part = parts[r];
      if (part.count == 0) continue;
      if (joins[r] == 0) {
        start = first;
        ++runs;
      }
      places_[r].first = first;
      places_[r].start_of_first = start;
      places_[r].runs_before = runs - 1;
      if (part.ends.start_of_last > 0) start = first + part.ends.start_of_last;
      runs += part.runs;
      first += part.count;
    }
    for (auto& place : places_) {
      place.n = first;
      place.runs = runs;
    }
  }

  void find_ends(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins) {
    std::uint64_t end = 0;  // end of the next part's first run
    bool next_joins = false;
    for (std::size_t r = parts.size(); r-- > 0;) {
      auto const& part = parts[r];
      if (part.count == 0) continue;
      std::uint64_t const first = places_[r].first;
      places_[r].end_of_last = next_joins ? end : first + part.count;
      end = part.ends.end_of_first == part.count ? places_[r].end_of_last
                                                 : first + part.ends.end_of_first;
      next_joins = joins[r] != 0;
    }
  }

  std::vector<rank::PlaceOfPart> places_;
};

// --- ranking ---

/// Sets joins[r] to whether the first element of rank r ties with the last element of rank
/// before[r], or to false if before[r] == r.
template <class T, class Order>
struct CompareParts {
  T const* values;  // the first and the last value of each rank
  std::uint64_t const* before;
  Order order;
  std::uint8_t* joins;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    bool const is_first = before[r] == r;
    joins[r] = !is_first && !differ(order, values[2 * before[r] + 1], values[2 * r]) ? 1 : 0;
  }
};

/// Computes the ranks of the elements in this process's part of the sorted data. Missing values are
/// at one end of the sorted data. They are either ranked like other values or set apart. Missing
/// values that are set apart receive no rank, or are ranked before all other values.
template <class Exec, class T, class Rule, class Order, class Method>
class RankingOfPart {
  static constexpr bool needs_runs = rank::needs_runs<Rule>();

 public:
  RankingOfPart(RankCall<Exec> const& call, Rule const& rule, RankOptions<Order> const& options,
                Method const& method)
      : call_(call), rule_(rule), options_(options), method_(method) {}

  /// Allocates all memory that is needed to rank n elements.
  void prepare(Scope<Exec>& scope, std::uint64_t n) {
    auto const ranks = static_cast<std::uint64_t>(call_.comm.size());
    missing_ = scope.template take<rank::MissingCounts>(1);
    ends_ = scope.template take<rank::EndRuns>(1);
    values_ = scope.template take<T>(needs_runs ? 2 * ranks : 0);
    before_ = scope.template take<std::uint64_t>(needs_runs ? ranks : 0);
    joins_ = scope.template take<std::uint8_t>(needs_runs ? ranks : 0);
    rank::reserve_for_part<Rule>(call_.context, n, method_);
  }

  /// Computes the ranks of a View's elements. sink_from(i) is the sink for elements i, i + 1, ....
  /// Collective.
  template <class Sorted, class SinkFrom>
  void run(Sorted const& sorted, SinkFrom const& sink_from) {
    split(sorted);
    auto const all = gather_parts(call_.comm, own_part(sorted));
    std::vector<PartSummary> parts;
    std::uint64_t missing = 0;
    std::uint64_t missing_before = 0;
    for (int r = 0; r < call_.comm.size(); ++r) {
      parts.push_back(all[static_cast<std::size_t>(r)].summary);
      missing += parts.back().missing;
      if (r < call_.comm.rank()) missing_before += parts.back().missing;
    }
    auto place = PlacesOfParts(parts, joins(all, parts))[call_.comm.rank()];
    bool const are_first = missing > 0 && options_.missing == Missing::first;
    if (are_first) place = after_missing(place, missing);
    if (ranked_.count > 0) write(sorted, ranked_, sink_from, place);
    if (apart_.count == 0) return;
    if (are_first) {
      write(sorted, apart_, sink_from, {place.n, missing_before, 0, missing, place.runs, 0});
    } else {
      exclude(sink_from(apart_.first));
    }
  }

 private:
  static constexpr bool can_be_missing = rank::can_be_missing<T, Order>;

  /// Divides the part into the missing values that are set apart and the other values.
  template <class Sorted>
  void split(Sorted const& sorted) {
    std::uint64_t const n = sorted.extent(0);
    ranked_ = {0, n};
    apart_ = {0, 0};
    if constexpr (can_be_missing) {
      if (options_.missing == Missing::ranked || n == 0) return;
      rank::count_missing(call_.context.named("missing"), n, ViewSource<Sorted>(sorted), missing_);
      auto const found = to_host(call_.context, missing_, 1)[0];
      ranked_ = {found.before, n - found.before - found.after};
      apart_ = found.before > 0 ? Range{0, found.before} : Range{n - found.after, found.after};
    }
  }

  template <class Sorted>
  PartWithValues<T> own_part(Sorted const& sorted) {
    PartWithValues<T> own{{ranked_.count, apart_.count, {0, 0}, 0}, {}};
    if constexpr (needs_runs) {
      if (ranked_.count == 0) return own;
      auto const elements = part_of(sorted, ranked_);
      ViewSource<std::decay_t<decltype(elements)>> const source(elements);
      rank::find_end_runs(call_.context.named("ends"), ranked_.count, source, options_.order, ends_,
                          values_);
      own.summary.ends = to_host(call_.context, ends_, 1)[0];
      auto const bytes =
          to_host(call_.context, reinterpret_cast<std::byte const*>(values_), sizeof own.values);
      std::memcpy(own.values, bytes.data(), sizeof own.values);
      if constexpr (rank::is_dense<Rule>) {
        own.summary.runs =
            rank::count_runs(call_.context.named("runs"), ranked_.count, source, options_.order);
      }
    }
    return own;
  }

  std::vector<std::uint8_t> joins(std::vector<PartWithValues<T>> const& all,
                                  std::vector<PartSummary> const& parts) const {
    if constexpr (!needs_runs) {
      return std::vector<std::uint8_t>(all.size());
    } else {
      std::vector<std::byte> values;
      for (auto const& part : all) {
        values.insert(values.end(), std::begin(part.values), std::end(part.values));
      }
      copy_to_kernels(call_.context, values, reinterpret_cast<std::byte*>(values_));
      copy_to_kernels(call_.context, ranks_before(parts), before_);
      call_.context.named("joins").for_each(
          all.size(), CompareParts<T, Order>{values_, before_, options_.order, joins_});
      return to_host<std::uint8_t>(call_.context, joins_, all.size());
    }
  }

  /// Returns the position of a part if a run of `missing` missing values precedes all elements.
  static rank::PlaceOfPart after_missing(rank::PlaceOfPart const& place, std::uint64_t missing) {
    return {place.n + missing,           place.first + missing, place.start_of_first + missing,
            place.end_of_last + missing, place.runs + 1,        place.runs_before + 1};
  }

  struct Range {
    std::uint64_t first;
    std::uint64_t count;
  };

  template <class View>
  static auto part_of(View const& view, Range const& range) {
    return Kokkos::subview(view, std::pair(range.first, range.first + range.count));
  }

  template <class Sorted, class SinkFrom>
  void write(Sorted const& sorted, Range const& range, SinkFrom const& sink_from,
             rank::PlaceOfPart const& place) const {
    auto const elements = part_of(sorted, range);
    ViewSource<std::decay_t<decltype(elements)>> const source(elements);
    rank::rank_part(call_.context, range.count, source, options_.order, sink_from(range.first),
                    rule_, {options_.first, options_.relative}, place, method_);
  }

  template <class Sink>
  void exclude(Sink const& sink) const {
    call_.context.named("missing").for_each(apart_.count, rank::RankMissing<Sink>{sink});
  }

  RankCall<Exec> const& call_;
  Rule rule_;
  RankOptions<Order> options_;
  Method method_;
  Range ranked_{};
  Range apart_{};
  rank::MissingCounts* missing_ = nullptr;
  rank::EndRuns* ends_ = nullptr;
  T* values_ = nullptr;
  std::uint64_t* before_ = nullptr;
  std::uint8_t* joins_ = nullptr;
};

/// Computes the ranks of the n > 0 elements that all processes of the communicator own. Requires:
/// the elements are sorted.
template <class Exec, class Sorted, class Ranks, class Rule, class Order, class Method>
void rank_sorted(RankCall<Exec> const& call, std::uint64_t n, Sorted const& sorted,
                 Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options,
                 Method const& method) {
  using T = typename Sorted::non_const_value_type;
  auto const& context = call.context;
  Scope scope(context);
  auto as_they_lie = options;
  if (options.missing == Missing::first) as_they_lie.missing = Missing::ranked;
  RankingOfPart<Exec, T, Rule, Order, Method> ranking(call, rule, as_they_lie, method);
  call.run_collectively([&] {
    rank::check_can_rank<Sorted>(call.function, ranks, n, options);
    ranking.prepare(scope, sorted.extent(0));
  });
  std::uint64_t const own = sorted.extent(0);
  ranking.run(sorted, [&](std::uint64_t first) {
    auto const to = Kokkos::subview(ranks, std::pair(first, own));
    return ViewSink<std::decay_t<decltype(to)>>(to);
  });
}

}  // namespace riffle::detail::mpi
