#pragma once

// Many threads of execution on one thread of the processor, which takes turns among them as a seed
// would have it: the same turns in every run, and as unfair as a test asks.

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

namespace riffle::test {

/// A place where so many fibers wait for each other, again and again.
struct Meeting {
  explicit Meeting(int fibers) : size(fibers) {}

  int size;
  int arrived = 0;
  std::uint64_t held = 0;
};

class Fibers {
 public:
  explicit Fibers(std::uint64_t seed) : random_(seed) {}

  Fibers(Fibers const&) = delete;
  Fibers& operator=(Fibers const&) = delete;

  /// Fibers of one crew sleep and wake together. `owner` is whatever the caller would know a fiber by.
  void add(int crew, void* owner, std::function<void()> body) {
    auto fiber = std::make_unique<Fiber>();
    fiber->crew = static_cast<std::size_t>(crew);
    fiber->owner = owner;
    fiber->body = std::move(body);
    if (fiber->crew >= asleep_.size()) asleep_.resize(fiber->crew + 1);
    fibers_.push_back(std::move(fiber));
  }

  /// Of the fiber whose turn it is.
  void* owner() const { return current_->owner; }

  /// Runs all fibers to their ends, and those that they add. Throws what a fiber throws, and where they
  /// take so many turns that they must be waiting for what never comes.
  void run() {
    for (std::uint64_t turns = 0; !fibers_.empty(); ++turns) {
      if (turns == max_turns) throw std::runtime_error("fibers wait for what never comes");
      if (turns % turns_of_sleep == 0) send_to_sleep();
      give_turn(next());
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
  }

  /// For a fiber: ends its turn.
  void yield() {
    Fiber& self = *current_;
    swapcontext(&self.context, &scheduler_);
  }

  /// For a fiber: goes on when all fibers of the meeting have come.
  void meet(Meeting& meeting) {
    if (++meeting.arrived == meeting.size) {
      meeting.arrived = 0;
      ++meeting.held;
      return;
    }
    current_->awaited = &meeting;
    current_->held_before = meeting.held;
    yield();
    current_->awaited = nullptr;
  }

 private:
  static constexpr std::size_t stack_size = std::size_t{1} << 18;
  static constexpr std::uint64_t max_turns = 30'000'000;
  static constexpr std::uint64_t turns_of_sleep = 5000;

  struct Fiber {
    std::function<void()> body;
    std::unique_ptr<std::byte[]> stack;
    ucontext_t context;
    Meeting const* awaited = nullptr;
    std::uint64_t held_before = 0;
    std::size_t crew = 0;
    void* owner = nullptr;
    bool has_ended = false;

    bool can_go_on() const { return awaited == nullptr || awaited->held != held_before; }
  };

  // Half of the crews, so that others run far ahead of them.
  void send_to_sleep() {
    for (std::size_t crew = 0; crew < asleep_.size(); ++crew) asleep_[crew] = random_() % 2 == 0;
  }

  std::size_t next() {
    std::size_t place = any_fiber(false);
    if (place == fibers_.size()) place = any_fiber(true);
    if (place == fibers_.size()) throw std::runtime_error("every fiber waits for another");
    return place;
  }

  // A random one of those that can go on, of the crews that are awake or of all; else the end.
  std::size_t any_fiber(bool also_asleep) {
    std::size_t const first = random_() % fibers_.size();
    for (std::size_t k = 0; k < fibers_.size(); ++k) {
      std::size_t const place = (first + k) % fibers_.size();
      Fiber const& fiber = *fibers_[place];
      if (fiber.can_go_on() && (also_asleep || !asleep_[fiber.crew])) return place;
    }
    return fibers_.size();
  }

  void give_turn(std::size_t place) {
    Fiber& fiber = *fibers_[place];
    current_ = &fiber;
    if (fiber.stack == nullptr) begin(fiber);
    swapcontext(&scheduler_, &fiber.context);
    if (!fiber.has_ended) return;
    fibers_[place].swap(fibers_.back());
    fibers_.pop_back();
  }

  void begin(Fiber& fiber) {
    fiber.stack = std::make_unique<std::byte[]>(stack_size);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_size;
    fiber.context.uc_link = &scheduler_;
    // makecontext passes ints alone.
    auto const self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Fibers::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }

  static void enter(unsigned upper, unsigned lower) {
    auto const self = static_cast<std::uintptr_t>(std::uint64_t{upper} << 32 | lower);
    reinterpret_cast<Fibers*>(self)->run_current();
  }

  void run_current() {
    Fiber& self = *current_;
    try {
      self.body();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    self.has_ended = true;
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<bool> asleep_;
  Fiber* current_ = nullptr;
  ucontext_t scheduler_;
  std::exception_ptr thrown_;
};

}  // namespace riffle::test
