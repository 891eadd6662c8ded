#pragma once

// Memory that a caller keeps between calls, so that the steady state allocates no memory of Kokkos's.

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
class OwnWorkspace;

}  // namespace detail

/// Memory for the temporaries of Riffle's algorithms, in the memory space and on the device of one
/// execution space instance.
///
/// A workspace grows when a call needs more than it has, and keeps what it has: after the first call of a size, or
/// after reserve(), calls allocate no Kokkos memory. Plans that are built to be kept, such as a ScheduledPermutation,
/// have memory of their own. Data that pass through the host on behalf of a GPU, as in save_schedule() and where
/// colour_edges() walks, lie in host memory outside the workspace. Labels and lists of a few numbers, and what
/// plans are built and saved by, come from the heap.
///
/// Growing frees the old memory, for which Kokkos waits for the whole device. Calls whose kernels may run at the same
/// time, on two instances of a GPU say, need a workspace each; calls on one instance may share one, since they run in
/// order. Several host threads may share one then, too: a call locks it until it returns, and other threads' calls wait.
/// Threads that make MPI calls on different communicators need a workspace each, else a rank may wait for the lock while
/// another waits for the rank. A workspace must not be moved during a call; it holds no memory afterwards. Not copyable.
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

  /// The memory held, in bytes.
  std::size_t bytes() const {
    std::lock_guard const lock(mutex_);
    return messages_.extent(0) + arena_.bytes();
  }

  /// Until this ends, calls of other host threads with this workspace wait.
  std::unique_lock<std::recursive_mutex> lock() const {
    return std::unique_lock<std::recursive_mutex>(mutex_);
  }

  /// Throws std::invalid_argument where `exec` runs on another device than this workspace is on.
  void check_device(char const* function, Exec const& exec) const {
    detail::check(backend::device_id(exec) == backend::device_id(exec_), function,
                  "workspace is on device ", backend::device_id(exec_), ", exec on device ",
                  backend::device_id(exec), ": must be the same");
  }

  /// Grows the workspace so that calls which take up to `size` bytes allocate neither these nor the messages for scans
  /// of that much data, which take a thousandth of it. Allocations are labelled "riffle::Workspace".
  void reserve(std::size_t size) {
    if (size == 0) return;
    std::lock_guard const lock(mutex_);
    std::string const label = "riffle::Workspace";
    // For each tile of 4096 values, a scan has a message of one word for values of 4 bytes and of two for 8 bytes; for
    // each bundle of 32 tiles it has a line of 16 words (riffle/primitives/look_back.hpp).
    make_messages(label, exec_, 32 + size / 8192);
    arena_.reserve(label, exec_, size);
  }

  /// `count` words through which teams send each other messages (see riffle/primitives/look_back.hpp). They are
  /// zero at first, and nothing but messages is ever written there.
  std::uint64_t* messages(std::string const& label, Exec const& exec, std::size_t count) {
    // Not cleared, which would have each call of the library compile Kokkos's kernels that fill Views.
    if (launches_ == max_launches) {
      count = std::max(count, messages_.extent(0) / sizeof(std::uint64_t));
      messages_ = Messages();
    }
    make_messages(label, exec, count);
    ++launches_;
    return reinterpret_cast<std::uint64_t*>(messages_.data());
  }

  /// An instance whose kernels run beside those of `exec`, which is on this workspace's device: made when it is first
  /// asked for, and kept, since a GPU takes milliseconds to make one where others see its memory. On a CPU, `exec`.
  Exec instance_beside(Exec const& exec) {
    if constexpr (backend::is_cpu<Exec>) {
      return exec;
    } else {
      if (!beside_) beside_ = Kokkos::Experimental::partition_space(exec, 1)[0];
      return *beside_;
    }
  }

 private:
  friend class detail::Scope<Exec>;
  friend class detail::OwnWorkspace<Exec>;

  // Bytes, as the arena has: for each type of a View that owns memory, Kokkos compiles kernels of its own.
  using Messages = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // Message tags count launches in 30 bits; the words are new, and zero, before a tag can come back.
  static constexpr std::uint64_t max_launches = std::uint64_t{1} << 29;

  void make_messages(std::string const& label, Exec const& exec, std::size_t count) {
    std::size_t const bytes = count * sizeof(std::uint64_t);
    if (messages_.extent(0) >= bytes) return;
    messages_ = Messages();  // freed first: the two need not fit at the same time
    messages_ = Messages(Kokkos::view_alloc(exec, label + "::messages"), bytes);
    launches_ = 0;
  }

  Workspace(Exec const& exec, bool is_kept) : exec_(exec), arena_(is_kept) {}

  void swap(Workspace& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(beside_, other.beside_);
    std::swap(messages_, other.messages_);
    std::swap(arena_, other.arena_);
    std::swap(launches_, other.launches_);
  }

  // Host threads lock it, one call at a time; calls inside of a call lock it again.
  mutable std::recursive_mutex mutex_;
  Exec exec_;
  std::optional<Exec> beside_;
  Messages messages_;
  detail::Arena<Exec> arena_;
  std::uint64_t launches_ = 0;
};

}  // namespace riffle
