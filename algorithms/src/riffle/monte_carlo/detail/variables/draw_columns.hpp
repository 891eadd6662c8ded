#pragma once

// Draws random or enumerated permutations of the design's columns, for a batch of replicates at a time. All batches use
// the same memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/plan.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

// --- columns ---

/// A type that receives the columns of drawn replicates. For each replicate r, one thread calls begin(r), and then
/// put(r, column, i, x) for the element x of each column at each observation i.
template <class To>
concept ReplicateSink = requires(To const& to, std::uint64_t r, int column, double x) {
  to.begin(r);
  to.put(r, column, r, x);
};

/// The columns of a batch. entries(((c K + k) n + i) Width + r) is the element at observation i of column k in
/// replicate c Width + r, where K is the number of columns.
template <class Memory, int Width>
struct ReplicateColumns {
  Array<Memory> entries;
  std::uint64_t n = 0;
  int columns = 0;

  KOKKOS_FUNCTION double* chunk(std::uint64_t c, int k) const {
    return entries.data() +
           (c * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(k)) * n * Width;
  }

  KOKKOS_FUNCTION void begin(std::uint64_t) const {}
  KOKKOS_FUNCTION void put(std::uint64_t r, int column, std::uint64_t i, double x) const {
    chunk(r / Width, column)[i * Width + r % Width] = x;
  }
};

/// Memory for permutations, replicates x n. On a GPU, elements that neighbouring threads access are adjacent; on a CPU,
/// elements of one replicate are adjacent.
template <class Memory>
using DrawnIndices =
    Kokkos::View<std::uint32_t**, typename Memory::execution_space::array_layout, Memory>;

/// Draws one replicate per thread. Instead of the data, the columns are permuted: element i of a column, which would be
/// multiplied by y_sigma(i), moves to index sigma(i).
template <class Memory, ReplicateSink To>
struct DrawReplicates {
  using Indices = DrawnIndices<Memory>;

  SchemePlan<Memory> plan;
  Array<Memory> design;  // n x columns, column-major
  std::uint64_t n;
  int columns;
  To to;
  Indices rows;     // replicates x n
  Indices scratch;  // replicates x plan.scratch_size()
  Numbering numbering;
  std::uint64_t first;

  struct Part {
    Indices indices;
    std::uint64_t r;
    KOKKOS_FUNCTION std::uint32_t& operator()(std::uint64_t i) const { return indices(r, i); }
  };

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    std::uint64_t const number = first + r;
    std::uint64_t const rank = number < numbering.arrangements ? number : 0;
    Part const row{rows, r};
    if (numbering.is_exact()) {
      plan.rank_permutation(rank, row, Part{scratch, r});
    } else {
      plan.draw_permutation(numbering.seed, number, row);
    }
    to.begin(r);
    for (std::uint64_t i = 0; i < n; ++i) {
      bool const flips = is_flipped(number, rank, static_cast<std::uint32_t>(i));
      std::uint64_t const j = row(i);
      for (int k = 0; k < columns; ++k) {
        double const x = design(static_cast<std::uint64_t>(k) * n + i);
        to.put(r, k, j, flips ? -x : x);
      }
    }
  }

 private:
  KOKKOS_FUNCTION bool is_flipped(std::uint64_t number, std::uint64_t rank, std::uint32_t i) const {
    return numbering.is_exact() ? plan.is_flipped_at_rank(rank, i)
                                : plan.is_flipped(numbering.seed, number, i);
  }
};

// --- columns of Nuisance::draper_stoneman ---
//
// In a replicate of Nuisance::draper_stoneman (riffle/monte_carlo/nuisance.hpp), the columns of interest are permuted,
// the fixed nuisance is projected out of them, and the result is made orthonormal. These columns do not depend on the
// variable, so they are computed once for each replicate. Variables are then multiplied by them like by any other
// columns, because u is orthogonal to the nuisance:
//   L^-1 X_o' P u = (R_Z P^-1 X_o L^-T)' u.
// If L is small, multiplying the sums X_o' P u by L^-1 would lose digits; multiplying u by these columns does not.

/// Computes these columns from the permuted columns, and rounds them to whole numbers in units of 2^-26, one replicate
/// per thread. It calls fma explicitly and adds in the order of observations, so that the result has the same bits on
/// every back end.
template <class Memory, int Width>
struct FreeColumns {
  ReplicateColumns<Memory, Width> columns;
  Array<Memory> nuisance;  // n x nuisance_columns, column-major, with orthonormal columns
  int nuisance_columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    std::uint64_t const n = columns.n;
    for (int k = 0; k < columns.columns; ++k) {
      Entries const x{columns.chunk(r / Width, k) + r % Width, Width};
      for (int z = 0; z < nuisance_columns; ++z) {
        project_out({nuisance.data() + static_cast<std::uint64_t>(z) * n, 1}, x);
      }
      for (int l = 0; l < k; ++l) project_out({columns.chunk(r / Width, l) + r % Width, Width}, x);
      // A column in the span of the nuisance and of the columns before it explains nothing, and is set to 0.
      double const squares = product(x, x);
      double const scale = squares > FreeGram::min_pivot ? 1 / Kokkos::sqrt(squares) : 0;
      for (std::uint64_t i = 0; i < n; ++i) x(i) *= scale;
    }
    for (int k = 0; k < columns.columns; ++k) {
      Entries const x{columns.chunk(r / Width, k) + r % Width, Width};
      for (std::uint64_t i = 0; i < n; ++i) x(i) = Kokkos::floor(Kokkos::fma(x(i), unit, 0.5));
    }
  }

 private:
  static constexpr double unit = std::int64_t{1} << real_column_bits;

  struct Entries {
    double* first;
    std::uint64_t stride;
    KOKKOS_FUNCTION double& operator()(std::uint64_t i) const { return first[i * stride]; }
  };

  KOKKOS_FUNCTION double product(Entries const& a, Entries const& b) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < columns.n; ++i) sum = Kokkos::fma(a(i), b(i), sum);
    return sum;
  }

  /// Subtracts from x its projection on `column`, which has length 1.
  KOKKOS_FUNCTION void project_out(Entries const& column, Entries const& x) const {
    double const sum = product(column, x);
    for (std::uint64_t i = 0; i < columns.n; ++i) x(i) = Kokkos::fma(-sum, column(i), x(i));
  }
};

// --- labels on a GPU, one bit for each observation ---

/// The labels of a batch, 32 observations (a step) per word. words((c steps + step) Width + r) belongs to replicate c
/// Width + r; its bit b is the label of observation 32 step + b. Bits after the last observation are 0, because
/// sum_of_labels() adds a value for each bit. The words of replicates after the last one are unspecified.
template <class Memory, int Width>
struct LabelWords {
  Kokkos::View<std::uint32_t*, Memory> words;
  std::uint64_t steps = 0;

  KOKKOS_FUNCTION std::uint32_t& of(std::uint64_t replicate, std::uint64_t step) const {
    return words((replicate / Width * steps + step) * Width + replicate % Width);
  }
  KOKKOS_FUNCTION std::uint32_t const* chunk(std::uint64_t c) const {
    return words.data() + c * steps * Width;
  }
};

/// The ReplicateSink that writes LabelWords, for a single column that consists of labels 0 and 1.
template <class Memory, int Width>
struct ToLabelWords {
  LabelWords<Memory, Width> labels;

  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (std::uint64_t step = 0; step < labels.steps; ++step) labels.of(r, step) = 0;
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int, std::uint64_t i, double x) const {
    if (x != 0) labels.of(r, i / 32) |= 1u << (i % 32);
  }
};

// Draws the labels 0 and 1 without storing a permutation for each replicate.
//
// The permutation of a replicate is a product of swaps. To permute the labels, the same swaps are applied to the labels
// in reverse order. A lane keeps its n labels as bits in scratch memory. Each swap exchanges a known unit with a random
// one, its partner. The partners are also in scratch memory or, if they do not fit, in global memory, where the
// partners for the lanes of a warp are adjacent. So random accesses go only to scratch memory.

/// The labels of a lane. Word w of the lane is words[w * lanes].
struct LabelBits {
  std::uint32_t* words;
  std::uint32_t lanes;

  KOKKOS_FUNCTION void swap(std::uint32_t i, std::uint32_t j) const {
    std::uint32_t& of_i = words[i / 32 * lanes];
    std::uint32_t const differ = (of_i >> i % 32 ^ words[j / 32 * lanes] >> j % 32) & 1;
    of_i ^= differ << i % 32;
    words[j / 32 * lanes] ^= differ << j % 32;
  }
};

template <class Memory, int Width, bool PartnersAreInScratch>
struct DrawLabels {
  SchemePlan<Memory> plan;
  Array<Memory> design;
  LabelWords<Memory, Width> to;
  DrawnIndices<Memory> partners;  // replicates x n; empty if partners are in scratch memory
  std::uint64_t n;
  std::uint64_t seed;
  std::uint64_t first;
  std::uint64_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const lanes = static_cast<std::uint32_t>(team.team_size());
    auto const lane = static_cast<std::uint32_t>(team.team_rank());
    std::uint64_t const r = static_cast<std::uint64_t>(team.league_rank()) * lanes + lane;
    auto* const words =
        static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem_aligned(
            static_cast<std::size_t>(to.steps) * lanes * sizeof(std::uint32_t), 16)) +
        lane;
    std::uint16_t* scratch = nullptr;
    if constexpr (PartnersAreInScratch) {
      scratch = static_cast<std::uint16_t*>(team.team_scratch(0).get_shmem_aligned(
                    std::size_t{plan.swaps()} * lanes * sizeof(std::uint16_t), 16)) +
                lane;
    }
    if (r >= count) return;
    std::uint32_t next = 0;
    plan.draw_swaps(seed, first + r, [&](std::uint32_t b) {
      if constexpr (PartnersAreInScratch) {
        scratch[next++ * lanes] = static_cast<std::uint16_t>(b);
      } else {
        partners(r, next++) = b;
      }
    });
    fill(words, lanes);
    plan.swap_back(
        [&](std::uint32_t q) -> std::uint32_t {
          if constexpr (PartnersAreInScratch) {
            return scratch[q * lanes];
          } else {
            return partners(r, q);
          }
        },
        LabelBits{words, lanes});
    for (std::uint64_t step = 0; step < to.steps; ++step) to.of(r, step) = words[step * lanes];
  }

 private:
  /// Copies the observed labels to `words`.
  KOKKOS_FUNCTION void fill(std::uint32_t* words, std::uint32_t lanes) const {
    for (std::uint64_t step = 0; step < to.steps; ++step) {
      std::uint32_t word = 0;
      for (std::uint64_t bit = 0; bit < 32 && 32 * step + bit < n; ++bit) {
        word |= static_cast<std::uint32_t>(design(32 * step + bit) != 0) << bit;
      }
      words[step * lanes] = word;
    }
  }
};

/// The launch parameters of DrawLabels.
struct LabelLeague {
  int threads = 0;
  std::size_t scratch_bytes = 0;
  bool partners_are_in_scratch = false;

  /// Returns a league with 0 threads if the labels do not fit in scratch memory.
  static LabelLeague of(std::uint64_t n, std::uint64_t swaps) {
    std::size_t const words = (n + 31) / 32 * sizeof(std::uint32_t);
    std::size_t const partners = swaps * sizeof(std::uint16_t);
    auto const bytes = [](std::size_t each, int threads) {
      return each * static_cast<std::size_t>(threads) + 32;
    };
    constexpr int most = max_drawing_threads;
    // Partners are put in scratch memory only if a team can then still have the largest number of threads. With smaller
    // teams, too few threads would run at a time.
    if (n <= 0xFFFF && bytes(words + partners, most) <= max_scratch_bytes) {
      return {most, bytes(words + partners, most), true};
    }
    for (int threads = most; threads >= backend::width; threads /= 2) {
      if (bytes(words, threads) <= max_scratch_bytes)
        return {threads, bytes(words, threads), false};
    }
    return {};
  }
};

// --- batches ---

/// Replicates first, ..., first + count - 1 of a permutation scheme.
template <class Memory>
struct DrawnBatch {
  SchemePlan<Memory> const& plan;
  Numbering numbering;
  std::uint64_t first;
  std::uint64_t count;

  /// Returns the batch with `count` rounded up to a multiple of `multiple`.
  DrawnBatch rounded_up_to(std::uint64_t multiple) const {
    return {plan, numbering, first, (count + multiple - 1) / multiple * multiple};
  }
};

template <class Exec>
class ColumnDrawer {
 public:
  using Memory = typename Exec::memory_space;
  using Batch = DrawnBatch<Memory>;
  static constexpr int width = replicates_at_once<Exec>;

  /// Requires: `design` contains the columns of the model.
  ColumnDrawer(Context<Exec> const& context, ColumnModel const& model, Array<Memory> const& design)
      : context_(context),
        drawn_(model.free_columns.empty() ? design : upload(context, model.free_columns)),
        fixed_nuisance_(upload(context, model.fixed_nuisance)),
        columns_(model.width()),
        n_(model.n) {}

  /// Draws a batch and returns its columns. The next call overwrites their memory.
  ReplicateColumns<Memory, width> columns(Batch const& batch) {
    Batch const drawn = batch.rounded_up_to(width);
    std::uint64_t const entries = drawn.count * n_ * static_cast<std::uint64_t>(columns_);
    if (entries_.extent(0) < entries) entries_ = Array<Memory>(allocate("::columns"), entries);
    ReplicateColumns<Memory, width> const to{entries_, n_, columns_};
    draw(drawn, to);
    if (fixed_nuisance_.extent(0) > 0) {
      auto const fixed = static_cast<int>(fixed_nuisance_.extent(0) / to.n);
      context_.named("free").for_each(drawn.count,
                                      FreeColumns<Memory, width>{to, fixed_nuisance_, fixed});
    }
    return to;
  }

  /// Draws a batch to any sink, by one permutation for each replicate.
  template <ReplicateSink To>
  void draw(Batch const& batch, To const& to) {
    draw_by_permutations(batch, to);
  }

  /// Draws labels to words of bits. Stores no permutations, unless replicates are enumerated or have too many labels
  /// for scratch memory.
  template <int Width>
  void draw(Batch const& batch, ToLabelWords<Memory, Width> const& to) {
    if (!batch.numbering.is_exact() && draw_labels(batch, to.labels)) return;
    draw_by_permutations(batch, to);
  }

 private:
  template <ReplicateSink To>
  void draw_by_permutations(Batch const& batch, To const& to) {
    reserve_rows(batch);
    context_.named("draw").for_each(
        batch.count, DrawReplicates<Memory, To>{batch.plan, drawn_, n_, columns_, to, rows_,
                                                scratch_, batch.numbering, batch.first});
  }

  /// Draws the labels of a batch to `to`, or returns false if the labels of a replicate do not fit in scratch memory.
  template <int Width>
  bool draw_labels(Batch const& batch, LabelWords<Memory, Width> const& to) {
    auto const league = LabelLeague::of(n_, batch.plan.swaps());
    if (league.threads == 0) return false;
    auto const launch = [&](auto const& kernel) {
      auto const threads = static_cast<std::uint64_t>(league.threads);
      launch_league(context_.named("draw"),
                    {(batch.count + threads - 1) / threads, league.threads, league.scratch_bytes},
                    kernel);
    };
    std::uint64_t const seed = batch.numbering.seed;
    if (league.partners_are_in_scratch) {
      launch(DrawLabels<Memory, Width, true>{
          batch.plan, drawn_, to, {}, n_, seed, batch.first, batch.count});
    } else {
      reserve_rows(batch);
      launch(DrawLabels<Memory, Width, false>{batch.plan, drawn_, to, rows_, n_, seed, batch.first,
                                              batch.count});
    }
    return true;
  }

  void reserve_rows(Batch const& batch) {
    if (rows_.extent(0) >= batch.count) return;
    rows_ = DrawnIndices<Memory>(allocate("::permutations"), batch.count, n_);
    scratch_ = DrawnIndices<Memory>(allocate("::scratch"), batch.count, batch.plan.scratch_size());
  }

  auto allocate(char const* name) const {
    return Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                              context_.label() + name);
  }

  Context<Exec> context_;
  Array<Memory> drawn_;
  Array<Memory> fixed_nuisance_;
  int columns_;
  std::uint64_t n_;
  Array<Memory> entries_;
  DrawnIndices<Memory> rows_;
  DrawnIndices<Memory> scratch_;
};

}  // namespace riffle::detail::variables
