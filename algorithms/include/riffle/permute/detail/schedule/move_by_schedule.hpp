#pragma once

// Moves arrays through the passes of a plan.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/schedule/cpu/schedule_cpu.hpp>
#include <riffle/permute/detail/schedule/gpu/move_tiles.hpp>
#include <riffle/permute/detail/schedule/gpu/tile_kernel.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::schedule {

/// Accesses the elements of a View, as a source and as a sink.
template <class View>
struct ElementsOf : ViewSource<View> {
  using T = typename View::non_const_value_type;
  using Base = ViewSource<View>;
  using Base::Base;

  KOKKOS_FUNCTION decltype(auto) at(std::uint64_t i) const { return this->view(i); }

  KOKKOS_FUNCTION void write(std::uint64_t i, T const& value) const { this->view(i) = value; }

  KOKKOS_FUNCTION auto* address(std::uint64_t i) const { return this->view.data() + i; }

  KOKKOS_FUNCTION void write_quad(std::uint64_t i, T const (&x)[quad_size]) const {
    store_quad(x, this->view.data() + i);
  }
};

/// A source whose element i is the index i.
template <class Index>
struct IdentitySource {
  using Item = Index;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
  KOKKOS_FUNCTION Index at(std::uint64_t i) const { return static_cast<Index>(i); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Index (&x)[quad_size]) const {
    read_quad_by_elements(*this, i, x);
  }
};

/// Moves each element directly to its final index, which is computed by evaluating all passes. Used for large elements;
/// such an element fills whole sectors of memory.
template <class Source, class Sink, class Memory, bool Forward>
struct MoveOnce {
  Source source;
  Sink sink;
  PlanFunction<Memory> destination;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const to = destination(i);
    if constexpr (Forward) {
      sink.write(to, source(i));
    } else {
      sink.write(i, source(to));
    }
  }
};

template <class Exec>
class Mover {
 public:
  using Memory = typename Exec::memory_space;

  Mover(Context<Exec> const& context, Plan<Memory> const& plan, bool is_forward)
      : context_(context), plan_(plan), is_forward_(is_forward) {}

  /// Moves a View, or each View of a pack.
  template <class In, class Out>
  void move(In const& in, Out const& out) const {
    // The Views of a pack are moved one after another and share the intermediate array.
    std::size_t max_bytes = 0;
    for_each_view(out, [&]<class View>(View const&) {
      max_bytes = std::max(max_bytes, intermediate_bytes<typename View::value_type>());
    });
    Scope scope(context_);
    void* const memory = scope.template take<std::byte>(max_bytes);
    for_each_pair(in, out, [&]<class From>(From const& from, auto const& to) {
      move_through(memory, ElementsOf<From>(from), to);
    });
  }

  template <class Source, class Out>
  void move_from(Source const& source, Out const& out) const {
    Scope scope(context_);
    move_through(scope.template take<std::byte>(intermediate_bytes<typename Out::value_type>()),
                 source, out);
  }

 private:
  static constexpr bool is_cpu = backend::is_cpu<Exec>;

  /// The number of bytes of the intermediate array. Passes alternate between it and `out`.
  template <class T>
  std::size_t intermediate_bytes() const {
    bool const has_intermediate = plan_.passes.size() > 1 && !moves_once<T>;
    return has_intermediate ? plan_.tiles.n * sizeof(T) : 0;
  }

  template <class Source, class Out>
  void move_through(void* memory, Source const& source, Out const& out) const {
    using T = typename Out::value_type;
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
    ElementsOf<Out> const sink(out);
    if constexpr (moves_once<T>) {
      move_once(source, sink);
    } else {
      using Intermediate = Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>;
      Intermediate const intermediate(static_cast<T*>(memory), plan_.tiles.n);
      move_by_passes(source, sink, ElementsOf<Intermediate>(intermediate));
    }
  }

  /// Whether elements are moved directly to their final indices (MoveOnce). This is done on a GPU for elements for
  /// which random writes are as fast as contiguous runs, because each element is so large.
  template <class T>
  static constexpr bool moves_once = !is_cpu && (sizeof(T) > backend::cache_line / 2);

  /// The passes alternately write to `out` and to the intermediate array, such that the last pass writes to `out`. On a
  /// GPU every second pass processes the tiles in descending order, because the tiles that the previous pass wrote last
  /// are still in the cache.
  template <class Source, class Out, class Intermediate>
  void move_by_passes(Source const& source, Out const& out,
                      Intermediate const& intermediate) const {
    std::size_t const count = plan_.passes.size();
    for (std::size_t k = 0; k < count; ++k) {
      auto const& pass = plan_.passes[is_forward_ ? k : count - 1 - k];
      bool const to_out = (count - 1 - k) % 2 == 0;
      if (k == 0 && to_out) {
        move_pass(pass, k, source, out);
      } else if (k == 0) {
        move_pass(pass, k, source, intermediate);
      } else if (to_out) {
        move_pass(pass, k, intermediate, out);
      } else {
        move_pass(pass, k, out, intermediate);
      }
    }
  }

  template <class Source, class Sink>
  void move_pass(Pass<Memory> const& pass, [[maybe_unused]] std::size_t k, Source const& source,
                 Sink const& sink) const {
    if constexpr (is_cpu) {
      for_each_dynamic(context_, pass.tiles.count(),
                       MoveTileByThread<Source, Sink, Memory>(pass, source, sink, is_forward_));
    } else if (is_forward_) {
      launch<ForwardTiles<Source, Sink, Memory>>(pass, k, source, sink);
    } else {
      launch<BackwardTiles<Source, Sink, Memory>>(pass, k, source, sink);
    }
  }

  template <class Kernel, class Source, class Sink>
  void launch(Pass<Memory> const& pass, std::size_t k, Source const& source,
              Sink const& sink) const {
    Kernel const kernel(pass, source, sink, Kernel::scratch_bytes, k % 2 == 1);
    launch_teams(context_, kernel.teams(), kernel, kernel.used_scratch_bytes());
  }

  template <class Source, class Sink>
  void move_once(Source const& source, Sink const& sink) const {
    PlanFunction<Memory> const destination(plan_);
    if (is_forward_) {
      context_.for_each(plan_.tiles.n,
                        MoveOnce<Source, Sink, Memory, true>{source, sink, destination});
    } else {
      context_.for_each(plan_.tiles.n,
                        MoveOnce<Source, Sink, Memory, false>{source, sink, destination});
    }
  }

  Context<Exec> context_;
  Plan<Memory> const& plan_;
  bool is_forward_;
};

}  // namespace riffle::detail::schedule
