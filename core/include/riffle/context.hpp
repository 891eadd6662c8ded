#pragma once

// A context: the execution space instance of a call, its label, and its workspace.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <riffle/workspace.hpp>

namespace riffle {

namespace detail {

/// Whether the arguments of a Context were passed in the wrong order.
template <class Exec, class... Arguments>
inline constexpr bool are_in_another_order = false;
template <class Exec, class First, class... Others>
inline constexpr bool are_in_another_order<Exec, First, Others...> =
    !std::is_same_v<First, Exec> && (std::is_same_v<Others, Exec> || ...);
template <class Exec, class Label>
inline constexpr bool are_in_another_order<Exec, Exec, Workspace<Exec>, Label> = true;

}  // namespace detail

/// An argument that every function accepts in place of an execution space instance. It gives the call a label, or a
/// workspace that keeps temporary memory between calls:
///
///     riffle::sort(exec, keys);
///     riffle::sort(riffle::Context(exec, "sort particles"), keys);
///     riffle::sort(riffle::Context(exec, workspace), keys);
///
/// - exec: an execution space instance, on which all work is enqueued.
/// - label: the name of kernels and allocations. A call with several kernels appends "::" and a word. The default is
///   "riffle::" followed by the name of the function.
/// - workspace: memory that is kept between calls, on the device of exec. It must outlive the context. Without a
///   workspace, a call allocates temporary memory through `exec` and frees it before it returns. Kokkos waits for the
///   whole device when memory is freed.
///
/// Throws std::invalid_argument if the workspace is on another device.
///
/// Blocking: a function documented as not fencing waits for the device in two cases only: if it needs temporary memory
/// and has no workspace, and if the workspace has to grow.
template <class Exec = Kokkos::DefaultExecutionSpace>
class Context {
 public:
  using execution_space = Exec;

  // Not explicit, so that an instance can be passed to member functions that take a Context<Exec>.
  Context(Exec const& exec) : exec_(exec) {}
  Context(Exec const& exec, std::string label) : exec_(exec), label_(std::move(label)) {}
  Context(Exec const& exec, Workspace<Exec>& workspace) : Context(exec, {}, workspace) {}
  Context(Exec const& exec, std::string label, Workspace<Exec>& workspace)
      : exec_(exec), label_(std::move(label)), workspace_(&workspace) {
    workspace.check_device("Context", exec);
  }

  // Not a requires-clause, because nvcc 13.0 and clang 14 ignore it if Exec is deduced.
  template <class... Arguments,
            std::enable_if_t<detail::are_in_another_order<Exec, Arguments...>, int> = 0>
  Context(Arguments const&...) {
    static_assert(
        !detail::are_in_another_order<Exec, Arguments...>,
        "riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or "
        "(exec, label, workspace), in this order");
  }

  Exec const& exec() const { return exec_; }
  std::string const& label() const { return label_; }

  /// Returns the caller's workspace, or the workspace of the current call. Requires that one of them exists.
  Workspace<Exec>& workspace() const { return *workspace_; }

  /// Returns the context for one part of the call: "::" and `part` are appended to the label.
  Context named(std::string const& part) const {
    Context context = *this;
    context.label_ += "::" + part;
    return context;
  }

  /// Calls f(i) in parallel for 0 <= i < n. Requires that Index can represent n.
  template <class Index = std::uint64_t, class Function>
  void for_each(std::uint64_t n, Function const& f) const {
    // At each launch on CUDA, Kokkos tries all block sizes up to this limit, which takes time on the host. A larger
    // limit would change little, because Kokkos prefers small blocks.
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
