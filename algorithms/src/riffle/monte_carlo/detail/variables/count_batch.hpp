#pragma once

// Counts, for every variable, the replicates of a batch that are at least as extreme as the data, in one pass over the
// variables. These kernels count any model. The models that FastCounter::can_count() accepts (replicate_counter.hpp),
// such as two samples, are counted by the faster kernels in gpu/ and cpu/.
//
// Variables are processed in ascending order of their observed test statistics, that is, the least extreme variable
// first. The step-down method compares each variable with the maximum of a replicate over this variable and all less
// extreme variables. In this order the maximum is a running maximum, and its value after the last variable is the
// maximum over all variables (P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1; Y.
// Ge, S. Dudoit, T. P. Speed, Test 12, 2003, box 2).
//
// A thread multiplies V variables by R replicates at a time, and keeps the V x R sums in registers. The whole matrix of
// sums is never stored.
//
//                 replicates of the thread
//   block of V    [ s s s s ]   test statistics >= threshold               -> raw counts
//   variables     [ s s s s ]   running maximum  >= step_down_threshold    -> step-down counts
//   next block    ...           (with the same running maxima)

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/draw_columns.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail::variables {

// --- blocks of variables ---
//
// The layout of the values. Variables are sorted in ascending order of their observed test statistics, and divided into
// blocks of V variables. In a block, the V values of an observation are adjacent.

/// values((b n + i) V + v) is the value of observation i of the variable at position b V + v in this order.
template <class Memory, int V>
struct Blocks {
  Array<Memory> values;
  Kokkos::View<VariableTerms*, Memory> terms;
  std::uint64_t n = 0;
  /// The masks of per_variable_n.hpp, in the same layout as `values`. Empty unless sample sizes differ between
  /// variables.
  Array<Memory> masks = {};

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / V; }
  KOKKOS_FUNCTION double const* of_block(std::uint64_t block) const {
    return values.data() + block * n * V;
  }
  KOKKOS_FUNCTION double const* masks_of_block(std::uint64_t block) const {
    return masks.data() + block * n * V;
  }
};

/// Fills the blocks. The last block is padded with values 0, which are never tested.
template <class Memory, class Order, int V>
struct FillBlocks {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  Order order;
  Blocks<Memory, V> blocks;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = blocks.n;
    std::uint64_t const place = at / (n * V) * V + at % V;
    std::uint64_t const i = at / V % n;
    bool const is_variable = place < order.extent(0);
    auto const g = is_variable ? static_cast<std::uint64_t>(order(place)) : 0;
    blocks.values(at) = is_variable ? whole.values(g, i) : 0;
    if (blocks.masks.size() > 0) blocks.masks(at) = is_variable ? whole.masks(g, i) : 0;
    if (i == 0) blocks.terms(place) = is_variable ? terms(g) : VariableTerms{};
  }
};

template <int V, class Exec, class Order>
auto fill_blocks(Context<Exec> const& context, WholeData<typename Exec::memory_space> const& whole,
                 Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                 Order const& order) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const n = whole.values.extent(1);
  std::uint64_t const padded = (order.extent(0) + V - 1) / V * V;
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  Blocks<Memory, V> const blocks{
      Array<Memory>(named("::blocks"), padded * n),
      Kokkos::View<VariableTerms*, Memory>(named("::terms"), padded), n,
      Array<Memory>(named("::masks"), whole.masks.size() > 0 ? padded * n : 0)};
  context.named("blocks").for_each(padded * n,
                                   FillBlocks<Memory, Order, V>{whole, terms, order, blocks});
  return blocks;
}

// --- batches ---

template <class Memory>
using Counts = Kokkos::View<std::uint64_t*, Memory>;

/// The data of a batch for the counting kernels.
template <class Memory, int V, int Width>
struct CountedBatch {
  Blocks<Memory, V> blocks;
  ReplicateColumns<Memory, Width> columns;
  Comparison comparison;
  Counts<Memory> raw;        // raw(p): for the variable at position p in the order
  Counts<Memory> step_down;  // likewise
  Array<Memory> maxima;      // maxima(r): for replicate r of all batches
  std::uint64_t first;       // the index of the batch's first replicate
  std::uint64_t count;       // the number of replicates in the batch
};

/// The sums of products of V variables and R replicates, in the registers of a thread.
template <int V, int R>
struct Tile {
  double sums[V][R];

  KOKKOS_FUNCTION void clear() {
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) sums[v][r] = 0;
    }
  }

  /// sums[v][r] becomes the sum of y[i V + v] x[i Stride + r Step] over the observations i.
  template <int Stride, int Step>
  KOKKOS_FUNCTION void multiply(double const* y, double const* x, std::uint64_t n) {
    clear();
    for (std::uint64_t i = 0; i < n; ++i, y += V, x += Stride) {
      double own[R];
      for (int r = 0; r < R; ++r) own[r] = x[r * Step];
      for (int v = 0; v < V; ++v) {
        for (int r = 0; r < R; ++r) sums[v][r] += y[v] * own[r];
      }
    }
  }

  /// sums[v][r] becomes the sum of y[i V + v]^2 x[i Stride + r Step]. The sums are exact if the length of y is at most 2^26.
  template <int Stride, int Step>
  KOKKOS_FUNCTION void multiply_squares(double const* y, double const* x, std::uint64_t n) {
    clear();
    for (std::uint64_t i = 0; i < n; ++i, y += V, x += Stride) {
      for (int v = 0; v < V; ++v) {
        for (int r = 0; r < R; ++r) {
          sums[v][r] += y[v] * y[v] * x[r * Step];
        }
      }
    }
  }
};

/// Writes the test statistics of a tile to tile.sums.
template <class Batch, int V, int R, int Stride, int Step>
KOKKOS_INLINE_FUNCTION void find_test_statistics(Batch const& batch, std::uint64_t block,
                                                 std::uint64_t chunk, int lane, Tile<V, R>& tile) {
  auto const& comparison = batch.comparison;
  std::uint64_t const n = batch.blocks.n;
  double const* const y = batch.blocks.of_block(block);
  VariableTerms const* const terms = &batch.blocks.terms(block * V);
  tile.template multiply<Stride, Step>(y, batch.columns.chunk(chunk, 0) + lane, n);
  if (comparison.is_simple()) {
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) {
        tile.sums[v][r] = comparison.simple(tile.sums[v][r], terms[v]);
      }
    }
    return;
  }
  if (comparison.form == Form::welch) {
    Tile<V, R> squares;
    squares.template multiply_squares<Stride, Step>(y, batch.columns.chunk(chunk, 0) + lane, n);
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) {
        tile.sums[v][r] = comparison.welch(tile.sums[v][r], squares.sums[v][r], terms[v].base,
                                           terms[v].squares, terms[v]);
      }
    }
    return;
  }
  Explained found[V][R];
  for (int k = 0;;) {
    for (int v = 0; v < V; ++v) {
      for (int r = 0; r < R; ++r) comparison.add(k, tile.sums[v][r], found[v][r]);
    }
    if (++k == comparison.effects + comparison.adjustments) break;
    tile.template multiply<Stride, Step>(y, batch.columns.chunk(chunk, k) + lane, n);
  }
  for (int v = 0; v < V; ++v) {
    for (int r = 0; r < R; ++r) tile.sums[v][r] = comparison(found[v][r], terms[v]);
  }
}

/// Counting functor for CPUs. A thread processes several chunks of Width replicates in one pass over all variables, and
/// adds to the counts in memory once per variable and pass instead of once per variable and chunk.
template <class Memory, int V, int Width, class Batch = CountedBatch<Memory, V, Width>>
struct CountOnCpu {
  static constexpr int chunks_at_once = chunks_of_cpu_thread;
  Batch batch;

  void operator()(std::uint64_t unit) const {
    std::uint64_t const begin = unit * chunks_at_once;
    std::uint64_t const chunks = (batch.count + Width - 1) / Width;
    auto const own = static_cast<int>(Kokkos::min<std::uint64_t>(chunks_at_once, chunks - begin));
    double running[chunks_at_once][Width];
    for (auto& chunk : running) {
      for (double& maximum : chunk) maximum = -HUGE_VAL;
    }
    for (std::uint64_t block = 0; block < batch.blocks.count(); ++block) {
      std::uint64_t raw[V] = {};
      std::uint64_t step_down[V] = {};
      for (int c = 0; c < own; ++c) {
        std::uint64_t const chunk = begin + static_cast<std::uint64_t>(c);
        Tile<V, Width> tile;
        find_test_statistics<Batch, V, Width, Width, 1>(batch, block, chunk, 0, tile);
        std::uint64_t const left = batch.count - chunk * Width;
        if (left >= Width) {
          count(tile, block, Width, running[c], raw, step_down);
        } else {
          count(tile, block, static_cast<int>(left), running[c], raw, step_down);
        }
      }
      for (int v = 0; v < V; ++v) {
        std::uint64_t const place = block * V + static_cast<std::uint64_t>(v);
        Kokkos::atomic_add(&batch.raw(place), raw[v]);
        Kokkos::atomic_add(&batch.step_down(place), step_down[v]);
      }
    }
    for (int c = 0; c < own; ++c) {
      for (int r = 0; r < Width; ++r) {
        std::uint64_t const number =
            (begin + static_cast<std::uint64_t>(c)) * Width + static_cast<std::uint64_t>(r);
        if (number < batch.count) batch.maxima(batch.first + number) = running[c][r];
      }
    }
  }

 private:
  void count(Tile<V, Width> const& tile, std::uint64_t block, int width, double* running,
             std::uint64_t* raw, std::uint64_t* step_down) const {
    for (int v = 0; v < V; ++v) {
      VariableTerms const& terms = batch.blocks.terms(block * V + static_cast<std::uint64_t>(v));
      std::uint64_t as_extreme = 0;
      std::uint64_t with_less_extreme = 0;
      for (int r = 0; r < width; ++r) {
        double const c = tile.sums[v][r];
        running[r] = running[r] < c ? c : running[r];
        as_extreme += c >= terms.threshold;
        with_less_extreme += running[r] >= terms.step_down_threshold;
      }
      raw[v] += as_extreme;
      step_down[v] += with_less_extreme;
    }
  }
};

/// Counting kernel for GPUs. A warp processes a chunk of Width replicates in one pass over all variables. Each lane
/// processes Width / 32 of the replicates.
template <class Memory, int V, int Width, class Batch = CountedBatch<Memory, V, Width>>
struct CountOnGpu {
  static constexpr int threads = counting_threads;
  static constexpr int per_lane = Width / backend::width;
  static constexpr int teams_per_processor = counting_teams_per_processor;
  static constexpr std::size_t scratch_bytes = 0;
  Batch batch;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank() % backend::width;
    constexpr std::uint64_t warps = threads / backend::width;
    std::uint64_t const chunk = static_cast<std::uint64_t>(team.league_rank()) * warps +
                                static_cast<std::uint64_t>(team.team_rank() / backend::width);
    if (chunk * Width >= batch.count) return;
    double running[per_lane];
    bool is_replicate[per_lane];
    for (int r = 0; r < per_lane; ++r) {
      running[r] = -HUGE_VAL;
      is_replicate[r] = number(chunk, lane, r) < batch.count;
    }
    for (std::uint64_t block = 0; block < batch.blocks.count(); ++block) {
      Tile<V, per_lane> tile;
      find_test_statistics<Batch, V, per_lane, Width, backend::width>(batch, block, chunk, lane,
                                                                      tile);
      count(tile, block, lane, running, is_replicate);
    }
    for (int r = 0; r < per_lane; ++r) {
      if (is_replicate[r]) batch.maxima(batch.first + number(chunk, lane, r)) = running[r];
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t number(std::uint64_t chunk, int lane, int r) {
    return chunk * Width + static_cast<std::uint64_t>(r * backend::width + lane);
  }

  /// Lane v adds the counts of variable v of the block to the counts in memory.
  KOKKOS_FUNCTION void count(Tile<V, per_lane> const& tile, std::uint64_t block, int lane,
                             double (&running)[per_lane],
                             bool const (&is_replicate)[per_lane]) const {
    int own_raw = 0;
    int own_step_down = 0;
    for (int v = 0; v < V; ++v) {
      VariableTerms const& terms = batch.blocks.terms(block * V + static_cast<std::uint64_t>(v));
      int raw = 0;
      int step_down = 0;
      for (int r = 0; r < per_lane; ++r) {
        double const c = tile.sums[v][r];
        running[r] = running[r] < c ? c : running[r];
        raw += backend::count_ones(backend::ballot(is_replicate[r] && c >= terms.threshold));
        step_down += backend::count_ones(
            backend::ballot(is_replicate[r] && running[r] >= terms.step_down_threshold));
      }
      if (lane == v) own_raw = raw;
      if (lane == v) own_step_down = step_down;
    }
    if (lane >= V) return;
    std::uint64_t const place = block * V + static_cast<std::uint64_t>(lane);
    if (own_raw > 0) Kokkos::atomic_add(&batch.raw(place), static_cast<std::uint64_t>(own_raw));
    if (own_step_down > 0) {
      Kokkos::atomic_add(&batch.step_down(place), static_cast<std::uint64_t>(own_step_down));
    }
  }
};

}  // namespace riffle::detail::variables
