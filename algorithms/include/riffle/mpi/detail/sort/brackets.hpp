#pragma once

// Where a cut divides sorted runs, found by ever closer samples.
//
// A cut has a given number of elements before it, of all runs together. Of each run a bracket is known: elements before
// it are before the cut, those behind it are behind. Regular samples of the brackets, sorted together, make brackets
// that are smaller by almost a quarter of the samples' number, whatever the elements are: of a sample it is known how
// many elements at least, and at most, are not behind it. Brackets no longer than the samples' number are known whole.
// The idea of samples that get closer is of
//   P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on hierarchical-memory
//   multiprocessors", J. Parallel Distrib. Comput. 12 (1991).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle::detail::mpi {

/// Elements low, ..., high - 1 of a run, of which it is not known on which side of the cut they are.
struct Bracket {
  std::uint64_t low;
  std::uint64_t high;

  KOKKOS_FUNCTION std::uint64_t size() const { return high - low; }
};

/// At most so many elements of a bracket: the last of each `step`.
class BracketSamples {
 public:
  KOKKOS_FUNCTION BracketSamples(Bracket const& bracket, std::uint64_t most)
      : bracket_(bracket),
        step_(Kokkos::max(std::uint64_t{1}, (bracket.size() + most - 1) / most)) {}

  KOKKOS_FUNCTION std::uint64_t count() const { return bracket_.size() / step_; }
  KOKKOS_FUNCTION std::uint64_t place(std::uint64_t k) const {
    return bracket_.low + (k + 1) * step_ - 1;
  }

  /// Of the bracket's elements, where k of its samples were passed: how many are those samples or before them, and how
  /// many may be before what was passed of other runs, since the next sample is not.
  std::uint64_t known(std::uint64_t k) const { return k * step_; }
  std::uint64_t possible(std::uint64_t k) const {
    return k < count() ? (k + 1) * step_ - 1 : bracket_.size();
  }

 private:
  Bracket bracket_;
  std::uint64_t step_;
};

/// Walks the samples of all runs in their order.
class SampleWalk {
 public:
  SampleWalk(std::vector<BracketSamples> const& samples, std::vector<int> const& runs)
      : samples_(samples), runs_(runs), passed_(samples.size(), 0) {
    for (auto const& of_run : samples) possible_ += of_run.possible(0);
  }

  bool is_at_end() const { return at_ == runs_.size(); }

  /// How many elements are surely not behind the samples that were passed, and how many may be before the next one.
  std::uint64_t known() const { return known_; }
  std::uint64_t possible() const { return possible_; }
  std::uint64_t possible_after_step() const { return possible_ + gain(&BracketSamples::possible); }

  void step() {
    possible_ += gain(&BracketSamples::possible);
    known_ += gain(&BracketSamples::known);
    ++passed_[next_run()];
    ++at_;
  }

  /// The same of one run.
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

/// A cut with `target` elements before it.
class CutSearch {
 public:
  CutSearch(std::uint64_t target, std::vector<Bracket> brackets)
      : target_(target), brackets_(std::move(brackets)) {
    settle();
  }

  std::vector<Bracket> const& brackets() const { return brackets_; }

  /// How many elements may be on either side.
  std::uint64_t doubtful() const { return sum(&Bracket::high) - sum(&Bracket::low); }

  /// The samples of all brackets, run by run.
  std::vector<BracketSamples> samples(std::uint64_t most) const {
    std::vector<BracketSamples> result;
    for (auto const& bracket : brackets_) result.emplace_back(bracket, most);
    return result;
  }

  /// Narrows the brackets by the order of these samples: order[k] is the number of the k-th. Returns whether samples of
  /// one run are in their order there; else nothing is narrowed, as the comparison is no order.
  template <class Index>
  bool narrow(std::vector<BracketSamples> const& samples, std::vector<Index> const& order) {
    std::vector<int> runs;
    if (!find_runs(samples, order, runs)) return false;
    std::uint64_t const wanted = target_ - sum(&Bracket::low);
    // The last sample that is before the cut, even if all are before it that may be.
    SampleWalk before(samples, runs);
    while (!before.is_at_end() && before.possible_after_step() <= wanted) before.step();
    // The first that is behind it, even if only those are before it that must be.
    SampleWalk behind(samples, runs);
    while (!behind.is_at_end() && behind.known() < wanted) behind.step();
    for (std::size_t r = 0; r < brackets_.size(); ++r) {
      std::uint64_t const low = brackets_[r].low;
      brackets_[r] = {low + before.known(r), low + behind.possible(r)};
    }
    settle();
    return true;
  }

 private:
  /// Whose the samples are, in their order.
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

  /// Where all that may be before the cut is needed before it, or nothing of it, nothing is doubtful.
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

}  // namespace riffle::detail::mpi
