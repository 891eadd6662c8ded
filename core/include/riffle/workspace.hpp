#pragma once

// Memory that a caller keeps between calls, so that the steady state allocates nothing.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/errors.hpp>
#include <riffle/lanes.hpp>

namespace riffle {

/// Memory for the temporaries of Riffle's algorithms, in the memory space and on the device of one
/// execution space instance.
///
/// A workspace grows when a call needs more than it has, and keeps what it has: after the first call
/// of a size, or after reserve(), calls allocate nothing. Growing frees the old memory, for which
/// Kokkos waits for the whole device. Calls that may run at the same time, on two instances say, need a workspace each;
/// calls on one instance may share one, since they run in order. Not copyable.
template <class Exec = Kokkos::DefaultExecutionSpace>
class Workspace {
 public:
  using execution_space = Exec;

  explicit Workspace(Exec const& exec = Exec()) : exec_(exec) {}

  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;
  Workspace(Workspace&&) = default;
  Workspace& operator=(Workspace&&) = default;

  /// The memory held, in bytes.
  std::size_t bytes() const {
    return messages_.extent(0) * sizeof(std::uint64_t) + buffer_.extent(0);
  }

  /// Throws std::invalid_argument where `exec` runs on another device than this workspace is on.
  void check_device(char const* function, Exec const& exec) const {
    detail::check(lanes::device_id(exec) == lanes::device_id(exec_), function,
                  "workspace is on device ", lanes::device_id(exec_), ", exec on device ",
                  lanes::device_id(exec), ": must be the same");
  }

  /// Sees to it that calls which take up to `size` bytes from here need not allocate them.
  void reserve(std::string const& label, Exec const& exec, std::size_t size) {
    buffer(label, exec, size);
  }

  /// `count` words through which teams send each other messages (see detail/look_back.hpp). They are
  /// zero at first, and nothing but messages is ever written there.
  std::uint64_t* messages(std::string const& label, Exec const& exec, std::size_t count) {
    if (messages_.extent(0) < count || launches_ == max_launches) {
      std::size_t const size = messages_.extent(0) < count ? count : messages_.extent(0);
      messages_ = Messages();  // freed first: the two need not fit beside each other
      messages_ = Messages(Kokkos::view_alloc(exec, label + "::messages"), size);
      launches_ = 0;
    }
    ++launches_;
    return messages_.data();
  }

  /// `size` bytes of any content, aligned as device memory is.
  void* buffer(std::string const& label, Exec const& exec, std::size_t size) {
    if (buffer_.extent(0) < size) {
      buffer_ = Buffer();
      buffer_ =
          Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::buffer"), size);
    }
    return buffer_.data();
  }

 private:
  using Messages = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;
  using Buffer = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // Message tags count launches in 30 bits; the words are cleared before a tag can come back.
  static constexpr std::uint64_t max_launches = std::uint64_t{1} << 29;

  Exec exec_;
  Messages messages_;
  Buffer buffer_;
  std::uint64_t launches_ = 0;
};

}  // namespace riffle
