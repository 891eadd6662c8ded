#pragma once

// Many threads of execution on one thread of the processor, which takes turns among them as a seed
// would have it: the same turns in every run, and as unfair as a test asks.

#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#if __has_include(<sanitizer/common_interface_defs.h>)
#include <sanitizer/common_interface_defs.h>
#endif

namespace riffle::test {

#if defined(__SANITIZE_ADDRESS__)
#define RIFFLE_FIBERS_ARE_WATCHED 1
#elif defined(__has_feature)
#define RIFFLE_FIBERS_ARE_WATCHED __has_feature(address_sanitizer)
#else
#define RIFFLE_FIBERS_ARE_WATCHED 0
#endif

/// A stack, and what AddressSanitizer keeps of it while another is in use.
struct StackBounds {
  void const* bottom = nullptr;
  std::size_t size = 0;
  void* kept = nullptr;
};

/// Where a fiber, or who runs the fibers, goes on.
struct FiberContext {
  ucontext_t context;
  jmp_buf place;
  bool has_begun = true;
  bool has_ended = false;
  StackBounds stack;
};

// A switch by swapcontext takes two calls of the system, one by a jump none. Of a jump AddressSanitizer is told; its own
// _longjmp, and that of fortified headers, take one to another stack for a fault, or clean all of it.
#if RIFFLE_FIBERS_ARE_WATCHED

inline void jump(jmp_buf place) {
  using Jump = void (*)(jmp_buf, int);
  static auto const of_libc =
      reinterpret_cast<Jump>(dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "_longjmp"));
  of_libc(place, 1);
}

inline void leave(FiberContext& from, FiberContext const& to) {
  __sanitizer_start_switch_fiber(from.has_ended ? nullptr : &from.stack.kept, to.stack.bottom,
                                 to.stack.size);
}

inline void arrive(FiberContext const& at) {
  __sanitizer_finish_switch_fiber(at.stack.kept, nullptr, nullptr);
}

/// For a fiber at its begin: it learns the stack of who runs it.
inline void begin_from(FiberContext& runner) {
  __sanitizer_finish_switch_fiber(nullptr, &runner.stack.bottom, &runner.stack.size);
}

#else

extern "C" [[noreturn]] void riffle_jump(jmp_buf place, int value) __asm__("_longjmp");

inline void jump(jmp_buf place) { riffle_jump(place, 1); }
inline void leave(FiberContext&, FiberContext const&) {}
inline void arrive(FiberContext const&) {}
inline void begin_from(FiberContext&) {}

#endif

/// Goes on at `to`, and returns when something goes on at `from`.
[[gnu::noinline]] inline void go_on(FiberContext& from, FiberContext& to) {
  leave(from, to);
  if (_setjmp(from.place) == 0) {
    if (to.has_begun) jump(to.place);
    to.has_begun = true;
    swapcontext(&from.context, &to.context);
  }
  arrive(from);
}

/// A stack, which later fibers have again when the one that has it ends: fresh memory is slow.
class FiberStack {
 public:
  static constexpr std::size_t size = std::size_t{1} << 18;

  FiberStack() {
    if (unused().empty()) unused().push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    memory_ = std::move(unused().back());
    unused().pop_back();
  }

  ~FiberStack() { unused().push_back(std::move(memory_)); }

  std::byte* data() { return memory_.get(); }

 private:
  using Memory = std::unique_ptr<std::byte[]>;

  static std::vector<Memory>& unused() {
    thread_local std::vector<Memory> stacks;
    return stacks;
  }

  Memory memory_;
};

struct Fiber {
  std::function<void()> body;
  std::size_t crew;
  void* owner;        // whatever the caller would know it by
  std::size_t place;  // among all fibers
  FiberContext context;
  std::unique_ptr<FiberStack> stack;  // from its first turn on
};

/// A place where so many fibers wait for each other, again and again.
struct Meeting {
  explicit Meeting(int fibers) : size(static_cast<std::size_t>(fibers)) {}

  std::size_t size;
  std::vector<Fiber*> waiting;
};

class Fibers {
 public:
  explicit Fibers(std::uint64_t seed, std::uint64_t max_turns = 30'000'000)
      : random_(seed), max_turns_(max_turns) {}

  Fibers(Fibers const&) = delete;
  Fibers& operator=(Fibers const&) = delete;

  /// Fibers of one crew sleep and wake together. `owner` is whatever the caller would know a fiber by.
  void add(int crew, void* owner, std::function<void()> body) {
    auto fiber = std::make_unique<Fiber>();
    fiber->body = std::move(body);
    fiber->crew = static_cast<std::size_t>(crew);
    fiber->owner = owner;
    fiber->place = fibers_.size();
    if (fiber->crew >= is_asleep_.size()) is_asleep_.resize(fiber->crew + 1);
    let_go_on(*fiber);
    fibers_.push_back(std::move(fiber));
  }

  /// Of the fiber whose turn it is.
  void* owner() const { return current_->owner; }

  /// Runs all fibers to their ends, and those that they add. Throws what a fiber throws, and where they
  /// take so many turns that they must be waiting for what never comes.
  void run() {
    for (std::uint64_t turns = 0; !fibers_.empty(); ++turns) {
      if (turns == max_turns_) throw std::runtime_error("fibers wait for what never comes");
      if (turns % turns_of_sleep == 0) send_to_sleep();
      give_turn(take_any());
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
  }

  /// For a fiber: ends its turn.
  void yield() {
    let_go_on(*current_);
    end_turn();
  }

  /// For a fiber: goes on when all fibers of the meeting have come.
  void meet(Meeting& meeting) {
    if (meeting.waiting.size() + 1 == meeting.size) {
      for (Fiber* fiber : meeting.waiting) let_go_on(*fiber);
      meeting.waiting.clear();
      return;
    }
    meeting.waiting.push_back(current_);
    end_turn();
  }

 private:
  static constexpr std::uint64_t turns_of_sleep = 5000;

  void let_go_on(Fiber& fiber) { (is_asleep_[fiber.crew] ? asleep_ : awake_).push_back(&fiber); }

  // Half of the crews, so that others run far ahead of them.
  void send_to_sleep() {
    for (std::size_t crew = 0; crew < is_asleep_.size(); ++crew) {
      is_asleep_[crew] = random_() % 2 == 0;
    }
    for (auto const& fibers : {std::exchange(awake_, {}), std::exchange(asleep_, {})}) {
      for (Fiber* fiber : fibers) let_go_on(*fiber);
    }
  }

  // A random one of those that can go on, of the crews that are awake, or else of all.
  Fiber& take_any() {
    auto& fibers = awake_.empty() ? asleep_ : awake_;
    if (fibers.empty()) throw std::runtime_error("every fiber waits for another");
    std::swap(fibers[random_() % fibers.size()], fibers.back());
    Fiber& fiber = *fibers.back();
    fibers.pop_back();
    return fiber;
  }

  void give_turn(Fiber& fiber) {
    current_ = &fiber;
    if (fiber.stack == nullptr) begin(fiber);
    go_on(scheduler_, fiber.context);
    if (!fiber.context.has_ended) return;
    std::size_t const place = fiber.place;
    fibers_[place].swap(fibers_.back());
    fibers_[place]->place = place;
    fibers_.pop_back();
  }

  void begin(Fiber& fiber) {
    fiber.stack = std::make_unique<FiberStack>();
    fiber.context.has_begun = false;
    ucontext_t& context = fiber.context.context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack->data();
    context.uc_stack.ss_size = FiberStack::size;
    fiber.context.stack = {fiber.stack->data(), FiberStack::size, nullptr};
    context.uc_link = nullptr;
    // makecontext passes ints alone.
    auto const self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context, reinterpret_cast<void (*)()>(&Fibers::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }

  static void enter(unsigned upper, unsigned lower) {
    auto const self = static_cast<std::uintptr_t>(std::uint64_t{upper} << 32 | lower);
    reinterpret_cast<Fibers*>(self)->run_current();
  }

  // Never returns: nobody goes on with a fiber that has ended.
  void run_current() {
    begin_from(scheduler_);
    try {
      current_->body();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    current_->context.has_ended = true;
    end_turn();
  }

  void end_turn() { go_on(current_->context, scheduler_); }

  std::mt19937_64 random_;
  std::uint64_t max_turns_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<bool> is_asleep_;  // crews
  std::vector<Fiber*> awake_;    // those that can go on, of crews that are awake
  std::vector<Fiber*> asleep_;   // and of those that are not
  Fiber* current_ = nullptr;
  FiberContext scheduler_;
  std::exception_ptr thrown_;
};

}  // namespace riffle::test
