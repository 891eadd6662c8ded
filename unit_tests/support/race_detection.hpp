#pragma once

// Annotations of the emulated GPU for ThreadSanitizer (preset sanitize-thread), which then reports accesses of lanes that no
// barrier and no fence orders. Without ThreadSanitizer, these functions do nothing.

#if defined(__SANITIZE_THREAD__)
#define RIFFLE_DETECTS_RACES 1
#else
#define RIFFLE_DETECTS_RACES 0
#endif

#if RIFFLE_DETECTS_RACES
extern "C" {
void __tsan_mutex_pre_signal(void* mutex, unsigned flags);
void __tsan_mutex_post_signal(void* mutex, unsigned flags);
void __tsan_mutex_pre_divert(void* mutex, unsigned flags);
void __tsan_mutex_post_divert(void* mutex, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void* __tsan_get_current_fiber();
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif

namespace riffle::test::races {

/// Whether races are detected.
inline constexpr bool are_detected = RIFFLE_DETECTS_RACES;

/// Accesses of the calling fiber are ignored until watch(). ThreadSanitizer is told that a mutex makes them, since the
/// annotations for ignoring accesses would store a call stack.
inline void ignore() {
#if RIFFLE_DETECTS_RACES
  __tsan_mutex_pre_signal(nullptr, 0);
#endif
}

inline void watch() {
#if RIFFLE_DETECTS_RACES
  __tsan_mutex_post_signal(nullptr, 0);
#endif
}

/// The emulator's own accesses are ignored.
struct InEmulator {
  InEmulator() { ignore(); }
  ~InEmulator() { watch(); }
  InEmulator(InEmulator const&) = delete;
  InEmulator& operator=(InEmulator const&) = delete;
};

/// Accesses of a fiber before release(at) are ordered before accesses of another fiber after a later acquire(at). Both are called
/// while accesses are ignored.
inline void release([[maybe_unused]] void* at) {
#if RIFFLE_DETECTS_RACES
  __tsan_mutex_pre_divert(nullptr, 0);
  __tsan_release(at);
  __tsan_mutex_post_divert(nullptr, 0);
#endif
}

inline void acquire([[maybe_unused]] void* at) {
#if RIFFLE_DETECTS_RACES
  __tsan_mutex_pre_divert(nullptr, 0);
  __tsan_acquire(at);
  __tsan_mutex_post_divert(nullptr, 0);
#endif
}

/// One or more fibers that ThreadSanitizer regards as one thread. It distinguishes 256 threads: if there were more, it would take
/// an access of one for an access of another.
class Thread {
 public:
  static constexpr int max_count = 250;

  Thread() = default;
  Thread(Thread const&) = delete;
  Thread& operator=(Thread const&) = delete;

#if RIFFLE_DETECTS_RACES
  // These functions are called while accesses are ignored. The accesses of the thread are ignored at first.

  /// The caller's earlier accesses are ordered before the accesses of the thread.
  void begin() {
    if (fiber_ != nullptr) return;
    void* const caller = __tsan_get_current_fiber();
    __tsan_mutex_pre_divert(nullptr, 0);
    fiber_ = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber_, 1);
    ignore();
    __tsan_switch_to_fiber(caller, 1);
    __tsan_mutex_post_divert(nullptr, 0);
  }

  ~Thread() {
    if (fiber_ == nullptr) return;
    void* const caller = __tsan_get_current_fiber();
    __tsan_mutex_pre_divert(nullptr, 0);
    __tsan_switch_to_fiber(fiber_, 1);
    watch();  // ThreadSanitizer requires this before the end
    __tsan_switch_to_fiber(caller, is_abandoned_ ? 0 : 1);
    __tsan_destroy_fiber(fiber_);
    __tsan_mutex_post_divert(nullptr, 0);
  }

  /// The thread will not continue; its accesses are ordered before later accesses of the fiber that destroys it.
  void abandon() { is_abandoned_ = true; }

  void* fiber() const { return fiber_; }

 private:
  void* fiber_ = nullptr;
  bool is_abandoned_ = false;
#endif
};

}  // namespace riffle::test::races
