#include "support/fibers.hpp"

#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <stdexcept>
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

namespace riffle::test {

/// A stack, and what AddressSanitizer keeps of it while another is in use.
struct StackBounds {
  void const* bottom = nullptr;
  std::size_t size = 0;
  void* kept = nullptr;
};

/// Where a fiber, or the thread that runs the fibers, goes on.
struct FiberContext {
  ucontext_t context;
  jmp_buf place;
  bool has_begun = true;
  bool has_ended = false;
  StackBounds stack;
};

namespace {

// swapcontext makes two system calls, a jump none. AddressSanitizer must be told of each jump; its own _longjmp, and that
// of fortified headers, take one to another stack for a fault, or clean all of it.
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

/// A fiber calls this when it begins: it learns the stack of the thread that runs it.
void begin_from(FiberContext& runner) {
  __sanitizer_finish_switch_fiber(nullptr, &runner.stack.bottom, &runner.stack.size);
}

#else

extern "C" [[noreturn]] void riffle_jump(jmp_buf place, int value) __asm__("_longjmp");

void jump(jmp_buf place) { riffle_jump(place, 1); }
void leave(FiberContext&, FiberContext const&) {}
void arrive(FiberContext const&) {}
void begin_from(FiberContext&) {}

#endif

/// Goes on at `to`, and returns when something goes on at `from`.
[[gnu::noinline]] void go_on(FiberContext& from, FiberContext& to) {
  leave(from, to);
  if (_setjmp(from.place) == 0) {
    if (to.has_begun) jump(to.place);
    to.has_begun = true;
    swapcontext(&from.context, &to.context);
  }
  arrive(from);
}

/// A stack and where it goes on. A later fiber has it again when its fiber ends: fresh memory is slow.
class FiberStack {
 public:
  FiberContext context;
  Fibers* runner = nullptr;

  FiberStack() : memory_(std::make_unique_for_overwrite<std::byte[]>(size)) {}

  /// The next turn on this stack begins with a call of `entry`, which gets the two halves of this stack's address; or
  /// `entry` goes on there, where the last fiber has ended. AddressSanitizer knows no fiber that goes on after its end.
  void begin(void (*entry)(unsigned, unsigned)) {
    bool const goes_on = context.has_ended && !RIFFLE_FIBERS_ARE_WATCHED;
    context.has_ended = false;
    if (goes_on) return;
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = memory_.get();
    context.context.uc_stack.ss_size = size;
    context.context.uc_link = nullptr;
    context.stack = {memory_.get(), size, nullptr};
    context.has_begun = false;
    // makecontext passes ints alone.
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

/// The stack that was given back last, or a new one.
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
  void* owner;                        // whatever the caller would know it by
  std::size_t place;                  // among all fibers
  std::unique_ptr<FiberStack> stack;  // from its first turn on

  ~Fiber() {
    if (stack != nullptr) FiberStack::unused().push_back(std::move(stack));
  }
};

Fibers::Fibers(std::uint64_t seed, std::uint64_t max_turns)
    : random_(seed), max_turns_(max_turns), scheduler_(std::make_unique<FiberContext>()) {}

Fibers::~Fibers() = default;

void Fibers::add(int crew, void* owner, std::function<void()> body) {
  auto fiber = std::make_unique<Fiber>();
  fiber->body = std::move(body);
  fiber->crew = static_cast<std::size_t>(crew);
  fiber->owner = owner;
  fiber->place = fibers_.size();
  if (fiber->crew >= is_asleep_.size()) is_asleep_.resize(fiber->crew + 1);
  let_go_on(*fiber);
  fibers_.push_back(std::move(fiber));
}

void* Fibers::owner() const { return current_->owner; }

void Fibers::run() {
  for (std::uint64_t turns = 0; !fibers_.empty(); ++turns) {
    if (turns == max_turns_) throw std::runtime_error("fibers wait for what never comes");
    if (turns % turns_of_sleep == 0) send_to_sleep();
    give_turn(take_any());
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void Fibers::yield() {
  let_go_on(*current_);
  end_turn();
}

void Fibers::meet(Meeting& meeting) {
  if (meeting.waiting.size() + 1 == meeting.size) {
    for (Fiber* fiber : meeting.waiting) let_go_on(*fiber);
    meeting.waiting.clear();
    return;
  }
  meeting.waiting.push_back(current_);
  end_turn();
}

void Fibers::let_go_on(Fiber& fiber) {
  (is_asleep_[fiber.crew] ? asleep_ : awake_).push_back(&fiber);
}

/// Half of the crews sleep, so that others run far ahead of them.
void Fibers::send_to_sleep() {
  for (std::size_t crew = 0; crew < is_asleep_.size(); ++crew) {
    is_asleep_[crew] = random_() % 2 == 0;
  }
  for (auto const& fibers : {std::exchange(awake_, {}), std::exchange(asleep_, {})}) {
    for (Fiber* fiber : fibers) let_go_on(*fiber);
  }
}

/// A random fiber of those that can go on, of the crews that are awake, or else of all.
Fiber& Fibers::take_any() {
  auto& fibers = awake_.empty() ? asleep_ : awake_;
  if (fibers.empty()) throw std::runtime_error("every fiber waits for another");
  std::swap(fibers[random_() % fibers.size()], fibers.back());
  Fiber& fiber = *fibers.back();
  fibers.pop_back();
  return fiber;
}

void Fibers::give_turn(Fiber& fiber) {
  current_ = &fiber;
  if (fiber.stack == nullptr) begin(fiber);
  go_on(*scheduler_, fiber.stack->context);
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
}

void Fibers::enter(unsigned upper, unsigned lower) {
  auto const address = static_cast<std::uintptr_t>(std::uint64_t{upper} << 32 | lower);
  auto const& stack = *reinterpret_cast<FiberStack const*>(address);
  for (;;) stack.runner->run_current();
}

/// Returns when the stack is another fiber's; these Fibers may be no more by then.
void Fibers::run_current() {
  begin_from(*scheduler_);
  try {
    current_->body();
  } catch (...) {
    thrown_ = std::current_exception();
  }
  current_->stack->context.has_ended = true;
  end_turn();
}

void Fibers::end_turn() { go_on(current_->stack->context, *scheduler_); }

}  // namespace riffle::test
