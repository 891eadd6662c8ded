#pragma once

// Scopes in which algorithms take temporary memory. A scope gives its memory back when it ends.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/primitives/arena.hpp>

namespace riffle::detail {

/// Places arrays one after the other in memory. Without memory, only counts the bytes that the arrays need.
class ArrayMemory {
 public:
  struct Array {
    std::byte* data;
    std::size_t bytes;
  };

  ArrayMemory() = default;
  explicit ArrayMemory(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  /// Returns an uninitialized array of `count` elements, aligned to 256 bytes.
  template <class T>
  T* take(std::uint64_t count) {
    return reinterpret_cast<T*>(take_bytes(count * sizeof(T)));
  }

  std::byte* take_bytes(std::size_t bytes) {
    std::size_t const guard = arena_watch == nullptr ? 0 : arena_watch->guard();
    std::size_t const begin = used_ + guard;
    used_ = begin + aligned_bytes(bytes) + guard;
    if (memory_ == nullptr) return nullptr;
    if (arena_watch != nullptr) watched_.push_back({memory_ + begin, bytes});
    return memory_ + begin;
  }

  std::size_t used() const { return used_; }

  /// The arrays that have been taken. They are recorded only while a test observes arenas (arena_watch).
  std::vector<Array> const& watched() const { return watched_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t used_ = 0;
  std::vector<Array> watched_;
};

/// Takes memory from the workspace of a context, and gives it back at the end of the scope.
///
/// A nested call with the same workspace opens a scope inside this scope and receives other memory. Only the innermost
/// scope may take memory. Kernels may still be using the memory when the scope ends: later kernels that receive the
/// same memory run after them, because they are enqueued on the same instance.
template <class Exec>
class Scope {
 public:
  /// Requires that the context has a workspace and outlives the scope.
  explicit Scope(Context<Exec> const& context)
      : context_(context),
        arena_(context.workspace().arena_),
        begin_(arena_.mark()),
        outer_(std::exchange(arena_.innermost_scope, this)) {}
  explicit Scope(Context<Exec>&&) = delete;

  ~Scope() {
    for (auto const& array : watched_) {
      arena_watch->on_give_back(array.data, array.bytes, is_on_host);
    }
    arena_.innermost_scope = outer_;
    arena_.give_back(context_.label(), context_.exec(), begin_);
  }

  Scope(Scope const&) = delete;
  Scope& operator=(Scope const&) = delete;

  /// Returns an uninitialized array of `count` elements, aligned to 256 bytes.
  template <class T>
  T* take(std::uint64_t count) {
    return reinterpret_cast<T*>(take_bytes(count * sizeof(T)));
  }

  /// Returns make(memory), where `make` takes its arrays from `memory`, an ArrayMemory. The arena allocates all these
  /// arrays together. `make` is called twice, because the first call only counts the bytes.
  template <class Make>
  auto arrays(Make const& make) {
    ArrayMemory counted;
    make(counted);
    ArrayMemory memory(take_piece(counted.used()));
    auto const result = make(memory);
    watch(memory);
    return result;
  }

 private:
  // Not a template, so that it is compiled only once, whatever the types of the arrays.
  std::byte* take_bytes(std::size_t bytes) {
    return arrays([&](ArrayMemory& memory) { return memory.take_bytes(bytes); });
  }

  std::byte* take_piece(std::size_t bytes) {
    if (arena_.innermost_scope != this)
      throw std::logic_error("riffle: an outer scope takes memory");
    return arena_.take(context_.label(), context_.exec(), bytes);
  }

  void watch(ArrayMemory const& memory) {
    for (auto const& array : memory.watched()) {
      arena_watch->on_take(array.data, array.bytes, is_on_host);
      watched_.push_back(array);
    }
  }

  static constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

  Context<Exec> const& context_;
  Arena<Exec>& arena_;
  typename Arena<Exec>::Mark begin_;
  void const* outer_;
  std::vector<ArrayMemory::Array> watched_;
};

}  // namespace riffle::detail
