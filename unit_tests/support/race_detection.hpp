#pragma once

// What the emulated GPU tells ThreadSanitizer (preset sanitize-thread), so that it reports accesses of lanes that no barrier and
// no fence orders. Without ThreadSanitizer, these functions do nothing.

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

/// Accesses of the calling fiber are ignored until watch(). They are declared to be those of a mutex; the annotations for
/// ignoring accesses would store a call stack.
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

/// What a fiber does before release(at) is ordered before what another fiber does after a later acquire(at). Both are called
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

#if RIFFLE_DETECTS_RACES
// These functions are called while accesses are ignored.

/// Creates a fiber. The caller's earlier accesses are ordered before it.
inline void* create_fiber() {
  __tsan_mutex_pre_divert(nullptr, 0);
  void* const fiber = __tsan_create_fiber(0);
  __tsan_mutex_post_divert(nullptr, 0);
  return fiber;
}

/// Destroys a fiber that ignores its accesses. If it has not ended, orders its accesses before later ones of the caller.
inline void destroy_fiber(void* fiber, bool has_ended) {
  void* const caller = __tsan_get_current_fiber();
  __tsan_mutex_pre_divert(nullptr, 0);
  __tsan_switch_to_fiber(fiber, 1);
  watch();  // ThreadSanitizer requires this before the end
  __tsan_switch_to_fiber(caller, has_ended ? 1 : 0);
  __tsan_mutex_post_divert(nullptr, 0);
  __tsan_destroy_fiber(fiber);
}
#endif

}  // namespace riffle::test::races
