#pragma once

// Calls that take a Workspace, or nothing in its place.

#include <type_traits>

#include <riffle/workspace.hpp>

namespace riffle {

/// In place of a Workspace: the call allocates what it needs through its execution space instance, and frees it at its
/// end, for which Kokkos waits for the whole device. Where a call is said not to fence, it has a Workspace that has grown,
/// or needs no memory.
struct NoWorkspace {};

namespace detail {

template <class T, class Exec>
concept WorkspaceFor = std::is_same_v<std::remove_cvref_t<T>, NoWorkspace> ||
    std::is_same_v<std::remove_cvref_t<T>, Workspace<Exec>>;

/// Throws where the workspace is another device's.
template <class Exec>
void check_workspace(char const*, Exec const&, NoWorkspace const&) {}

template <class Exec>
void check_workspace(char const* function, Exec const& exec, Workspace<Exec> const& workspace) {
  workspace.check_device(function, exec);
}

/// Of a call that has none of the caller's.
template <class Exec>
class OwnWorkspace : public Workspace<Exec> {
 public:
  explicit OwnWorkspace(Exec const& exec) : Workspace<Exec>(exec, false) {}
};

/// Calls use(workspace) with the caller's, or with one that lives as long as the call.
template <class Exec, class Use>
void with_workspace(Exec const& exec, NoWorkspace const&, Use const& use) {
  OwnWorkspace<Exec> own(exec);
  use(static_cast<Workspace<Exec>&>(own));
}

template <class Exec, class Use>
void with_workspace(Exec const&, Workspace<Exec>& workspace, Use const& use) {
  use(workspace);
}

}  // namespace detail
}  // namespace riffle
