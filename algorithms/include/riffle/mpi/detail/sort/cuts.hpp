#pragma once

// Each rank has a sorted run. This file finds the exact positions at which the runs must be cut, so
// that each rank receives its part of the sorted sequence. Elements that tie are ordered by their
// source rank. Rank r searches for the cut at the start of its part. In each round, all other ranks
// send samples of their runs to rank r, and rank r returns narrower bounds for the cut. In a round
// a rank sends 64 KiB, or 16 keys to each other rank if that is more.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/mpi/tuning.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/merge_runs.hpp>

namespace riffle::detail::mpi {

// --- brackets ---
//
// A cut divides every run into the elements before the cut and the elements after it. The number of
// elements before the cut, summed over all runs, is given. Each run has a bracket. For elements
// outside the bracket it is known on which side of the cut they are:
//
//     run    [ before the cut |  bracket: undecided   | after the cut ]
//                             low   s   s   s   s    high       s: samples
//
// In each round, samples at regular distances are taken from each bracket, and all samples are
// sorted together. For each sample this gives a lower and an upper bound for the number of elements
// that do not follow the sample, and these bounds narrow the brackets. For any data, a bracket with
// s samples shrinks by a factor of almost s / 4. If a bracket has at most s elements, all of them
// are samples. The method is from
//   P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on hierarchical-memory
//   multiprocessors", J. Parallel Distrib. Comput. 12 (1991).

/// The undecided elements low, ..., high - 1 of a run: it is not yet known on which side of the cut
/// they are.
struct Bracket {
  std::uint64_t low;
  std::uint64_t high;

  KOKKOS_FUNCTION std::uint64_t size() const { return high - low; }
};

/// The samples in a bracket, at most `most`. The bracket is divided into groups of step_ elements;
/// a sample is the last element of a group.
class BracketSamples {
 public:
  KOKKOS_FUNCTION BracketSamples(Bracket const& bracket, std::uint64_t most)
      : bracket_(bracket),
        step_(Kokkos::max(std::uint64_t{1}, (bracket.size() + most - 1) / most)) {}

  KOKKOS_FUNCTION std::uint64_t count() const { return bracket_.size() / step_; }
  KOKKOS_FUNCTION std::uint64_t place(std::uint64_t k) const {
    return bracket_.low + (k + 1) * step_ - 1;
  }

  /// Counts of elements in the bracket, after the walk has passed the first k samples. known(k) is
  /// the number of elements up to and including sample k - 1. possible(k) is the number of elements
  /// before sample k. At most possible(k) elements of this bracket precede the next sample, which
  /// may belong to any run.
  std::uint64_t known(std::uint64_t k) const { return k * step_; }
  std::uint64_t possible(std::uint64_t k) const {
    return k < count() ? (k + 1) * step_ - 1 : bracket_.size();
  }

 private:
  Bracket bracket_;
  std::uint64_t step_;
};

/// Walks through the samples of all runs in sorted order.
class SampleWalk {
 public:
  SampleWalk(std::vector<BracketSamples> const& samples, std::vector<int> const& runs)
      : samples_(samples), runs_(runs), passed_(samples.size(), 0) {
    for (auto const& of_run : samples) possible_ += of_run.possible(0);
  }

  bool is_at_end() const { return at_ == runs_.size(); }

  /// known() counts the elements, over all runs, that certainly do not follow the last passed
  /// sample. possible() counts the elements that may precede the next sample.
  std::uint64_t known() const { return known_; }
  std::uint64_t possible() const { return possible_; }
  std::uint64_t possible_after_step() const { return possible_ + gain(&BracketSamples::possible); }

  void step() {
    possible_ += gain(&BracketSamples::possible);
    known_ += gain(&BracketSamples::known);
    ++passed_[next_run()];
    ++at_;
  }

  /// known() and possible() for one run only.
  std::uint64_t known(std::size_t run) const { return samples_[run].known(passed_[run]); }
  std::uint64_t possible(std::size_t run) const { return samples_[run].possible(passed_[run]); }

 private:
  std::size_t next_run() const { return static_cast<std::size_t>(runs_[at_]); }

  std::uint64_t gain(std::uint64_t (BracketSamples::*count)(std::uint64_t) const) const {
    auto const& samples = samples_[next_run()];
    std::uint64_t const passed = passed_[next_run()];
    return (samples.*count)(passed + 1) - (samples.*count)(passed);
  }

  std::vector<BracketSamples> const& samples_;
  std::vector<int> const& runs_;
  std::vector<std::uint64_t> passed_;
  std::size_t at_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t possible_ = 0;
};

/// Searches for the cut that has `target` elements before it.
class CutSearch {
 public:
  CutSearch(std::uint64_t target, std::vector<Bracket> brackets)
      : target_(target), brackets_(std::move(brackets)) {
    settle();
  }

  std::vector<Bracket> const& brackets() const { return brackets_; }

  /// The number of undecided elements, over all runs.
  std::uint64_t undecided() const { return sum(&Bracket::high) - sum(&Bracket::low); }

  /// Returns the samples of all brackets, sorted by run, with at most `most` samples per bracket.
  std::vector<BracketSamples> samples(std::uint64_t most) const {
    std::vector<BracketSamples> result;
    for (auto const& bracket : brackets_) result.emplace_back(bracket, most);
    return result;
  }

  /// Narrows the brackets. The samples are numbered run by run, and order[k] is the index of the k-th sample in sorted
  /// order. Returns false, and changes nothing, if `order` does not keep the samples of each run in ascending order;
  /// then the comparison is not a strict weak ordering.
  template <class Index>
  bool narrow(std::vector<BracketSamples> const& samples, std::vector<Index> const& order) {
    std::vector<int> runs;
    if (!find_runs(samples, order, runs)) return false;
    std::uint64_t const wanted = target_ - sum(&Bracket::low);
    // A sample is certainly before the cut if it is before the cut even when the maximum number of
    // elements (possible) precedes it. Passes all such samples.
    SampleWalk before(samples, runs);
    while (!before.is_at_end() && before.possible_after_step() <= wanted) before.step();
    // A sample is certainly after the cut if it is after the cut even when only the minimum number
    // of elements (known) precedes it. Passes samples until the next one is such a sample.
    SampleWalk after(samples, runs);
    while (!after.is_at_end() && after.known() < wanted) after.step();
    for (std::size_t r = 0; r < brackets_.size(); ++r) {
      std::uint64_t const low = brackets_[r].low;
      brackets_[r] = {low + before.known(r), low + after.possible(r)};
    }
    settle();
    return true;
  }

 private:
  /// Sets runs[k] to the run of the k-th sample in sorted order.
  template <class Index>
  static bool find_runs(std::vector<BracketSamples> const& samples, std::vector<Index> const& order,
                        std::vector<int>& runs) {
    std::vector<int> run_of;
    for (std::size_t r = 0; r < samples.size(); ++r) {
      run_of.insert(run_of.end(), samples[r].count(), static_cast<int>(r));
    }
    std::vector<Index> next(samples.size(), 0);
    for (std::size_t r = 1; r < samples.size(); ++r) {
      next[r] = next[r - 1] + static_cast<Index>(samples[r - 1].count());
    }
    for (auto const number : order) {
      int const run = run_of[number];
      if (number != next[static_cast<std::size_t>(run)]++) return false;
      runs.push_back(run);
    }
    return true;
  }

  /// Decides all brackets at once if possible. If target_ is the sum of all `high`, all undecided
  /// elements are before the cut. If target_ is the sum of all `low`, all undecided elements are
  /// after it.
  void settle() {
    bool const is_all = sum(&Bracket::high) == target_;
    if (!is_all && sum(&Bracket::low) != target_) return;
    for (auto& bracket : brackets_) {
      bracket = is_all ? Bracket{bracket.high, bracket.high} : Bracket{bracket.low, bracket.low};
    }
  }

  std::uint64_t sum(std::uint64_t Bracket::*end) const {
    std::uint64_t result = 0;
    for (auto const& bracket : brackets_) result += bracket.*end;
    return result;
  }

  std::uint64_t target_;
  std::vector<Bracket> brackets_;
};

// --- cuts ---

/// For each cut, copies samples from this rank's run to `most` slots. The samples are in the cut's
/// bracket.
template <class Key>
struct PackSamples {
  Key const* keys;
  Bracket const* brackets;
  std::uint64_t most;
  Key* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t slot) const {
    BracketSamples const samples(brackets[slot / most], most);
    std::uint64_t const k = slot % most;
    if (k < samples.count()) to[slot] = keys[samples.place(k)];
  }
};

/// Finds the positions at which this rank's run is cut. All ranks do this together.
template <class Exec, class Key>
class Cuts {
 public:
  /// `keys` are this rank's sorted keys. Rank r receives output.count(r) elements.
  Cuts(RankCall<Exec> const& call, Scope<Exec>& scope, Partition const& input,
       Partition const& output, Key const* keys)
      : call_(call),
        most_(max_samples(call.comm.size())),
        keys_(keys),
        search_(search(input, output, call.comm.rank())),
        sent_(slots() * sizeof(Key)),
        received_(slots() * sizeof(Key)),
        brackets_(scope.template take<Bracket>(ranks())),
        samples_(scope.template take<Key>(slots())),
        indices_(scope.template take<std::uint32_t>(slots())) {
    for (int r = 0; r < call.comm.size(); ++r) {
      CutSearch const other = search(input, output, r);
      states_.push_back({other.brackets()[own()], other.undecided(), true});
    }
  }

  /// Collective. Returns false on all ranks if the samples show that the comparison is not a strict
  /// weak ordering.
  template <class Order>
  bool find(Order const& order) {
    while (any_of([](SearchState const& f) { return f.undecided > 0; })) {
      send_samples();
      call_.run_collectively([&] { narrow(order); });
      share_states();
      if (any_of([](SearchState const& f) { return !f.is_order; })) return false;
    }
    return true;
  }

  /// Returns one position per rank: result[r] is the position in this rank's run at which the part
  /// of rank r begins.
  std::vector<std::uint64_t> places() const {
    std::vector<std::uint64_t> result;
    for (auto const& state : states_) result.push_back(state.bracket.low);
    return result;
  }

 private:
  /// The message from a rank that searches for a cut to another rank: the bracket in the other
  /// rank's run, and the state of the search.
  struct SearchState {
    Bracket bracket;
    std::uint64_t undecided;
    std::uint64_t is_order;
  };

  static std::uint64_t max_samples(int ranks) {
    std::uint64_t const room = sample_bytes / (static_cast<std::uint64_t>(ranks) * sizeof(Key));
    return std::clamp(room, min_samples, max_useful_samples);
  }

  static CutSearch search(Partition const& input, Partition const& output, int rank) {
    std::vector<Bracket> whole;
    for (int r = 0; r < input.ranks(); ++r) whole.push_back({0, input.count(r)});
    return CutSearch(output.first(rank), whole);
  }

  std::size_t ranks() const { return static_cast<std::size_t>(call_.comm.size()); }
  std::size_t own() const { return static_cast<std::size_t>(call_.comm.rank()); }
  std::uint64_t slots() const { return most_ * ranks(); }

  template <class Predicate>
  bool any_of(Predicate const& predicate) const {
    return std::any_of(states_.begin(), states_.end(), predicate);
  }

  void send_samples() {
    std::vector<Bracket> brackets;
    for (auto const& state : states_) brackets.push_back(state.bracket);
    copy_to_kernels(call_.context, brackets, brackets_);
    call_.context.named("samples").for_each(slots(),
                                            PackSamples<Key>{keys_, brackets_, most_, samples_});
    using Space = typename Exec::memory_space;
    Kokkos::deep_copy(
        call_.context.exec(), Bytes<Kokkos::HostSpace>(sent_.data(), sent_.size()),
        ConstBytes<Space>(reinterpret_cast<std::byte const*>(samples_), sent_.size()));
    call_.context.exec().fence("riffle::mpi: samples are ready to be sent");
    all_to_all(call_.comm, sent_.data(), received_.data(), most_ * sizeof(Key));
  }

  /// Sorts the samples for the cut that this rank searches for, and narrows the cut's brackets.
  template <class Order>
  void narrow(Order const& order) {
    if (search_.undecided() == 0) return;
    auto const samples = search_.samples(most_);
    std::vector<std::byte> packed;
    for (std::size_t r = 0; r < ranks(); ++r) {
      std::byte const* const from = received_.data() + r * most_ * sizeof(Key);
      packed.insert(packed.end(), from, from + samples[r].count() * sizeof(Key));
    }
    copy_to_kernels(call_.context, packed, reinterpret_cast<std::byte*>(samples_));
    std::uint64_t const count = packed.size() / sizeof(Key);
    using Space = typename Exec::memory_space;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    riffle::argsort(call_.context, Kokkos::View<Key const*, Space, Unmanaged>(samples_, count),
                    Kokkos::View<std::uint32_t*, Space, Unmanaged>(indices_, count), order);
    is_order_ = search_.narrow(samples, to_host(call_.context, indices_, count));
  }

  void share_states() {
    std::vector<SearchState> own;
    for (auto const& bracket : search_.brackets()) {
      own.push_back({bracket, search_.undecided(), is_order_});
    }
    all_to_all(call_.comm, own.data(), states_.data(), sizeof(SearchState));
  }

  RankCall<Exec> const& call_;
  std::uint64_t most_;
  Key const* keys_;
  CutSearch search_;
  bool is_order_ = true;
  std::vector<SearchState> states_;  // one for each rank
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  Bracket* brackets_;
  Key* samples_;
  std::uint32_t* indices_;
};

// --- shares: what each rank sends of its sorted run, and receives from the others ---
//
// A run may be cut at any position, but on both sides transfers begin at multiples of a granule.
// Therefore a sender starts each part at the last multiple that is not after the part's first
// element. The additional elements before the part are its lead. They belong to other ranks, and
// the receiver leaves a gap for them:
//
//     sender's run    ...|x x a a a a a b b|...     |: multiples of the granule; x: lead of part a
//     receiver        [x x a a a a a . | ...]

struct SharesOfRun {
  Shares sent;
  Shares received;
  std::vector<sort::Run> runs;  // the received parts, without their leads
};

/// Returns the number of elements that rank rank_of_a owns in partition a and rank rank_of_b owns
/// in partition b.
inline std::uint64_t common(Partition const& a, int rank_of_a, Partition const& b, int rank_of_b) {
  std::uint64_t const first = std::max(a.first(rank_of_a), b.first(rank_of_b));
  std::uint64_t const end = std::min(a.end(rank_of_a), b.end(rank_of_b));
  return end > first ? end - first : 0;
}

/// Returns the shares if runs are not cut: each element keeps its global index.
inline SharesOfRun shares_without_cuts(int rank, Partition const& input, Partition const& output) {
  SharesOfRun shares{Shares(input.ranks()), Shares(input.ranks()), {}};
  for (int r = 0; r < input.ranks(); ++r) {
    shares.sent[r] = common(input, rank, output, r);
    shares.received[r] = common(input, r, output, rank);
  }
  auto bounds = shares.received.starts();
  bounds.push_back(shares.received.total());
  shares.runs = sort::runs_between(bounds);
  return shares;
}

/// A part of a sorted run as it is sent.
struct PartOfRun {
  std::uint64_t count;  // number of elements that are sent
  std::uint64_t lead;   // number of sent elements that precede the part
};

/// Returns the part [first, last), with its start moved back to a multiple of `granule`.
inline PartOfRun part_of_run(std::uint64_t first, std::uint64_t last, std::uint64_t granule) {
  if (first == last) return {0, 0};
  std::uint64_t const lead = first % granule;
  return {last - first + lead, lead};
}

/// Returns the shares that this rank sends, with their starts. `places` are the ascending positions
/// at which this rank's run is cut.
inline Shares shares_of_parts(std::vector<std::uint64_t> const& places,
                              std::vector<PartOfRun> const& parts) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> starts;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    counts.push_back(parts[r].count);
    starts.push_back(places[r] - parts[r].lead);
  }
  return {std::move(counts), std::move(starts)};
}

inline SharesOfRun shares_of_parts(std::vector<std::uint64_t> const& places,
                                   std::vector<PartOfRun> const& sent,
                                   std::vector<PartOfRun> const& received, std::uint64_t granule) {
  std::vector<std::uint64_t> counts;
  for (auto const& part : received) counts.push_back(part.count);
  SharesOfRun shares{shares_of_parts(places, sent), Shares(std::move(counts), granule), {}};
  auto const starts = shares.received.starts();
  for (std::size_t r = 0; r < received.size(); ++r) {
    shares.runs.push_back({starts[r] + received[r].lead, starts[r] + received[r].count});
  }
  return shares;
}

/// Returns the shares that the cuts define. places[r] is the position at which this rank's run is
/// cut at the start of rank r's part. Collective. If the comparison is not a strict weak ordering,
/// the positions on some rank may not be ascending. In this case all ranks use
/// shares_without_cuts().
inline SharesOfRun shares_between(riffle::mpi::Communicator const& comm,
                                  std::vector<std::uint64_t> places, Partition const& input,
                                  Partition const& output, std::uint64_t granule) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  places.push_back(input.count(comm.rank()));
  bool const is_order = std::is_sorted(places.begin(), places.end());
  std::vector<PartOfRun> sent;
  for (std::size_t r = 0; r + 1 < places.size(); ++r) {
    sent.push_back(is_order ? part_of_run(places[r], places[r + 1], granule) : PartOfRun{none, 0});
  }
  std::vector<PartOfRun> received(sent.size());
  all_to_all(comm, sent.data(), received.data(), sizeof(PartOfRun));
  // All ranks make the same decision, because each rank has received a part from each rank.
  bool const there_are_cuts = std::none_of(
      received.begin(), received.end(), [](PartOfRun const& part) { return part.count == none; });
  return there_are_cuts ? shares_of_parts(places, sent, received, granule)
                        : shares_without_cuts(comm.rank(), input, output);
}

/// Finds the cuts, and returns the shares that they define. Collective. Transfers begin at
/// multiples of `granule` elements (transfers.hpp).
template <class Exec, class Key, class Order>
SharesOfRun find_shares(riffle::mpi::Communicator const& comm, Cuts<Exec, Key>& cuts,
                        Partition const& input, Partition const& output, Order const& order,
                        std::uint64_t granule) {
  if (!cuts.find(order)) return shares_without_cuts(comm.rank(), input, output);
  return shares_between(comm, cuts.places(), input, output, granule);
}

}  // namespace riffle::detail::mpi
