#pragma once

// How long each way of moving an array along a stored permutation takes a CPU. Random accesses depend on which of its
// caches hold the array, and on who else uses them, so that they are measured, not predicted.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/permute/detail/check_permutation.hpp>
#include <riffle/permute/detail/schedule/cpu/move_by_schedule_cpu.hpp>
#include <riffle/permute/detail/schedule/elements.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/primitives/range.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::planning {

/// Seconds of a call.
struct MethodTimes {
  double scatter;
  double gather;
  double schedule;
};

/// Tests set what is taken for measured.
inline MethodTimes const* assumed_times = nullptr;

/// Moves the elements first, first + 1, ... as a gather or a scatter does.
template <class Word, class Indices, bool gathers>
struct MoveSome {
  Word const* in;
  Indices indices;
  Word* out;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const k = first + i;
    auto const image = static_cast<std::uint64_t>(indices(k));
    if constexpr (gathers) {
      out[k] = in[image];
    } else {
      out[image] = in[k];
    }
  }
};

template <class Word>
struct CopyWord {
  Word const* in;
  Word* out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out[i] = in[i]; }
};

/// Moves the tiles first, first + 1, ... of a pass.
template <class Move>
struct MoveSomeTiles {
  Move move;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const { move(first + tile); }
};

/// Measures with arrays of n words, which lie in the scope: short parts all over them, so that a thread which others
/// interrupt spoils only some. Fences.
template <class Exec, class Word>
class Stopwatch {
 public:
  Stopwatch(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n)
      : context_(context), n_(n), in_(filled_words(context, n, Word{}, scope)) {
    out_ = scope.template take<Word>(n);
    context_.for_each(n_, CopyWord<Word>{in_, out_});
  }

  /// A copy from one array to the other, of which the caches hold as much as they can.
  double copy() const {
    return seconds(std::uint64_t{1} << 15, n_, [&](std::uint64_t first, std::uint64_t count) {
      context_.for_each(count, CopyWord<Word>{in_ + first, out_ + first});
    });
  }

  template <bool gathers, class Indices>
  double by_indices(Indices const& indices) const {
    return seconds(std::uint64_t{1} << 15, n_, [&](std::uint64_t first, std::uint64_t count) {
      context_.for_each(count, MoveSome<Word, Indices, gathers>{in_, indices, out_, first});
    });
  }

  template <class Memory>
  double by_schedule(schedule::Plan<Memory> const& plan) const {
    using View = Kokkos::View<Word*, Memory, Kokkos::MemoryUnmanaged>;
    using Elements = schedule::ElementsOf<View>;
    using Move = schedule::MoveTileByThread<Elements, Elements, Memory>;
    double sum = 0;
    for (auto const& pass : plan.passes) {
      Move const move(pass, Elements(View(in_, n_)), Elements(View(out_, n_)), true);
      auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
      sum += seconds(threads, pass.tiles.count(), [&](std::uint64_t first, std::uint64_t count) {
        for_each_dynamic(context_, count, MoveSomeTiles<Move>{move, first});
      });
    }
    return sum;
  }

 private:
  /// The seconds of run(0, all), by the first quartile of parts of `part` items or fewer.
  template <class Run>
  double seconds(std::uint64_t part, std::uint64_t all, Run const& run) const {
    constexpr std::uint64_t runs = 16;
    part = std::min(part, all);
    std::array<double, runs> times;
    for (std::uint64_t k = 0; k < runs; ++k) {
      context_.exec().fence(context_.label());
      Kokkos::Timer const timer;
      run((all - part) * k / (runs - 1), part);
      context_.exec().fence(context_.label());
      times[k] = timer.seconds();
    }
    auto const quarter = times.begin() + runs / 4;
    std::nth_element(times.begin(), quarter, times.end());
    return *quarter * static_cast<double>(all) / static_cast<double>(part);
  }

  Context<Exec> context_;
  std::uint64_t n_;
  Word* in_;
  Word* out_;
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
