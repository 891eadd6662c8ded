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

/// Memory for the temporaries of Riffle's algorithms, in the memory space and on the device of one
/// execution space instance.
///
/// A workspace grows if a call needs more than it has, and does not shrink: after the first call of
/// a size, or after reserve(), calls allocate no Kokkos memory. The following is not in the
/// workspace:
/// - the memory of plans, such as a ScheduledPermutation;
/// - data that a call moves through host memory on a GPU, as save_schedule() and sequential
///   colour_edges() do;
/// - on the heap, labels, lists of a few numbers, and data for building and saving plans.
///
/// Blocking: growing frees the old memory, for which Kokkos waits for the whole device.
///
/// Sharing: calls whose kernels may run at the same time, such as calls on two instances of a GPU,
/// need a workspace each. Calls on one instance run in order, and may share one, also from several
/// host threads: a call locks the workspace until it returns, and calls of other threads wait.
/// Threads that make MPI calls on different communicators need a workspace each, otherwise a rank
/// may wait for the lock while another rank waits for it.
///
/// Must not be moved during a call; a workspace that was moved from holds no memory. Not copyable.
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

  /// The number of bytes of memory that it holds.
  std::size_t bytes() const {
    std::lock_guard const lock(mutex_);
    return messages_.extent(0) + arena_.bytes();
  }

  /// While the lock exists, calls of other host threads with this workspace wait.
  std::unique_lock<std::recursive_mutex> lock() const {
    return std::unique_lock<std::recursive_mutex>(mutex_);
  }

  /// Throws std::invalid_argument if `exec` is on another device than this workspace.
  void check_device(char const* function, Exec const& exec) const {
    detail::check(backend::device_id(exec) == backend::device_id(exec_), function,
                  "workspace is on device ", backend::device_id(exec_), ", exec on device ",
                  backend::device_id(exec), ": must be the same");
  }

  /// Grows the workspace such that calls which need up to `size` bytes allocate neither these nor
  /// the messages of scans of that size, which are a thousandth of it. Allocations have the label
  /// "riffle::Workspace".
  void reserve(std::size_t size) {
    if (size == 0) return;
    std::lock_guard const lock(mutex_);
    std::string const label = "riffle::Workspace";
    // A scan has, for each tile of 4096 values, a message of one word for values of 4 bytes and of
    // two words for 8 bytes, and for each bundle of 32 tiles a line of 16 words
    // (riffle/primitives/look_back.hpp).
    make_messages(label, exec_, 32 + size / 8192);
    arena_.reserve(label, exec_, size);
  }

  /// `count` words through which teams send each other messages (riffle/primitives/look_back.hpp).
  /// They are zero at first. Invariant: the first two words have only tickets and counters, and the
  /// others only messages.
  std::uint64_t* messages(std::string const& label, Exec const& exec, std::size_t count) {
    // Not cleared: otherwise each call would compile Kokkos's kernels that fill Views.
    if (launches_ == max_launches) {
      count = std::max(count, messages_.extent(0) / sizeof(std::uint64_t));
      messages_ = Messages();
    }
    make_messages(label, exec, count);
    ++launches_;
    return reinterpret_cast<std::uint64_t*>(messages_.data());
  }

  /// An instance whose kernels can run concurrently with those on `exec`, which must be on this
  /// workspace's device. It is made at the first call and kept, because making one is slow
  /// (milliseconds if other GPUs have access to the memory). On a CPU it is `exec`.
  Exec concurrent_instance(Exec const& exec) {
    if constexpr (backend::is_cpu<Exec>) {
      return exec;
    } else {
      if (!concurrent_exec_) concurrent_exec_ = Kokkos::Experimental::partition_space(exec, 1)[0];
      return *concurrent_exec_;
    }
  }

  [[deprecated("use concurrent_instance")]] Exec instance_beside(Exec const& exec) {
    return concurrent_instance(exec);
  }

 private:
  friend class detail::Scope<Exec>;
  friend class detail::CallWorkspace<Exec>;

  // An array of bytes, like the arena: for each type of a View that owns memory, Kokkos compiles
  // more kernels.
  using Messages = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // Message tags count launches in 30 bits. The words are replaced by new words, which are zero,
  // before a tag is used again.
  static constexpr std::uint64_t max_launches = std::uint64_t{1} << 29;

  void make_messages(std::string const& label, Exec const& exec, std::size_t count) {
    std::size_t const bytes = count * sizeof(std::uint64_t);
    if (messages_.extent(0) >= bytes) return;
    messages_ = Messages();  // freed before the new memory is allocated: both might not fit
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

  // Recursive: a call inside of a call locks it again.
  mutable std::recursive_mutex mutex_;
  Exec exec_;
  std::optional<Exec> concurrent_exec_;
  Messages messages_;
  detail::Arena<Exec> arena_;
  std::uint64_t launches_ = 0;
};

}  // namespace riffle
