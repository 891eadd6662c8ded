#pragma once

// Memory that a caller keeps between calls, so that the steady state allocates nothing.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/lanes.hpp>

namespace riffle {

/// Memory for the temporaries of Riffle's algorithms, in the memory space and on the device of one
/// execution space instance.
///
/// A workspace grows when a call needs more than it has, and keeps what it has: after the first call
/// of a size, or after reserve(), calls allocate no memory of Kokkos's. Plans that are built to be kept, such as a
/// ScheduledPermutation, have memory of their own; and what passes through the host on behalf of a GPU, as in
/// save_schedule() and where colour_edges() walks, lies in memory of the host, which is no workspace's. Labels and
/// lists of a few numbers come from the heap all the same.
///
/// Growing frees the old memory, for which Kokkos waits for the whole device. Calls that may run at the same time, on two
/// instances say, need a workspace each; calls on one instance may share one, since they run in order. Not copyable.
template <class Exec = Kokkos::DefaultExecutionSpace>
class Workspace {
  static_assert(lanes::KernelsOf<Exec>::exist);

 public:
  using execution_space = Exec;

  explicit Workspace(Exec const& exec = Exec()) : exec_(exec) {}

  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;
  Workspace(Workspace&&) = default;
  Workspace& operator=(Workspace&&) = default;

  /// Memory of the buffer that stays while this lives: what buffer() gives meanwhile lies beside it, so that a
  /// call which takes the workspace can be made. Such scopes end in the order opposite to that in which they
  /// began. Without reserve(), a call inside that needs more than is left makes a new buffer, and the old one is
  /// freed at the end; the new one has room for both.
  class SetAside {
   public:
    SetAside(Workspace& workspace, std::string const& label, Exec const& exec, std::size_t size)
        : workspace_(workspace),
          before_(workspace.set_aside_),
          data_(workspace.buffer(label, exec, size)) {
      workspace_.set_aside_ += aligned(size);
    }
    ~SetAside() {
      workspace_.set_aside_ = before_;
      if (before_ == 0) workspace_.outgrown_.clear();
    }
    SetAside(SetAside const&) = delete;
    SetAside& operator=(SetAside const&) = delete;

    void* data() const { return data_; }

   private:
    Workspace& workspace_;
    std::size_t before_;
    void* data_;
  };

  /// What a part of the buffer takes, so that what lies behind it is aligned as the buffer is.
  static constexpr std::size_t aligned(std::size_t size) { return (size + 255) / 256 * 256; }

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

  /// Sees to it that calls which take up to `size` bytes from here need not allocate them, nor messages for scans
  /// of what lies there, which take a thousandth.
  void reserve(std::string const& label, Exec const& exec, std::size_t size) {
    if (size == 0) return;
    // A scan has a message of a word for each tile of 4096 values of 4 bytes, of two for those of 8, and a line of
    // 16 words for each 32 tiles (detail/look_back.hpp).
    make_messages(label, exec, 32 + size / 8192);
    buffer(label, exec, size);
  }

  /// `count` words through which teams send each other messages (see detail/look_back.hpp). They are
  /// zero at first, and nothing but messages is ever written there.
  std::uint64_t* messages(std::string const& label, Exec const& exec, std::size_t count) {
    make_messages(label, exec, count);
    if (launches_ == max_launches) {
      Kokkos::deep_copy(exec, messages_, 0);
      launches_ = 0;
    }
    ++launches_;
    return messages_.data();
  }

  /// `size` bytes of any content, aligned as device memory is.
  void* buffer(std::string const& label, Exec const& exec, std::size_t size) {
    std::size_t const wanted = set_aside_ + size;
    if (buffer_.extent(0) < wanted) {
      if (set_aside_ > 0) outgrown_.push_back(buffer_);
      buffer_ = Buffer();
      buffer_ =
          Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::buffer"), wanted);
    }
    return buffer_.data() + set_aside_;
  }

 private:
  using Messages = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;
  using Buffer = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // Message tags count launches in 30 bits; the words are cleared before a tag can come back.
  static constexpr std::uint64_t max_launches = std::uint64_t{1} << 29;

  void make_messages(std::string const& label, Exec const& exec, std::size_t count) {
    if (messages_.extent(0) >= count) return;
    messages_ = Messages();  // freed first: the two need not fit beside each other
    messages_ = Messages(Kokkos::view_alloc(exec, label + "::messages"), count);
    launches_ = 0;
  }

  Exec exec_;
  Messages messages_;
  Buffer buffer_;
  std::size_t set_aside_ = 0;     // bytes at the beginning of the buffer that are someone's
  std::vector<Buffer> outgrown_;  // where some of these still are
  std::uint64_t launches_ = 0;
};

}  // namespace riffle
