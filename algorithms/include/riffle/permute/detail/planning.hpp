#pragma once

// The cost of a scatter along a stored permutation, and of a schedule for it, from n and D_w(P): the paper's D_w(P) + 2 n/w + 3
// L - 3 (sec. 4), in nanoseconds and for memory with a cache.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::planning {

/// The rates of several cores. Each core meets the whole array out of order, so that only its own cache helps it.
constexpr Rates of_cores(Rates rates, int cores) {
  auto const share = 1.0 / cores;
  for (double* const rate :
       {&rates.byte, &rates.cached_write, &rates.write, &rates.pass_byte, &rates.plan_element}) {
    *rate *= share;
  }
  return rates;
}

template <class Exec>
Rates rates_of(Exec const& exec) {
  if constexpr (backend::is_cpu<Exec>) {
    return of_cores(cpu_core_rates, std::max(1, static_cast<int>(exec.concurrency())));
  } else {
    return gpu_rates;
  }
}

/// The width w at which D_w(P) is computed: that of a group of 4-byte words.
inline std::uint64_t width(Rates const& rates) {
  return static_cast<std::uint64_t>(rates.group_bytes) / 4;
}

/// D_w(P) on the scale of its bounds: 0 where it is n/w, as for the identity, and 1 where it is n.
inline double spread(std::uint64_t distribution, std::uint64_t n, std::uint64_t w) {
  std::uint64_t const least = n / w + (n % w != 0);
  if (n == least) return 0;
  return static_cast<double>(distribution - std::min(distribution, least)) /
         static_cast<double>(n - least);
}

/// The known facts of a task: n elements of `bytes` bytes each, and the spread of their places.
struct Task {
  std::uint64_t n;
  double spread;
  std::size_t bytes;
};

/// The time to read and write in order: for each element an index, and the element from one array and to the other.
inline double in_order(Rates const& rates, Task const& task) {
  double const index = task.n <= std::uint64_t{1} << 32 ? 4 : 8;
  return rates.kernel +
         static_cast<double>(task.n) * (index + 2 * static_cast<double>(task.bytes)) * rates.byte;
}

/// The time for the groups that are moved beyond those of an array in order: D_w(P) - n/w, with the w of these
/// elements.
inline double out_of_order(Rates const& rates, Task const& task) {
  auto const n = static_cast<double>(task.n);
  auto const bytes = static_cast<double>(task.bytes);
  double const groups = task.spread * n * (1 - std::min(1.0, bytes / rates.group_bytes));
  double const hits = n == 0 ? 1 : std::min(1.0, rates.cache_bytes / (n * bytes));
  return groups * (hits * rates.cached_write + (1 - hits) * rates.write);
}

inline double scatter_time(Rates const& rates, Task const& task) {
  return in_order(rates, task) + out_of_order(rates, task);
}

/// The time of a plan, whatever the spread: each pass reads and writes the elements and reads 2 bytes of the plan.
inline double schedule_time(Rates const& rates, Task const& task) {
  schedule::Tiles const tiles{task.n, rates.shape.tile_bits};
  auto const levels = schedule::levels_of(tiles.count(), rates.shape.max_bucket_bits).size();
  auto const passes = static_cast<double>(levels + 1);
  return passes * (rates.pass + static_cast<double>(task.n) *
                                    (2 + 2 * static_cast<double>(task.bytes)) * rates.pass_byte);
}

inline double plan_time(Rates const& rates, std::uint64_t n) {
  return rates.plan + static_cast<double>(n) * rates.plan_element;
}

// --- times ---
//
// How long each way of moving an array along a stored permutation takes. Random accesses depend on which caches hold the
// array, on how the permutation uses their lines again, and on who else uses them, so that calls are measured, not
// predicted.

/// Seconds of a call.
struct MethodTimes {
  double scatter = std::numeric_limits<double>::infinity();
  double gather = std::numeric_limits<double>::infinity();
  double schedule = std::numeric_limits<double>::infinity();
};

/// Tests set what is taken for measured.
inline MethodTimes const* assumed_times = nullptr;

/// Times calls that move n words from one array to the other, which lie in the scope. Fences.
template <class Exec, class Word>
class Stopwatch {
 public:
  using Words =
      Kokkos::View<Word*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Stopwatch(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n)
      : context_(context),
        in_(filled_words(context, n, Word{}, scope), n),
        out_(scope.template take<Word>(n), n) {
    Kokkos::deep_copy(context_.exec(), out_, in_);
  }

  /// Lowers `seconds` to the least time of three calls of move(in, out). Arrays that no cache is expected to hold are
  /// moved once.
  template <class Move>
  void measure(Move const& move, double& seconds) const {
    auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
    std::uint64_t const most_cached =
        backend::is_cpu<Exec> ? threads * cached_elements_of_thread : cached_elements_of_gpu;
    int const calls = in_.extent(0) < most_cached ? 3 : 1;
    for (int k = 0; k < calls; ++k) {
      context_.exec().fence(context_.label());
      Kokkos::Timer const timer;
      move(in_, out_);
      context_.exec().fence(context_.label());
      seconds = std::min(seconds, timer.seconds());
    }
  }

 private:
  Context<Exec> context_;
  Words in_;
  Words out_;
};

struct WideWord {
  std::uint64_t halves[2];
};

/// Calls use(word), with a word of as many bytes as elements have, or of the next number that there is.
template <class Use>
void with_word_of(std::size_t bytes, Use const& use) {
  if (bytes <= 4) return use(std::uint32_t{});
  if (bytes <= 8) return use(std::uint64_t{});
  use(WideWord{});
}

}  // namespace riffle::detail::planning
