#pragma once

// A context: the instance on which a call works, its label, and its memory.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <riffle/workspace.hpp>

namespace riffle {

namespace detail {

/// Whether these are arguments of a Context, but not in its order.
template <class Exec, class... Arguments>
inline constexpr bool are_in_another_order = false;
template <class Exec, class First, class... Others>
inline constexpr bool are_in_another_order<Exec, First, Others...> =
    !std::is_same_v<First, Exec> && (std::is_same_v<Others, Exec> || ...);
template <class Exec, class Label>
inline constexpr bool are_in_another_order<Exec, Exec, Workspace<Exec>, Label> = true;

}  // namespace detail

/// What every function takes in place of an execution space instance, where the caller names the call or keeps its
/// memory:
///
///     riffle::sort(exec, keys);
///     riffle::sort(riffle::Context(exec, "sort particles"), keys);
///     riffle::sort(riffle::Context(exec, workspace), keys);
///
/// - exec: an execution space instance, on which all is enqueued.
/// - label: the name of kernels and allocations; where a call has several, "::" and a word follow it. Without a label
///   they are named by "riffle::" and the function.
/// - workspace: memory that is kept between calls, on exec's device, else std::invalid_argument is thrown. It outlives
///   the context. Without one a call allocates what it needs through `exec`, and frees it at its end, for which Kokkos
///   waits for the whole device. A call that is said not to fence does not where its workspace has grown or it needs no
///   memory.
template <class Exec = Kokkos::DefaultExecutionSpace>
class Context {
 public:
  using execution_space = Exec;

  // Not explicit: members of classes that know their execution space are called with an instance of it, or with this.
  Context(Exec const& exec) : exec_(exec) {}
  Context(Exec const& exec, std::string label) : exec_(exec), label_(std::move(label)) {}
  Context(Exec const& exec, Workspace<Exec>& workspace) : Context(exec, {}, workspace) {}
  Context(Exec const& exec, std::string label, Workspace<Exec>& workspace)
      : exec_(exec), label_(std::move(label)), workspace_(&workspace) {
    workspace.check_device("Context", exec);
  }

  template <class... Arguments>
  requires detail::are_in_another_order<Exec, Arguments...> Context(Arguments const&...) {
    static_assert(
        !detail::are_in_another_order<Exec, Arguments...>,
        "riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or "
        "(exec, label, workspace), in this order");
  }

  Exec const& exec() const { return exec_; }
  std::string const& label() const { return label_; }

  /// The caller's workspace, or that of the current call. A context that was made without one has none.
  Workspace<Exec>& workspace() const { return *workspace_; }

  /// The context of a part of the call.
  Context named(std::string const& part) const {
    Context context = *this;
    context.label_ += "::" + part;
    return context;
  }

  /// Calls f(i) for i < n, in parallel, where Index holds n.
  template <class Index = std::uint64_t, class Function>
  void for_each(std::uint64_t n, Function const& f) const {
    // On CUDA, Kokkos tries every number of threads that a block may have, at each launch: all up to 1024 take the host
    // 0.2 us longer than these, of some 5 for the launch. It prefers few in any case.
    constexpr unsigned max_block = 128;
    using Policy =
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, Kokkos::LaunchBounds<max_block>>;
    Kokkos::parallel_for(label_, Policy(exec_, 0, static_cast<Index>(n)), f);
  }

 protected:
  Exec exec_;
  std::string label_;
  Workspace<Exec>* workspace_ = nullptr;
};

}  // namespace riffle
