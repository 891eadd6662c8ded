#pragma once

#include <Kokkos_Core.hpp>

#include <new>

#include <riffle/uniformity/detail/sample.hpp>

namespace riffle::detail::uniformity {

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
