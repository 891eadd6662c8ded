#pragma once

// Memory that a caller keeps between calls, so that later calls do not allocate.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/arena.hpp>

namespace riffle {

namespace detail {
template <class Exec>
class Scope;
template <class Exec>
class CallWorkspace;

}  // namespace detail

/// Temporary memory for Riffle's algorithms, in the memory space and on the device of one execution
/// space instance.
///
/// A workspace grows if a call needs more memory than the workspace has, and does not shrink. So a
/// call allocates no Kokkos memory if a call of the same size, or reserve(), has preceded it. The
/// following memory is not taken from the workspace:
/// - the memory of plans, such as a ScheduledPermutation;
/// - host memory through which a call on a GPU moves data, as save_schedule() and sequential
///   colour_edges() do;
/// - heap memory for labels, short lists of numbers, and data from which plans are built or saved.
///
/// Blocking: growing frees the old memory, for which Kokkos waits for the whole device.
///
/// Sharing: calls whose kernels may run at the same time, such as calls on two instances of a GPU,
/// need separate workspaces. Calls on one instance run in order and may share a workspace, even if
/// several host threads make the calls: a call locks the workspace until it returns, and the calls
/// of other threads wait. Threads that make MPI calls on different communicators need separate
/// workspaces. Otherwise a rank may wait for the lock while another rank waits for that rank.
///
/// Must not be moved during a call. A moved-from workspace contains no memory. Not copyable.
template <class Exec = Kokkos::DefaultExecutionSpace>
class Workspace {
  static_assert(backend::KernelsOf<Exec>::exist);

 public:
  using execution_space = Exec;

  explicit Workspace(Exec const& exec = Exec()) : Workspace(exec, true) {}

  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;
  Workspace(Workspace&& other) noexcept : Workspace(other.exec_, true) { swap(other); }
  Workspace& operator=(Workspace&& other) noexcept {
    Workspace taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// Returns the number of bytes that the workspace has allocated.
  std::size_t bytes() const {
    std::lock_guard const lock(mutex_);
    return messages_.extent(0) + arena_.bytes();
  }

  /// Returns a lock of the workspace. While the lock exists, calls of other host threads with this
  /// workspace wait.
  std::unique_lock<std::recursive_mutex> lock() const {
    return std::unique_lock<std::recursive_mutex>(mutex_);
  }

  /// Throws std::invalid_argument if `exec` and this workspace are on different devices.
  void check_device(char const* function, Exec const& exec) const {
    detail::check(backend::device_id(exec) == backend::device_id(exec_), function,
                  "workspace is on device ", backend::device_id(exec_), ", exec on device ",
                  backend::device_id(exec), ": must be the same");
  }

  /// Grows the workspace such that calls that need up to `size` bytes allocate nothing. The
  /// messages of scans that work on `size` bytes are included; they need about a thousandth of
  /// `size`. Allocations have the label "riffle::Workspace".
  void reserve(std::size_t size) {
    if (size == 0) return;
    std::lock_guard const lock(mutex_);
    std::string const label = "riffle::Workspace";
    // A scan needs one message for each tile of 4096 values: one word if values have 4 bytes, two
    // words if they have 8 bytes. It also needs a line of 16 words for each bundle of 32 tiles
    // (riffle/primitives/look_back.hpp).
    make_messages(label, exec_, 32 + size / 8192);
    arena_.reserve(label, exec_, size);
  }

  /// Returns `count` words through which teams send each other messages
  /// (riffle/primitives/look_back.hpp). New words are zero. Invariant: the first two words contain
  /// only tickets and counters, all other words only messages.
  std::uint64_t* messages(std::string const& label, Exec const& exec, std::size_t count) {
    // Before tags would repeat, the words are replaced by new words, not cleared: clearing them
    // would instantiate Kokkos's kernels that fill Views in each program that calls this function.
    if (launches_ == max_launches) {
      count = std::max(count, messages_.extent(0) / sizeof(std::uint64_t));
      messages_ = Messages();
    }
    make_messages(label, exec, count);
    ++launches_;
    return reinterpret_cast<std::uint64_t*>(messages_.data());
  }

  /// Returns an instance whose kernels can run concurrently with kernels on `exec`. Requires that
  /// `exec` is on this workspace's device. The first call creates the instance, and the workspace
  /// keeps it, because creation is slow (milliseconds if other GPUs have access to the memory). On
  /// a CPU, returns `exec`.
  Exec concurrent_instance(Exec const& exec) {
    if constexpr (backend::is_cpu<Exec>) {
      return exec;
    } else {
      if (!concurrent_exec_) concurrent_exec_ = Kokkos::Experimental::partition_space(exec, 1)[0];
      return *concurrent_exec_;
    }
  }

  /// The former name of concurrent_instance().
  [[deprecated("use concurrent_instance")]] Exec instance_beside(Exec const& exec) {
    return concurrent_instance(exec);
  }

 private:
  friend class detail::Scope<Exec>;
  friend class detail::CallWorkspace<Exec>;

  // An array of bytes, as in the arena. If it were an array of another value type, Kokkos would
  // compile more kernels, because it compiles some for each value type of an owning View.
  using Messages = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // The tag in a message identifies the launch by 30 bits. Before a tag would repeat, messages()
  // replaces the words by new words, which are zero.
  static constexpr std::uint64_t max_launches = std::uint64_t{1} << 29;

  void make_messages(std::string const& label, Exec const& exec, std::size_t count) {
    std::size_t const bytes = count * sizeof(std::uint64_t);
    if (messages_.extent(0) >= bytes) return;
    messages_ = Messages();  // the old memory is freed first, since both might not fit
    messages_ = Messages(Kokkos::view_alloc(exec, label + "::messages"), bytes);
    launches_ = 0;
  }

  Workspace(Exec const& exec, bool is_kept) : exec_(exec), arena_(is_kept) {}

  void swap(Workspace& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(concurrent_exec_, other.concurrent_exec_);
    std::swap(messages_, other.messages_);
    std::swap(arena_, other.arena_);
    std::swap(launches_, other.launches_);
  }

  // Recursive, because a nested call locks the workspace again.
  mutable std::recursive_mutex mutex_;
  Exec exec_;
  std::optional<Exec> concurrent_exec_;
  Messages messages_;
  detail::Arena<Exec> arena_;
  std::uint64_t launches_ = 0;
};

}  // namespace riffle
