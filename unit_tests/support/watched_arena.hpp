#pragma once

// Watches all arenas: what is given back is overwritten, and nothing may be written beside what is taken. All test
// programs do so (main.cpp).

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

/// Has arenas watched by one watch, or by none, while it lives. Scopes are not open when it begins or ends.
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

/// For tests that count the bytes taken, of which a watch takes some.
struct UnwatchedArenas : ArenasWatchedBy {
  UnwatchedArenas() : ArenasWatchedBy(nullptr) {}
};

/// Watches while it lives.
class WatchedArena : public detail::ArenaWatch {
 public:
  /// What eight bytes are that nobody has.
  static constexpr std::uint64_t pattern = 0xd7d7d7d7d7d7d7d7;

  std::size_t guard() const override { return guard_bytes; }

  void on_take(std::byte* data, std::size_t bytes, bool is_on_host) override {
    std::size_t const all = guard_bytes + detail::aligned_bytes(bytes) + guard_bytes;
    fill(data - guard_bytes, all, is_on_host);
  }

  void on_give_back(std::byte* data, std::size_t bytes, bool is_on_host) override {
    std::byte* const end = data + bytes;
    std::size_t const behind = detail::aligned_bytes(bytes) - bytes + guard_bytes;
    if (!is_untouched(data - guard_bytes, guard_bytes, is_on_host)) report("before");
    if (!is_untouched(end, behind, is_on_host)) report("behind");
    fill(data, bytes, is_on_host);
  }

  /// How often something had been written beside what was taken.
  std::uint64_t faults() const { return faults_; }

 protected:
  virtual void report(char const*) { ++faults_; }

 private:
  static constexpr std::size_t guard_bytes = 256;
  static constexpr int pattern_byte = 0xd7;

  // Without Kokkos, whose tools would be told: tests count kernels, copies and fences.
  static void fill(std::byte* data, std::size_t bytes, bool is_on_host) {
    if (is_on_host) {
      std::memset(data, pattern_byte, bytes);
      return;
    }
#if defined(KOKKOS_ENABLE_CUDA)
    cudaDeviceSynchronize();
    cudaMemset(data, pattern_byte, bytes);
    cudaDeviceSynchronize();
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
#endif
    }
    return std::all_of(found.begin(), found.end(),
                       [](std::byte x) { return x == std::byte{pattern_byte}; });
  }

  std::uint64_t faults_ = 0;
  ArenasWatchedBy const watched_by_this_{this};
};

/// Fails the test that runs. Memory of a device is watched only where that is asked for: to overwrite it takes waiting
/// for the device, by which a fence that an algorithm lacks would not be missed.
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
