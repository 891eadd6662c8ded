#include "support/emulated_gpu.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace riffle::test {

/// 32 lanes. Successive exchanges between lanes alternate between two sets of slots, so that no lane overwrites a slot that
/// another one has yet to read.
class EmulatedWarp {
 public:
  explicit EmulatedWarp(Fibers& fibers) : fibers_(fibers), barrier_(backend::width) {}

  void exchange(int lane, int parity, void const* value, std::size_t size, int source,
                void* result) {
    if (size > sizeof(Slot)) throw std::length_error("a lane passes too large a value");
    auto& slots = slots_[parity];
    std::memcpy(slots[lane].bytes, value, size);
    fibers_.arrive_and_wait(barrier_);
    std::memcpy(result, slots[source].bytes, size);
  }

  std::uint32_t ballot(int lane, int parity, bool predicate) {
    votes_[parity][lane] = predicate;
    fibers_.arrive_and_wait(barrier_);
    return backend::ballot(votes_[parity]);
  }

 private:
  struct Slot {
    std::byte bytes[128];
  };

  Fibers& fibers_;
  FiberBarrier barrier_;
  Slot slots_[2][backend::width];
  bool votes_[2][backend::width] = {};
};

/// The warps, the barrier and the scratch memory of a team.
class EmulatedTeam {
 public:
  EmulatedTeam(Fibers& fibers, int threads, std::size_t scratch_bytes)
      : fibers_(fibers), barrier_(threads), scratch_(scratch_bytes + alignment) {
    for (int warp = 0; warp < threads / backend::width; ++warp) {
      warps_.push_back(std::make_unique<EmulatedWarp>(fibers));
    }
  }

  EmulatedWarp& warp(int number) { return *warps_[static_cast<std::size_t>(number)]; }
  void wait_at_barrier() { fibers_.arrive_and_wait(barrier_); }

  /// The address of `size` bytes from `begin` on, or null if the team has fewer bytes.
  void* scratch(std::size_t begin, std::size_t size) {
    auto const address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    std::size_t const skipped = (alignment - address % alignment) % alignment;
    return begin + size + alignment > scratch_.size() ? nullptr : scratch_.data() + skipped + begin;
  }

 private:
  static constexpr std::size_t alignment = 128;

  Fibers& fibers_;
  FiberBarrier barrier_;
  std::vector<std::unique_ptr<EmulatedWarp>> warps_;
  std::vector<std::byte> scratch_;
};

void* EmulatedMember::Scratch::address(std::size_t begin, std::size_t bytes) const {
  return team_->scratch(begin, bytes);
}

void EmulatedMember::wait_at_barrier() const { team_->wait_at_barrier(); }

EmulatedWarp& EmulatedMember::warp() { return team_->warp(rank_ / backend::width); }

void EmulatedGpu::run(Launch const& launch) {
  for (int team = 0; team < launch.teams; ++team) waiting_.push_back(team);
  for (int team = 0; team < resident_ && !waiting_.empty(); ++team) start_team(launch);
  backend::Emulator* const before = std::exchange(backend::emulator(), this);
  try {
    fibers_.run();
  } catch (...) {
    backend::emulator() = before;
    throw;
  }
  backend::emulator() = before;
}

/// Starts one of the waiting teams.
void EmulatedGpu::start_team(Launch const& launch) {
  std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
  int const rank = waiting_.back();
  waiting_.pop_back();
  struct Running {
    EmulatedTeam team;
    std::vector<EmulatedMember> members;
    int threads;
  };
  auto const running = std::make_shared<Running>(
      Running{EmulatedTeam(fibers_, launch.threads, launch.scratch_bytes), {}, launch.threads});
  for (int thread = 0; thread < launch.threads; ++thread) {
    running->members.emplace_back(running->team, rank, thread, launch.threads, launch.teams);
  }
  for (EmulatedMember& member : running->members) {
    fibers_.add(rank, &member, [this, &launch, &member, running] {
      launch.call(launch.kernel, member);
      if (--running->threads == 0 && !waiting_.empty()) start_team(launch);
    });
  }
}

void EmulatedGpu::exchange(void const* value, std::size_t size, int source, void* result) {
  EmulatedMember& caller = member();
  caller.warp().exchange(caller.lane(), caller.next_parity(), value, size, source, result);
}

std::uint32_t EmulatedGpu::ballot(bool predicate) {
  EmulatedMember& caller = member();
  return caller.warp().ballot(caller.lane(), caller.next_parity(), predicate);
}

void EmulatedGpu::synchronize() { ballot(true); }
void EmulatedGpu::pause() { fibers_.yield(); }

EmulatedMember& EmulatedGpu::member() { return *static_cast<EmulatedMember*>(fibers_.owner()); }

}  // namespace riffle::test
