#pragma once

// Draws samples on a device and passes them to observers there. Each worker stores at most one pair
// of samples.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/uniformity/detail/facts.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/worker.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// Describes the replicates first, ..., first + samples - 1. They are observed individually and in
/// consecutive pairs.
struct Draws {
  std::uint64_t n;
  std::uint64_t samples;
  std::uint64_t first = 0;

  KOKKOS_FUNCTION std::uint64_t pairs() const { return (samples + 1) / 2; }
};

/// Throws if the caller's number of samples was negative before it was converted to std::uint64_t.
inline void check_samples(char const* function, std::uint64_t samples) {
  check(samples < std::uint64_t{1} << 63, function,
        "samples = ", static_cast<std::int64_t>(samples), ": must be less than 2^63");
}

/// The memory of all workers, which consists of rows of n words. If workers are teams or CPU
/// threads, each row is contiguous. If workers are single GPU threads, the rows of all workers are
/// interleaved, so that neighbouring lanes read neighbouring words.
template <class Exec>
class WorkersMemory {
 public:
  static constexpr int samples_of_worker = 2;

  WorkersMemory(Exec const& exec, std::uint64_t n, std::uint64_t workers, bool side_by_side)
      : words_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "riffle::uniformity::rows"),
               workers * words_of_worker(n)),
        n_(n),
        stride_(side_by_side ? workers : 1),
        pitch_(side_by_side ? 1 : words_of_worker(n)) {}

  static std::uint64_t words_of_worker(std::uint64_t n) {
    return n * Sample::rows * samples_of_worker;
  }

  KOKKOS_FUNCTION Sample sample(std::uint64_t worker, int number) const {
    int const row = number * Sample::rows;
    return {n_, at(worker, row), at(worker, row + 1), {at(worker, row + 2), at(worker, row + 3)}};
  }

 private:
  KOKKOS_FUNCTION Row at(std::uint64_t worker, int row) const {
    std::uint64_t const first = static_cast<std::uint64_t>(row) * n_ * stride_;
    return {words_.data() + worker * pitch_ + first, stride_};
  }

  Kokkos::View<std::uint32_t*, typename Exec::memory_space> words_;
  std::uint64_t n_;
  std::uint64_t stride_;
  std::uint64_t pitch_;
};

inline constexpr std::uint64_t no_fault = std::numeric_limits<std::uint64_t>::max();

template <class Exec, class Sampler, class Observers>
struct ObserveDraws {
  Draws draws;
  Sampler sampler;
  Observers observers;
  WorkersMemory<Exec> memory;
  std::uint64_t workers;
  Kokkos::View<std::uint64_t, typename Exec::memory_space> fault;  // the first wrong replicate

  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const { work(Alone{}, worker); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    work(Together<Member>(member), static_cast<std::uint64_t>(member.league_rank()));
  }

 private:
  template <class Worker>
  KOKKOS_FUNCTION void work(Worker const& worker, std::uint64_t number) const {
    Sample a = memory.sample(number, 0);
    Sample b = memory.sample(number, 1);
    for (std::uint64_t pair = number; pair < draws.pairs(); pair += workers) {
      std::uint64_t const replicate = draws.first + 2 * pair;
      bool const has_a = observe(worker, replicate, a);
      bool const has_b = 2 * pair + 1 < draws.samples && observe(worker, replicate + 1, b);
      if constexpr (Observers::any_is_paired) {
        if (has_a && has_b) observers.observe_pair(worker, a, b);
      }
    }
  }

  template <class Worker>
  KOKKOS_FUNCTION bool observe(Worker const& worker, std::uint64_t replicate,
                               Sample& sample) const {
    if (!draw(worker, sampler, replicate, sample)) {
      if (worker.rank() == 0) Kokkos::atomic_min(fault.data(), replicate);
      return false;
    }
    if constexpr (Observers::needs_inversions) {
      sample.inversions = count_inversions(worker, sample.n, sample.sigma, sample.work);
    }
    if constexpr (Observers::needs_cycles) sample.cycles = count_cycles(worker, sample);
    observers.observe(worker, sample);
    return true;
  }
};

/// Finds the first position of a replicate at which the value is out of range or repeats an earlier
/// value, and that value.
template <class Exec, class Sampler>
struct FindFault {
  std::uint64_t replicate;
  Sampler sampler;
  WorkersMemory<Exec> memory;
  Kokkos::View<std::uint64_t[2], typename Exec::memory_space> found;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    Sample sample = memory.sample(0, 0);
    draw(Alone{}, sampler, replicate, sample);
    for (std::uint64_t i = 0; i < sample.n; ++i) sample.inverse[i] = no_image;
    for (std::uint64_t i = 0; i < sample.n; ++i) {
      std::uint32_t const image = sample.sigma[i];
      if (image >= sample.n || sample.inverse[image] != no_image) {
        found(0) = i;
        found(1) = image;
        return;
      }
      sample.inverse[image] = static_cast<std::uint32_t>(i);
    }
  }
};

template <class Exec, class Sampler>
[[noreturn]] void report_fault(Exec const& exec, char const* function, std::uint64_t n,
                               Sampler const& sampler, std::uint64_t replicate) {
  WorkersMemory<Exec> const memory(exec, n, 1, false);
  FindFault<Exec, Sampler> const find{replicate, sampler, memory,
                                      Kokkos::View<std::uint64_t[2], typename Exec::memory_space>(
                                          Kokkos::view_alloc(exec, "riffle::uniformity::fault"))};
  Kokkos::parallel_for("riffle::uniformity::find_fault", range(exec, 0, 1), find);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), find.found);
  auto const what = found(1) < n ? concatenate(" repeats the value ", found(1))
                                 : std::string(" has a value out of range");
  throw std::invalid_argument(concatenate("riffle::", function, ": sampler: replicate ", replicate,
                                          " is no permutation of n = ", n, " points: index ",
                                          found(0), what));
}

template <class Exec>
std::uint64_t worker_count(Exec const& exec, Draws const& draws) {
  std::uint64_t workers = 0;
  if constexpr (backend::is_cpu<Exec>) {
    workers = static_cast<std::uint64_t>(exec.concurrency());
  } else {
    workers = backend::processors(exec) *
              (draws.n <= max_points_alone ? lone_threads_per_processor : teams_per_processor);
  }
  std::uint64_t const fitting = max_words / WorkersMemory<Exec>::words_of_worker(draws.n);
  return std::max<std::uint64_t>(1, std::min({workers, draws.pairs(), fitting}));
}

/// Passes all samples to the observers. Fences. Throws std::invalid_argument if a sample is not a
/// permutation; the message names `function`.
template <class Exec, class Sampler, class Observers>
void observe_draws(Context<Exec> const& context, char const* function, Draws const& draws,
                   Sampler const& sampler, Observers const& observers) {
  bool const alone = backend::is_cpu<Exec> || draws.n <= max_points_alone;
  std::uint64_t const workers = worker_count(context.exec(), draws);
  Kokkos::View<std::uint64_t, typename Exec::memory_space> const fault(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, "riffle::uniformity::fault"));
  Kokkos::deep_copy(context.exec(), fault, no_fault);
  ObserveDraws<Exec, Sampler, Observers> const kernel{
      draws,
      sampler,
      observers,
      WorkersMemory<Exec>(context.exec(), draws.n, workers, alone && !backend::is_cpu<Exec>),
      workers,
      fault};
  if (alone) {
    context.for_each(workers, kernel);
  } else {
    launch_league(context, {workers, threads_of_team}, kernel);
  }
  std::uint64_t first_wrong = no_fault;
  Kokkos::deep_copy(context.exec(), first_wrong, fault);
  context.exec().fence("riffle::uniformity: samples observed");
  if (first_wrong != no_fault)
    report_fault(context.exec(), function, draws.n, sampler, first_wrong);
}

}  // namespace riffle::detail::uniformity
