#pragma once

// The state during a call of a public function: a context that always has a label and a workspace.

#include <Kokkos_Core.hpp>

#include <mutex>
#include <optional>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail {

/// An execution space for which Riffle has kernels. For any other execution space, the compiler
/// reports that there are no kernels.
template <class Exec>
concept ExecutionSpace = Kokkos::is_execution_space_v<Exec> && backend::KernelsOf<Exec>::exist;

template <class Exec>
class Call;

template <class T>
struct SpaceOfType {
  using type = T;
};
template <class Exec>
struct SpaceOfType<Context<Exec>> {
  using type = Exec;
};

template <class Exec>
struct SpaceOfType<Call<Exec>> {
  using type = Exec;
};

/// The execution space of an instance, or of a Context.
template <class T>
using SpaceOf = typename SpaceOfType<T>::type;

/// The first argument of public functions: an execution space instance or a Context.
template <class T>
concept InstanceOrContext = ExecutionSpace<SpaceOf<T>>;

/// The workspace of a call whose context has no workspace. It exists as long as the call.
template <class Exec>
class CallWorkspace : public Workspace<Exec> {
 public:
  explicit CallWorkspace(Exec const& exec) : Workspace<Exec>(exec, false) {}
};

/// The caller's context, completed by a default label and a workspace where it has none. The
/// caller's workspace is locked during the call.
template <class Exec>
class Call : public Context<Exec> {
 public:
  Call(Context<Exec> context, char const* label) : Context<Exec>(std::move(context)) {
    if (this->label_.empty()) this->label_ = label;
    if (this->workspace_ == nullptr) {
      this->workspace_ = &own_.emplace(this->exec_);
    } else {
      lock_ = this->workspace_->lock();
    }
  }
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;

 private:
  std::optional<CallWorkspace<Exec>> own_;
  std::unique_lock<std::recursive_mutex> lock_;
};

template <class T>
Call(T const&, char const*) -> Call<SpaceOf<T>>;

}  // namespace riffle::detail
