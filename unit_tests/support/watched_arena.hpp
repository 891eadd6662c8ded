#pragma once

// Checks the use of temporary memory: memory that is given back is overwritten, and a write outside of the memory that a scope
// took is an error. All test programs do this (main.cpp).

#include <Kokkos_Core.hpp>
#include <riffle/primitives/arena.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace riffle::test {

/// Sets the watch of all arenas, or removes it, for its lifetime. No scope may be open when it begins or ends.
class ArenasWatchedBy {
 public:
  explicit ArenasWatchedBy(detail::ArenaWatch* watch)
      : previous_(std::exchange(detail::arena_watch, watch)) {}
  ~ArenasWatchedBy() { detail::arena_watch = previous_; }
  ArenasWatchedBy(ArenasWatchedBy const&) = delete;
  ArenasWatchedBy& operator=(ArenasWatchedBy const&) = delete;

 private:
  detail::ArenaWatch* previous_;
};

/// For tests that count the bytes that are taken: a watch takes additional bytes.
struct UnwatchedArenas : ArenasWatchedBy {
  UnwatchedArenas() : ArenasWatchedBy(nullptr) {}
};

/// Watches all arenas during its lifetime.
class WatchedArena : public detail::ArenaWatch {
 public:
  /// The value of 8 bytes that no scope has taken.
  static constexpr std::uint64_t pattern = 0xd7d7d7d7d7d7d7d7;

  std::size_t guard() const override { return guard_bytes; }

  void on_take(std::byte* data, std::size_t bytes, bool is_on_host) override {
    std::size_t const all = guard_bytes + detail::aligned_bytes(bytes) + guard_bytes;
    fill(data - guard_bytes, all, is_on_host);
  }

  void on_give_back(std::byte* data, std::size_t bytes, bool is_on_host) override {
    std::byte* const end = data + bytes;
    std::size_t const after = detail::aligned_bytes(bytes) - bytes + guard_bytes;
    if (!is_untouched(data - guard_bytes, guard_bytes, is_on_host)) report("before");
    if (!is_untouched(end, after, is_on_host)) report("after");
    fill(data, bytes, is_on_host);
  }

  /// How often bytes outside of the taken memory had changed.
  std::uint64_t faults() const { return faults_; }

 protected:
  virtual void report(char const*) { ++faults_; }

 private:
  static constexpr std::size_t guard_bytes = 256;
  static constexpr int pattern_byte = 0xd7;

  // Without Kokkos, which would report events to tools: tests count kernels, copies and fences.
  static void fill(std::byte* data, std::size_t bytes, bool is_on_host) {
    if (is_on_host) {
      std::memset(data, pattern_byte, bytes);
      return;
    }
#if defined(KOKKOS_ENABLE_CUDA)
    cudaDeviceSynchronize();
    cudaMemset(data, pattern_byte, bytes);
    cudaDeviceSynchronize();
#elif defined(KOKKOS_ENABLE_HIP)
    static_cast<void>(hipDeviceSynchronize());
    static_cast<void>(hipMemset(data, pattern_byte, bytes));
    static_cast<void>(hipDeviceSynchronize());
#endif
  }

  static bool is_untouched(std::byte const* data, std::size_t bytes, bool is_on_host) {
    std::vector<std::byte> found(bytes);
    if (is_on_host) {
      std::copy(data, data + bytes, found.begin());
    } else {
#if defined(KOKKOS_ENABLE_CUDA)
      cudaDeviceSynchronize();
      cudaMemcpy(found.data(), data, bytes, cudaMemcpyDeviceToHost);
#elif defined(KOKKOS_ENABLE_HIP)
      static_cast<void>(hipDeviceSynchronize());
      static_cast<void>(hipMemcpy(found.data(), data, bytes, hipMemcpyDeviceToHost));
#endif
    }
    return std::all_of(found.begin(), found.end(),
                       [](std::byte x) { return x == std::byte{pattern_byte}; });
  }

  std::uint64_t faults_ = 0;
  ArenasWatchedBy const watched_by_this_{this};
};

/// Reports a failure of the current test. Device memory is watched only on request: overwriting it fences the device, which
/// would hide that an algorithm lacks a fence.
class ArenaThatFailsTests : public WatchedArena {
 public:
  explicit ArenaThatFailsTests(bool watches_devices) : watches_devices_(watches_devices) {}

  void on_take(std::byte* data, std::size_t bytes, bool is_on_host) override {
    if (is_watched(is_on_host)) WatchedArena::on_take(data, bytes, is_on_host);
  }

  void on_give_back(std::byte* data, std::size_t bytes, bool is_on_host) override {
    if (is_watched(is_on_host)) WatchedArena::on_give_back(data, bytes, is_on_host);
  }

 private:
  bool is_watched(bool is_on_host) const { return is_on_host || watches_devices_; }

  void report(char const* where) override {
    ADD_FAILURE() << "something was written " << where << " temporary memory";
  }

  bool watches_devices_;
};

}  // namespace riffle::test
