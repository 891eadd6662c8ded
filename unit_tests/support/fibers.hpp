#pragma once

// Cooperative threads on one thread of the processor. A seed determines the order of their turns, which is the same in
// every run; whole crews of fibers can be suspended, so that others run far ahead.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/race_detection.hpp"

namespace riffle::test {

struct FiberContext;
struct Fiber;

/// Fibers that wait until another fiber resumes them.
using FiberQueue = std::vector<Fiber*>;

/// A barrier for `fibers` fibers, which can be used repeatedly.
struct FiberBarrier {
  explicit FiberBarrier(int fibers) : size(static_cast<std::size_t>(fibers)) {}

  std::size_t size;
  FiberQueue waiting;
};

/// Fibers wait for what never happens.
struct Deadlock : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Fibers {
 public:
  static constexpr std::uint64_t default_max_turns = 30'000'000;

  explicit Fibers(std::uint64_t seed, std::uint64_t max_turns = default_max_turns);
  ~Fibers();

  Fibers(Fibers const&) = delete;
  Fibers& operator=(Fibers const&) = delete;

  /// Fibers of one crew are suspended and resumed together. `owner` is what owner() returns during the fiber's turns. From
  /// races::watch() to races::ignore() in `body`, the fiber's accesses are watched as accesses of `thread`.
  void add(int crew, std::shared_ptr<races::Thread> thread, void* owner,
           std::function<void()> body);

  /// Overload for a fiber whose accesses are not watched.
  void add(int crew, void* owner, std::function<void()> body) {
    add(crew, std::make_shared<races::Thread>(), owner, std::move(body));
  }

  /// The owner of the fiber that is running.
  void* owner() const;

  /// Runs all fibers, and those that they add, to their ends. Throws what a fiber throws, and Deadlock if no fiber can continue
  /// or if there were more turns than `max_turns`.
  void run();

  /// Called by a fiber: ends its turn.
  void yield();

  /// Called by a fiber: waits until resume() is called with the queue.
  void wait(FiberQueue& queue);
  void resume(FiberQueue& queue);

  /// Called by a fiber: waits until all fibers of the barrier have called it. Returns whether the caller was the last one; then
  /// it has not waited.
  bool arrive_and_wait(FiberBarrier& barrier);

 private:
  void make_runnable(Fiber& fiber);
  void suspend_crews();
  Fiber& take_runnable();
  void give_turn(Fiber& fiber);
  void begin(Fiber& fiber);
  void run_current();
  void end_turn();

  static void enter(unsigned upper, unsigned lower);

  std::mt19937_64 random_;
  std::uint64_t max_turns_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<bool> is_asleep_;  // by crew
  std::vector<Fiber*> awake_;    // runnable fibers of crews that are awake
  std::vector<Fiber*> asleep_;   // runnable fibers of crews that are asleep
  Fiber* current_ = nullptr;
  std::unique_ptr<FiberContext> scheduler_;
  std::exception_ptr thrown_;
};

}  // namespace riffle::test
