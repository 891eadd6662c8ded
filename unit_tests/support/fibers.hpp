#pragma once

// Many threads of execution on one thread of the processor, which takes turns among them as a seed
// would have it: the same turns in every run, and as unfair as a test asks.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace riffle::test {

struct FiberContext;
struct Fiber;

/// A place where so many fibers wait for each other, again and again.
struct Meeting {
  explicit Meeting(int fibers) : size(static_cast<std::size_t>(fibers)) {}

  std::size_t size;
  std::vector<Fiber*> waiting;
};

class Fibers {
 public:
  explicit Fibers(std::uint64_t seed, std::uint64_t max_turns = 30'000'000);
  ~Fibers();

  Fibers(Fibers const&) = delete;
  Fibers& operator=(Fibers const&) = delete;

  /// Fibers of one crew sleep and wake together. `owner` is whatever the caller would know a fiber by.
  void add(int crew, void* owner, std::function<void()> body);

  /// Of the fiber whose turn it is.
  void* owner() const;

  /// Runs all fibers to their ends, and those that they add. Throws what a fiber throws, and where they
  /// take so many turns that they must be waiting for what never comes.
  void run();

  /// For a fiber: ends its turn.
  void yield();

  /// For a fiber: goes on when all fibers of the meeting have come.
  void meet(Meeting& meeting);

 private:
  void let_go_on(Fiber& fiber);
  void send_to_sleep();
  Fiber& take_any();
  void give_turn(Fiber& fiber);
  void begin(Fiber& fiber);
  void run_current();
  void end_turn();

  static void enter(unsigned upper, unsigned lower);

  std::mt19937_64 random_;
  std::uint64_t max_turns_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<bool> is_asleep_;  // crews
  std::vector<Fiber*> awake_;    // those that can go on, of crews that are awake
  std::vector<Fiber*> asleep_;   // and of those that are not
  Fiber* current_ = nullptr;
  std::unique_ptr<FiberContext> scheduler_;
  std::exception_ptr thrown_;
};

}  // namespace riffle::test
