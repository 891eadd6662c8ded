#include "support/fibers.hpp"

#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <utility>

#if __has_include(<sanitizer/common_interface_defs.h>)
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define RIFFLE_FIBERS_ARE_WATCHED 1
#elif defined(__has_feature)
#define RIFFLE_FIBERS_ARE_WATCHED __has_feature(address_sanitizer)
#else
#define RIFFLE_FIBERS_ARE_WATCHED 0
#endif

#if RIFFLE_DETECTS_RACES
extern "C" char const* __tsan_default_options() { return "halt_on_error=1"; }
// Kokkos's atomic minimum and maximum begin with an ordinary load.
extern "C" char const* __tsan_default_suppressions() {
  return "race_top:desul::Impl::host_atomic_fetch_oper";
}
#endif

namespace riffle::test {

/// A stack, and the state that AddressSanitizer saves while another stack is in use.
struct StackBounds {
  void const* bottom = nullptr;
  std::size_t size = 0;
  void* kept = nullptr;
};

/// Where a fiber, or the thread that runs the fibers, resumes.
struct FiberContext {
  ucontext_t context;
  jmp_buf place;
  bool has_begun = true;
  bool has_ended = false;
  StackBounds stack;
  void* in_races = nullptr;  // the fiber of ThreadSanitizer
};

namespace {

// Later switches use longjmp, since swapcontext makes two system calls. AddressSanitizer must be told of each switch; its
// own _longjmp, and the one of fortified headers, report a jump to another stack as an error or unpoison the whole stack. So
// libc's is called.
#if RIFFLE_FIBERS_ARE_WATCHED

void jump(jmp_buf place) {
  using Jump = void (*)(jmp_buf, int);
  static auto const of_libc =
      reinterpret_cast<Jump>(dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "_longjmp"));
  of_libc(place, 1);
}

void leave(FiberContext& from, FiberContext const& to) {
  __sanitizer_start_switch_fiber(from.has_ended ? nullptr : &from.stack.kept, to.stack.bottom,
                                 to.stack.size);
}

void arrive(FiberContext const& at) {
  __sanitizer_finish_switch_fiber(at.stack.kept, nullptr, nullptr);
}

/// Called by a fiber when it begins; stores the bounds of the stack of the thread that runs it.
void begin_from(FiberContext& runner) {
  __sanitizer_finish_switch_fiber(nullptr, &runner.stack.bottom, &runner.stack.size);
}

#else

extern "C" [[noreturn]] void riffle_jump(jmp_buf place, int value) __asm__("_longjmp");

void jump(jmp_buf place) { riffle_jump(place, 1); }
// Inline, since ThreadSanitizer would see a function that returns in another fiber than the one that called it.
[[gnu::always_inline]] inline void leave(FiberContext&, [[maybe_unused]] FiberContext const& to) {
#if RIFFLE_DETECTS_RACES
  __tsan_switch_to_fiber(to.in_races, 1);  // without ordering the fibers
#endif
}
void arrive(FiberContext const&) {}
void begin_from(FiberContext&) {}

#endif

/// Switches from `from` to `to`; returns when another call switches back to `from`.
[[gnu::noinline]] void switch_to(FiberContext& from, FiberContext& to) {
  leave(from, to);
  if (_setjmp(from.place) == 0) {
    if (to.has_begun) jump(to.place);
    to.has_begun = true;
    swapcontext(&from.context, &to.context);
  }
  arrive(from);
}

/// A stack and its saved context. Stacks are reused, since page faults of fresh memory are slow.
class FiberStack {
 public:
  FiberContext context;
  Fibers* runner = nullptr;

  FiberStack() : memory_(std::make_unique_for_overwrite<std::byte[]>(size)) {}

  /// Prepares the stack so that the next switch to it calls `entry` with the upper and the lower half of this object's
  /// address. If an earlier fiber ended on this stack, `entry` instead resumes there. With a sanitizer that is not possible,
  /// since the sanitizers drop the state of a fiber that has ended.
  void begin(void (*entry)(unsigned, unsigned)) {
    bool const goes_on = context.has_ended && !RIFFLE_FIBERS_ARE_WATCHED && !races::are_detected;
    context.has_ended = false;
    if (goes_on) return;
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = memory_.get();
    context.context.uc_stack.ss_size = size;
    context.context.uc_link = nullptr;
    context.stack = {memory_.get(), size, nullptr};
    context.has_begun = false;
    // makecontext passes arguments of type int only.
    auto const address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context.context, reinterpret_cast<void (*)()>(entry), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  }

  static std::vector<std::unique_ptr<FiberStack>>& unused() {
    thread_local std::vector<std::unique_ptr<FiberStack>> stacks;
    return stacks;
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 18;

  std::unique_ptr<std::byte[]> memory_;
};

/// The stack that was returned last, or a new one.
std::unique_ptr<FiberStack> take_stack() {
  auto& unused = FiberStack::unused();
  if (unused.empty()) return std::make_unique<FiberStack>();
  auto stack = std::move(unused.back());
  unused.pop_back();
  return stack;
}

constexpr std::uint64_t turns_of_sleep = 5000;

}  // namespace

struct Fiber {
  std::function<void()> body;
  std::size_t crew;
  void* owner;  // an identification for the caller
  std::shared_ptr<races::Thread> thread;
  std::size_t place;                  // index among all fibers
  std::unique_ptr<FiberStack> stack;  // null before its first turn

  ~Fiber() {
    if (stack == nullptr) return;
#if RIFFLE_DETECTS_RACES
    stack.reset();  // ThreadSanitizer would report that another fiber uses the same stack
#else
    FiberStack::unused().push_back(std::move(stack));
#endif
  }
};

Fibers::Fibers(std::uint64_t seed, std::uint64_t max_turns)
    : random_(seed), max_turns_(max_turns), scheduler_(std::make_unique<FiberContext>()) {}

Fibers::~Fibers() {
  races::InEmulator const in_emulator;
#if RIFFLE_DETECTS_RACES
  for (auto const& fiber : fibers_) fiber->thread->abandon();
#endif
  fibers_.clear();
}

void Fibers::add(int crew, std::shared_ptr<races::Thread> thread, void* owner,
                 std::function<void()> body) {
  auto fiber = std::make_unique<Fiber>();
  fiber->body = std::move(body);
  fiber->crew = static_cast<std::size_t>(crew);
  fiber->owner = owner;
  fiber->thread = std::move(thread);
  fiber->place = fibers_.size();
  if (fiber->crew >= is_asleep_.size()) is_asleep_.resize(fiber->crew + 1);
  make_runnable(*fiber);
  fibers_.push_back(std::move(fiber));
}

void* Fibers::owner() const { return current_->owner; }

void Fibers::run() {
#if RIFFLE_DETECTS_RACES
  scheduler_->in_races = __tsan_get_current_fiber();
#endif
  for (std::uint64_t turns = 0; !fibers_.empty(); ++turns) {
    if (turns == max_turns_) throw Deadlock("fibers wait for what never comes");
    if (turns % turns_of_sleep == 0) suspend_crews();
    give_turn(take_runnable());
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void Fibers::yield() {
  make_runnable(*current_);
  end_turn();
}

void Fibers::wait(FiberQueue& queue) {
  queue.push_back(current_);
  end_turn();
}

void Fibers::resume(FiberQueue& queue) {
  for (Fiber* fiber : queue) make_runnable(*fiber);
  queue.clear();
}

bool Fibers::arrive_and_wait(FiberBarrier& barrier) {
  bool const is_last = barrier.waiting.size() + 1 == barrier.size;
  if (is_last) {
    resume(barrier.waiting);
  } else {
    wait(barrier.waiting);
  }
  return is_last;
}

void Fibers::make_runnable(Fiber& fiber) {
  (is_asleep_[fiber.crew] ? asleep_ : awake_).push_back(&fiber);
}

/// Suspends half of the crews, so that the others run far ahead of them.
void Fibers::suspend_crews() {
  for (std::size_t crew = 0; crew < is_asleep_.size(); ++crew) {
    is_asleep_[crew] = random_() % 2 == 0;
  }
  for (auto const& fibers : {std::exchange(awake_, {}), std::exchange(asleep_, {})}) {
    for (Fiber* fiber : fibers) make_runnable(*fiber);
  }
}

/// Removes and returns a random runnable fiber: of the crews that are awake, or of all if none is.
Fiber& Fibers::take_runnable() {
  auto& fibers = awake_.empty() ? asleep_ : awake_;
  if (fibers.empty()) throw Deadlock("every fiber waits for another");
  std::swap(fibers[random_() % fibers.size()], fibers.back());
  Fiber& fiber = *fibers.back();
  fibers.pop_back();
  return fiber;
}

void Fibers::give_turn(Fiber& fiber) {
  current_ = &fiber;
  if (fiber.stack == nullptr) begin(fiber);
  switch_to(*scheduler_, fiber.stack->context);
  if (!fiber.stack->context.has_ended) return;
  std::size_t const place = fiber.place;
  fibers_[place].swap(fibers_.back());
  fibers_[place]->place = place;
  fibers_.pop_back();
}

void Fibers::begin(Fiber& fiber) {
  fiber.stack = take_stack();
  fiber.stack->runner = this;
  fiber.stack->begin(&Fibers::enter);
#if RIFFLE_DETECTS_RACES
  fiber.thread->begin();
  fiber.stack->context.in_races = fiber.thread->fiber();
#endif
}

void Fibers::enter(unsigned upper, unsigned lower) {
  auto const address = static_cast<std::uintptr_t>(std::uint64_t{upper} << 32 | lower);
  auto const& stack = *reinterpret_cast<FiberStack const*>(address);
  for (;;) stack.runner->run_current();
}

/// Returns on the stack of another fiber; this object may have been destroyed by then.
void Fibers::run_current() {
  begin_from(*scheduler_);
  try {
    current_->body();
  } catch (...) {
    thrown_ = std::current_exception();
    races::ignore();
  }
  current_->stack->context.has_ended = true;
  end_turn();
}

void Fibers::end_turn() { switch_to(current_->stack->context, *scheduler_); }

}  // namespace riffle::test
