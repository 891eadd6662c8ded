#pragma once

// Arrays in one piece of memory, and Views as arrays.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <riffle/detail/range.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::sort {

/// Rounded up, so that what lies behind is aligned.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Gives one array after the other; without memory, only counts what they take.
class ArrayMemory {
 public:
  explicit ArrayMemory(void* memory) : begin_(static_cast<std::byte*>(memory)) {}

  template <class T>
  T* take(std::uint64_t count) {
    std::size_t const before = std::exchange(used_, used_ + aligned(count * sizeof(T)));
    return begin_ == nullptr ? nullptr : reinterpret_cast<T*>(begin_ + before);
  }

  std::size_t used() const { return used_; }

 private:
  std::byte* begin_;
  std::size_t used_ = 0;
};

/// What make(memory) returns, arrays in a workspace's buffer. It is called twice, first to count.
template <class Exec, class Make>
auto arrays_in_workspace(std::string const& label, Exec const& exec, Workspace<Exec>& workspace,
                         Make const& make) {
  ArrayMemory counted(nullptr);
  make(counted);
  ArrayMemory memory(workspace.buffer(label, exec, counted.used()));
  return make(memory);
}

template <class View>
bool is_contiguous(View const& view) {
  return view.stride(0) == 1 || view.extent(0) == 1;
}

template <class View, class T>
struct ReadElements {
  View view;
  T* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { to[i] = view(i); }
};

template <class View, class T>
struct WriteElements {
  T const* from;
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { view(i) = from[i]; }
};

/// A View's elements as an array: where they are, or, where that has gaps, in memory.
template <class View>
class ViewAsArray {
 public:
  using T = typename View::non_const_value_type;

  ViewAsArray(View const& view, ArrayMemory& memory)
      : view_(view), array_(is_contiguous(view) ? view.data() : memory.take<T>(view.extent(0))) {}

  template <class Exec>
  T* read(std::string const& label, Exec const& exec) const {
    if (!is_contiguous(view_)) {
      Kokkos::parallel_for(label + "::read", range(exec, 0, view_.extent(0)),
                           ReadElements<View, T>{view_, array_});
    }
    return array_;
  }

  /// From an array, this one or another.
  template <class Exec>
  void write(std::string const& label, Exec const& exec, T const* from) const {
    if (from == view_.data()) return;
    Kokkos::parallel_for(label + "::write", range(exec, 0, view_.extent(0)),
                         WriteElements<View, T>{from, view_});
  }

 private:
  View view_;
  T* array_;
};

}  // namespace riffle::detail::sort
