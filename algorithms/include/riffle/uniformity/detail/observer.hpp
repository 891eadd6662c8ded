#pragma once

// A test has two parts. The first part runs on the host: test.plan(n, samples) returns a plan for n
// and the number of samples. Members of a plan:
//   refusal          why the test cannot be made for these numbers; empty if it can be made
//   observer(exec)   the observer for the device
//   evaluate(counts) the TestResult, computed from the observer's counts
// The second part, the observer, runs on the device. It receives the samples, or pairs of samples,
// one after the other, and adds to 64-bit counters. Sums of integers do not depend on the order of
// additions.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <riffle/uniformity/detail/sample.hpp>

namespace riffle::detail::uniformity {

/// A test without parameters.
template <class Plan>
struct TestOf {
  static constexpr char const* name = Plan::name;

  Plan plan(std::uint64_t n, std::uint64_t samples) const { return {n, samples}; }
};

template <class Exec>
using Counters = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

/// The base of observers that consist of a View of counters and some numbers.
template <class Exec>
struct ObserverBase {
  static constexpr bool is_paired = false;
  static constexpr bool needs_inversions = false;
  static constexpr bool needs_cycles = false;

  Counters<Exec> counters;

  ObserverBase(Exec const& exec, std::size_t count)
      : counters(Kokkos::view_alloc(exec, "riffle::uniformity::counters"), count) {}

  KOKKOS_FUNCTION void add(std::uint64_t counter, std::uint64_t value) const {
    Kokkos::atomic_add(&counters(counter), value);
  }
};

/// Copies the counts of an observer to the host. Fences.
template <class Exec>
std::vector<std::uint64_t> counts_of(Exec const& exec, Counters<Exec> const& counters) {
  std::vector<std::uint64_t> counts(counters.extent(0));
  Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      copy(counts.data(), counts.size());
  Kokkos::deep_copy(exec, copy, counters);
  exec.fence("riffle::uniformity: counters");
  return counts;
}

/// Several observers combined in one.
template <class... Observers>
struct ObserverList;

template <>
struct ObserverList<> {
  static constexpr bool any_is_paired = false;
  static constexpr bool needs_inversions = false;
  static constexpr bool needs_cycles = false;

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const&, Sample const&) const {}
  template <class Worker>
  KOKKOS_FUNCTION void observe_pair(Worker const&, Sample const&, Sample const&) const {}
};

template <class First, class... Rest>
struct ObserverList<First, Rest...> {
  using Others = ObserverList<Rest...>;

  static constexpr bool any_is_paired = First::is_paired || Others::any_is_paired;
  static constexpr bool needs_inversions = First::needs_inversions || Others::needs_inversions;
  static constexpr bool needs_cycles = First::needs_cycles || Others::needs_cycles;

  First first;
  Others others;

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    if constexpr (!First::is_paired) first.observe(worker, sample);
    others.observe(worker, sample);
  }

  template <class Worker>
  KOKKOS_FUNCTION void observe_pair(Worker const& worker, Sample const& a, Sample const& b) const {
    if constexpr (First::is_paired) first.observe_pair(worker, a, b);
    others.observe_pair(worker, a, b);
  }
};

inline ObserverList<> observer_list() { return {}; }

template <class First, class... Rest>
ObserverList<First, Rest...> observer_list(First const& first, Rest const&... rest) {
  return {first, observer_list(rest...)};
}

/// An observer, or nothing if its test cannot be made. So one kernel serves any selection of tests.
/// (std::optional cannot be used on devices.)
template <class Observer>
class OptionalObserver {
 public:
  static constexpr bool is_paired = Observer::is_paired;
  static constexpr bool needs_inversions = Observer::needs_inversions;
  static constexpr bool needs_cycles = Observer::needs_cycles;

  OptionalObserver() {}
  explicit OptionalObserver(Observer const& observer) : is_there_(true) {
    new (&observer_) Observer(observer);
  }
  KOKKOS_FUNCTION OptionalObserver(OptionalObserver const& other) : is_there_(other.is_there_) {
    if (is_there_) new (&observer_) Observer(other.observer_);
  }
  OptionalObserver& operator=(OptionalObserver const&) = delete;
  KOKKOS_FUNCTION ~OptionalObserver() {
    if (is_there_) observer_.~Observer();
  }

  KOKKOS_FUNCTION bool is_there() const { return is_there_; }

  /// Returns the observer. Requires that there is one.
  Observer const& get() const { return observer_; }

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    if (is_there_) observer_.observe(worker, sample);
  }

  template <class Worker>
  KOKKOS_FUNCTION void observe_pair(Worker const& worker, Sample const& a, Sample const& b) const {
    if (is_there_) observer_.observe_pair(worker, a, b);
  }

 private:
  bool is_there_ = false;
  union {
    Observer observer_;
  };
};

}  // namespace riffle::detail::uniformity
