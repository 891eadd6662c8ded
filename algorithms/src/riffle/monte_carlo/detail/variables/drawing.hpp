#pragma once

// Draws the columns of batches of replicates, in memory that is kept from batch to batch.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/exchanges/plan.hpp>
#include <riffle/monte_carlo/detail/variables/free_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/draw_labels.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_columns.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

/// Replicates first, ..., first + count - 1, with the plan's exchanges.
template <class Memory>
struct DrawnBatch {
  ExchangePlan<Memory> const& plan;
  Numbering numbering;
  std::uint64_t first;
  std::uint64_t count;

  /// With more replicates, so that they are a multiple of that.
  DrawnBatch of_multiple(std::uint64_t multiple) const {
    return {plan, numbering, first, (count + multiple - 1) / multiple * multiple};
  }
};

template <class Exec>
class Drawing {
 public:
  using Memory = typename Exec::memory_space;
  using Batch = DrawnBatch<Memory>;
  static constexpr int width = replicates_at_once<Exec>;

  /// `design` has the model's columns.
  Drawing(Context<Exec> const& context, ColumnModel const& model, Array<Memory> const& design)
      : context_(context),
        drawn_(model.free_columns.empty() ? design : upload(context, model.free_columns)),
        fixed_nuisance_(upload(context, model.fixed_nuisance)),
        columns_(model.width()),
        n_(model.n) {}

  /// In memory that the next call overwrites.
  ReplicateColumns<Memory, width> columns(Batch const& batch) {
    Batch const drawn = batch.of_multiple(width);
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

  template <ReplicateSink To>
  void draw(Batch const& batch, To const& to) {
    if constexpr (requires { to.labels; }) {
      if (!batch.numbering.is_exact() && draw_labels(batch, to.labels)) return;
    }
    reserve_rows(batch);
    context_.named("draw").for_each(
        batch.count, DrawReplicates<Memory, To>{batch.plan, drawn_, n_, columns_, to, rows_,
                                                scratch_, batch.numbering, batch.first});
  }

 private:
  /// False where the labels of one are too long for scratch memory.
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
